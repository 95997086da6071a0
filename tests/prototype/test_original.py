"""The strategy original: the first node by allocatable CPU that fits, after searching all."""

import pytest
from hypothesis import given

from builders.crowded import crowded_clusters
from builders.scheduling import GI, cluster, node, pdb, pod, preemptor
from kep_preemption.decision import Outcome
from kep_preemption.objects import CPU, ClusterState, Node, Pod, Taint
from kep_preemption.preemption.node_list import SimulatedNodeApi
from kep_preemption.strategies import make_strategy


@given(crowded_clusters())
def test_takes_the_first_candidate_by_allocatable_cpu(case: tuple[ClusterState, Pod]) -> None:
    state, waiting = case
    decision = make_strategy("original", state).preempt(waiting)
    expected = make_strategy("upstream", state, all_candidates=True).preempt(waiting)
    assert decision.outcome is expected.outcome
    if decision.outcome is not Outcome.NOMINATED:
        return
    candidates = {candidate.node: candidate for candidate in expected.candidates}
    assert {candidate.node for candidate in decision.candidates} == set(candidates)
    cpu = {n.name: n.allocatable[CPU] for n in state.nodes}
    assert decision.node == min(candidates, key=lambda name: (-cpu[name], name))
    assert decision.victims == candidates[decision.node].victims
    assert decision.tried == len(state.nodes)


def test_size_wins_over_the_cost_of_the_victims() -> None:
    """The flaw that the proposal sets out from: the largest node is taken, whoever dies there."""
    state = cluster(
        [node("small", 1000), node("large", 4000)],
        [
            pod("cheap", "small", 0, 1000),
            pod("dear", "large", 900, 4000, labels={"app": "a"}),
        ],
        [pdb("a", 0, {"app": "a"})],
    )
    decision = make_strategy("original", state).preempt(preemptor(500, 1000))
    assert decision.node == "large"
    assert decision.num_pdb_violations == 1
    assert "simulated" in decision.reason


def test_lists_the_nodes_anew_for_each_decision() -> None:
    state = cluster([node("n0")], [pod("p0", "n0", 0, 1000)])
    strategy = make_strategy("original", state)
    for count in (1, 2, 3):
        strategy.preempt(preemptor(500))
        assert strategy._api.lists == count


@pytest.mark.parametrize(
    "listed",
    [
        node("plain"),
        Node("bare", {}),
        node(
            "full",
            1,
            64 * GI,
            extended={"nvidia.com/gpu": 8, "hugepages-2Mi": 0},
            labels={"zone": "ä", "empty": ""},
            taints=(Taint("edge", "", "NoSchedule"), Taint("a/b", "c", "NoExecute")),
            unschedulable=True,
        ),
    ],
    ids=lambda listed: listed.name,
)
def test_the_simulated_list_returns_equal_but_other_objects(listed: Node) -> None:
    (returned,) = SimulatedNodeApi([listed]).list_nodes()
    assert returned == listed
    assert returned is not listed


def test_the_simulated_list_is_in_the_order_of_names() -> None:
    api = SimulatedNodeApi([node("b"), node("a"), node("c")])
    assert [listed.name for listed in api.list_nodes()] == ["a", "b", "c"]
