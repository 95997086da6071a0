"""What a strategy decides about one preemptor; the caller acts on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from kep_preemption.objects import ClusterState, Pod


class Code(StrEnum):
    """A node's status (kube-scheduler/framework `Code`, the codes a filter can give)."""

    SUCCESS = "Feasible"
    UNSCHEDULABLE = "Unschedulable"
    UNRESOLVABLE = "UnschedulableAndUnresolvable"


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """Why a node takes the pod or not: the first plugin that refused, and its reasons."""

    code: Code
    plugin: str = ""
    reasons: tuple[str, ...] = ()


class Outcome(StrEnum):
    """How a decision ended."""

    FEASIBLE = "feasible"
    NOMINATED = "nominated"
    NOT_ELIGIBLE = "not-eligible"
    NO_CANDIDATE = "no-candidate"
    TIMED_OUT = "timed-out"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that would fit the preemptor once `victims` (in upstream's order) are gone."""

    node: str
    victims: tuple[Pod, ...]
    num_pdb_violations: int


@dataclass(frozen=True)
class Decision:
    """The answer for one preemptor.

    `node` is the nominated node (or, for FEASIBLE, a node that takes the pod as it is), '' if
    none. `tie_set` holds the nodes that upstream's five criteria cannot tell apart from `node`.
    `candidates` are those that were found before the search ended, `statuses` the filters'
    verdict for every node without preemption, `dry_run_failures` why a potential node that was
    tried is no candidate. `tried` counts the nodes whose victims were searched, `potential` the
    nodes on which preemption might help. `clears_nominations` names the waiting pods of lower
    priority (namespace/name) that lose their nomination to `node`. `reason` says in words what
    `outcome` does not.
    """

    strategy: str
    outcome: Outcome
    preemptor: Pod
    node: str = ""
    victims: tuple[Pod, ...] = ()
    num_pdb_violations: int = 0
    tie_set: tuple[str, ...] = ()
    candidates: Sequence[Candidate] = ()
    statuses: Mapping[str, NodeStatus] = field(default_factory=dict)
    dry_run_failures: Mapping[str, NodeStatus] = field(default_factory=dict)
    tried: int = 0
    potential: int = 0
    clears_nominations: tuple[str, ...] = ()
    reason: str = ""


class Strategy(Protocol):
    """A way to choose node and victims (upstream, upstream-one-candidate, original, fast-path).

    A strategy is made for one cluster state (`make_strategy(name, cluster, ...)`), keeps what it
    may cache from that state, and can then be asked about any number of preemptors.
    """

    @property
    def name(self) -> str:
        """The name by which users pick the strategy."""

    @property
    def cluster(self) -> ClusterState:
        """The state it decides about."""

    def preempt(self, preemptor: Pod) -> Decision:
        """Decide; changes nothing."""
