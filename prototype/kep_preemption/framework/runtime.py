"""Running the filters in order (kubernetes `pkg/scheduler/framework/runtime`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, Positions
from kep_preemption.framework.interface import Filter, FilterPlugin
from kep_preemption.framework.status import Verdicts
from kep_preemption.objects import Pod
from kep_preemption.snapshot import Snapshot

_ALL = slice(None)


class Filters:
    """All filters' state for one preemptor over a set of nodes, and the pods nominated there.

    `nodes` are the indexes of the set's nodes in the snapshot. Nominated pods of a priority at
    or above the preemptor's are weighed as upstream does (`RunFilterPluginsWithNominatedPods`):
    a node must pass with them added and again without them.
    """

    def __init__(
        self,
        nodes: IntArray,
        filters: Sequence[Filter],
        nominated_at: IntArray,
        nominated_pods: IntArray,
    ) -> None:
        self.nodes = nodes
        self.filters = tuple(filters)
        self._nominated_at = nominated_at
        self._nominated_pods = nominated_pods

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot, plugins: Sequence[FilterPlugin]) -> Filters:
        """Let each plugin look at `pod` and return the filters over all nodes."""
        made = (plugin.pre_filter(pod, snapshot) for plugin in plugins)
        nominated = _nominated_pods(pod, snapshot)
        return cls(
            np.arange(len(snapshot.nodes), dtype=np.int64),
            [filter_ for filter_ in made if filter_ is not None],
            snapshot.pods.node[nominated],
            nominated,
        )

    def __len__(self) -> int:
        return len(self.nodes)

    def select(self, positions: IntArray) -> Filters:
        """Return the filters over these nodes alone, each named once, free to change."""
        at, pods = self._nominated_at, self._nominated_pods
        if at.size:
            new_position = np.full(len(self.nodes), -1, dtype=np.int64)
            new_position[positions] = np.arange(len(positions))
            kept = new_position[at] >= 0
            order = np.argsort(new_position[at][kept], kind="stable")
            at, pods = new_position[at][kept][order], pods[kept][order]
        chosen = [filter_.select(positions) for filter_ in self.filters]
        return Filters(self.nodes[positions], chosen, at, pods)

    def add_pods(self, at: Positions, pods: IntArray) -> None:
        """Add pods to nodes of the set, as `Filter.add_pods` says."""
        for filter_ in self.filters:
            filter_.add_pods(at, pods)

    def remove_pods(self, at: Positions, pods: IntArray) -> None:
        """Remove pods from nodes of the set."""
        for filter_ in self.filters:
            filter_.remove_pods(at, pods)

    def filter(self) -> Verdicts:
        """Return the verdict on every node: the first refusal, with nominated pods first."""
        verdicts = self._run()
        crowded = np.unique(self._nominated_at)
        if crowded.size:
            first_pass = self._with_nominated_pods(crowded)._run()
            refused = ~first_pass.feasible
            at = crowded[refused]
            verdicts.refused_by[at] = first_pass.refused_by[refused]
            verdicts.refusal[at] = first_pass.refusal[refused]
            verdicts.unresolvable[at] = first_pass.unresolvable[refused]
        return verdicts

    def fits(self, first: int) -> BoolArray:
        """Tell for the `first` nodes of the set whether they fit, as the pods on them are now.

        Filters that no pod can change are left out: they must have passed before.
        """
        fits = self._fits(slice(0, first))
        crowded = np.unique(self._nominated_at[self._nominated_at < first])
        if crowded.size:
            fits[crowded] &= self._with_nominated_pods(crowded)._fits(_ALL)
        return fits

    def _with_nominated_pods(self, positions: IntArray) -> Filters:
        chosen = self.select(positions)
        chosen.add_pods(chosen._nominated_at, chosen._nominated_pods)
        return chosen

    def _fits(self, at: slice) -> BoolArray:
        fits = np.ones(len(self.nodes[at]), dtype=np.bool_)
        for filter_ in self.filters:
            if filter_.follows_pods:
                fits &= filter_.filter(at) == 0
        return fits

    def _run(self) -> Verdicts:
        count = len(self.nodes)
        refused_by = np.full(count, -1, dtype=np.int8)
        refusals = np.zeros(count, dtype=np.int64)
        unresolvable = np.zeros(count, dtype=np.bool_)
        for place, filter_ in enumerate(self.filters):
            refusal = filter_.filter(_ALL)
            first = (refusal != 0) & (refused_by < 0)
            if first.any():
                refused_by[first] = place
                refusals[first] = refusal[first]
                unresolvable[first] = filter_.unresolvable(refusal, _ALL)[first]
        return Verdicts(self.filters, self.nodes, refused_by, refusals, unresolvable)


def _nominated_pods(pod: Pod, snapshot: Snapshot) -> IntArray:
    """Return the nominated pods that `pod` must leave room for, in the order of their nodes.

    Only pods that the preemptor's own scheduler holds in its queue are known to its nominator.
    """
    pods = snapshot.pods
    found = [
        index
        for index in range(pods.bound, len(pods))
        if pods.pods[index].priority >= pod.priority
        and not _same(pods.pods[index], pod)
        and pods.pods[index].scheduler_name == pod.scheduler_name
    ]
    return np.array(found, dtype=np.int64)


def _same(left: Pod, right: Pod) -> bool:
    return left.uid == right.uid if left.uid and right.uid else left.key == right.key
