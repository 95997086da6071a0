from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kep_preemption.decision import Outcome
from kep_preemption.errors import UsageError
from kep_preemption.loader import load_objects
from kep_preemption.manifests import to_manifests
from kep_preemption.objects import (
    ClusterState,
    HostPort,
    Node,
    Pod,
    PodDisruptionBudget,
    PriorityClass,
    Taint,
    Toleration,
)
from kep_preemption.scenarios import (
    make_scenario,
    parse_shape,
    scenario_descriptions,
    scenario_names,
)
from kep_preemption.selectors import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement
from kep_preemption.splitmix import SplitMix64
from kep_preemption.strategies import make_strategy
from kep_preemption.synthetic import GIB, Shape, synthesize

MIB = 1024**2


def test_the_generator_gives_the_published_numbers() -> None:
    """The outputs that the authors' C code gives for the seed 1234567."""
    rng = SplitMix64(1234567)
    assert [rng.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(st.integers(), st.integers(min_value=1, max_value=2**40))
def test_a_draw_stays_below_its_bound(seed: int, bound: int) -> None:
    assert 0 <= SplitMix64(seed).below(bound) < bound


def test_a_pick_follows_the_weights() -> None:
    rng = SplitMix64(7)
    picks = [rng.pick([3, 0, 1]) for _ in range(4000)]
    assert picks.count(1) == 0
    assert 2800 < picks.count(0) < 3200


SHAPES = st.builds(
    Shape,
    nodes=st.integers(1, 6),
    pods_per_node=st.integers(0, 8),
    priorities=st.dictionaries(st.integers(-1000, 1000), st.integers(1, 5), min_size=1, max_size=4),
    pdbs=st.integers(0, 4),
    seed=st.integers(0, 2**31),
    fill=st.floats(0, 1.5),
    variation=st.floats(0, 1),
    taint=st.sampled_from(["", "edge=true"]),
)


@settings(max_examples=60, deadline=None)
@given(SHAPES)
def test_what_every_synthetic_cluster_keeps(shape: Shape) -> None:
    made = synthesize(shape)
    assert made == synthesize(shape)
    assert len(made.cluster.nodes) == shape.nodes
    assert len(made.cluster.pods) == shape.nodes * shape.pods_per_node
    assert len(made.cluster.pdbs) == shape.pdbs
    assert len({pod.key for pod in made.cluster.pods}) == len(made.cluster.pods)
    assert {pod.priority for pod in made.cluster.pods} <= set(shape.priorities)
    for node in made.cluster.nodes:
        on_it = [pod for pod in made.cluster.pods if pod.node_name == node.name]
        for resource, room in (("cpu", shape.node_cpu), ("memory", shape.node_memory)):
            assert sum(pod.requests.get(resource, 0) for pod in on_it) <= room * shape.fill + 1


@settings(max_examples=40, deadline=None)
@given(SHAPES)
def test_more_nodes_change_nothing_about_the_first(shape: Shape) -> None:
    from dataclasses import replace

    more = synthesize(replace(shape, nodes=shape.nodes + 2)).cluster
    assert more.pods[: shape.nodes * shape.pods_per_node] == synthesize(shape).cluster.pods


def test_seeds_differ_and_a_full_node_is_full() -> None:
    shape = Shape(nodes=3, pods_per_node=4, variation=0.5, pdbs=2)
    assert synthesize(shape).cluster != synthesize(Shape(nodes=3, pods_per_node=4, seed=2)).cluster
    on_first = synthesize(shape).cluster.pods[:4]
    assert 2000 - 4 <= sum(pod.requests["cpu"] for pod in on_first) <= 2000
    assert len({pod.requests["cpu"] for pod in on_first}) > 1


@settings(max_examples=40, deadline=None)
@given(SHAPES)
def test_written_and_read_again_it_is_the_same(shape: Shape) -> None:
    cluster = synthesize(shape).cluster
    text = json.dumps(to_manifests(cluster))
    assert load_objects([json.loads(text)], "written", allow_unknown_nodes=False) == cluster


def test_every_field_survives_writing() -> None:
    affinity = NodeSelector(
        (
            NodeSelectorTerm((Requirement("disk", "In", ("ssd",)),)),
            NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n",)),)),
        )
    )
    node = Node(
        "n", {"cpu": 1500, "memory": 5, "pods": 3}, {"a": "b"}, (Taint("k", "", "NoExecute"),), True
    )
    pod = Pod(
        namespace="ns",
        name="p",
        uid="u",
        priority=-7,
        requests={"cpu": 250, "example.com/gpu": 2},
        labels={"app": "x"},
        node_name="n",
        start_time=1_700_000_000_123_456_000,
        host_ports=(HostPort("10.0.0.1", "UDP", 53),),
        tolerations=(Toleration("k", "Equal", "v", "NoSchedule"), Toleration("", "Exists")),
        node_selector={"a": "b"},
        required_node_affinity=affinity,
        preemption_policy="Never",
        scheduler_name="mine",
        phase="Running",
        terminating=True,
        preempted_by_scheduler=True,
        controller_kind="DaemonSet",
    )
    waiting = Pod("ns", "w", nominated_node_name="n")
    pdbs = (
        PodDisruptionBudget("ns", "none", None, 2, frozenset({"a"})),
        PodDisruptionBudget("ns", "empty", LabelSelector(), 0),
        PodDisruptionBudget(
            "ns", "some", LabelSelector({"a": "b"}, (Requirement("c", "Exists"),)), 1
        ),
    )
    cluster = ClusterState((node,), (pod, waiting), pdbs, (PriorityClass("c", 5, True, "Never"),))
    written = json.loads(json.dumps(to_manifests(cluster)))
    assert load_objects([written], "written") == cluster


def test_what_is_not_modelled_is_not_written() -> None:
    pod = Pod("ns", "p", unmodelled=("resourceClaims",))
    with pytest.raises(UsageError, match="resourceClaims, which cannot be written"):
        to_manifests(ClusterState((), (pod,)))


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("", Shape()),
        ("nodes=3, pods_per_node=4", Shape(nodes=3, pods_per_node=4)),
        ("priorities=-5:2/100", Shape(priorities={-5: 2, 100: 1})),
        ("pdbs=2,pdb_allowed=0/1/2", Shape(pdbs=2, pdb_allowed=(0, 1, 2))),
        ("node_cpu=4,pod_cpu=250m", Shape(node_cpu=4000, pod_cpu=250)),
        ("node_memory=8Gi,pod_memory=512Mi", Shape(node_memory=8 * GIB, pod_memory=512 * MIB)),
        ("fill=0.5,variation=1,taint=edge", Shape(fill=0.5, variation=1.0, taint="edge")),
    ],
)
def test_shapes_in_one_line(text: str, shape: Shape) -> None:
    assert parse_shape(text) == shape


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("node=3", "did you mean nodes"),
        ("nodes", "is not written name=value"),
        ("nodes=many", "for example nodes=10"),
        ("nodes=0", "use 1 to 100000"),
        ("nodes=100000,pods_per_node=1000", "5000000 pods"),
        ("priorities=1:0", "weight of at least 1"),
        ("pod_cpu=1GB", "for example pod_cpu=250m"),
        ("fill=nan", "is nan"),
        ("variation=2", "use 0 to 1"),
        ("node_cpu=-1", "node_cpu: is -1000"),
        ("preemptor_priority=2147483648", "use -2147483648 to 2147483647"),
        ("priorities=2147483648", "beyond 32 bits"),
        ("pdbs=3,apps=2", "at least as many apps"),
    ],
)
def test_faults_in_shapes(text: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_shape(text)
    assert words in str(caught.value)


# Named scenarios: node or nodes that may be chosen, the victims' names or number, violations.


def decide(name: str, strategy: str = "upstream") -> tuple[Outcome, str, list[str], int]:
    scenario = make_scenario(name)
    decision = make_strategy(strategy, scenario.cluster).preempt(scenario.preemptors[0])
    victims = [pod.name for pod in decision.victims]
    return decision.outcome, decision.node, victims, decision.num_pdb_violations


@pytest.mark.parametrize("strategy", ["upstream", "original", "fast-path"])
def test_the_edge_cluster_loses_three_pods(strategy: str) -> None:
    outcome, node, victims, violations = decide("edge-10", strategy)
    assert (outcome, len(victims), violations) == (Outcome.NOMINATED, 3, 0)
    assert all(node in victim for victim in victims)


def test_as_published_the_edge_cluster_preempts_nothing() -> None:
    outcome, _, victims, _ = decide("edge-10-as-published")
    assert (outcome, victims) == (Outcome.FEASIBLE, [])


def test_preemption_basic_loses_three_of_four() -> None:
    outcome, _, victims, _ = decide("preemption-basic")
    assert (outcome, len(victims)) == (Outcome.NOMINATED, 3)


def test_in_the_mixed_cluster_only_some_pods_can_be_victims() -> None:
    scenario = make_scenario("mixed-100")
    decision = make_strategy("upstream", scenario.cluster).preempt(scenario.preemptors[0])
    priorities = {pod.priority for pod in scenario.cluster.pods}
    assert len(priorities) == 5 and min(priorities) < 500 < max(priorities)
    assert 0 < len(decision.victims) < 20
    assert all(pod.priority < 500 for pod in decision.victims)


def test_equal_violations_leave_it_to_the_priority() -> None:
    assert decide("pdb-equal-violations") == (Outcome.NOMINATED, "n2", ["mid"], 1)


def test_no_violation_beats_the_lower_priority() -> None:
    assert decide("pdb-violation-beats-priority") == (Outcome.NOMINATED, "n1", ["high"], 0)


@pytest.mark.parametrize("name", scenario_names())
def test_scenarios_are_described_and_can_be_written(name: str) -> None:
    scenario = make_scenario(name)
    assert scenario.preemptors and scenario_descriptions()[name] == scenario.description
    written = json.loads(json.dumps(to_manifests(scenario.cluster, scenario.preemptors)))
    read = load_objects([written], name, allow_unknown_nodes=False)
    assert tuple(p for p in read.pods if not p.node_name) == scenario.preemptors


def test_an_unknown_scenario_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError, match="edge-10"):
        make_scenario("edge-11")
