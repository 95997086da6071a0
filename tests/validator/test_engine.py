"""How rules are run: what is skipped and why, and what becomes of a rule that crashes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from kep_samples import METADATA, write_tree

from kep_validator import api
from kep_validator.cli import EXIT_INTERNAL, main
from kep_validator.diagnostics import Diagnostic, Severity
from kep_validator.document import Kep
from kep_validator.engine import Outcome, check_kep
from kep_validator.finding import find_keps
from kep_validator.loading import load_kep
from kep_validator.releases.loading import load_release
from kep_validator.releases.model import ReleaseGuide
from kep_validator.rules.base import Needs, Rule, RuleMeta
from kep_validator.source import Span

GUIDE = load_release("1.34")


def meta(code: str, *needs: Needs, since: str = "") -> RuleMeta:
    return RuleMeta(
        code,
        "a-rule",
        "Summary.",
        "Explanation.",
        "here",
        Severity.WARNING,
        frozenset(needs),
        since,
    )


class Says(Rule):
    """Finds something in every KEP."""

    meta = meta("KEP998")

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        yield self.found(Span("kep.yaml", 1), "found")


class Crashes(Says):
    """Fails after its first finding."""

    meta = meta("KEP999")

    def check(self, kep: Kep, guide: ReleaseGuide) -> Iterable[Diagnostic]:
        yield self.found(Span("kep.yaml", 1), "found")
        raise LookupError("lost")


def run(path: Path, *rules: Rule) -> Outcome:
    (location,) = find_keps(path).locations
    return check_kep(load_kep(location), GUIDE, rules)


def needing(need: Needs) -> Rule:
    return type("Needing", (Says,), {"meta": meta("KEP998", need)})()


def reasons(outcome: Outcome, code: str = "KEP998") -> list[str]:
    return [skipped.reason for skipped in outcome.skipped if skipped.code == code]


def test_crash_is_a_finding_and_others_run(tmp_path: Path) -> None:
    outcome = run(write_tree(tmp_path), Crashes(), Says())
    codes = [found.code for found in outcome.diagnostics]
    assert codes.count("KEP998") == 1
    (crash,) = [found for found in outcome.diagnostics if found.code == "KEP900"]
    assert "KEP999" in crash.message and "lost" in crash.message
    assert "LookupError: lost" in outcome.internal_errors[0]


@pytest.mark.parametrize("verbose", [False, True])
def test_crash_has_its_exit_code(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    verbose: bool,
) -> None:
    def check(kep: Kep, guide: ReleaseGuide) -> Outcome:
        return check_kep(kep, guide, [Crashes()])

    monkeypatch.setattr(api, "check_kep", check)
    options = ["-v"] if verbose else []
    # Not even a user who looks at one rule alone may overlook it.
    assert main([str(write_tree(tmp_path)), "--select", "KEP101", *options]) == EXIT_INTERNAL
    printed = capsys.readouterr()
    assert "KEP900" in printed.out
    assert ("Traceback" in printed.err) is verbose


@pytest.mark.parametrize(
    ("need", "reason"),
    [
        (Needs.METADATA, "the metadata cannot be read"),
        (Needs.README, "there is no README.md"),
        (Needs.TREE, "does not lie in a keps/ folder"),
        (Needs.PROD_READINESS_PLACE, "no place to look"),
    ],
)
def test_rule_without_what_it_needs_is_skipped(tmp_path: Path, need: Needs, reason: str) -> None:
    (tmp_path / "kep.yaml").write_text("title: [", encoding="utf-8")
    outcome = run(tmp_path, needing(need))
    assert [found.code for found in outcome.diagnostics] == []
    (given,) = reasons(outcome)
    assert reason in given


@pytest.mark.parametrize("need", list(Needs))
def test_rule_with_what_it_needs_runs(tmp_path: Path, need: Needs) -> None:
    outcome = run(write_tree(tmp_path), needing(need))
    assert reasons(outcome) == []
    assert [found.code for found in outcome.diagnostics] == ["KEP998"]


def test_kep_yaml_alone_skips_the_readme(tmp_path: Path) -> None:
    outcome = run(write_tree(tmp_path) / "kep.yaml", needing(Needs.README))
    assert reasons(outcome) == ["only kep.yaml was given"]


def test_readme_alone_reports_no_other_file(tmp_path: Path) -> None:
    directory = write_tree(tmp_path)
    (directory / "kep.yaml").write_text("titel: x\n", encoding="utf-8")
    outcome = run(directory / "README.md", Says())
    assert outcome.diagnostics == []
    assert run(directory, Says()).diagnostics


def test_rule_of_a_later_release_is_not_run(tmp_path: Path) -> None:
    later = type("Later", (Says,), {"meta": meta("KEP998", since="1.35")})()
    same = type("Same", (Says,), {"meta": meta("KEP998", since="1.34")})()
    directory = write_tree(tmp_path)
    assert run(directory, later).diagnostics == []
    assert len(run(directory, same).diagnostics) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("status: implementable", "status: provisional"), "status is `provisional`"),
        (('latest-milestone: "v1.34"', "latest-milestone: v1.20"), "before v1.21"),
        (("stage: beta", "stage:"), "is not set"),
        (('latest-milestone: "v1.34"', "latest-milestone: soon"), "is no release"),
    ],
)
def test_approval_that_is_not_needed_is_said(
    tmp_path: Path, change: tuple[str, str], reason: str
) -> None:
    directory = write_tree(tmp_path)
    (directory / "kep.yaml").write_text(METADATA.replace(*change), encoding="utf-8")
    report = api.validate_path(directory)
    for code in ("KEP350", "KEP353", "KEP355"):
        (skipped,) = [each for each in report.skipped if each.code == code]
        assert reason in skipped.reason


def test_missing_owners_aliases_are_said(tmp_path: Path) -> None:
    directory = write_tree(tmp_path)
    report = api.validate_path(directory)
    assert "KEP355" not in {skipped.code for skipped in report.skipped}
    api_cache_free = tmp_path / "other"
    directory = write_tree(api_cache_free)
    (api_cache_free / "OWNERS_ALIASES").unlink()
    report = api.validate_path(directory)
    (skipped,) = [each for each in report.skipped if each.code == "KEP355"]
    assert "no OWNERS_ALIASES was found" in skipped.reason


def test_processes_find_what_one_process_finds(tmp_path: Path) -> None:
    for number in range(30):
        directory = write_tree(tmp_path, name=f"{number}-sample")
        text = METADATA.replace("stage: beta", "stage: betta" if number % 2 else "stage: alpha")
        (directory / "kep.yaml").write_text(text, encoding="utf-8")
    seen: list[tuple[int, int]] = []
    alone = api.validate_paths([tmp_path])
    shared = api.validate_paths([tmp_path], workers=2, progress=lambda *done: seen.append(done))
    assert shared == alone
    assert seen[-1] == (30, 30) and len(seen) == 30


def test_a_path_given_twice_is_checked_once(tmp_path: Path) -> None:
    directory = write_tree(tmp_path)
    assert api.validate_paths([directory, tmp_path]).checked == (str(directory),)


def test_crash_of_reading_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Kep:
        raise LookupError("lost")

    monkeypatch.setattr(api, "load_kep", fail)
    report = api.validate_path(write_tree(tmp_path))
    (found,) = report.diagnostics
    assert found.code == "KEP900"
    assert "reading the KEP failed: LookupError: lost" in found.message
    assert report.internal_errors


def test_text_before_it_is_written(tmp_path: Path) -> None:
    directory = write_tree(tmp_path)
    new = METADATA.replace("stage: beta", "stage: betta").encode()
    report = api.validate_text(directory / "kep.yaml", new)
    assert "KEP111" in {found.code for found in report.diagnostics}
    assert "KEP111" not in {found.code for found in api.validate_path(directory).diagnostics}
    assert (directory / "kep.yaml").read_text(encoding="utf-8") == METADATA


def test_readme_before_it_is_written(tmp_path: Path) -> None:
    directory = write_tree(tmp_path)
    report = api.validate_text(directory / "README.md", b"\xff")
    (found,) = [each for each in report.diagnostics if each.code == "KEP001"]
    assert found.span.path == str(directory / "README.md")


@pytest.mark.parametrize("name", ["kep-9999.md", "README.md"])
def test_single_file_before_it_is_written(tmp_path: Path, name: str) -> None:
    text = f"---\n{METADATA.replace('@alice', 'TBD')}---\n# KEP-9999: x\n"
    report = api.validate_text(tmp_path / name, text.encode())
    assert report.checked == (str(tmp_path / name),)
    (found,) = [each for each in report.diagnostics if each.code == "KEP131"]
    assert found.span.line == 5
    assert list(tmp_path.iterdir()) == []
