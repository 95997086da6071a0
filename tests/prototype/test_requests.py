from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from kep_preemption.loader import load_objects, parse_pod
from kep_preemption.loading.fields import FieldError
from kep_preemption.objects import HostPort, Pod
from kep_preemption.requests import host_ports, pod_requests

JSON = dict[str, Any]


def container(cpu: str = "", *, name: str = "c", **more: object) -> JSON:
    resources = {"requests": {"cpu": cpu}} if cpu else {}
    return {"name": name, "resources": resources, **more}


def sidecar(cpu: str, name: str = "s") -> JSON:
    return container(cpu, name=name, restartPolicy="Always")


def held(name: str, current: str, allocated: str) -> JSON:
    return {
        "name": name,
        "resources": {"requests": {"cpu": current}},
        "allocatedResources": {"cpu": allocated},
    }


INFEASIBLE = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}

CPU_OF_SPEC: list[tuple[str, JSON, int]] = [
    ("sum of containers", {"containers": [container("100m"), container("250m")]}, 350),
    (
        "an init container larger than the sum",
        {"containers": [container("100m")], "initContainers": [container("1")]},
        1000,
    ),
    (
        "an init container with the sidecars before it",
        {
            "containers": [container("100m")],
            "initContainers": [sidecar("200m"), container("500m"), sidecar("50m")],
        },
        700,
    ),
    (
        "sidecars after an init container do not add to it",
        {"containers": [container("100m")], "initContainers": [container("500m"), sidecar("50m")]},
        500,
    ),
    (
        "containers and all sidecars",
        {
            "containers": [container("800m")],
            "initContainers": [sidecar("200m"), container("10m"), sidecar("50m")],
        },
        1050,
    ),
    (
        "pod-level resources replace the sum, overhead comes on top",
        {
            "containers": [container("100m")],
            "resources": {"requests": {"cpu": "600m"}},
            "overhead": {"cpu": "300m"},
        },
        900,
    ),
    (
        "a pod-level request may be less than the sum",
        {"containers": [container("700m")], "resources": {"requests": {"cpu": "600m"}}},
        600,
    ),
    (
        "the sum is rounded, not its parts",
        {"containers": [container("0.5m"), container("0.5m")]},
        1,
    ),
    ("nothing", {"containers": [container()]}, 0),
]


@pytest.mark.parametrize(
    ("spec", "cpu"), [case[1:] for case in CPU_OF_SPEC], ids=[case[0] for case in CPU_OF_SPEC]
)
def test_cpu_of_a_spec(spec: JSON, cpu: int) -> None:
    assert pod_requests(spec).get("cpu", 0) == cpu


@pytest.mark.parametrize(
    ("status", "cpu"),
    [
        ({"containerStatuses": [held("c", "900m", "700m")]}, 900),
        ({"containerStatuses": [held("c", "300m", "700m")]}, 700),
        ({"containerStatuses": [held("c", "100m", "200m")]}, 500),
        ({"containerStatuses": [held("c", "100m", "200m")], "conditions": [INFEASIBLE]}, 200),
        ({"containerStatuses": [{"name": "c", "allocatedResources": {"cpu": "2"}}]}, 500),
        ({"containerStatuses": [held("other", "2", "2")]}, 500),
        ({}, 500),
    ],
)
def test_in_place_resize(status: JSON, cpu: int) -> None:
    assert pod_requests({"containers": [container("500m")]}, status)["cpu"] == cpu


def test_resize_counts_for_sidecars_and_not_for_plain_init_containers() -> None:
    spec = {
        "containers": [container("100m")],
        "initContainers": [sidecar("100m"), container("150m", name="i")],
    }
    status = {"initContainerStatuses": [held("s", "400m", "400m"), held("i", "9", "9")]}
    assert pod_requests(spec, status)["cpu"] == 550


@pytest.mark.parametrize(
    ("spec", "without", "with_defaults"),
    [
        ({"containers": [{"name": "c", "resources": {"limits": {"cpu": "2"}}}]}, 0, 2000),
        (
            {
                "containers": [
                    {"name": "c", "resources": {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}}}
                ]
            },
            1000,
            1000,
        ),
        ({"containers": [container()], "resources": {"limits": {"cpu": "3"}}}, 0, 3000),
        ({"containers": [container("1")], "resources": {"limits": {"cpu": "3"}}}, 1000, 1000),
    ],
)
def test_limits_stand_in_only_with_defaults(spec: JSON, without: int, with_defaults: int) -> None:
    assert pod_requests(spec).get("cpu", 0) == without
    assert pod_requests(spec, apply_defaults=True).get("cpu", 0) == with_defaults


def test_what_the_scheduler_does_not_count_is_left_out() -> None:
    requests = {"cpu": "1", "storage": "1Gi", "pods": "3", "example.com/fpga": "2"}
    spec = {"containers": [{"name": "c", "resources": {"requests": requests}}]}
    assert pod_requests(spec) == {"cpu": 1000, "example.com/fpga": 2}


PORT = {"containerPort": 80, "hostPort": 8080}


@pytest.mark.parametrize(
    ("spec", "apply_defaults", "ports"),
    [
        ({"containers": [container(ports=[PORT])]}, False, [HostPort("0.0.0.0", "TCP", 8080)]),
        ({"containers": [container(ports=[{"containerPort": 80}])]}, False, []),
        ({"containers": [container()], "initContainers": [container(ports=[PORT])]}, False, []),
        (
            {
                "containers": [],
                "initContainers": [
                    {**sidecar("1"), "ports": [{**PORT, "hostIP": "10.0.0.1", "protocol": "UDP"}]}
                ],
            },
            False,
            [HostPort("10.0.0.1", "UDP", 8080)],
        ),
        (
            {"hostNetwork": True, "containers": [container(ports=[{"containerPort": 80}])]},
            False,
            [],
        ),
        (
            {"hostNetwork": True, "containers": [container(ports=[{"containerPort": 80}])]},
            True,
            [HostPort("0.0.0.0", "TCP", 80)],
        ),
    ],
)
def test_host_ports(spec: JSON, apply_defaults: bool, ports: list[HostPort]) -> None:
    assert list(host_ports(spec, apply_defaults=apply_defaults)) == ports


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        (
            {"containers": [container(), container("1GB")]},
            "containers[1].resources.requests.cpu",
        ),
        ({"containers": [container("-1")]}, "containers[0].resources.requests.cpu"),
        ({"containers": "c"}, "containers"),
        ({"containers": [{"resources": []}]}, "containers[0].resources"),
        (
            {"containers": [{"resources": {"requests": {"a.b/c": True}}}]},
            'containers[0].resources.requests["a.b/c"]',
        ),
        ({"overhead": {"memory": "x"}}, "overhead.memory"),
        ({"initContainers": [container("?")]}, "initContainers[0].resources.requests.cpu"),
    ],
)
def test_a_fault_names_its_field(spec: JSON, field: str) -> None:
    with pytest.raises(FieldError) as caught:
        pod_requests(spec)
    assert caught.value.field == field


def recorded(shared_dir: Path, *families: str) -> Iterator[JSON]:
    for family in families:
        with gzip.open(shared_dir / "oracle" / "preemption" / f"{family}.jsonl.gz") as lines:
            yield from map(json.loads, lines)


def insufficient(pod: Pod, allocatable: Mapping[str, int], pods: list[Pod]) -> set[str]:
    """What NodeResourcesFit finds lacking, by its own rule."""
    used: Counter[str] = Counter()
    for other in pods:
        used.update(other.requests)
    lacking = {
        f"Insufficient {name}"
        for name, amount in pod.requests.items()
        if amount and amount > allocatable.get(name, 0) - used[name]
    }
    return lacking | ({"Too many pods"} if len(pods) + 1 > allocatable["pods"] else set())


@pytest.mark.shared
def test_sums_agree_with_the_recorded_scheduler(shared_dir: Path) -> None:
    """Requests are right if every node lacks just what the real scheduler found lacking."""
    checked = 0
    for line in recorded(shared_dir, "facts", "containers", "quantities", "extended", "maxpods"):
        case, expected = line["case"], line["expected"].get("nodes", {})
        objects = [{"kind": "Node", **o} for o in case["nodes"]]
        objects += [{"kind": "Pod", **o} for o in case["pods"]]
        cluster, preemptor = load_objects(objects, line["name"]), parse_pod(case["preemptor"])
        for node in cluster.nodes:
            if any(p.nominated_node_name == node.name for p in cluster.pods):
                continue
            there = [p for p in cluster.pods if p.node_name == node.name]
            lacking = insufficient(preemptor, node.allocatable, there)
            verdict = expected.get(node.name, {})
            if verdict.get("result") == "Feasible":
                assert not lacking, (line["name"], node.name)
                checked += 1
            elif verdict.get("plugin") == "NodeResourcesFit":
                assert lacking == set(verdict["reasons"]), (line["name"], node.name)
                checked += 1
    assert checked > 500
