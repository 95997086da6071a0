"""Recorded answers of the real kube-scheduler, and what a decision of ours says beside them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kep_preemption.decision import Candidate, Decision, NodeStatus, Outcome
from kep_preemption.loader import load_objects, parse_pod
from kep_preemption.objects import ClusterState, Pod
from kep_preemption.strategies import make_strategy

JSON = dict[str, Any]
OUTCOMES = {"*": Outcome.NOMINATED, "": Outcome.NO_CANDIDATE}
WITHOUT_QUEUE = ("nominated-", "mixed-")
KINDS = (
    ("nodes", "Node", "v1"),
    ("pods", "Pod", "v1"),
    ("namespaces", "Namespace", "v1"),
    ("pdbs", "PodDisruptionBudget", "policy/v1"),
)


@dataclass(frozen=True)
class OracleCase:
    """One recorded case."""

    name: str
    case: JSON
    expected: JSON

    def cluster(self) -> ClusterState:
        """The cluster of the case.

        Two families were recorded without a scheduling queue, and upstream takes a nominated pod
        that its queue does not hold for an empty one of priority 0.
        """
        documents = [
            {"apiVersion": version, "kind": kind, **item}
            for key, kind, version in KINDS
            for item in self.case.get(key) or []
        ]
        cluster = load_objects(documents, self.name)
        if not self.name.startswith(WITHOUT_QUEUE):
            return cluster
        pods = (pod if pod.node_name else empty_shell(pod) for pod in cluster.pods)
        return replace(cluster, pods=tuple(pods))

    def preemptor(self) -> Pod:
        """The preemptor of the case."""
        return parse_pod(self.case["preemptor"], self.name, ())


def empty_shell(pod: Pod) -> Pod:
    """A waiting pod as upstream's nominator sees it when the queue does not hold it."""
    return Pod(pod.namespace, pod.name, pod.uid, nominated_node_name=pod.nominated_node_name)


def read_cases(path: Path) -> Iterator[OracleCase]:
    """Read a family of recorded cases, compressed or not."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    for line in text.splitlines():
        yield OracleCase(**json.loads(line))


def decide(case: OracleCase) -> Decision:
    """Let `upstream` decide on the case, all candidates considered."""
    strategy = make_strategy("upstream", case.cluster(), all_candidates=True)
    return strategy.preempt(case.preemptor())


def differences(case: OracleCase, decision: Decision) -> list[str]:
    """Say where a decision is not what the real scheduler recorded."""
    expected, found = case.expected, []

    def compare(what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            found.append(f"{what}: {ours} instead of {theirs}")

    ours = {name: _status(status) for name, status in decision.statuses.items()}
    compare("nodes", ours, _recorded(expected["nodes"]))
    feasible = {name for name, status in decision.statuses.items() if status.code == "Feasible"}
    compare("feasible", feasible, set(expected["feasibleNodes"]))
    needed = expected["needsPreemption"]
    compare("needs preemption", decision.outcome is not Outcome.FEASIBLE, needed)
    if not needed:
        if first := expected.get("nominatedNodeFirst"):
            compare("nominated node first", decision.node, first)
        return found
    compare("eligible", decision.outcome is not Outcome.NOT_ELIGIBLE, expected["eligible"])
    if not expected["eligible"]:
        compare("why not eligible", decision.reason, expected["ineligibleReason"])
        return found
    compare("potential", decision.potential, len(expected["potentialNodes"]))
    failures = {name: _status(status) for name, status in decision.dry_run_failures.items()}
    compare("dry-run failures", failures, _recorded(expected.get("dryRunFailures") or {}))
    found += _candidate_differences(decision, expected)
    if expected["postFilter"]["code"] != "Error":
        compare("outcome", decision.outcome, OUTCOMES[expected["postFilter"]["nominated"]])
    compare("ties", set(decision.tie_set), set(expected["acceptableNodes"]))
    cleared = set((expected.get("clearsNominations") or {}).get(decision.node) or ())
    # Upstream clears the preemptor's own nomination too, only to set it again.
    cleared.discard(decision.preemptor.key)
    compare("cleared nominations", set(decision.clears_nominations), cleared)
    return found


def _candidate_differences(decision: Decision, expected: JSON) -> Iterator[str]:
    ours = {candidate.node: candidate for candidate in decision.candidates}
    theirs = {candidate["node"]: candidate for candidate in expected["candidates"]}
    if ours.keys() != theirs.keys():
        yield f"candidates: {sorted(ours)} instead of {sorted(theirs)}"
        return
    for name, recorded in theirs.items():
        victims = [pod.key for pod in ours[name].victims]
        if victims == recorded["victims"]:
            if (key := _key(ours[name])) != _recorded_key(recorded["key"]):
                yield f"key of {name}: {key} instead of {recorded['key']}"
        elif not recorded["orderSensitive"] or victims not in recorded["variants"]:
            yield f"victims on {name}: {victims} instead of {recorded['victims']}"


def _key(candidate: Candidate) -> tuple[object, ...]:
    victims = candidate.victims
    highest = victims[0].priority
    starts = [pod.start_time for pod in victims if pod.priority == highest]
    started = [start for start in starts if start is not None]
    total = sum(pod.priority + 2**31 for pod in victims)
    earliest = min(started) if started else "now"
    return candidate.num_pdb_violations, highest, total, len(victims), earliest


def _recorded_key(key: JSON) -> tuple[object, ...]:
    earliest = key["earliestStartOfHighest"]
    if earliest != "now":
        moment = datetime.fromisoformat(earliest).astimezone(UTC)
        earliest = int(moment.timestamp()) * 10**9 + moment.microsecond * 1000
    return (
        key["numPDBViolations"],
        key["highestPriority"],
        key["sumPriorities"],
        key["numVictims"],
        earliest,
    )


def _status(status: NodeStatus) -> tuple[object, ...]:
    return _comparable(status.code.value, status.plugin, status.reasons)


def _recorded(statuses: JSON) -> dict[str, tuple[object, ...]]:
    return {
        name: _comparable(s["result"], s.get("plugin") or "", s.get("reasons") or ())
        for name, s in statuses.items()
    }


def _comparable(code: str, plugin: str, reasons: Any) -> tuple[object, ...]:
    # The text about taints differs between patch releases; resources come in no order.
    return code, plugin, () if plugin == "TaintToleration" else tuple(sorted(reasons))
