"""Nodes that were not chosen, put together by why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kep_preemption.explain import PRIORITY_OFFSET, Comparison, NodeExplanation, Verdict
from kep_preemption.report.amounts import time_text
from kep_preemption.report.answer import Answer

_CRITERIA = {
    "pdb_violations": "PDB violations",
    "highest_priority": "priority of the most important victim",
    "priority_sum": "number of victims and sum of their priorities",
    "victims": "number of victims",
    "earliest_start": "start of the longest-running of the most important victims",
}
# The nearer a node was to being chosen, the earlier it is told of.
_ORDER = (
    Verdict.FITS_TOO,
    Verdict.TIED,
    Verdict.PASSED_OVER,
    Verdict.LOST,
    Verdict.NOT_TRIED,
    Verdict.NO_CANDIDATE,
    Verdict.CANNOT_HELP,
)


@dataclass(frozen=True)
class Group:
    """Nodes that share a reason; `detail` says what is particular to one of them."""

    verdict: Verdict
    reason: str
    nodes: tuple[NodeExplanation, ...]

    def detail(self, node: NodeExplanation) -> str:
        """Return what a node has for itself within the group, '' for nothing."""
        if node.comparison is None:
            return ""
        who = ", ".join(pod.key for pod in node.victims[:3])
        more = len(node.victims) - 3
        names = f"{who} and {more} more" if more > 0 else who
        here = _shown(node.comparison, node.comparison.candidate, len(node.victims))
        return f"{here}; would preempt {names}"


def group_nodes(answer: Answer) -> list[Group]:
    """Return the nodes that were not chosen by reason, the closest first, then the largest.

    Candidates in a group come from the best, so the first is the runner-up.
    """
    groups: dict[tuple[Verdict, str], list[NodeExplanation]] = {}
    for node in answer.nodes:
        if node.verdict != Verdict.CHOSEN:
            reason = _REASONS[node.verdict](node, answer)
            groups.setdefault((node.verdict, reason), []).append(node)
    made = [
        Group(verdict, reason, tuple(sorted(nodes, key=_rank)))
        for (verdict, reason), nodes in groups.items()
    ]
    return sorted(made, key=lambda g: (*_nearness(g), -len(g.nodes), g.reason))


def _nearness(group: Group) -> tuple[int, int]:
    comparison = group.nodes[0].comparison
    # What was told apart late was nearly equal.
    late = list(_CRITERIA).index(comparison.criterion) if comparison else 0
    return _ORDER.index(group.verdict), -late


def _rank(node: NodeExplanation) -> tuple[int, ...]:
    """Order candidates from the best; other nodes keep their order."""
    return node.criteria.rank if node.criteria else ()


def _lost(node: NodeExplanation, answer: Answer) -> str:
    assert node.comparison is not None
    return f"lost to {answer.decision.node} in {_against(node.comparison, answer)}"


def _passed_over(node: NodeExplanation, answer: Answer) -> str:
    if node.comparison is None:
        return "a candidate, and yet not taken"
    return (
        f"better by upstream's criteria, in {_against(node.comparison, answer)}, but "
        f"{answer.decision.strategy} took {answer.decision.node}"
    )


def _against(comparison: Comparison, answer: Answer) -> str:
    chosen = _shown(comparison, comparison.chosen, len(answer.decision.victims))
    return f"{_CRITERIA[comparison.criterion]} (chosen: {chosen})"


def _shown(comparison: Comparison, value: int | None, victims: int) -> str:
    match comparison.criterion:
        case "earliest_start":
            return time_text(value)
        case "priority_sum":
            # Each priority is raised, so more victims always sum up to more.
            return f"{victims} with {(value or 0) - victims * PRIORITY_OFFSET}"
        case _:
            return str(value)


def _tied(_: NodeExplanation, answer: Answer) -> str:
    return f"equal to {answer.decision.node} in all five criteria; upstream takes any of them"


def _fits_too(_: NodeExplanation, answer: Answer) -> str:
    if answer.decision.tie_set == (answer.decision.node,):
        return "takes the pod as well, but the nominated node is tried first"
    return "takes the pod as well; which is best is for scoring to say, which is not modelled"


def _cannot_help(node: NodeExplanation, _: Answer) -> str:
    return f"no preemption can help: {_words(node.reasons)}{_plugin(node)}"


def _no_candidate(node: NodeExplanation, _: Answer) -> str:
    words = _words(node.reasons)
    if "victim" in words:
        return f"tried in vain: {words}"
    return f"tried in vain; even without all pods of lower priority: {words}"


def _not_tried(node: NodeExplanation, _: Answer) -> str:
    return f"not tried: {_words(node.reasons)}"


def _words(reasons: Iterable[str]) -> str:
    return ", ".join(reasons) or "no reason given"


def _plugin(node: NodeExplanation) -> str:
    return f" [{node.filter.plugin}]" if node.filter.plugin else ""


_REASONS: dict[Verdict, Callable[[NodeExplanation, Answer], str]] = {
    Verdict.FITS_TOO: _fits_too,
    Verdict.TIED: _tied,
    Verdict.PASSED_OVER: _passed_over,
    Verdict.LOST: _lost,
    Verdict.NOT_TRIED: _not_tried,
    Verdict.NO_CANDIDATE: _no_candidate,
    Verdict.CANNOT_HELP: _cannot_help,
}
