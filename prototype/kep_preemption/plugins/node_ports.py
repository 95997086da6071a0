"""NodePorts: a host port can be taken once per address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, Positions
from kep_preemption.objects import HostPort, Pod
from kep_preemption.snapshot import Snapshot

_EVERY_ADDRESS = "0.0.0.0"  # noqa: S104 (the API's word for all addresses; nothing is bound)


@dataclass(frozen=True, slots=True)
class NodePorts:
    """Refuses nodes where a port the pod asks for is taken (plugins/nodeports).

    `taken` has a row per node and a column per port that conflicts with the pod's, `held` the
    same per pod of the snapshot. As upstream's `HostPortInfo`, a port is taken or not, however
    many pods hold it: removing one of them frees it.
    """

    taken: BoolArray
    held: BoolArray

    name = "NodePorts"
    follows_pods = True

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot) -> NodePorts | None:
        """Skip the plugin for pods without host ports."""
        if not pod.host_ports:
            return None
        held = _held(snapshot, pod.host_ports)
        taken = np.zeros((len(snapshot.nodes), held.shape[1]), dtype=np.bool_)
        bound = slice(0, snapshot.pods.bound)
        np.logical_or.at(taken, snapshot.pods.node[bound], held[bound])
        return cls(taken, held)

    def select(self, positions: IntArray) -> Self:
        """Return the state of these nodes alone."""
        return replace(self, taken=self.taken[positions])

    def filter(self, at: Positions) -> IntArray:
        """Return 1 where a port is taken."""
        conflict: BoolArray = np.any(self.taken[at], axis=1)
        return conflict.astype(np.int64)

    def unresolvable(self, refusal: IntArray, at: Positions) -> BoolArray:
        """Return False for each node: its holder might be preempted."""
        return np.zeros(len(refusal), dtype=np.bool_)

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Return the only reason there is."""
        return ("node(s) didn't have free ports for the requested pod ports",)

    def add_pods(self, at: Positions, pods: IntArray) -> None:
        """Take the pods' ports."""
        if isinstance(at, slice):
            self.taken[at] |= self.held[pods]
        else:
            np.logical_or.at(self.taken, at, self.held[pods])

    def remove_pods(self, at: Positions, pods: IntArray) -> None:
        """Free the pods' ports."""
        if isinstance(at, slice):
            self.taken[at] &= ~self.held[pods]
        else:
            np.logical_and.at(self.taken, at, ~self.held[pods])


def _held(snapshot: Snapshot, wanted: Sequence[HostPort]) -> BoolArray:
    columns: dict[HostPort, int] = {}
    entries = [
        (index, columns.setdefault(port, len(columns)))
        for index in snapshot.pods_with_ports.tolist()
        for port in snapshot.pods.pods[index].host_ports
        if any(_conflict(port, mine) for mine in wanted)
    ]
    held = np.zeros((len(snapshot.pods), len(columns)), dtype=np.bool_)
    for index, column in entries:
        held[index, column] = True
    return held


def _conflict(left: HostPort, right: HostPort) -> bool:
    return (left.protocol, left.port) == (right.protocol, right.port) and (
        left.ip == right.ip or _EVERY_ADDRESS in (left.ip, right.ip)
    )
