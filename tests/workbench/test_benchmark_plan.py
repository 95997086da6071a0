"""From the notebook's parameters to workloads; what makes no cluster is refused."""

import pytest

from kep_preemption.errors import UsageError as PreemptionUsageError
from kep_preemption.objects import ClusterState, Node, Pod
from kep_workbench.benchmark_plan import measure_plan, plan_benchmark
from kep_workbench.benchmark_report import benchmark_result
from kep_workbench.benchmark_trace import plan_cluster
from kep_workbench.errors import UsageError
from kep_workbench.results import ResultSet


def test_a_scenario_alone_is_taken_as_it_is():
    plan = plan_benchmark("edge-10-pdb")
    assert (plan.main.name, plan.main.nodes, plan.main.pdbs) == ("edge-10-pdb", 10, 4)
    assert plan.workloads == (plan.main,)
    assert plan.describe().startswith("edge-10-pdb: 10 nodes, 5 pods on each, 4 Pod")


def test_another_size_has_a_name_that_tells_it():
    plan = plan_benchmark("edge-10", nodes=20, pods_per_node=3, pdbs=2, growth=[40, 20, 5])
    assert [(w.name, w.nodes) for w in plan.workloads] == [
        ("5x3-2pdb", 5),
        ("20x3-2pdb", 20),
        ("40x3-2pdb", 40),
    ]
    assert {w.priorities for w in plan.workloads} == {plan.main.priorities}
    assert plan_benchmark("edge-10-pdb", pdbs=0).main.name == "10x5"


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        ({"nodes": -1}, "nodes"),
        ({"pods_per_node": -5}, "pods_per_node"),
        ({"pdbs": -2}, "pdbs"),
        ({"growth": [10, 0]}, "growth"),
        ({"scenario": "default"}, "scenario default"),
        ({"trace": "x", "growth": [10]}, "trace"),
    ],
)
def test_what_makes_no_cluster_is_refused(arguments, place):
    with pytest.raises(UsageError) as caught:
        plan_benchmark(**{"scenario": "edge-10", **arguments})
    assert caught.value.place == place
    assert caught.value.remedy


def test_unknown_names_are_refused():
    with pytest.raises(PreemptionUsageError, match="edge-10"):
        plan_benchmark("edge-11")
    with pytest.raises(PreemptionUsageError, match="fast-path"):
        measure_plan(plan_benchmark("edge-10"), ["fast-pth"], 1, 0)


def test_a_small_plan_is_measured_and_reported():
    plan = plan_benchmark("edge-10", nodes=4, growth=[2])
    parameters = {"strategies": ["upstream", "fast-path"]}
    samples = measure_plan(plan, parameters["strategies"], 5, 1)
    result = benchmark_result(plan, samples, parameters, "A remark.")
    assert ResultSet.from_json(result.to_json()) == result
    assert result.sample_counts == {"decisions": 20, "decisions-per-strategy": 5}
    assert result.environment == "simulated"
    assert result.environment_note.endswith("A remark.")
    assert all("simulated" in table.caption for table in result.tables)
    again = measure_plan(plan, parameters["strategies"], 5, 1)
    assert [(s.strategy, s.node, s.victims) for s in samples] == [
        (s.strategy, s.node, s.victims) for s in again
    ]


def test_a_trace_that_is_not_there_is_not_run(tmp_path):
    plan = plan_benchmark("edge-10", trace=str(tmp_path / "openb"))
    assert measure_plan(plan, ["upstream"], 1, 0) == ()
    result = benchmark_result(plan, (), {"trace": "openb", "strategies": ["upstream"]})
    assert result.to_json()["status"] == "not-run"
    assert "openb_node_list_all_node.csv" in result.reason
    assert "-p trace=" in result.reason


@pytest.mark.shared
def test_the_real_trace_is_measured_with_its_own_waiting_pods(shared_dir):
    plan = plan_benchmark("edge-10", trace=str(shared_dir / "traces" / "openb"))
    assert plan.main.nodes == 1523
    samples = measure_plan(plan, ["upstream", "fast-path"], 3, 0)
    assert {sample.outcome for sample in samples} == {"nominated"}
    assert all(sample.victims for sample in samples)


def test_a_cluster_where_nobody_can_preempt_is_not_run():
    cluster = ClusterState((Node("n", {"cpu": 1000, "pods": 10}),), (Pod("d", "p"),))
    plan = plan_cluster("still", cluster)
    assert "nothing to preempt" in plan.missing
