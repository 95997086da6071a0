"""Reading a KEP's files into the form the rules see."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kep_validator.document import Form, Kep, KepTree, Unreadable
from kep_validator.errors import InputError
from kep_validator.finding import METADATA_NAME, PROD_READINESS, README_NAME, Location
from kep_validator.front_matter import find_front_matter, parse_metadata
from kep_validator.source import Source
from kep_validator.yaml_source import YamlDocument

if TYPE_CHECKING:
    from kep_validator.markdown_source import MarkdownDocument

_ALIASES_NAME = "OWNERS_ALIASES"
_KEPS = "keps"


@dataclass
class _Files:
    """What was read of one KEP so far; `overlay` holds contents that stand for files."""

    overlay: Mapping[Path, bytes] = field(default_factory=dict)
    metadata: YamlDocument | None = None
    readme: MarkdownDocument | None = None
    unreadable: list[Unreadable] = field(default_factory=list)

    def read(self, path: Path) -> Source | None:
        """Read a file that may be missing; note one that is there but cannot be read."""
        if path in self.overlay:
            return Source.from_bytes(str(path), self.overlay[path])
        if not os.path.lexists(path):
            return None
        try:
            return Source.read(path)
        except InputError as error:
            self.unreadable.append(Unreadable(error.place, error.problem))
            return None


def load_kep(location: Location, overlay: Mapping[Path, bytes] | None = None) -> Kep:
    """Read the KEP at `location`; broken and missing files are the rules' affair.

    `overlay` gives contents that are to stand at some paths, in place of what is there.
    """
    directory = location.path if location.form is Form.DIRECTORY else location.path.parent
    files = _Files(overlay or {})
    if location.form is Form.SINGLE_FILE:
        metadata_path = readme_path = location.path
        _read_single(location.path, files)
    else:
        is_metadata = location.form is Form.METADATA_FILE
        metadata_path = location.path if is_metadata else directory / METADATA_NAME
        is_readme = location.form is Form.README_FILE
        readme_path = location.path if is_readme else directory / README_NAME
        _read_pair(location.form, metadata_path, readme_path, files)
    tree = _tree_of(directory.absolute())
    expected = _prod_readiness_path(directory, tree, files.metadata)
    source = files.read(expected) if expected else None
    return Kep(
        name=str(location.path),
        form=location.form,
        metadata=files.metadata,
        readme=files.readme,
        prod_readiness=YamlDocument.parse(source) if source else None,
        prod_readiness_path=str(expected or ""),
        tree=tree,
        directory_name="" if location.form is Form.SINGLE_FILE else directory.absolute().name,
        sig_directory=_sig_directory(directory.absolute(), tree),
        metadata_path=str(metadata_path),
        readme_path=str(readme_path),
        unreadable=tuple(files.unreadable),
    )


def _read_pair(form: Form, metadata_path: Path, readme_path: Path, files: _Files) -> None:
    source = files.read(metadata_path)
    files.metadata = parse_metadata(source) if source else None
    if form is not Form.METADATA_FILE and (source := files.read(readme_path)):
        files.readme = _parse_markdown(source, 1)


def _read_single(path: Path, files: _Files) -> None:
    source = files.read(path)
    if source is None:
        return
    block = find_front_matter(source)
    if block:
        files.metadata = YamlDocument.parse(source, block.first_line, block.last_line)
    files.readme = _parse_markdown(source, block.body_line if block else 1)


def _parse_markdown(source: Source, first_line: int) -> MarkdownDocument:
    # Imported late: a kep.yaml alone needs no Markdown parser.
    from kep_validator.markdown_source import MarkdownDocument

    return MarkdownDocument.parse(source, first_line)


def _prod_readiness_path(
    directory: Path, tree: KepTree | None, metadata: YamlDocument | None
) -> Path | None:
    """Return where the production readiness file of a KEP belongs.

    In a tree that is `keps/prod-readiness/<owning-sig>/<kep-number>.yaml`, with both values taken
    as literally as upstream's pkg/kepval/approval.go takes them; a KEP that stands alone may hold
    its own `prod-readiness` folder.
    """
    sig = metadata.text("owning-sig") if metadata else None
    number = metadata.text("kep-number") if metadata else None
    base = _as_given(tree.root / _KEPS, directory) if tree else directory
    if not sig or not number or "\0" in sig + number:
        return None
    if not tree and not (base / PROD_READINESS).is_dir():
        return None
    path = os.path.normpath(base / PROD_READINESS / sig / f"{number}.yaml")
    return None if os.path.relpath(path, base).startswith("..") else Path(path)


def _as_given(path: Path, directory: Path) -> Path:
    """Write `path` relative to the working directory where `directory` is written so."""
    return path if directory.is_absolute() else Path(os.path.relpath(path))


def _sig_directory(directory: Path, tree: KepTree | None) -> str:
    if tree is None:
        return ""
    parts = directory.relative_to(tree.root / _KEPS).parts
    return parts[0] if len(parts) > 1 else ""


def _tree_of(directory: Path) -> KepTree | None:
    for parent in (directory, *directory.parents):
        if parent.name == _KEPS:
            return KepTree(parent.parent, _owners_aliases(parent.parent))
    return None


@cache
def _owners_aliases(root: Path) -> dict[str, tuple[str, ...]] | None:
    path = root / _ALIASES_NAME
    if not path.is_file():
        return None
    try:
        document = YamlDocument.parse(Source.read(path))
    except InputError:
        return None
    aliases = document.get("aliases")
    if not isinstance(aliases, dict):
        return None
    return {name: tuple(document.texts("aliases", name)) for name in aliases}
