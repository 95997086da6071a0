"""PodTopologySpread: constraints that a pod's kind be spread over domains."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, Positions
from kep_preemption.framework.topology import DomainCount
from kep_preemption.node_selection import first_untolerated_taints, selected_nodes
from kep_preemption.objects import Pod, TopologySpreadConstraint
from kep_preemption.selectors import LabelSelector, Requirement
from kep_preemption.snapshot import Snapshot

_SKEW, _MISSING_LABEL = 1, 2
_REASONS = {
    _SKEW: "node(s) didn't match pod topology spread constraints",
    _MISSING_LABEL: "node(s) didn't match pod topology spread constraints (missing required label)",
}
# The minimum over no domains at all, as upstream begins with it.
_NO_MINIMUM = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Constraint:
    """One constraint as seen from each node.

    `is_domain` tells that the node's domain is among those counted, `others` is the least count
    of all other domains. With `too_few_domains` the least count is taken for 0.
    """

    max_skew: int
    itself: int
    too_few_domains: bool
    has_key: BoolArray
    is_domain: BoolArray
    others: IntArray
    pods: DomainCount

    def select(self, positions: IntArray) -> Self:
        return replace(
            self,
            has_key=self.has_key[positions],
            is_domain=self.is_domain[positions],
            others=self.others[positions],
            pods=self.pods.select(positions),
        )

    def refusal(self, at: Positions) -> IntArray:
        count, others = self.pods.count[at], self.others[at]
        least = np.where(self.is_domain[at], np.minimum(count, others), others)
        if self.too_few_domains:
            least = np.zeros_like(least)
        too_skewed = count + self.itself - least > self.max_skew
        return np.where(self.has_key[at], too_skewed * _SKEW, _MISSING_LABEL)


@dataclass(frozen=True, slots=True)
class PodTopologySpread:
    """Refuses nodes whose domain holds too many of the pod's kind (plugins/podtopologyspread).

    Terminating pods are not counted, yet removing one in the dry run still subtracts it; an empty
    selector counts no pod, yet removals subtract. Both are upstream's.
    """

    constraints: tuple[_Constraint, ...]

    name = "PodTopologySpread"
    follows_pods = True

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot) -> PodTopologySpread | None:
        """Skip the plugin for pods without such constraints."""
        if not pod.spread:
            return None
        # Nodes that lack any of the keys stand outside all counts.
        complete = np.ones(len(snapshot.nodes), dtype=np.bool_)
        for constraint in pod.spread:
            complete &= snapshot.nodes.labels.column(constraint.topology_key)[0] >= 0
        return cls(tuple(_constraint(c, pod, snapshot, complete) for c in pod.spread))

    def select(self, positions: IntArray) -> Self:
        """Return the state of these nodes alone."""
        return replace(self, constraints=tuple(c.select(positions) for c in self.constraints))

    def filter(self, at: Positions) -> IntArray:
        """Return the reason of the first constraint that is broken."""
        refusal = self.constraints[0].refusal(at)
        for constraint in self.constraints[1:]:
            refusal = np.where(refusal != 0, refusal, constraint.refusal(at))
        return refusal

    def unresolvable(self, refusal: IntArray, at: Positions) -> BoolArray:
        """Tell where the node lacks a topology key."""
        result: BoolArray = refusal == _MISSING_LABEL
        return result

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Say which it is: the skew or a missing label."""
        return (_REASONS[refusal],)

    def add_pods(self, at: Positions, pods: IntArray) -> None:
        """Count pods that come."""
        for constraint in self.constraints:
            constraint.pods.add_pods(at, pods)

    def remove_pods(self, at: Positions, pods: IntArray) -> None:
        """Count pods that leave no longer."""
        for constraint in self.constraints:
            constraint.pods.remove_pods(at, pods)


def _constraint(
    constraint: TopologySpreadConstraint, pod: Pod, snapshot: Snapshot, complete: BoolArray
) -> _Constraint:
    nodes, counted = snapshot.nodes, complete
    if constraint.honor_affinity:
        counted = counted & selected_nodes(pod, nodes)
    if constraint.honor_taints:
        counted = counted & (first_untolerated_taints(pod, nodes) == 0)
    selector = _selector(constraint, pod)
    weight = snapshot.pods.matching(
        lambda namespace, labels: (
            namespace == pod.namespace and selector is not None and selector.matches(labels)
        )
    ).astype(np.int64)
    at_first = weight * snapshot.not_terminating
    if selector is None or selector.empty:
        at_first = np.zeros_like(weight)
    pods = DomainCount.of(snapshot, constraint.topology_key, weight, counted, at_first)
    domain, values = nodes.labels.column(constraint.topology_key)
    domains = np.unique(domain[counted])
    by_domain = np.full(len(values) + 1, _NO_MINIMUM, dtype=np.int64)
    by_domain[domain[counted]] = pods.count[counted]
    return _Constraint(
        max_skew=constraint.max_skew,
        itself=int(selector is not None and selector.matches(pod.labels)),
        too_few_domains=len(domains) < constraint.min_domains,
        has_key=domain >= 0,
        is_domain=np.isin(domain, domains),
        others=_least_of_others(by_domain)[domain],
        pods=pods,
    )


def _least_of_others(by_domain: IntArray) -> IntArray:
    """Return for each entry the least of all the other entries."""
    least = int(np.argmin(by_domain))
    result = np.full(len(by_domain), by_domain[least], dtype=np.int64)
    result[least] = np.delete(by_domain, least).min(initial=_NO_MINIMUM)
    return result


def _selector(constraint: TopologySpreadConstraint, pod: Pod) -> LabelSelector | None:
    """Return the selector with what `matchLabelKeys` adds from the pod's own labels."""
    added = {key: pod.labels[key] for key in constraint.match_label_keys if key in pod.labels}
    if not added:
        return constraint.selector
    selector = constraint.selector or LabelSelector()
    more = tuple(Requirement(key, "In", (value,)) for key, value in added.items())
    return LabelSelector(selector.match_labels, selector.match_expressions + more)
