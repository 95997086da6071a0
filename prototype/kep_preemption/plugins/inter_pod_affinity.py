"""InterPodAffinity: required affinity and anti-affinity between pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kep_preemption.columns import BoolArray, IntArray, Positions
from kep_preemption.framework.topology import DomainCount
from kep_preemption.objects import Pod, PodAffinityTerm
from kep_preemption.snapshot import Snapshot

_AFFINITY, _ANTI_AFFINITY, _EXISTING = 1, 2, 3
_REASONS = {
    _AFFINITY: "node(s) didn't match pod affinity rules",
    _ANTI_AFFINITY: "node(s) didn't match pod anti-affinity rules",
    _EXISTING: "node(s) didn't satisfy existing pods anti-affinity rules",
}


@dataclass(frozen=True, slots=True)
class InterPodAffinity:
    """Refuses nodes by their domains' pods (plugins/interpodaffinity).

    `affinity` counts, for each term of the pod's affinity, the pods that match all its terms,
    `anti_affinity` those that match the one term, and `existing` the anti-affinity terms of other
    pods that select this one, by topology key. `matches_itself` tells that the pod satisfies its
    own affinity: it may be the first of its kind.
    """

    affinity: tuple[DomainCount, ...]
    anti_affinity: tuple[DomainCount, ...]
    existing: tuple[DomainCount, ...]
    matches_itself: bool

    name = "InterPodAffinity"
    follows_pods = True

    @classmethod
    def pre_filter(cls, pod: Pod, snapshot: Snapshot) -> InterPodAffinity | None:
        """Skip the plugin if no running pod keeps this one away and it has no terms itself."""
        existing = tuple(_existing(pod, snapshot))
        if not existing and not pod.affinity and not pod.anti_affinity:
            return None
        matches_all = np.ones(len(snapshot.pods), dtype=np.bool_)
        for term in pod.affinity:
            matches_all &= _selected(term, pod, snapshot)
        known = snapshot.cluster.namespaces
        return cls(
            tuple(_count(term, matches_all, snapshot) for term in pod.affinity),
            tuple(
                _count(term, _selected(term, pod, snapshot), snapshot) for term in pod.anti_affinity
            ),
            existing,
            all(
                term.selects(pod.namespace, pod.labels, pod.namespace, known)
                for term in pod.affinity
            ),
        )

    @property
    def _counts(self) -> tuple[DomainCount, ...]:
        return (*self.affinity, *self.anti_affinity, *self.existing)

    def select(self, positions: IntArray) -> Self:
        """Return the state of these nodes alone."""
        return replace(
            self,
            affinity=tuple(count.select(positions) for count in self.affinity),
            anti_affinity=tuple(count.select(positions) for count in self.anti_affinity),
            existing=tuple(count.select(positions) for count in self.existing),
        )

    def filter(self, at: Positions) -> IntArray:
        """Return the first rule that is broken."""
        refusal = np.zeros(len(self._counts[0].count[at]), dtype=np.int64)
        if self.affinity:
            refusal[~self._affinity_satisfied(at)] = _AFFINITY
        for counts, rule in ((self.anti_affinity, _ANTI_AFFINITY), (self.existing, _EXISTING)):
            for count in counts:
                refusal[(refusal == 0) & (count.count[at] > 0)] = rule
        return refusal

    def _affinity_satisfied(self, at: Positions) -> BoolArray:
        """Each term has a matching pod in the node's domain, or there is none anywhere yet."""
        has_keys = np.logical_and.reduce([count.counted[at] for count in self.affinity])
        near = np.logical_and.reduce([count.count[at] > 0 for count in self.affinity])
        nowhere = np.logical_and.reduce([count.total[at] == 0 for count in self.affinity])
        satisfied: BoolArray = has_keys & (near | (nowhere & self.matches_itself))
        return satisfied

    def unresolvable(self, refusal: IntArray, at: Positions) -> BoolArray:
        """Tell where the pod's affinity is not met: removing pods does not bring others."""
        result: BoolArray = refusal == _AFFINITY
        return result

    def reasons(self, refusal: int, node: int) -> tuple[str, ...]:
        """Name the rule that is broken."""
        return (_REASONS[refusal],)

    def add_pods(self, at: Positions, pods: IntArray) -> None:
        """Count pods that come."""
        for count in self._counts:
            count.add_pods(at, pods)

    def remove_pods(self, at: Positions, pods: IntArray) -> None:
        """Count pods that leave no longer."""
        for count in self._counts:
            count.remove_pods(at, pods)


def _selected(term: PodAffinityTerm, pod: Pod, snapshot: Snapshot) -> BoolArray:
    known = snapshot.cluster.namespaces
    return snapshot.pods.matching(
        lambda namespace, labels: term.selects(namespace, labels, pod.namespace, known)
    )


def _count(term: PodAffinityTerm, matching: BoolArray, snapshot: Snapshot) -> DomainCount:
    return DomainCount.of(snapshot, term.topology_key, matching.astype(np.int64))


def _existing(pod: Pod, snapshot: Snapshot) -> Iterator[DomainCount]:
    """Count the terms of other pods that select `pod`, by topology key.

    A key that no running pod uses so on a node with that label counts nothing: nominated pods
    alone do not wake the plugin, as upstream's PreFilter looks at running pods only.
    """
    weights: dict[str, IntArray] = {}
    for alike in snapshot.pods_with_anti_affinity:
        for key, terms in _selecting(snapshot.pods.pods[alike[0]], pod, snapshot).items():
            column = weights.setdefault(key, np.zeros(len(snapshot.pods), dtype=np.int64))
            column[alike] = terms
    counts = [DomainCount.of(snapshot, key, weight) for key, weight in weights.items()]
    if pod.affinity or pod.anti_affinity or any(c.total[:1].any() for c in counts):
        yield from counts


def _selecting(holder: Pod, pod: Pod, snapshot: Snapshot) -> Mapping[str, int]:
    found: dict[str, int] = {}
    known = snapshot.cluster.namespaces
    for term in holder.anti_affinity:
        if term.selects(pod.namespace, pod.labels, holder.namespace, known):
            found[term.topology_key] = found.get(term.topology_key, 0) + 1
    return found
