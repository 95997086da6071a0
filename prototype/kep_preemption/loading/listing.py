"""The objects in a document: single ones, Lists, and typed lists such as PodList."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kep_preemption.loading.problems import Problems

# The kinds that decide about preemption, with the API group each belongs to.
KINDS: Mapping[str, str] = {
    "Node": "",
    "Pod": "",
    "Namespace": "",
    "PodDisruptionBudget": "policy",
    "PriorityClass": "scheduling.k8s.io",
}
_REMEDY = "write it with kubectl get -o json, or give the object its apiVersion and kind"


@dataclass(frozen=True, slots=True)
class Listed:
    """An object with its kind ('' when the kind is one we do not read) and where it stands."""

    kind: str
    shown_kind: str
    fields: Mapping[str, Any]
    source: str
    index: int | None

    @property
    def name(self) -> str | None:
        """The object's name, None if it has none that is a text."""
        metadata = self.fields.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        return name if isinstance(name, str) and name else None

    @property
    def place(self) -> str:
        """File, kind and name, or position where there is no name."""
        name = self.name
        if name is None:
            position = f" items[{self.index}]" if self.index is not None else ""
            return f"{self.source}: {self.shown_kind}{position}"
        if self.kind in ("Pod", "PodDisruptionBudget"):
            namespace = self.fields["metadata"].get("namespace")
            name = f"{namespace if isinstance(namespace, str) else 'default'}/{name}"
        return f"{self.source}: {self.shown_kind} {name}"


def objects_in(document: Any, source: str, problems: Problems) -> Iterator[Listed]:  # noqa: ANN401
    """Yield the objects of one document; what is no object at all goes to `problems`."""
    if isinstance(document, list):
        yield from _items(document, "", source, problems)
    elif not isinstance(document, dict):
        problems.add(source, f"holds no Kubernetes object but {_shown(document)}", _REMEDY)
    elif str(document.get("kind", "")).endswith("List"):
        yield from _list(document, source, problems)
    else:
        yield from _single(document, "", source, None, problems)


def _list(document: Mapping[str, Any], source: str, problems: Problems) -> Iterator[Listed]:
    kind = str(document["kind"])
    items = document.get("items")
    if items is None:
        items = []
    if not isinstance(items, list):
        problems.add(f"{source}: {kind}: items", "is no list", _REMEDY)
        return
    yield from _items(items, kind.removesuffix("List"), source, problems)


def _items(
    items: list[Any], default_kind: str, source: str, problems: Problems
) -> Iterator[Listed]:
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            place = f"{source}: items[{index}]"
            problems.add(place, f"is no object but {_shown(item)}", _REMEDY)
            continue
        yield from _single(item, default_kind, source, index, problems)


def _single(
    item: dict[str, Any], default_kind: str, source: str, index: int | None, problems: Problems
) -> Iterator[Listed]:
    kind = item.get("kind") or default_kind
    position = f": items[{index}]" if index is not None else ""
    if not isinstance(kind, str) or not kind:
        problems.add(f"{source}{position}: kind", "is missing", _REMEDY)
        return
    if kind.endswith("List") and "items" in item:
        yield from _list(item, source, problems)
        return
    version = item.get("apiVersion")
    group = version.rpartition("/")[0] if isinstance(version, str) else KINDS.get(kind)
    known = kind if kind in KINDS and group == KINDS[kind] else ""
    yield Listed(known, kind, item, source, index)


def _shown(value: object) -> str:
    if isinstance(value, str):
        first = value.strip().splitlines()[0] if value.strip() else ""
        return f"the text {first[:60]!r}"
    return "null" if value is None else f"the {type(value).__name__} {str(value)[:40]}"
