"""Clusters drawn by hypothesis in which preemption is the usual answer."""

from __future__ import annotations

from hypothesis import strategies as st

from builders.scheduling import GI, cluster, node, pdb, pod, preemptor
from kep_preemption.objects import ClusterState, HostPort, Pod, Taint

_PORT = HostPort("0.0.0.0", "TCP", 8080)
_TAINT = Taint("edge", "true", "NoSchedule")


@st.composite
def crowded_clusters(draw: st.DrawFn, max_nodes: int = 5) -> tuple[ClusterState, Pod]:
    """Draw a cluster whose nodes are rather full, and a preemptor."""
    budgets = [
        pdb(f"pdb-{i}", draw(st.integers(0, 2)), {"app": f"app-{i}"})
        for i in range(draw(st.integers(0, 2)))
    ]
    nodes, pods = [], []
    for i in range(draw(st.integers(1, max_nodes))):
        taints = draw(st.sampled_from([(), (), (), (_TAINT,)]))
        nodes.append(
            node(f"n{i}", cpu=1000, pods=draw(st.sampled_from([110, 110, 4])), taints=taints)
        )
        pods += [draw(_bound_pods(f"n{i}", j)) for j in range(draw(st.integers(1, 8)))]
    waiting = preemptor(
        cpu=draw(st.sampled_from([100, 400, 700, 1000])),
        priority=draw(st.sampled_from([-1, 5, 15, 100])),
        host_ports=draw(st.sampled_from([(), (), (_PORT,)])),
        requests={"memory": draw(st.integers(0, 4)) * GI},
    )
    return cluster(nodes, pods, budgets), waiting


def _bound_pods(node_name: str, index: int) -> st.SearchStrategy[Pod]:
    """Pods of a node; only the first may hold the host port, as no node lets two have it."""
    return st.builds(
        lambda priority, cpu, memory, app, start, ports: pod(
            f"{node_name}-{index}",
            node_name,
            priority,
            cpu,
            requests={"memory": memory * GI},
            labels={"app": f"app-{app}"},
            start_time=start,
            host_ports=ports,
        ),
        st.sampled_from([-5, 0, 10, 20]),
        st.sampled_from([50, 100, 250, 500]),
        st.integers(0, 2),
        st.integers(0, 3),
        st.integers(0, 5),
        st.sampled_from([(), (_PORT,)] if index == 0 else [()]),
    )
