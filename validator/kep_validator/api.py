"""The validator as a library: check paths and get a report. Nothing here prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

from kep_validator.diagnostics import Diagnostic, Report
from kep_validator.document import Form, Kep, Unreadable
from kep_validator.engine import Outcome, check_kep, guarded
from kep_validator.errors import InputError
from kep_validator.finding import METADATA_NAME, README_NAME, Location, find_keps
from kep_validator.front_matter import find_front_matter
from kep_validator.loading import load_kep
from kep_validator.policy import Policy
from kep_validator.releases.loading import load_release
from kep_validator.rules.input_files import UnreadableFile
from kep_validator.source import Source, Span

DEFAULT_RELEASE = "1.34"
Progress = Callable[[int, int], None]
# Below this many KEPs starting worker processes costs more than it saves.
_FEW = 24
_CHUNK = 8


def validate_path(path: str | Path, release: str = DEFAULT_RELEASE) -> Report:
    """Check the KEP, or the tree of KEPs, at `path` by the guidelines of `release`.

    Raises:
        InputError: nothing is there, or nothing there is a KEP.
        UsageError: no guidelines of this release are known.
    """
    return validate_paths([path], release)


def validate_paths(
    paths: Iterable[str | Path],
    release: str = DEFAULT_RELEASE,
    *,
    policy: Policy | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Report:
    """Check everything at `paths` and return one report.

    With `workers` above 1, many KEPs are shared out among that many processes. `progress` is
    called with the number of KEPs done and in all.

    Raises:
        InputError: nothing is at one of the paths, or nothing there is a KEP.
        UsageError: no guidelines of this release are known.
    """
    policy = policy or Policy()
    guide = load_release(release)
    found = [find_keps(_path(path)) for path in paths]
    locations = list(dict.fromkeys(chain.from_iterable(each.locations for each in found)))
    unreadable = [gone for each in found for gone in each.unreadable]
    outcomes = _check_all(locations, guide.release, workers, progress)
    return _report(guide.release, outcomes, policy, map(_folder_unreadable, unreadable))


def validate_text(path: str | Path, data: bytes, release: str = DEFAULT_RELEASE) -> Report:
    """Check a KEP as if the file at `path` held `data`; nothing is written.

    `path` names a README.md or kep.yaml, whose neighbours are read from the disk, or a single
    file with front matter.

    Raises:
        UsageError: no guidelines of this release are known.
    """
    file = Path(path)
    front_matter = find_front_matter(Source.from_bytes(str(file), data))
    if file.name == METADATA_NAME or (file.name == README_NAME and not front_matter):
        location = Location(file.parent, Form.DIRECTORY)
    else:
        location = Location(file, Form.SINGLE_FILE)
    guide = load_release(release)
    return _report(guide.release, [check_location(location, release, {file: data})], Policy())


def _report(
    release: str,
    outcomes: Sequence[Outcome],
    policy: Policy,
    more: Iterable[Diagnostic] = (),
) -> Report:
    found = chain.from_iterable(outcome.diagnostics for outcome in outcomes)
    skipped = chain.from_iterable(outcome.skipped for outcome in outcomes)
    crashes = chain.from_iterable(outcome.internal_errors for outcome in outcomes)
    return Report(
        release=release,
        checked=tuple(outcome.name for outcome in outcomes),
        diagnostics=policy.apply(chain(found, more)),
        skipped=policy.apply_to_skipped(skipped),
        internal_errors=tuple(crashes),
    )


def _path(given: str | Path) -> Path:
    """Refuse an empty path, which would mean the working directory: a shell variable not set."""
    if not str(given):
        raise InputError("''", "is no path", "give the path of a KEP or of a folder with KEPs")
    return Path(given)


def check_location(
    location: Location, release: str, overlay: Mapping[Path, bytes] | None = None
) -> Outcome:
    """Load and check one KEP; a crash of reading it is a finding, as that of a rule is."""
    outcome = Outcome(str(location.path))
    kep: Kep | None = None
    with guarded(outcome, outcome.name, "reading the KEP"):
        kep = load_kep(location, overlay)
    return check_kep(kep, load_release(release)) if kep else outcome


def _check_all(
    locations: Sequence[Location], release: str, workers: int, progress: Progress | None
) -> list[Outcome]:
    check = partial(check_location, release=release)
    results: Iterable[Outcome]
    if workers > 1 and len(locations) >= _FEW:
        from kep_validator.pool import map_in_processes

        results = map_in_processes(check, locations, workers, _CHUNK)
    else:
        results = map(check, locations)
    outcomes: list[Outcome] = []
    for outcome in results:
        outcomes.append(outcome)
        if progress:
            progress(len(outcomes), len(locations))
    return outcomes


def _folder_unreadable(gone: Unreadable) -> Diagnostic:
    meta = UnreadableFile.meta
    return Diagnostic(
        meta.code,
        meta.name,
        meta.severity,
        f"the folder cannot be read: {gone.reason}",
        Span(gone.path, 1),
        "check its permissions; the KEPs in it were not checked",
    )
