"""What ties pods to other pods, as read from manifests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kep_preemption.errors import InputError
from kep_preemption.loader import load_objects, parse_pod, read_cluster
from kep_preemption.objects import PodAffinityTerm, TopologySpreadConstraint
from kep_preemption.selectors import LabelSelector, Requirement

JSON = dict[str, Any]
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
TERM = {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": "zone"}
OF_TEAM = {"namespaceSelector": {"matchLabels": {"team": "a"}}}
OF_NAME = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "other"}}}
ROOM = {"cpu": "1", "memory": "1Gi", "pods": "10"}
NODE = {"kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": ROOM}}
SHOP = {"kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}


def manifest(**spec: object) -> JSON:
    return {"kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


@pytest.mark.parametrize(
    ("term", "namespace", "labels", "selects"),
    [
        (TERM, "default", {"a": "b"}, True),
        (TERM, "default", {"a": "c"}, False),
        (TERM, "other", {"a": "b"}, False),
        ({**TERM, "namespaces": ["other"]}, "other", {"a": "b"}, True),
        ({**TERM, "namespaces": ["other"]}, "default", {"a": "b"}, False),
        ({**TERM, "namespaceSelector": {}}, "other", {"a": "b"}, True),
        ({**TERM, **OF_TEAM}, "shop", {"a": "b"}, True),
        ({**TERM, **OF_TEAM}, "other", {"a": "b"}, False),
        ({**TERM, **OF_TEAM, "namespaces": ["other"]}, "other", {"a": "b"}, True),
        ({**TERM, **OF_NAME}, "other", {"a": "b"}, True),
        ({"topologyKey": "zone", "labelSelector": {}}, "default", {}, True),
        ({"topologyKey": "zone"}, "default", {"a": "b"}, False),
    ],
)
def test_whom_a_term_selects(
    term: JSON, namespace: str, labels: dict[str, str], selects: bool
) -> None:
    (read,) = parse_pod(manifest(affinity={"podAntiAffinity": {REQUIRED: [term]}})).anti_affinity
    assert read.selects(namespace, labels, "default", {"shop": {"team": "a"}}) is selects


def test_affinity() -> None:
    read = parse_pod(manifest(affinity={"podAffinity": {REQUIRED: [TERM]}}))
    assert read.affinity == (PodAffinityTerm(LabelSelector({"a": "b"}), "zone"),)
    assert read.anti_affinity == ()


def test_preferences_and_soft_constraints_keep_nobody_away() -> None:
    soft = {"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"}
    affinity = {"podAntiAffinity": {PREFERRED: [{}]}, "podAffinity": {}}
    read = parse_pod(manifest(affinity=affinity, topologySpreadConstraints=[soft]))
    assert (read.affinity, read.anti_affinity, read.spread) == ((), (), ())


def test_spread_constraints() -> None:
    full = {
        "topologyKey": "zone",
        "maxSkew": 2,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"a": "b"}},
        "minDomains": 3,
        "nodeAffinityPolicy": "Ignore",
        "nodeTaintsPolicy": "Honor",
        "matchLabelKeys": ["pod-template-hash"],
    }
    read = parse_pod(manifest(topologySpreadConstraints=[full, {"topologyKey": "host"}]))
    assert read.spread == (
        TopologySpreadConstraint(
            "zone", 2, LabelSelector({"a": "b"}), 3, False, True, ("pod-template-hash",)
        ),
        TopologySpreadConstraint("host", 1, None),
    )


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"topologySpreadConstraints": [{}]}, "topologySpreadConstraints[0].topologyKey"),
        (
            {"topologySpreadConstraints": [{"topologyKey": "z", "whenUnsatisfiable": "No"}]},
            "whenUnsatisfiable",
        ),
        ({"affinity": {"podAffinity": {REQUIRED: "x"}}}, f"affinity.podAffinity.{REQUIRED}"),
        (
            {"affinity": {"podAntiAffinity": {REQUIRED: [{"topologyKey": 1}]}}},
            f"affinity.podAntiAffinity.{REQUIRED}[0].topologyKey",
        ),
    ],
)
def test_faults_are_named_with_their_place(spec: JSON, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_pod(manifest(**spec))
    assert words in str(caught.value)


def test_namespaces_are_read() -> None:
    assert load_objects([NODE, SHOP], "x").namespaces == {"shop": {"team": "a"}}


def test_namespaces_that_are_selected_but_not_there_are_noted(tmp_path: Path) -> None:
    holder = manifest(affinity={"podAntiAffinity": {REQUIRED: [{**TERM, **OF_TEAM}]}}, nodeName="n")
    path = tmp_path / "dump.json"
    path.write_text(json.dumps([NODE, holder]))
    (note,) = read_cluster([path]).notes
    assert "selects namespaces by their labels" in note
    path.write_text(json.dumps([NODE, holder, SHOP]))
    assert read_cluster([path]).notes == ()


KEYS = {"matchLabelKeys": ["rev", "absent"], "mismatchLabelKeys": ["tenant"]}


@pytest.mark.parametrize("kind", ["podAffinity", "podAntiAffinity"])
def test_label_keys_of_a_term_become_part_of_its_selector(kind: str) -> None:
    made = manifest(affinity={kind: {REQUIRED: [{**TERM, **KEYS}]}})
    made["metadata"]["labels"] = {"rev": "2", "tenant": "x"}
    read = parse_pod(made, apply_defaults=True)
    (term,) = read.affinity or read.anti_affinity
    assert term.selector == LabelSelector(
        {"a": "b"}, (Requirement("rev", "In", ("2",)), Requirement("tenant", "NotIn", ("x",)))
    )


def test_label_keys_that_the_api_server_has_merged_stay_as_they_are() -> None:
    merged = {"matchExpressions": [{"key": "rev", "operator": "In", "values": ["1"]}]}
    term = {**TERM, "labelSelector": merged, "matchLabelKeys": ["rev"]}
    made = manifest(affinity={"podAffinity": {REQUIRED: [term]}})
    made["metadata"]["labels"] = {"rev": "2"}  # relabelled since
    (read,) = parse_pod(made, apply_defaults=True).affinity
    assert read.selector == LabelSelector({}, (Requirement("rev", "In", ("1",)),))


def test_label_keys_without_a_selector_select_nothing() -> None:
    term = {"topologyKey": "zone", "matchLabelKeys": ["rev"]}
    (read,) = parse_pod(
        manifest(affinity={"podAffinity": {REQUIRED: [term]}}), apply_defaults=True
    ).affinity
    assert read.selector is None
