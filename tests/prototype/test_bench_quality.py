from __future__ import annotations

import pytest

from kep_preemption.bench.quality import regret, same_choice
from kep_preemption.decision import Candidate, Decision, Outcome
from kep_preemption.objects import Pod

PREEMPTOR = Pod("default", "preemptor", priority=1000)
LOW, MID = Pod("default", "low", priority=0), Pod("default", "mid", priority=100)


def nominated(node: str, *victims: Pod, ties: tuple[str, ...] = ()) -> Decision:
    return Decision(
        "any",
        Outcome.NOMINATED,
        PREEMPTOR,
        node,
        victims,
        tie_set=ties or (node,),
        candidates=tuple(Candidate(name, victims, 0) for name in ties or (node,)),
    )


FEASIBLE = Decision("any", Outcome.FEASIBLE, PREEMPTOR, "n1", tie_set=("n1",))
NONE = Decision("any", Outcome.NO_CANDIDATE, PREEMPTOR)


@pytest.mark.parametrize(
    ("decision", "reference", "same", "worse_by"),
    [
        (nominated("n1", LOW), nominated("n1", LOW), True, ""),
        (nominated("n2", LOW), nominated("n1", LOW, ties=("n1", "n2")), True, ""),
        (nominated("n2", MID), nominated("n1", LOW), False, "highest-priority"),
        (nominated("n1", LOW, MID), nominated("n1", MID), False, "priority-sum"),
        (nominated("n1", LOW), nominated("n1", MID), False, ""),
        (NONE, nominated("n1", LOW), False, "no-node"),
        (NONE, NONE, True, ""),
        (FEASIBLE, FEASIBLE, True, ""),
        (nominated("n1", LOW), FEASIBLE, False, "victims"),
    ],
)
def test_a_decision_beside_upstreams(
    decision: Decision, reference: Decision, same: bool, worse_by: str
) -> None:
    assert same_choice(decision, reference) is same
    assert regret(decision, reference) == worse_by
