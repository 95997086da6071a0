"""Digests and facts that tie a result to what produced it."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterable, Mapping
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from kep_workbench.errors import InputError
from kep_workbench.record import Machine
from kep_workbench.strict_json import load_json

# Packages whose version can change a measured number or how it is drawn.
PACKAGES = ("numpy", "pandas", "matplotlib", "papermill", "nbclient", "ipykernel")

_PREEMPTION = ("kep_preemption", "kep_workbench/benchmark*.py")
# What a result of each kind is computed by: packages, and modules of this one.
_CODE: Mapping[str, tuple[str, ...]] = {
    "preemption-benchmark": _PREEMPTION,
    "cluster-e2e": ("kep_preemption", "kep_workbench/e2e_report.py"),
    "kep-review": ("kep_validator", "kep_workbench/review_report.py"),
}
# Parts that cannot change a measured number: the command lines, and for benchmarks the cluster.
_LEFT_OUT: Mapping[str, tuple[str, ...]] = {"preemption-benchmark": ("live", "cli.py")}


def notebook_digest(path: Path) -> str:
    """Digest a notebook's cells (type, id, tags and source), not outputs or metadata.

    Raises:
        InputError: the file cannot be read or is no notebook.
    """
    try:
        cells = load_json(path.read_bytes())["cells"]
        parts = [_cell_source(cell) for cell in cells]
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(str(path), f"cannot be read: {reason}", "check the path") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        problem = f"is not a notebook of format 4: {error!r}"
        raise InputError(str(path), problem, "open and save it in JupyterLab") from error
    return _digest([json.dumps(parts, ensure_ascii=False).encode()])


def _cell_source(cell: Mapping[str, Any]) -> list[Any]:
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    tags = sorted(cell.get("metadata", {}).get("tags", []))
    return [cell["cell_type"], cell.get("id", ""), tags, text]


def code_digest(kind: str = "preemption-benchmark") -> str:
    """Digest the source and data files that compute a result of this kind.

    An unknown kind counts as computed by the prototype.
    """
    left_out = _LEFT_OUT.get(kind, ())
    chunks: list[bytes] = []
    for part in _CODE.get(kind, _PREEMPTION):
        package, _, pattern = part.partition("/")
        root = Path(str(resources.files(package)))
        chunks += _files(root, root.glob(pattern) if pattern else root.rglob("*"), left_out)
    return _digest(chunks)


def input_digest(paths: Iterable[Path]) -> str:
    """Digest the files and folders that parameters name; '' when there are none."""
    chunks: list[bytes] = []
    for path in paths:
        chunks += _files(path, path.rglob("*")) if path.is_dir() else _files(path.parent, [path])
    return _digest(chunks) if chunks else ""


def package_versions() -> dict[str, str]:
    """Versions of the packages that matter to a result, of those that are installed."""
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def machine() -> Machine:
    """Describe this machine: system, architecture, usable CPUs, memory in GiB."""
    affinity = getattr(os, "sched_getaffinity", None)
    cpus = len(affinity(0)) if affinity else os.cpu_count() or 1
    return Machine(platform.system(), platform.machine(), cpus, _memory_gib())


def busy_note() -> str:
    """A sentence when more processes want to run than there are CPUs; '' otherwise.

    The load is the average of the last minute, the measuring process included.
    """
    cpus = machine().cpus
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        return ""
    # A measurement alone makes a load of 1, and its kernel's threads a little more.
    if load <= max(cpus, 1.5):
        return ""
    return (
        f"The machine was busy with other work (load {load:.1f} on {cpus} CPUs): "
        "times are longer and more scattered than on a quiet one."
    )


def _memory_gib() -> float | None:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    return round(size / 2**30, 1)


def _files(root: Path, paths: Iterable[Path], left_out: tuple[str, ...] = ()) -> list[bytes]:
    """Names and contents in order; caches, hidden files and a KEP's own evidence do not count."""
    chunks: list[bytes] = []
    for path in sorted(paths, key=Path.as_posix):
        parts = path.relative_to(root).parts
        hidden = any(part.startswith(".") or part == "__pycache__" for part in parts)
        unwanted = hidden or set(parts) & set(left_out) or _is_evidence(path, root)
        if path.is_file() and not unwanted:
            chunks += [path.relative_to(root).as_posix().encode(), _content(path)]
    return chunks


def _content(path: Path) -> bytes:
    """A file's content as every checkout has it: git may turn the line ends of text.

    Of a KEP's README the results written into it do not count, or else writing them would make
    the review of that KEP outdated at once.
    """
    data = path.read_bytes()
    if b"\0" in data:
        return data
    data = data.replace(b"\r\n", b"\n")
    if path.name == "README.md" and (path.parent / "kep.yaml").is_file():
        from kep_workbench.splice import without_results

        return without_results(data.decode("utf-8", "surrogateescape")).encode(
            "utf-8", "surrogateescape"
        )
    return data


def _is_evidence(path: Path, root: Path) -> bool:
    return any(
        folder.name == "evidence" and (root / folder.parent / "kep.yaml").is_file()
        for folder in path.relative_to(root).parents
    )


def _digest(chunks: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for chunk in chunks:
        # The length keeps two ways of cutting the same bytes apart.
        digest.update(len(chunk).to_bytes(8, "big"))
        digest.update(chunk)
    return f"sha256:{digest.hexdigest()}"
