"""The workspace: the checkout that holds the notebooks, their batches and their outputs."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

from kep_workbench.errors import UsageError

MARKER = Path("notebooks/batches.yaml")


@dataclass(frozen=True)
class Workspace:
    """A folder with `notebooks/batches.yaml`; `root` is absolute."""

    root: Path

    @property
    def batches(self) -> Path:
        """The file that describes the batches."""
        return self.root / MARKER

    @property
    def notebooks(self) -> Path:
        """The folder with the notebooks."""
        return self.batches.parent

    @property
    def out(self) -> Path:
        """Where outputs go; git ignores it."""
        return self.root / "out"

    def shown(self, path: Path) -> str:
        """How a path is printed: relative to the workspace where it lies inside."""
        return str(path.relative_to(self.root) if path.is_relative_to(self.root) else path)


def find_workspace(start: Path | None = None, given: Path | None = None) -> Workspace:
    """Return the workspace `given`, else the nearest one from `start` (or here) upwards.

    Raises:
        UsageError: there is none.
    """
    remedy = "change to a checkout of kep-workbench, or name one: --workspace FOLDER"
    if given is not None:
        if not (given / MARKER).is_file():
            raise UsageError(f"--workspace {given}", f"holds no {MARKER}", remedy)
        return Workspace(given.resolve())
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / MARKER).is_file():
            return Workspace(folder)
    raise UsageError(str(here), f"neither it nor a folder above holds {MARKER}", remedy)


def folder_argument(text: str) -> Path:
    """Read a folder on the command line; '' would mean the working directory.

    Raises:
        ArgumentTypeError: it is empty, as a shell variable that is not set.
    """
    if not text:
        raise argparse.ArgumentTypeError("an empty text is no path")
    return Path(text)


def locate(path: str) -> Path:
    """Resolve a path that a notebook was given: relative ones start at the workspace.

    So a notebook finds the same file whether papermill runs it at the top, `kepler run`
    from elsewhere, or JupyterLab in its own folder. Without a workspace the folder it runs in
    counts.
    """
    plain = Path(path).expanduser()
    if plain.is_absolute():
        return plain
    try:
        return find_workspace().root / plain
    except UsageError:
        return Path.cwd() / plain
