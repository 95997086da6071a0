from __future__ import annotations

import copy
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kep_preemption.errors import InputError
from kep_preemption.loader import load_files, load_objects, parse_pod, read_cluster, read_pod
from kep_preemption.loading.problems import MOST_SHOWN, InputProblemsError
from kep_preemption.objects import (
    ClusterState,
    HostPort,
    Pod,
    PodDisruptionBudget,
    PriorityClass,
    Taint,
    Toleration,
)
from kep_preemption.selectors import LabelSelector, NodeSelector, NodeSelectorTerm, Requirement

JSON = dict[str, Any]
DUMPS = Path(__file__).parent / "dumps"
SHOP = DUMPS / "shop.json"
SHOP_OBJECTS: list[JSON] = json.loads(SHOP.read_text())["items"]


def node(name: str = "n1", **allocatable: str) -> JSON:
    room = {"cpu": "2", "memory": "4Gi", "pods": "110", **allocatable}
    return {"kind": "Node", "metadata": {"name": name}, "status": {"allocatable": room}}


def pod(name: str = "p", **spec: Any) -> JSON:
    return {"kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [], **spec}}


def only_pod(state: ClusterState, name: str) -> Pod:
    [found] = [p for p in state.pods if p.name == name]
    return found


def message(objects: list[Any]) -> str:
    with pytest.raises(InputError) as caught:
        load_objects(objects, "x.json", allow_unknown_nodes=False)
    return f"{caught.value}"


# What a dump becomes


def test_a_dump_of_kubectl() -> None:
    loaded = read_cluster([SHOP])
    state = loaded.cluster
    assert [n.name for n in state.nodes] == ["worker-a", "worker-b", "control-plane"]
    assert state.nodes[0].allocatable == {
        "cpu": 3920,
        "ephemeral-storage": 93478772582,
        "hugepages-2Mi": 0,
        "memory": 8049124 * 1024,
        "pods": 110,
    }
    assert state.nodes[2].taints == (
        Taint("node-role.kubernetes.io/control-plane", "", "NoSchedule"),
    )
    web, db = only_pod(state, "web-5d9c-x1"), only_pod(state, "db-0")
    assert (web.namespace, web.priority, web.node_name) == ("shop", 1000, "worker-a")
    assert web.requests == {"cpu": 1500, "memory": 1024**3}
    assert web.start_time == 1_770_022_800 * 10**9
    assert web.controller_kind == "ReplicaSet"
    assert web.tolerations == (
        Toleration("node.kubernetes.io/not-ready", "Exists", "", "NoExecute"),
    )
    assert web.unmodelled == ()
    assert len(web.anti_affinity) == 1
    assert db.requests == {"cpu": 3100, "memory": (4096 + 64) * 1024**2}
    assert db.host_ports == (HostPort("0.0.0.0", "TCP", 15001),)
    assert db.unmodelled == ("persistentVolumeClaim",)
    assert state.pdbs == (PodDisruptionBudget("shop", "db", LabelSelector({"app": "db"}), 0),)
    assert [c.value for c in state.priority_classes] == [1000, 5000]


def test_what_does_not_matter_is_counted() -> None:
    loaded = read_cluster([SHOP])
    assert loaded.ignored == {"Service": 1}
    assert loaded.terminated == 1
    assert "report-6" not in {p.name for p in loaded.cluster.pods}


def test_a_class_gives_the_priority_and_limits_the_requests() -> None:
    waiting = only_pod(load_files([SHOP]), "checkout-1")
    assert (waiting.priority, waiting.node_name) == (5000, "")
    assert waiting.requests == {"cpu": 1500, "memory": 1024**3}


def test_a_manifest_as_written() -> None:
    made = read_pod(DUMPS / "checkout.yaml", load_files([SHOP]).priority_classes)
    assert made.priority == 5000
    assert made.requests == {"cpu": 2000, "memory": 1024**3}
    assert made.node_selector == {"disk": "hdd"}


# The same objects in other forms


@pytest.mark.parametrize(
    "write",
    [
        lambda path, items: path.write_text(yaml.safe_dump({"kind": "List", "items": items})),
        lambda path, items: path.write_text(yaml.safe_dump_all(items)),
        lambda path, items: path.write_text("\n".join(map(json.dumps, items))),
        lambda path, items: path.write_text(json.dumps(items)),
        lambda path, items: path.write_bytes(gzip.compress(json.dumps(items).encode())),
        lambda path, items: path.write_bytes(json.dumps(items, indent=1).encode("utf-16")),
        lambda path, items: path.write_bytes(json.dumps(items).encode("utf-8-sig")),
        lambda path, items: path.write_bytes(
            yaml.safe_dump_all(items).replace("\n", "\r\n").encode()
        ),
        lambda path, items: path.write_text(
            json.dumps({"kind": "List", "items": [{"kind": "List", "items": items}]})
        ),
    ],
    ids=["yaml-list", "yaml-many", "json-lines", "array", "gzip", "utf16", "bom", "crlf", "nested"],
)
def test_forms_of_one_dump(tmp_path: Path, write: Any) -> None:
    path = tmp_path / "dump"
    write(path, SHOP_OBJECTS)
    assert load_files([path]) == load_files([SHOP])


def test_several_files_and_typed_lists(tmp_path: Path) -> None:
    nodes = [o for o in SHOP_OBJECTS if o["kind"] == "Node"]
    rest = [o for o in SHOP_OBJECTS if o["kind"] != "Node"]
    for item in nodes:
        item = {k: v for k, v in item.items() if k not in ("kind", "apiVersion")}
    (tmp_path / "nodes.json").write_text(
        json.dumps({"kind": "NodeList", "apiVersion": "v1", "items": nodes})
    )
    (tmp_path / "rest.yaml").write_text(yaml.safe_dump_all(rest))
    assert load_files([tmp_path / "rest.yaml", tmp_path / "nodes.json"]) == load_files([SHOP])


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(SHOP.read_bytes())

    monkeypatch.setattr("sys.stdin", Stdin)
    assert load_files(["-"]) == load_files([SHOP])


def test_kinds_of_other_groups_are_ignored() -> None:
    other = {"apiVersion": "management.example.com/v3", "kind": "Node", "metadata": {"name": "x"}}
    assert load_objects([node(), other], "x").nodes == load_objects([node()], "x").nodes


# Priorities

GLOBAL = {"kind": "PriorityClass", "metadata": {"name": "usual"}, "value": 7, "globalDefault": True}
SHY = {
    "kind": "PriorityClass",
    "metadata": {"name": "shy"},
    "value": 9,
    "preemptionPolicy": "Never",
}


@pytest.mark.parametrize(
    ("spec", "classes", "priority", "policy"),
    [
        ({}, [], 0, "PreemptLowerPriority"),
        ({}, [GLOBAL], 7, "PreemptLowerPriority"),
        ({"priority": -5}, [GLOBAL], -5, "PreemptLowerPriority"),
        ({"priorityClassName": "shy"}, [SHY, GLOBAL], 9, "Never"),
        ({"priorityClassName": "system-node-critical"}, [], 2000001000, "PreemptLowerPriority"),
        ({"priorityClassName": "system-cluster-critical"}, [], 2000000000, "PreemptLowerPriority"),
        ({"priorityClassName": "gone", "priority": 3}, [], 3, "PreemptLowerPriority"),
        ({"priority": 3, "preemptionPolicy": "Never"}, [], 3, "Never"),
    ],
)
def test_priority(spec: JSON, classes: list[JSON], priority: int, policy: str) -> None:
    [made] = load_objects([*classes, pod(**spec)], "x").pods
    assert (made.priority, made.preemption_policy) == (priority, policy)


def test_the_lowest_of_several_global_defaults_counts() -> None:
    classes = [PriorityClass("a", 50, True), PriorityClass("b", 20, True)]
    assert parse_pod(pod(), priority_classes=classes).priority == 20


# What decides about nodes


def test_selectors_and_conditions() -> None:
    spec = {
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["5"]}]},
                        {
                            "matchFields": [
                                {"key": "metadata.name", "operator": "In", "values": ["n"]}
                            ]
                        },
                    ]
                }
            }
        }
    }
    made = pod(**spec)
    made["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    made["status"] = {
        "nominatedNodeName": "n",
        "conditions": [
            {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
        ],
    }
    parsed = parse_pod(made)
    assert parsed.required_node_affinity == NodeSelector(
        (
            NodeSelectorTerm((Requirement("a", "Gt", ("5",)),)),
            NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n",)),)),
        )
    )
    assert parsed.terminating and parsed.preempted_by_scheduler
    assert parsed.nominated_node_name == "n"


@pytest.mark.parametrize(
    ("spec", "unmodelled"),
    [
        (
            {"volumes": [{"name": "v", "persistentVolumeClaim": {}}, {"emptyDir": {}}]},
            ("persistentVolumeClaim",),
        ),
        ({"volumes": [{"name": "v", "ephemeral": {}}]}, ("ephemeral",)),
        ({"volumes": [{"name": "v", "configMap": {}}]}, ()),
        ({"resourceClaims": [{"name": "gpu"}]}, ("resourceClaims",)),
        ({"volumes": [{"name": "v", "cinder": {}}]}, ("cinder",)),
        ({"schedulingGates": [{"name": "g"}]}, ("schedulingGates",)),
    ],
)
def test_what_is_not_modelled_is_named(spec: JSON, unmodelled: tuple[str, ...]) -> None:
    assert parse_pod(pod(**spec)).unmodelled == unmodelled


def test_capacity_stands_in_for_a_missing_allocatable() -> None:
    made = node()
    made["status"] = {"capacity": made["status"]["allocatable"]}
    assert load_objects([made], "x").nodes == load_objects([node()], "x").nodes


def test_a_budget_without_status_is_exhausted_and_noted(tmp_path: Path) -> None:
    pdb = {"kind": "PodDisruptionBudget", "metadata": {"name": "b", "namespace": "ns"}}
    path = tmp_path / "dump.json"
    path.write_text(json.dumps([node(), pdb]))
    loaded = read_cluster([path])
    assert loaded.cluster.pdbs == (PodDisruptionBudget("ns", "b", None, 0),)
    assert "ns/b has no status.disruptionsAllowed" in loaded.notes[0]


def test_pods_on_unknown_nodes_are_let_in_when_allowed(tmp_path: Path) -> None:
    path = tmp_path / "dump.json"
    path.write_text(json.dumps([node(), pod(nodeName="gone")]))
    with pytest.raises(InputError, match="gone"):
        read_cluster([path])
    assert read_cluster([path], allow_unknown_nodes=True).orphans == 1


# Dumps with holes: place, problem, remedy


def without(made: JSON, *path: str) -> JSON:
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return made


HOLES: list[tuple[str, list[Any], list[str]]] = [
    ("node without name", [without(node(), "metadata", "name")], ["x.json: Node", "metadata.name"]),
    (
        "second of a list without name",
        [[node(), without(node(), "metadata", "name")]],
        ["Node items[1]: metadata.name"],
    ),
    ("node without status", [without(node(), "status")], ["Node n1: status.allocatable"]),
    (
        "allocatable without pods",
        [without(node(), "status", "allocatable", "pods")],
        ["Node n1: status.allocatable.pods", 'such as pods: "110"'],
    ),
    ("bad quantity", [node(memory="4GB")], ["status.allocatable.memory", "'GB'", "1.5Gi"]),
    (
        "bad request",
        [pod(containers=[{"name": "c", "resources": {"requests": {"cpu": "one"}}}])],
        ["Pod default/p: spec.containers[0].resources.requests.cpu"],
    ),
    ("unknown node", [node(), pod(nodeName="n2")], ["Pod default/p: spec.nodeName", "n2"]),
    (
        "unknown class",
        [pod(priorityClassName="gold")],
        ["Pod default/p: spec.priorityClassName", "'gold'", "kubectl get priorityclasses"],
    ),
    (
        "labels of the wrong type",
        [pod() | {"metadata": {"name": "p", "labels": {"a": 1}}}],
        ["metadata.labels.a", "in quotes"],
    ),
    ("spec of the wrong type", [{**pod(), "spec": []}], ["Pod default/p: spec", "a mapping"]),
    ("items of the wrong type", [[3]], ["items[0]", "3"]),
    ("no kind", [{"metadata": {"name": "x"}}], ["kind", "is missing"]),
    ("text", ["Error from server (Forbidden)"], ["the text 'Error from server (Forbidden)'"]),
    ("priority too large", [pod(priority=2**40)], ["spec.priority", "32 bits"]),
    ("priority as text", [pod(priority="9")], ["spec.priority", "text"]),
    ("bad operator", [pod(tolerations=[{"operator": "Has"}])], ["spec.tolerations[0].operator"]),
    ("bad time", [{**pod(), "status": {"startTime": "soon"}}], ["status.startTime", "'soon'"]),
    (
        "time out of range",
        [{**pod(), "status": {"startTime": "9999-12-31T23:59:59Z"}}],
        ["status.startTime", "beyond"],
    ),
    ("bad phase", [{**pod(), "status": {"phase": "Asleep"}}], ["status.phase", "Succeeded"]),
    ("the same twice", [node(), node()], ["Node n1", "twice"]),
    (
        "bad port",
        [pod(containers=[{"ports": [{"hostPort": 99999}]}])],
        ["spec.containers[0].ports[0].hostPort"],
    ),
    (
        "class without value",
        [{"kind": "PriorityClass", "metadata": {"name": "c"}}],
        ["PriorityClass c: value"],
    ),
    (
        "budget of the wrong type",
        [
            {
                "kind": "PodDisruptionBudget",
                "metadata": {"name": "b"},
                "spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "Gt"}]}},
            }
        ],
        ["PodDisruptionBudget default/b: spec.selector.matchExpressions[0].operator"],
    ),
]


@pytest.mark.parametrize(
    ("objects", "words"), [h[1:] for h in HOLES], ids=[hole[0] for hole in HOLES]
)
def test_holes(objects: list[Any], words: list[str]) -> None:
    shown = message(copy.deepcopy(objects))
    for word in ["x.json", *words]:
        assert word in shown


def test_problems_come_together() -> None:
    objects = [pod(f"p{i}", priority="x") for i in range(MOST_SHOWN + 5)]
    with pytest.raises(InputProblemsError) as caught:
        load_objects([node(cpu="?"), *objects], "x.json")
    assert caught.value.total == MOST_SHOWN + 6
    assert len(caught.value.problems) == MOST_SHOWN
    assert "26 problems" in str(caught.value) and "and 6 more" in str(caught.value)
    assert caught.value.problems[0].place == "x.json: Node n1: status.allocatable.cpu"


FILES: list[tuple[str, bytes, list[str]]] = [
    ("empty", b"", ["is empty", "kubectl get"]),
    ("only space", b" \n\r\n", ["is empty"]),
    ("html", b"<!DOCTYPE html>\n<html><body>Sign in</body>", ["HTML", "login page"]),
    ("cut off", SHOP.read_bytes()[:900], ["cut off", "line"]),
    ("cut off in text", b'{"kind": "Li', ["cut off"]),
    ("broken json", b'{"kind": List}', ["line 1, column 10"]),
    ("broken yaml", b"kind: Pod\n  metadata: [", ["no YAML at line 2"]),
    ("bad date", b"a: !!timestamp 2026-99-99", ["no YAML"]),
    ("not utf-8", b'{"kind": "\xff"}', ["not UTF-8 at byte 10"]),
    ("binary", bytes(range(128, 256)), ["not UTF-8"]),
    ("cut gzip", gzip.compress(SHOP.read_bytes())[:300], ["gzip"]),
    ("text", b"No resources found\n", ["the text 'No resources found'"]),
    ("no nodes", b'{"kind": "List", "items": []}', ["holds no node"]),
    ("only comments", b"# nothing\n---\n", ["holds no node"]),
    ("deep", b"[" * 100_000, ["nested too deeply"]),
    ("deep yaml", b"a: " + b"[" * 5_000, ["no YAML", "nested"]),
    ("huge number", b'{"kind": ' + b"1" * 5000 + b"}", ["no JSON"]),
    ("unknown tag", b"kind: !!python/object:os.system x", ["no YAML"]),
]


@pytest.mark.parametrize(("data", "words"), [f[1:] for f in FILES], ids=[f[0] for f in FILES])
def test_files_that_are_no_dump(tmp_path: Path, data: bytes, words: list[str]) -> None:
    path = tmp_path / "dump"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        load_files([path])
    assert str(path) in caught.value.place
    assert any(word in str(caught.value) for word in words)
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["missing.json", ".", "a\0b"])
def test_paths_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_files([f"{tmp_path}/{name}"])


def test_a_pod_file_holds_one_pod(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text("kind: Deployment\nmetadata: {name: d}\n")
    with pytest.raises(InputError, match=r"holds 0 pods \(Deployment besides\)"):
        read_pod(path)
    path.write_text(yaml.safe_dump_all([{**SHY}, pod(priorityClassName="shy")]))
    assert read_pod(path).priority == 9


# Whatever is done to a dump, it is read or refused

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["4GB", "-1", "1e999", "2026-01-01T00:00:00Z", "9999999999999999999"])
)
VALUES = st.recursive(
    LEAVES, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=6), v, max_size=3)
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    children: Any = ()
    if isinstance(value, dict):
        children = value.items()
    elif isinstance(value, list):
        children = enumerate(value)
    for key, child in children:
        found += places(child, (*at, key))
    return found


PLACES = places(SHOP_OBJECTS)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(PLACES), VALUES), min_size=1, max_size=4))
def test_a_mutated_dump_is_read_or_refused(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    objects: Any = copy.deepcopy(SHOP_OBJECTS)
    for place, value in changes:
        inner = objects
        try:
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue
    try:
        assert isinstance(load_objects([objects], "x", apply_defaults=True), ClusterState)
    except InputError as error:
        assert error.place.startswith("x") and error.remedy


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_damaged_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = SHOP.read_bytes()
    whole = data.draw(st.sampled_from([whole, yaml.safe_dump(SHOP_OBJECTS).encode()]))
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 20)))
    damaged = whole[:start] + data.draw(st.binary(max_size=6)) + whole[end:]
    path = tmp_path_factory.mktemp("damaged") / "dump"
    path.write_bytes(damaged)
    try:
        assert load_files([path]).nodes
    except InputError as error:
        assert error.remedy


def test_a_fault_in_a_container_status_is_told_as_such() -> None:
    made = pod(nodeName="n1", containers=[{"name": "c"}])
    made["status"] = {"containerStatuses": [{"name": "c", "resources": {"requests": {"cpu": "?"}}}]}
    assert "p: status.containerStatuses[0].resources.requests.cpu" in message([node(), made])


def test_pods_on_a_faulty_node_are_not_complained_of() -> None:
    shown = message([node(cpu="?"), pod(nodeName="n1")])
    assert "nodeName" not in shown


@pytest.mark.parametrize(
    ("text", "nanos"),
    [
        ("1970-01-01T00:00:01Z", 10**9),
        ("1969-12-31T23:59:59.5Z", -(10**9) // 2),
        ("2026-01-01T01:00:00+01:00", 1_767_225_600 * 10**9),
        ("2026-01-01T00:00:00.123456Z", 1_767_225_600_123_456_000),
        ("2026-01-01T00:00:00", 1_767_225_600 * 10**9),
    ],
)
def test_times(text: str, nanos: int) -> None:
    assert parse_pod({**pod(), "status": {"startTime": text}}).start_time == nanos
