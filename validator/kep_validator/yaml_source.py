"""A YAML file as plain values with the place of each, whatever state the file is in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import yaml

from kep_validator.source import Source, Span
from kep_validator.yaml_faults import Fault
from kep_validator.yaml_tree import Entry, TreeBuilder, YamlValue

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Key = str | int


class YamlError(NamedTuple):
    """One thing that keeps a file from being read as one mapping without doubt."""

    span: Span
    message: str
    help: str
    kind: Fault = Fault.SYNTAX


@dataclass(frozen=True)
class YamlDocument:
    """The first document of a YAML file.

    `data` holds mappings as dict, lists as list, every scalar as its literal text (`0034`, `1.20`
    and `true` stay what the author typed) and null as None; it is `{}` when the file is broken or
    its root is no mapping. `errors` says what is wrong, in the order of the file.
    """

    source: Source
    data: dict[str, Any]
    errors: tuple[YamlError, ...] = ()
    _entries: dict[tuple[Key, ...], Entry] = field(default_factory=dict, repr=False)
    first_line: int = 1
    extra_documents: bool = False

    @classmethod
    def parse(
        cls, source: Source, first_line: int = 1, last_line: int | None = None
    ) -> YamlDocument:
        """Read the lines `first_line` to `last_line` (inclusive, counted from 1); never raises."""
        kept = range(first_line, (last_line or len(source.lines)) + 1)
        return cls.parse_lines(source, kept, first_line)

    @classmethod
    def parse_lines(cls, source: Source, kept: Iterable[int], first_line: int = 1) -> YamlDocument:
        """Read only the lines whose numbers are in `kept`, as if the others were blank."""
        text = _only(source, kept)
        builder = TreeBuilder(source, text)
        loader = _LOADER(text)
        extra = False
        try:
            root = loader.get_node() if loader.check_node() else None
            if root is None:
                builder.report_empty()
            else:
                builder.build(root)
                extra = _has_more(loader)
        except yaml.YAMLError as error:
            builder.clear()
            builder.report_broken(error)
        except (RecursionError, ValueError):
            builder.clear()
            builder.report_too_deep()
        finally:
            loader.dispose()
        errors = tuple(YamlError(*error) for error in sorted(builder.errors))
        return cls(source, builder.data, errors, builder.entries, first_line, extra)

    @property
    def broken(self) -> bool:
        """Whether nothing could be read: syntax errors, or a root that is no mapping."""
        return bool(self.errors) and not self._entries

    def get(self, *path: Key) -> YamlValue:
        """Return the value at `path`, None when it is null or absent."""
        value: YamlValue = self.data
        for key in path:
            try:
                value = value[key]  # type: ignore[index]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def has(self, *path: Key) -> bool:
        """Whether something, even null, stands at `path`."""
        return not path or path in self._entries

    def text(self, *path: Key) -> str | None:
        """Return the literal text of the scalar at `path`; None for null, absent or no scalar."""
        value = self.get(*path)
        return value if isinstance(value, str) else None

    def texts(self, *path: Key) -> list[str]:
        """Return the scalars of the list at `path`, leaving out nulls and what is no scalar."""
        value = self.get(*path)
        return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []

    def quoted(self, *path: Key) -> bool:
        """Whether the scalar at `path` is written in quotes or as a block."""
        entry = self._entries.get(path)
        return entry is not None and entry.quoted

    def tagged(self, tag: str, *path: Key) -> bool:
        """Whether the value at `path` is written with this explicit tag, such as `!!bool`."""
        if path not in self._entries:
            return False
        place = self._entries[path].value
        return self.source.lines[place.line - 1].startswith(tag, place.column - 1)

    def span(self, *path: Key) -> Span:
        """Return the place of the value at `path`, or of the nearest parent that exists."""
        entry = self._nearest(path)
        return entry.value if entry else self.source.span(self.first_line)

    def key_span(self, *path: Key) -> Span:
        """Return the place of the key (or list item) at `path`, or of its nearest parent."""
        entry = self._nearest(path)
        return entry.key if entry else self.source.span(self.first_line)

    def _nearest(self, path: tuple[Key, ...]) -> Entry | None:
        while path and path not in self._entries:
            path = path[:-1]
        return self._entries.get(path) if path else None


def _only(source: Source, kept: Iterable[int]) -> str:
    wanted = set(kept)
    if len(wanted) >= len(source.lines):
        return source.text
    return "\n".join(
        line if number in wanted else "" for number, line in enumerate(source.lines, 1)
    )


class _Loader(Protocol):
    def check_node(self) -> bool: ...


def _has_more(loader: _Loader) -> bool:
    """Tell whether a second document follows; what it holds is nobody's concern."""
    try:
        return loader.check_node()
    except yaml.YAMLError:
        return True
