from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kep_preemption.decision import Outcome
from kep_preemption.errors import InputError
from kep_preemption.objects import ClusterState
from kep_preemption.strategies import make_strategy
from kep_preemption.trace import (
    GPU,
    MODEL_LABEL,
    NODE_FILE,
    POD_FILE,
    WHOLE_GPU,
    load_openb,
    read_openb,
)

DUMPS = Path(__file__).parent / "dumps"
NODES, PODS = DUMPS / "openb_nodes.csv", DUMPS / "openb_pods.csv"
MIB = 1024**2


def overfull(cluster: ClusterState) -> list[str]:
    """The nodes whose pods ask for more than they have."""
    used: dict[str, Counter[str]] = {node.name: Counter() for node in cluster.nodes}
    for pod in cluster.pods:
        if pod.node_name:
            used[pod.node_name].update(pod.requests)
            used[pod.node_name]["pods"] += 1
    return [
        node.name
        for node in cluster.nodes
        if any(amount > node.allocatable.get(r, 0) for r, amount in used[node.name].items())
    ]


def test_a_small_trace() -> None:
    made = read_openb(NODES, PODS)
    big, small = made.cluster.nodes
    assert big.allocatable == {"cpu": 8000, "memory": 16384 * MIB, "pods": 110, GPU: 2000}
    assert big.labels[MODEL_LABEL] == "T4"
    assert GPU not in small.allocatable and MODEL_LABEL not in small.labels
    placed = {pod.name: (pod.node_name, pod.priority) for pod in made.cluster.pods}
    # In order of creation; `third` needs no GPU and fills the node without one.
    assert placed == {"first": ("big", 0), "second": ("big", 100), "third": ("small", 0)}
    # By then 500 thousandths of a GPU are left, and no node has one of the models asked for.
    assert [(pod.name, pod.priority) for pod in made.preemptors] == [
        ("nowhere", 300),
        ("late", 200),
    ]
    assert all(not pod.node_name and pod.start_time is None for pod in made.preemptors)
    first = made.cluster.pods[0]
    assert first.requests == {"cpu": 1000, "memory": 1024 * MIB, GPU: 500}
    assert made.cluster.pods[1].start_time == 12 * 10**9


def test_whole_gpus_are_not_shared() -> None:
    made = read_openb(NODES, PODS, whole_gpus=True)
    assert made.cluster.nodes[0].allocatable[WHOLE_GPU] == 2
    assert made.cluster.pods[0].requests[WHOLE_GPU] == 1


def test_the_waiting_pod_preempts() -> None:
    made = read_openb(NODES, PODS)
    late = made.preemptors[1]
    decision = make_strategy("upstream", made.cluster).preempt(late)
    assert (decision.outcome, decision.node) == (Outcome.NOMINATED, "big")
    assert [pod.name for pod in decision.victims] == ["first"]


def csv(tmp_path: Path, name: str, *lines: str) -> Path:
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n")
    return path


HEADER = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,"
    "pod_phase,creation_time,deletion_time,scheduled_time"
)
GOOD = "p,1,1,0,0,,BE,Running,0,1,0"


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        ([], "line 1", "is empty"),
        (["name,cpu_milli"], "line 1", "has no column memory_mib"),
        ([HEADER, GOOD, "q,1,1"], "line 3", "has 3 fields"),
        ([HEADER, GOOD.replace("p,1", "p,x", 1)], "line 2, column cpu_milli", "'x'"),
        ([HEADER, GOOD.replace("p,1", "p,-1", 1)], "line 2, column cpu_milli", "'-1'"),
        ([HEADER, GOOD.replace("p,1", "p,", 1)], "line 2, column cpu_milli", "is empty"),
        ([HEADER, GOOD.replace("BE", "gold")], "line 2, column qos", "BE, Burstable"),
        ([HEADER, GOOD, GOOD], "line 3, column name", "as in line 2"),
        ([HEADER, GOOD[1:]], "line 2, column name", "is empty"),
        ([HEADER, '"p,1,1'], "line 2", "no CSV"),
        ([HEADER, GOOD.replace("p,1", "p," + "9" * 17, 1)], "line 2, column cpu_milli", "whole"),
    ],
)
def test_faults_name_line_and_column(
    tmp_path: Path, lines: list[str], place: str, words: str
) -> None:
    pods = csv(tmp_path, "pods.csv", *lines) if lines else tmp_path / "pods.csv"
    pods.touch()
    with pytest.raises(InputError) as caught:
        read_openb(NODES, pods)
    assert caught.value.place == f"{pods}: {place}"
    assert words in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_openb(tmp_path / "none.csv", PODS)
    (tmp_path / "latin").write_bytes(b"sn,cpu_milli,memory_mib,gpu,model\n\xe4,1,1,0,\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_openb(tmp_path / "latin", PODS)
    with pytest.raises(InputError, match="lists no node"):
        read_openb(csv(tmp_path, "n.csv", "sn,cpu_milli,memory_mib,gpu,model"), PODS)


def test_a_folder_as_published(tmp_path: Path) -> None:
    (tmp_path / NODE_FILE).write_bytes(NODES.read_bytes().replace(b"\n", b"\r\n"))
    (tmp_path / POD_FILE).write_bytes(PODS.read_bytes())
    cluster = load_openb(tmp_path)
    assert len(cluster.pods) == 5
    assert sum(not pod.node_name for pod in cluster.pods) == 2


ROWS = st.lists(
    st.tuples(
        st.integers(0, 5000),
        st.integers(0, 9000),
        st.integers(0, 3),
        st.integers(1, 1000),
        st.sampled_from(["", "T4", "G2", "G2|T4"]),
        st.sampled_from(["BE", "LS", "Burstable", "Guaranteed"]),
        st.integers(0, 50),
    ),
    max_size=25,
)


@settings(max_examples=40, deadline=None)
@given(ROWS)
def test_no_node_is_overfull_and_no_pod_is_lost(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[object, ...]]
) -> None:
    lines = [
        f"p{i},{cpu},{memory},{gpus},{milli},{spec},{qos},Running,{created},99,"
        for i, (cpu, memory, gpus, milli, spec, qos, created) in enumerate(rows)
    ]
    path = csv(tmp_path_factory.mktemp("trace"), "pods.csv", HEADER, *lines)
    made = read_openb(NODES, path)
    assert made == read_openb(NODES, path)
    assert overfull(made.cluster) == []
    assert len(made.cluster.pods) + len(made.preemptors) == len(rows)


@pytest.mark.shared
def test_the_trace_itself(shared_dir: Path) -> None:
    folder = shared_dir / "traces" / "openb"
    cluster = load_openb(folder)
    assert (len(cluster.nodes), len(cluster.pods)) == (1523, 8152)
    assert overfull(cluster) == []
    assert cluster == load_openb(folder)
    waiting = [pod for pod in cluster.pods if not pod.node_name]
    assert 0 < len(waiting) < 1000
    decision = make_strategy("upstream", cluster).preempt(max(waiting, key=lambda p: p.priority))
    assert decision.outcome in (Outcome.NOMINATED, Outcome.NO_CANDIDATE)
