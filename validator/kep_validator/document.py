"""One KEP as the rules see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kep_validator.markdown_source import MarkdownDocument
    from kep_validator.yaml_source import YamlDocument


class Form(StrEnum):
    """How the KEP was given."""

    DIRECTORY = "directory"
    METADATA_FILE = "kep.yaml"
    README_FILE = "README.md"
    SINGLE_FILE = "single file with front matter"


@dataclass(frozen=True)
class KepTree:
    """The repository a KEP lies in, as far as it was found.

    `root` is the folder that holds `keps/`; `owners_aliases` maps an alias of OWNERS_ALIASES to
    its members, None when the tree has no such file (release data is used instead).
    """

    root: Path
    owners_aliases: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file or folder that cannot be read, and the operating system's reason."""

    path: str
    reason: str


@dataclass(frozen=True)
class Kep:
    """A KEP's parts; each is None when the KEP was given without it.

    `name` is how the user named the KEP and is what reports print. `prod_readiness` is
    the file `prod-readiness/<owning-sig>/<kep-number>.yaml`; `prod_readiness_path` is where that
    file is expected, whether or not it is there ('' when the KEP's form has no place for it).
    `metadata_path` and `readme_path` likewise. `unreadable` lists files that are there but cannot
    be read. `sig_directory` is the folder directly below `keps/` that the KEP lies in ('' outside
    of such a tree).
    """

    name: str
    form: Form
    metadata: YamlDocument | None
    readme: MarkdownDocument | None
    prod_readiness: YamlDocument | None = None
    prod_readiness_path: str = ""
    tree: KepTree | None = None
    directory_name: str = ""
    sig_directory: str = ""
    metadata_path: str = ""
    readme_path: str = ""
    unreadable: tuple[Unreadable, ...] = ()
