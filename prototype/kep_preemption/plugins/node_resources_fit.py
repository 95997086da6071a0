"""NodeResourcesFit: what the pod requests must be free, and one more pod allowed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, Positions
from kep_preemption.errors import InputError
from kep_preemption.objects import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Pod
from kep_preemption.snapshot import Snapshot

_TOO_MANY_PODS = 1
# One bit of an int64 per resource, beside the one for 'too many pods' and the sign.
_MOST_RESOURCES = 62
# Upstream looks at these first, and at other resources in no particular order.
_FIRST = (CPU, MEMORY, EPHEMERAL_STORAGE)


@dataclass(frozen=True, slots=True)
class _Resource:
    """One requested resource: `free` by node, and what each pod of the snapshot requests."""

    name: str
    request: int
    free: IntArray
    pods: IntArray


@dataclass(frozen=True, slots=True)
class NodeResourcesFit:
    """Refuses nodes without room (plugins/noderesources `fitsRequest`).

    Only what the pod requests is checked, so an overcommitted node takes a pod that requests
    nothing. `exceeds` marks the resources of which the whole node has too little: no preemption
    helps there. A refusal is a mask: 1 for too many pods, then one bit per resource.
    """

    resources: tuple[_Resource, ...]
    pods_allowed: IntArray
    exceeds: IntArray

    name = "NodeResourcesFit"
    follows_pods = True

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot) -> NodeResourcesFit:
        """Lay out what each node has left of what the pod requests.

        Raises:
            InputError: the pod requests more than 62 resources.
        """
        names = _requested(pod)
        exceeds = np.zeros(len(snapshot.nodes), dtype=np.int64)
        resources = []
        for place, name in enumerate(names):
            allocatable, request = snapshot.nodes.allocatable_of(name), pod.requests[name]
            exceeds |= _bit(request > allocatable, place)
            free = allocatable - snapshot.used_of(name)
            resources.append(_Resource(name, request, free, snapshot.pods.requests_of(name)))
        return cls(tuple(resources), snapshot.nodes.allowed_pods - snapshot.pod_count, exceeds)

    def select(self, positions: IntArray) -> Self:
        """Return the state of these nodes alone."""
        return replace(
            self,
            resources=tuple(replace(r, free=r.free[positions]) for r in self.resources),
            pods_allowed=self.pods_allowed[positions],
            exceeds=self.exceeds[positions],
        )

    def filter(self, at: Positions) -> IntArray:
        """Return the mask of what is lacking."""
        refusal = _bit(self.pods_allowed[at] < 1, -1)
        for place, resource in enumerate(self.resources):
            refusal |= _bit(resource.request > resource.free[at], place)
        return refusal

    def unresolvable(self, refusal: IntArray, at: Positions) -> BoolArray:
        """Tell where a lacking resource exceeds what the whole node has."""
        result: BoolArray = (refusal & self.exceeds[at]) != 0
        return result

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Name everything that is lacking."""
        lacking = [r.name for i, r in enumerate(self.resources) if refusal >> (i + 1) & 1]
        too_many = ("Too many pods",) if refusal & _TOO_MANY_PODS else ()
        return (*too_many, *(f"Insufficient {name}" for name in lacking))

    def add_pods(self, at: Positions, pods: IntArray) -> None:
        """Take what the pods request."""
        _subtract(self.pods_allowed, at, np.int64(1))
        for resource in self.resources:
            _subtract(resource.free, at, resource.pods[pods])

    def remove_pods(self, at: Positions, pods: IntArray) -> None:
        """Give back what the pods request."""
        _subtract(self.pods_allowed, at, np.int64(-1))
        for resource in self.resources:
            _subtract(resource.free, at, -resource.pods[pods])


def _requested(pod: Pod) -> list[str]:
    names = [name for name, amount in pod.requests.items() if amount > 0 and name != PODS]
    if len(names) > _MOST_RESOURCES:
        raise InputError(
            f"pod {pod.key}",
            f"requests {len(names)} resources",
            f"at most {_MOST_RESOURCES} different resources are supported",
        )
    return [name for name in _FIRST if name in names] + sorted(set(names) - set(_FIRST))


def _bit(lacking: BoolArray, place: int) -> IntArray:
    return lacking.astype(np.int64) << (place + 1)


def _subtract(column: IntArray, at: Positions, amount: IntArray | np.int64) -> None:
    if isinstance(at, slice):
        column[at] -= amount
    else:
        np.subtract.at(column, at, amount)
