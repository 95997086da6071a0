"""The answer as JSON, by the schema in `preempt.schema.json`."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from kep_preemption import __version__
from kep_preemption.decision import NodeStatus
from kep_preemption.explain import Criteria, NodeExplanation, Victim
from kep_preemption.objects import Pod
from kep_preemption.report.amounts import time_text
from kep_preemption.report.answer import Answer

SCHEMA_VERSION = "1"
SCHEMA_FILE = "preempt.schema.json"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what `to_document` returns."""
    text = resources.files(__package__).joinpath(SCHEMA_FILE).read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def to_document(answer: Answer) -> dict[str, Any]:
    """Return the answer as what JSON can hold."""
    decision = answer.decision
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "kepler preempt", "version": __version__},
        "strategy": {
            "name": decision.strategy,
            "seed": answer.seed,
            "options": dict(answer.options),
        },
        "input": _input(answer),
        "preemptor": {**_pod(decision.preemptor), "uses": list(decision.preemptor.unmodelled)},
        "outcome": str(decision.outcome),
        "node": decision.node or None,
        "reason": decision.reason,
        "victims": [_victim(victim) for victim in answer.victims],
        "pdb_violations": decision.num_pdb_violations,
        "tied_nodes": list(decision.tie_set),
        "clears_nominations": list(decision.clears_nominations),
        "counts": {
            "nodes": len(answer.loaded.cluster.nodes),
            "potential": decision.potential,
            "tried": decision.tried,
            "candidates": len(decision.candidates),
        },
        "nodes": [_node(node) for node in answer.nodes],
        "warnings": list(answer.warnings),
    }


def to_json(answer: Answer) -> str:
    """Return the answer as JSON text."""
    return json.dumps(to_document(answer), indent=2, ensure_ascii=False)


def _input(answer: Answer) -> dict[str, Any]:
    cluster = answer.loaded.cluster
    return {
        "source": answer.source,
        "nodes": len(cluster.nodes),
        "pods": len(cluster.pods),
        "pdbs": len(cluster.pdbs),
        "priority_classes": len(cluster.priority_classes),
        "terminated_pods": answer.loaded.terminated,
        "pods_on_unknown_nodes": answer.loaded.orphans,
        "ignored": dict(answer.loaded.ignored),
        "notes": list(answer.loaded.notes),
    }


def _pod(pod: Pod) -> dict[str, Any]:
    return {
        "namespace": pod.namespace,
        "name": pod.name,
        "priority": pod.priority,
        "requests": dict(pod.requests),
    }


def _victim(victim: Victim) -> dict[str, Any]:
    pod = victim.pod
    return {
        **_pod(pod),
        "start_time": None if pod.start_time is None else time_text(pod.start_time),
        "controller_kind": pod.controller_kind or None,
        "terminating": pod.terminating,
        "pdbs": [
            {"name": pdb.name, "disruptions_allowed": pdb.disruptions_allowed}
            for pdb in victim.budgets
        ],
    }


def _node(node: NodeExplanation) -> dict[str, Any]:
    comparison = node.comparison
    made: dict[str, Any] = {
        "name": node.node,
        "verdict": str(node.verdict),
        "reasons": list(node.reasons),
        "filter": _status(node.filter),
    }
    if node.criteria is not None:
        made["victims"] = [pod.key for pod in node.victims]
        made["criteria"] = _criteria(node.criteria)
    if comparison is not None:
        made["differs_in"] = {
            "criterion": comparison.criterion,
            "chosen": _value(comparison.criterion, comparison.chosen),
            "here": _value(comparison.criterion, comparison.candidate),
            "better_here": comparison.better,
        }
    return made


def _status(status: NodeStatus) -> dict[str, Any]:
    return {
        "code": str(status.code),
        "plugin": status.plugin or None,
        "reasons": list(status.reasons),
    }


def _criteria(criteria: Criteria) -> dict[str, Any]:
    return {
        "pdb_violations": criteria.pdb_violations,
        "highest_priority": criteria.highest_priority,
        "priority_sum": criteria.priority_sum,
        "victims": criteria.victims,
        "earliest_start": _value("earliest_start", criteria.earliest_start),
    }


def _value(criterion: str, value: int | None) -> int | str | None:
    return time_text(value) if criterion == "earliest_start" and value is not None else value
