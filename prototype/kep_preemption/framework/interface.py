"""What a filter plugin is (kube-scheduler/framework `PreFilterPlugin`, `FilterPlugin`).

A plugin's `pre_filter` looks at the preemptor and the snapshot once and returns a `Filter`: the
plugin's state for this pod, over a set of nodes. Upstream's verbs work on positions in that set,
so one node is a set of length one and no filter is written twice. Each node of the set is a
hypothesis of its own: what `remove_pods` takes from one node is still there for all others.
"""

from __future__ import annotations

from typing import Protocol, Self

from kep_preemption.columns import BoolArray, IntArray, Positions
from kep_preemption.objects import Pod
from kep_preemption.snapshot import Snapshot


class Filter(Protocol):
    """One plugin's state for one preemptor over a set of nodes."""

    @property
    def name(self) -> str:
        """The plugin's name, as upstream registers it."""

    @property
    def follows_pods(self) -> bool:
        """Whether the verdict can change with the pods on a node."""

    def select(self, positions: IntArray) -> Self:
        """Return the state of these nodes alone; changes to it leave this one as it is."""

    def filter(self, at: Positions) -> IntArray:
        """Return each node's refusal: 0 if the pod fits, else a mask the plugin understands."""

    def unresolvable(self, refusal: IntArray, at: Positions) -> BoolArray:
        """Tell for each refusal (as `filter` gave it) whether no preemption can lift it."""

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Put one refusal of the node with this index in the snapshot into upstream's words."""

    def add_pods(self, at: Positions, pods: IntArray) -> None:
        """Add the pod `pods[i]` (an index in the snapshot) to the i-th of the nodes at `at`."""

    def remove_pods(self, at: Positions, pods: IntArray) -> None:
        """Remove pods, as `add_pods` adds them; a node may be named several times in a row."""


class FilterPlugin(Protocol):
    """A filter plugin: makes a `Filter` for each preemptor."""

    def pre_filter(self, pod: Pod, snapshot: Snapshot) -> Filter | None:
        """Return the filter over all nodes of `snapshot`, None to skip the plugin for `pod`."""
