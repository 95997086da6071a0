"""The walk from YAML nodes to plain values and their places."""

from __future__ import annotations

from typing import NamedTuple

import yaml
from yaml.error import Mark

from kep_validator.source import Source, Span
from kep_validator.yaml_faults import Fault, hint_for

YamlValue = str | None | list["YamlValue"] | dict[str, "YamlValue"]
Path = tuple[str | int, ...]

_NULL = "tag:yaml.org,2002:null"
_MERGE = "tag:yaml.org,2002:merge"
# No KEP comes near; an alias bomb multiplies a small file into far more.
_MOST_VALUES = 100_000
_DEEPEST = 100


class Entry(NamedTuple):
    """Where one value and its key stand."""

    key: Span
    value: Span
    quoted: bool = False


class TreeBuilder:
    """Turns composed nodes into values, collecting places and faults."""

    def __init__(self, source: Source, text: str) -> None:
        self._source = source
        self._lines = text.split("\n")
        self._odd_breaks = any(mark in text for mark in "\x85\u2028\u2029")
        self._text = text
        self._count = 0
        self.data: dict[str, YamlValue] = {}
        self.entries: dict[Path, Entry] = {}
        self.errors: list[tuple[Span, str, str, Fault]] = []

    def clear(self) -> None:
        """Forget what was read of a file that turned out broken."""
        self.data, self.entries = {}, {}
        self.errors.clear()

    def build(self, root: yaml.Node) -> None:
        """Read the root node, which has to be a mapping."""
        if isinstance(root, yaml.MappingNode):
            self.data = self._mapping(root, ())
        elif root.tag != _NULL or isinstance(root, yaml.SequenceNode):
            what = "a list" if isinstance(root, yaml.SequenceNode) else "plain text"
            span = self._span(root)
            self._fault(
                span, f"the file holds {what}, not `key: value` lines", _ROOT_HELP, Fault.ROOT
            )
        else:
            self.report_empty()

    def report_empty(self) -> None:
        """Record that the file holds nothing."""
        self._fault(self._source.span(1), "the file holds no metadata", _ROOT_HELP, Fault.ROOT)

    def report_broken(self, error: yaml.YAMLError) -> None:
        """Record a syntax error at its place."""
        problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        if problem == "found unexpected end of stream":
            # The opening quote tells more than the end of the file.
            mark = getattr(error, "context_mark", None) or mark
        if mark is None:
            line, column = self._position(getattr(error, "position", 0))
        else:
            line, column = self._place(mark)
        line = min(line, len(self._lines))
        if problem.startswith("found character that cannot start"):
            problem = f"found character {self._lines[line - 1][column - 1 : column]!r} at the start"
        span = self._source.span(line, column, line, column + 1)
        self._fault(span, f"not valid YAML: {problem}", hint_for(problem))

    def report_too_deep(self) -> None:
        """Record that the file holds more, or deeper, values than any KEP can mean."""
        message = "the file is nested or aliased beyond reason"
        self._fault(
            self._source.span(1), message, "write the values out, without nesting and aliases"
        )

    def _fault(self, span: Span, message: str, help: str, kind: Fault = Fault.SYNTAX) -> None:
        self.errors.append((span, message, help, kind))

    def _value(self, node: yaml.Node, path: Path) -> YamlValue:
        self._count += 1
        if self._count > _MOST_VALUES or len(path) > _DEEPEST:
            raise ValueError("too many values")
        if isinstance(node, yaml.ScalarNode):
            return None if node.tag == _NULL else str(node.value)
        if isinstance(node, yaml.SequenceNode):
            return [self._item(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._mapping(node, path)

    def _item(self, node: yaml.Node, path: Path) -> YamlValue:
        span = self._span(node)
        self.entries[path] = Entry(span, span, _is_quoted(node))
        return self._value(node, path)

    def _mapping(self, node: yaml.Node, path: Path) -> dict[str, YamlValue]:
        values: dict[str, YamlValue] = {}
        merged: list[yaml.Node] = []
        for key, value in node.value:
            if key.tag == _MERGE:
                merged += value.value if isinstance(value, yaml.SequenceNode) else [value]
            elif key.tag == _NULL:
                continue
            elif not isinstance(key, yaml.ScalarNode):
                self._fault(self._span(key), "a key is a list or a mapping", _KEY_HELP)
            else:
                self._pair(key, value, path, values)
        for extra in merged:
            self._merge(extra, path, values)
        return values

    def _pair(
        self, key: yaml.Node, value: yaml.Node, path: Path, values: dict[str, YamlValue]
    ) -> None:
        name = str(key.value)
        here = (*path, name)
        span = self._span(key)
        if name in values:
            first = self.entries[here].key.line
            message = f"key `{name}` stands twice (first on line {first})"
            self._fault(span, message, "keep one of the two", Fault.DUPLICATE)
            return
        empty = isinstance(value, yaml.ScalarNode) and not value.value and not value.style
        place = span if empty else self._span(value)
        self.entries[here] = Entry(span, place, _is_quoted(value))
        values[name] = self._value(value, here)

    def _merge(self, node: yaml.Node, path: Path, values: dict[str, YamlValue]) -> None:
        """Take the keys of a merged (`<<`) mapping that the mapping itself does not set."""
        if not isinstance(node, yaml.MappingNode):
            self._fault(
                self._span(node),
                "`<<` merges something that is no mapping",
                "merge an alias of a mapping, or remove the line",
            )
            return
        before = dict(self.entries)
        for name, value in self._mapping(node, path).items():
            values.setdefault(name, value)
        self.entries.update(before)

    def _span(self, node: yaml.Node) -> Span:
        line, column = self._place(node.start_mark)
        end_line, end_column = self._place(node.end_mark)
        end_line = min(end_line, len(self._lines))
        while end_line > line and not self._lines[end_line - 1][: end_column - 1].strip():
            end_line -= 1
            end_column = len(self._lines[end_line - 1]) + 1
        return self._source.span(line, column, end_line, end_column)

    def _place(self, mark: Mark) -> tuple[int, int]:
        # YAML also breaks lines at U+0085, U+2028 and U+2029; editors and git do not.
        if self._odd_breaks:
            return self._position(mark.index)
        return mark.line + 1, mark.column + 1

    def _position(self, index: int) -> tuple[int, int]:
        before = self._text[:index]
        return before.count("\n") + 1, len(before) - before.rfind("\n")


_ROOT_HELP = "start the file with `title: …` and the other keys of the KEP template"
_KEY_HELP = "use a plain word as the key"


def _is_quoted(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and bool(node.style)
