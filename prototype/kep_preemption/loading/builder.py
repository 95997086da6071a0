"""Put listed objects together to a cluster, noting problems instead of stopping at the first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from kep_preemption.loading import namespace, node, pod, policy
from kep_preemption.loading.fields import FieldError, Fields
from kep_preemption.loading.listing import Listed
from kep_preemption.loading.problems import Problems
from kep_preemption.objects import (
    ClusterState,
    Namespace,
    Node,
    Pod,
    PodDisruptionBudget,
    PriorityClass,
)

T = TypeVar("T", Node, Pod, PodDisruptionBudget, PriorityClass, Namespace)


@dataclass(frozen=True)
class LoadedCluster:
    """A cluster, and what the reader of an answer about it should know of the input.

    `ignored` counts the objects of kinds that do not matter, by kind; `terminated` the pods left
    out because they have run to their end; `orphans` the pods kept on nodes that are not there.
    `notes` are sentences about what was assumed.
    """

    cluster: ClusterState
    ignored: Mapping[str, int] = field(default_factory=dict)
    terminated: int = 0
    orphans: int = 0
    notes: tuple[str, ...] = ()


class Builder:
    """Builds a cluster; what makes no sense goes to `problems`, and is raised at the end."""

    def __init__(self, problems: Problems, apply_defaults: bool, allow_unknown_nodes: bool) -> None:
        self._problems = problems
        self._apply_defaults = apply_defaults
        self._allow_unknown_nodes = allow_unknown_nodes

    def build(self, listed: Iterable[Listed]) -> LoadedCluster:
        """Return the cluster.

        Raises:
            InputError: an object makes no sense; several problems come as `InputProblemsError`.
        """
        by_kind: dict[str, list[Listed]] = {}
        for entry in listed:
            by_kind.setdefault(entry.kind, []).append(entry)
        nodes = self._parse(by_kind.get("Node", []), node.parse_node)
        pdbs = self._parse(by_kind.get("PodDisruptionBudget", []), policy.parse_pdb)
        classes = self._parse(by_kind.get("PriorityClass", []), policy.parse_priority_class)
        namespaces = self._parse(by_kind.get("Namespace", []), namespace.parse_namespace)
        live = [e for e in by_kind.get("Pod", []) if not pod.is_terminal(e.fields)]
        by_name = policy.classes_by_name(c for _, c in classes)
        pods = self._parse(
            live, lambda p: pod.parse_pod(p, by_name, apply_defaults=self._apply_defaults)
        )
        # A node with a fault of its own is no reason to complain of its pods too.
        names = {e.name for e in by_kind.get("Node", [])}
        orphans = self._check_nodes(pods, names)
        self._problems.raise_if_any()
        return LoadedCluster(
            ClusterState(
                _made(nodes),
                _made(pods),
                _made(pdbs),
                _made(classes),
                {listed.name: listed.labels for _, listed in namespaces},
            ),
            _count_ignored(by_kind.get("", [])),
            len(by_kind.get("Pod", [])) - len(live),
            orphans,
            (*_notes(pdbs), *notes_on_namespaces(_made(pods), bool(namespaces))),
        )

    def _parse(
        self, listed: Iterable[Listed], parse: Callable[[Fields], T]
    ) -> list[tuple[Listed, T]]:
        parsed = []
        seen: dict[tuple[str, str], Listed] = {}
        for entry in listed:
            try:
                made = parse(entry.fields)
            except FieldError as error:
                self._problems.add_field(entry.place, error)
                continue
            # Cluster-wide objects have no namespace.
            first = seen.setdefault((getattr(made, "namespace", ""), made.name), entry)
            if first is not entry:
                self._problems.add(
                    entry.place, f"is here twice, first in {first.source}", "leave one of them out"
                )
            parsed.append((entry, made))
        return parsed

    def _check_nodes(self, pods: Iterable[tuple[Listed, Pod]], nodes: set[str | None]) -> int:
        orphans = 0
        for entry, bound in pods:
            if bound.node_name and bound.node_name not in nodes:
                orphans += 1
                if not self._allow_unknown_nodes:
                    self._problems.add(
                        f"{entry.place}: spec.nodeName",
                        f"is {bound.node_name!r}, and there is no such node in the input",
                        "add the node, or go on without the pod by --allow-unknown-nodes",
                    )
        return orphans


def _made(parsed: Iterable[tuple[Listed, T]]) -> tuple[T, ...]:
    return tuple(made for _, made in parsed)


def _count_ignored(listed: Iterable[Listed]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for entry in listed:
        counts[entry.shown_kind] = counts.get(entry.shown_kind, 0) + 1
    return counts


def _notes(pdbs: Iterable[tuple[Listed, PodDisruptionBudget]]) -> Iterator[str]:
    for entry, pdb in pdbs:
        status = entry.fields.get("status")
        if not isinstance(status, dict) or status.get("disruptionsAllowed") is None:
            yield (
                f"PodDisruptionBudget {pdb.namespace}/{pdb.name} has no "
                "status.disruptionsAllowed: it counts as 0, as it would for the scheduler"
            )


def notes_on_namespaces(pods: Iterable[Pod], listed: bool) -> Iterator[str]:
    """Say so when a pod selects namespaces by labels and none is `listed`."""
    selecting = [
        pod
        for pod in pods
        for term in (*pod.affinity, *pod.anti_affinity)
        if term.namespace_selector is not None and not term.namespace_selector.empty
    ]
    if selecting and not listed:
        yield (
            f"pod {selecting[0].key} selects namespaces by their labels, and no namespace is in "
            "the input, so only their names are known: add kubectl get namespaces -o json"
        )
