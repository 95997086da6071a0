"""Why a decision is as it is: one verdict a node, from a `Decision` and its cluster state.

Pure: it reads what the strategy recorded and decides nothing itself. Candidates are compared by
upstream's five criteria (`pickOneNodeForPreemption`); a strategy that stops at the first fit
does not choose by them, so a candidate may turn out better than the node chosen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from kep_preemption.decision import Candidate, Code, Decision, NodeStatus, Outcome
from kep_preemption.objects import ClusterState, Pod, PodDisruptionBudget

# Makes every priority positive, so that more victims never sum up to less.
PRIORITY_OFFSET = 2**31
_NEVER_STARTED = 2**63 - 1
_NO_STATUS = NodeStatus(Code.SUCCESS)


class Verdict(StrEnum):
    """What became of a node."""

    CHOSEN = "chosen"
    FITS_TOO = "fits-too"
    CANNOT_HELP = "cannot-help"
    NO_CANDIDATE = "no-candidate"
    LOST = "lost"
    TIED = "tied"
    PASSED_OVER = "passed-over"
    NOT_TRIED = "not-tried"


@dataclass(frozen=True, slots=True)
class Criteria:
    """The five criteria of a candidate, in upstream's order.

    `priority_sum` counts each victim's priority raised by 2^31. `earliest_start` is the earliest
    start in nanoseconds among the victims of the highest priority, None if none has started.
    """

    pdb_violations: int
    highest_priority: int
    priority_sum: int
    victims: int
    earliest_start: int | None

    @classmethod
    def of(cls, candidate: Candidate) -> Criteria:
        """Return the criteria of a candidate."""
        highest = candidate.victims[0].priority
        starts = [v.start_time for v in candidate.victims if v.priority == highest]
        return cls(
            candidate.num_pdb_violations,
            highest,
            sum(v.priority + PRIORITY_OFFSET for v in candidate.victims),
            len(candidate.victims),
            min((start for start in starts if start is not None), default=None),
        )

    @property
    def rank(self) -> tuple[int, ...]:
        """What sorts candidates from the best to the worst."""
        start = _NEVER_STARTED if self.earliest_start is None else self.earliest_start
        return (
            self.pdb_violations,
            self.highest_priority,
            self.priority_sum,
            self.victims,
            -start,
        )


CRITERIA_NAMES = (
    "pdb_violations",
    "highest_priority",
    "priority_sum",
    "victims",
    "earliest_start",
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The first criterion in which a candidate differs from the node chosen.

    `better` says that the candidate would have been the better choice by it.
    """

    criterion: str
    chosen: int | None
    candidate: int | None
    better: bool


@dataclass(frozen=True, slots=True)
class NodeExplanation:
    """A node's verdict; `filter` is how the filters judge it without preemption.

    `reasons` are the scheduler's words where it has some. `criteria` and `victims` are there for
    candidates, `comparison` for those that differ from the node chosen.
    """

    node: str
    verdict: Verdict
    filter: NodeStatus
    reasons: tuple[str, ...] = ()
    victims: tuple[Pod, ...] = ()
    criteria: Criteria | None = None
    comparison: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Victim:
    """A pod that would be preempted, with the PodDisruptionBudgets that cover it."""

    pod: Pod
    budgets: tuple[PodDisruptionBudget, ...]


def explain_nodes(decision: Decision, cluster: ClusterState) -> Iterator[NodeExplanation]:
    """Yield a verdict for each node, in the order of the cluster state."""
    candidates = {candidate.node: candidate for candidate in decision.candidates}
    chosen = candidates.get(decision.node)
    best = Criteria.of(chosen) if chosen else None
    for node in cluster.nodes:
        status = decision.statuses.get(node.name, _NO_STATUS)
        candidate = candidates.get(node.name)
        if candidate is not None:
            yield _of_candidate(candidate, status, decision, best)
        else:
            yield _of_other(node.name, status, decision)


def explain_victims(decision: Decision, cluster: ClusterState) -> list[Victim]:
    """Return the victims in upstream's order, each with the PDBs that select it.

    A selector that is empty or missing selects nothing, nor does any select a pod without labels
    (`filterPodsWithPDBViolation`).
    """
    return [
        Victim(pod, tuple(pdb for pdb in cluster.pdbs if _covers(pdb, pod)))
        for pod in decision.victims
    ]


def compare(candidate: Criteria, chosen: Criteria) -> Comparison | None:
    """Return the first criterion that tells the two apart, None if none does."""
    for name in CRITERIA_NAMES:
        here, there = getattr(candidate, name), getattr(chosen, name)
        if here != there:
            return Comparison(name, there, here, candidate.rank < chosen.rank)
    return None


def _of_candidate(
    candidate: Candidate, status: NodeStatus, decision: Decision, best: Criteria | None
) -> NodeExplanation:
    criteria = Criteria.of(candidate)
    comparison = compare(criteria, best) if best else None
    if candidate.node == decision.node:
        verdict = Verdict.CHOSEN
    elif best is None or (comparison is not None and comparison.better):
        verdict = Verdict.PASSED_OVER
    else:
        verdict = Verdict.LOST if comparison else Verdict.TIED
    return NodeExplanation(
        candidate.node, verdict, status, (), candidate.victims, criteria, comparison
    )


def _of_other(name: str, status: NodeStatus, decision: Decision) -> NodeExplanation:
    if name == decision.node:
        return NodeExplanation(name, Verdict.CHOSEN, status)
    if status.code == Code.SUCCESS:
        return NodeExplanation(name, Verdict.FITS_TOO, status)
    if status.code == Code.UNRESOLVABLE:
        return NodeExplanation(name, Verdict.CANNOT_HELP, status, status.reasons)
    failure = decision.dry_run_failures.get(name)
    if failure is not None:
        return NodeExplanation(name, Verdict.NO_CANDIDATE, status, failure.reasons)
    return NodeExplanation(name, Verdict.NOT_TRIED, status, (_why_not_tried(decision),))


def _why_not_tried(decision: Decision) -> str:
    match decision.outcome:
        case Outcome.FEASIBLE:
            return "a node takes the pod without preemption"
        case Outcome.NOT_ELIGIBLE:
            return "the pod may not preempt"
        case Outcome.TIMED_OUT:
            return "the time was over"
        case _:
            return "the search was over before"


def _covers(pdb: PodDisruptionBudget, pod: Pod) -> bool:
    selector = pdb.selector
    return (
        pdb.namespace == pod.namespace
        and bool(pod.labels)
        and selector is not None
        and not selector.empty
        and selector.matches(pod.labels)
    )
