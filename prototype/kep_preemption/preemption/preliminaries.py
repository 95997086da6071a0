"""What is asked before any victim is searched, by every strategy alike."""

from __future__ import annotations

from kep_preemption.decision import Decision, Outcome
from kep_preemption.preemption.conclusion import Conclusion
from kep_preemption.preemption.evaluator import Evaluator, Filtering, TieBreak


def decide_without_search(
    evaluator: Evaluator, filtering: Filtering, conclusion: Conclusion, tie_break: TieBreak
) -> Decision | None:
    """Return the decision if none of the nodes needs to be searched, else None.

    That is so when a node takes the pod as it is, when the pod may not preempt, and when
    preemption can help on no node (`Evaluator.Preempt`, steps 0 to 2).
    """
    if filtering.verdicts.feasible.any():
        return conclusion.feasible(tie_break)
    eligible, why = evaluator.eligible(filtering)
    if not eligible:
        return conclusion.without_node(Outcome.NOT_ELIGIBLE, why)
    if not len(filtering.potential_nodes):
        return conclusion.no_potential_node()
    return None
