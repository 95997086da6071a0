from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from kep_preemption.cli import add_preempt_arguments, run_preempt
from kep_preemption.report.document import schema
from kep_preemption.scenarios import scenario_names
from kep_preemption.strategies import STRATEGY_NAMES

DUMPS = Path(__file__).parent / "dumps"
SHOP = str(DUMPS / "shop.json")
CHECKOUT = str(DUMPS / "checkout.yaml")


def preempt(*words: str) -> int:
    parser = argparse.ArgumentParser()
    add_preempt_arguments(parser)
    return run_preempt(parser.parse_args(words))


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    preempt(*words, "--output", "json")
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(made, schema(), jsonschema.Draft202012Validator)
    return made


def test_a_pending_pod_of_the_dump(capsys: pytest.CaptureFixture[str]) -> None:
    assert preempt("--cluster", SHOP, "--pod", "shop/checkout-1") == 0
    out = capsys.readouterr().out
    assert "Strategy upstream preempts 1 pod on node worker-a, with 0 PDB violations." in out
    assert "batch/report-7" in out
    assert "worker-b: 1; would preempt shop/db-0" in out
    assert "control-plane" in out and "untolerated taint" in out
    assert "ignored what does not matter here: Service (1)" in out


def test_a_manifest_and_a_budget(capsys: pytest.CaptureFixture[str]) -> None:
    made = document(capsys, "--cluster", SHOP, "--pod", CHECKOUT)
    assert (made["outcome"], made["node"], made["pdb_violations"]) == ("nominated", "worker-b", 1)
    [victim] = made["victims"]
    assert victim["pdbs"] == [{"name": "db", "disruptions_allowed": 0}]
    verdicts = {node["name"]: node["verdict"] for node in made["nodes"]}
    assert verdicts == {
        "worker-a": "cannot-help",
        "worker-b": "chosen",
        "control-plane": "cannot-help",
    }


@pytest.mark.parametrize("strategy", STRATEGY_NAMES)
@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_conforms_to_the_schema(
    capsys: pytest.CaptureFixture[str], name: str, strategy: str
) -> None:
    made = document(capsys, "--scenario", name, "--strategy", strategy)
    assert made["strategy"]["name"] == strategy
    assert len(made["nodes"]) == made["counts"]["nodes"]
    assert [n["name"] for n in made["nodes"] if n["verdict"] == "chosen"] == [made["node"]]


def test_the_schema_is_one_and_refuses_what_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    made = document(capsys, "--scenario", "edge-10")
    for change in ({"outcome": "maybe"}, {"more": 1}, {"schema_version": "2"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**made, **change}, schema())


def test_the_same_seed_gives_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "--synthetic",
        "nodes=300,pods_per_node=3,fill=1",
        "--min-candidate-nodes-absolute",
        "1",
    )
    words += ("--min-candidate-nodes-percentage", "1")
    answers = [document(capsys, *words, "--seed", seed) for seed in ("1", "1", "2", "3")]
    assert answers[0] == answers[1]
    assert len({made["node"] for made in answers}) > 1
    assert answers[0]["strategy"]["options"] == {
        "min_candidate_nodes_absolute": 1,
        "min_candidate_nodes_percentage": 1,
    }


# Exit codes

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "new", "namespace": "shop"},
    "spec": {
        "priority": 5000,
        "containers": [{"name": "c", "resources": {"requests": {"cpu": "1500m"}}}],
    },
}


def pod_file(tmp_path: Path, **spec: Any) -> str:
    path = tmp_path / "pod.yaml"
    path.write_text(yaml.safe_dump({**POD, "spec": {**POD["spec"], **spec}}))
    return str(path)


@pytest.mark.parametrize(
    ("spec", "code", "outcome"),
    [
        ({}, 0, "nominated"),
        ({"containers": []}, 0, "feasible"),
        ({"priority": -1}, 1, "no-candidate"),
        ({"preemptionPolicy": "Never"}, 1, "not-eligible"),
        ({"nodeSelector": {"disk": "tape"}}, 1, "no-candidate"),
    ],
)
def test_exit_codes(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    spec: dict[str, Any],
    code: int,
    outcome: str,
) -> None:
    path = pod_file(tmp_path, **spec)
    assert preempt("--cluster", SHOP, "--pod", path) == code
    assert capsys.readouterr().out.startswith("Pod shop/new")
    assert document(capsys, "--cluster", SHOP, "--pod", path)["outcome"] == outcome


def test_time_that_is_over_is_a_negative_answer(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--scenario", "edge-10", "--strategy", "fast-path", "--budget-seconds", "0")
    assert preempt(*words) == 1
    assert "found nothing in time" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "needs a cluster"),
        (("--scenario", "edge-10", "--cluster", SHOP), "more than one cluster"),
        (("--scenario", "edge-11"), "no such scenario"),
        (("--synthetic", "node=1"), "did you mean nodes"),
        (("--cluster", "missing.json"), "missing.json: cannot be read"),
        (("--cluster", SHOP, "--pod", "shop/gone"), "pending pods are shop/checkout-1"),
        (("--cluster", SHOP, "--pod", "shop/db-0"), "is on node worker-b already"),
        (("--cluster", SHOP, "--pod", "gone.yaml"), "gone.yaml: cannot be read"),
        (("--cluster", SHOP, "--pod", SHOP), "pods"),
        (("--cluster", CHECKOUT), "shop-critical"),
        (("--scenario", "edge-10", "--show-nodes", "-1"), "is negative"),
        (("--scenario", "edge-10", "--strategy", "original", "--all-candidates"), "no option"),
        (("--openb", "no-nodes.csv", "no-pods.csv"), "no-nodes.csv: cannot be read"),
        (("--synthetic", "nodes=2,preemptors=0"), "no pending pod"),
    ],
)
def test_usage_and_input_errors(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    assert preempt(*words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and "\n  help: " in err
    assert says in err


def test_what_is_not_modelled_is_refused_or_flagged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    path = pod_file(tmp_path, volumes=volumes, resourceClaims=[{"name": "gpu"}])
    assert preempt("--cluster", SHOP, "--pod", path) == 2
    err = capsys.readouterr().err
    assert "persistentVolumeClaim, resourceClaims" in err and "--allow-unmodelled" in err
    assert preempt("--cluster", SHOP, "--pod", path, "--allow-unmodelled") == 0
    assert "WARNING: not modelled" in capsys.readouterr().out
    made = document(capsys, "--cluster", SHOP, "--pod", path, "--allow-unmodelled")
    assert made["preemptor"]["uses"] == ["persistentVolumeClaim", "resourceClaims"]
    assert made["warnings"]


def test_another_scheduler_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = pod_file(tmp_path, schedulerName="mine", nodeName="worker-a")
    preempt("--cluster", SHOP, "--pod", path)
    out = capsys.readouterr().out
    assert "scheduler mine" in out and "no scheduler would see it" in out


def test_without_a_node_the_text_speaks_of_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    preempt("--cluster", SHOP, "--pod", pod_file(tmp_path, preemptionPolicy="Never"))
    out = capsys.readouterr().out
    assert "preempts nothing: " in out and ".." not in out
    assert "Why not one of the 3 nodes:" in out


def test_without_a_pod_it_is_the_most_important_pending_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def waiting(name: str, priority: int, **spec: Any) -> dict[str, Any]:
        return {
            **POD,
            "metadata": {"name": name},
            "spec": {**POD["spec"], **spec, "priority": priority},
        }

    gated = waiting("gated", 9000, schedulingGates=[{"name": "g"}])
    path = tmp_path / "more.yaml"
    path.write_text(yaml.safe_dump_all([waiting("low", 5), waiting("high", 7000), gated]))
    made = document(capsys, "--cluster", SHOP, "--cluster", str(path))
    assert made["preemptor"]["name"] == "high"


def test_progress_is_for_terminals(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    preempt("--cluster", SHOP)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    preempt("--cluster", SHOP)
    steps = capsys.readouterr().err
    assert f"reading {SHOP}" in steps and "asking upstream about 3 nodes" in steps
    assert steps.endswith("\r\x1b[K")


# Input in other ways


def test_a_scenario_written_and_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "edge.json"
    made = document(capsys, "--scenario", "edge-10", "--write-cluster", str(path))
    read = document(capsys, "--cluster", str(path))
    for key in ("outcome", "node", "victims", "nodes", "preemptor", "counts"):
        assert made[key] == read[key], key


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Stdin:
        buffer = io.BytesIO(Path(SHOP).read_bytes())

    monkeypatch.setattr("sys.stdin", Stdin)
    assert document(capsys, "--cluster", "-")["node"] == "worker-a"


def test_a_trace(capsys: pytest.CaptureFixture[str]) -> None:
    trace = (str(DUMPS / "openb_nodes.csv"), str(DUMPS / "openb_pods.csv"))
    made = document(capsys, "--openb", *trace, "--pod", "late")
    assert (made["node"], [v["name"] for v in made["victims"]]) == ("big", ["first"])
    assert "simulated placement" in made["input"]["source"]


def test_the_list_names_scenarios_and_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    assert preempt("--list") == 0
    out = capsys.readouterr().out
    for name in (*scenario_names(), "pods_per_node=5", "priorities=100:1"):
        assert name in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_command_line_loads_nothing_heavy() -> None:
    code = (
        "import sys, kep_preemption.cli as c, argparse\n"
        "c.add_preempt_arguments(argparse.ArgumentParser())\n"
        "print([m for m in ('numpy', 'yaml', 'jsonschema', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_strategies_offered_are_those_there_are() -> None:
    parser = argparse.ArgumentParser()
    add_preempt_arguments(parser)
    [action] = [a for a in parser._actions if a.dest == "strategy"]
    assert tuple(action.choices or ()) == STRATEGY_NAMES


def test_a_manifest_that_selects_namespaces_by_label_is_noted_in_both_outputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    term = {
        "topologyKey": "zone",
        "labelSelector": {"matchLabels": {"a": "b"}},
        "namespaceSelector": {"matchLabels": {"team": "a"}},
    }
    terms = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    path = pod_file(tmp_path, affinity={"podAntiAffinity": terms})
    preempt("--cluster", SHOP, "--pod", path)
    assert "pod shop/new selects namespaces by their labels" in capsys.readouterr().out
    (note,) = document(capsys, "--cluster", SHOP, "--pod", path)["input"]["notes"]
    assert note.startswith("pod shop/new selects namespaces by their labels")


def test_a_budget_that_is_no_number_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--scenario", "edge-10", "--strategy", "fast-path", "--budget-seconds", "nan")
    assert preempt(*words) == 2
    assert "budget_seconds: nan is no span of time" in capsys.readouterr().err


def test_a_sampled_answer_says_that_another_seed_may_differ(capsys):
    arguments = ["--synthetic", "nodes=400,pods_per_node=4", "--strategy"]
    assert preempt(*arguments, "upstream-one-candidate") == 0
    assert "another --seed may answer otherwise" in " ".join(capsys.readouterr().out.split())
    assert preempt(*arguments, "upstream", "--all-candidates") == 0
    assert "--seed" not in capsys.readouterr().out


def test_original_tells_of_nodes_where_preemption_cannot_help(capsys, tmp_path):
    node = {"kind": "Node", "status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "9"}}}
    nodes = [{**node, "metadata": {"name": f"n{i}"}} for i in range(3)]
    nodes[2]["spec"] = {"taints": [{"key": "a", "effect": "NoSchedule"}]}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    pods = [
        {
            "kind": "Pod",
            "metadata": {"name": f"p{i}", "namespace": "d"},
            "spec": {"nodeName": f"n{i}", "priority": 0, "containers": [container]},
        }
        for i in range(2)
    ]
    waiting = {"kind": "Pod", "metadata": {"name": "w", "namespace": "d"}}
    waiting["spec"] = {"priority": 9, "containers": [container]}
    dump = tmp_path / "dump.json"
    dump.write_text(json.dumps({"kind": "List", "items": [*nodes, *pods, waiting]}))
    assert preempt("--cluster", str(dump), "--strategy", "original") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "tried 3 nodes, with 2 nodes where preemption might help" in said
