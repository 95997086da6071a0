"""A cluster written back as Kubernetes objects, as `kubectl get -o json` would list them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from kep_preemption.errors import UsageError
from kep_preemption.objects import (
    CPU,
    ClusterState,
    Node,
    Pod,
    PodAffinityTerm,
    PodDisruptionBudget,
    PriorityClass,
    TopologySpreadConstraint,
)
from kep_preemption.selectors import LabelSelector, NodeSelector, Requirement

Manifest = dict[str, Any]


def to_manifests(cluster: ClusterState, waiting: Iterable[Pod] = ()) -> Manifest:
    """Return a List of all objects of `cluster`, and of the pods `waiting` to be scheduled.

    Reading it gives the same cluster again.

    Raises:
        UsageError: a pod uses what is not modelled, so it cannot be written in full.
    """
    items = [
        *map(_node, cluster.nodes),
        *(_namespace(name, labels) for name, labels in cluster.namespaces.items()),
        *map(_priority_class, cluster.priority_classes),
        *map(_pdb, cluster.pdbs),
        *map(pod_manifest, cluster.pods),
        *map(pod_manifest, waiting),
    ]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def pod_manifest(pod: Pod) -> Manifest:
    """Return one pod, with all its requests in one container.

    Raises:
        UsageError: it uses what is not modelled.
    """
    if pod.unmodelled:
        raise UsageError(
            f"pod {pod.key}",
            f"uses {', '.join(pod.unmodelled)}, which cannot be written back",
            "keep the file it came from",
        )
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _pod_metadata(pod),
        "spec": _pod_spec(pod),
        "status": _pod_status(pod),
    }


def _node(node: Node) -> Manifest:
    taints = [
        {"key": t.key, "effect": t.effect, **({"value": t.value} if t.value else {})}
        for t in node.taints
    ]
    spec = {"taints": taints, "unschedulable": node.unschedulable or None}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": _present({"name": node.name, "labels": dict(node.labels)}),
        "spec": _present(spec),
        "status": {"allocatable": _quantities(node.allocatable)},
    }


def _namespace(name: str, labels: Mapping[str, str]) -> Manifest:
    metadata = _present({"name": name, "labels": dict(labels)})
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def _pod_metadata(pod: Pod) -> Manifest:
    owner = {"kind": pod.controller_kind, "name": f"owner-of-{pod.name}", "controller": True}
    return _present(
        {
            "name": pod.name,
            "namespace": pod.namespace,
            "uid": pod.uid,
            "labels": dict(pod.labels),
            # When it was deleted does not matter, only that it was.
            "deletionTimestamp": "2026-01-02T00:00:00Z" if pod.terminating else None,
            "ownerReferences": [owner] if pod.controller_kind else None,
        }
    )


def _pod_spec(pod: Pod) -> Manifest:
    container = {
        "name": "main",
        "image": "registry.k8s.io/pause:3.10",
        "resources": _present({"requests": _quantities(pod.requests)}),
        "ports": [
            {"containerPort": p.port, "hostPort": p.port, "hostIP": p.ip, "protocol": p.protocol}
            for p in pod.host_ports
        ],
    }
    spec = {
        "nodeName": pod.node_name,
        "preemptionPolicy": pod.preemption_policy,
        "schedulerName": pod.scheduler_name,
        "nodeSelector": dict(pod.node_selector),
        "affinity": _present(_affinity(pod)),
        "topologySpreadConstraints": [_spread(constraint) for constraint in pod.spread],
        "tolerations": [
            _present({"key": t.key, "operator": t.operator, "value": t.value, "effect": t.effect})
            for t in pod.tolerations
        ],
        "containers": [_present(container)],
    }
    return {"priority": pod.priority, **_present(spec)}


def _affinity(pod: Pod) -> Manifest:
    affinity: Manifest = {}
    if pod.required_node_affinity is not None:
        affinity["nodeAffinity"] = _required(_node_selector(pod.required_node_affinity))
    if pod.affinity:
        affinity["podAffinity"] = _required([_term(term) for term in pod.affinity])
    if pod.anti_affinity:
        affinity["podAntiAffinity"] = _required([_term(term) for term in pod.anti_affinity])
    return affinity


def _required(value: object) -> Manifest:
    return {"requiredDuringSchedulingIgnoredDuringExecution": value}


def _term(term: PodAffinityTerm) -> Manifest:
    made: Manifest = {"topologyKey": term.topology_key}
    if term.selector is not None:
        made["labelSelector"] = _label_selector(term.selector)
    if term.namespace_selector is not None:
        made["namespaceSelector"] = _label_selector(term.namespace_selector)
    return {**made, **_present({"namespaces": list(term.namespaces)})}


def _spread(constraint: TopologySpreadConstraint) -> Manifest:
    made: Manifest = {
        "topologyKey": constraint.topology_key,
        "maxSkew": constraint.max_skew,
        "whenUnsatisfiable": "DoNotSchedule",
        "minDomains": constraint.min_domains,
        "nodeAffinityPolicy": "Honor" if constraint.honor_affinity else "Ignore",
        "nodeTaintsPolicy": "Honor" if constraint.honor_taints else "Ignore",
    }
    if constraint.selector is not None:
        made["labelSelector"] = _label_selector(constraint.selector)
    return {**made, **_present({"matchLabelKeys": list(constraint.match_label_keys)})}


def _pod_status(pod: Pod) -> Manifest:
    condition = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    return _present(
        {
            "phase": pod.phase,
            "nominatedNodeName": pod.nominated_node_name,
            "startTime": None if pod.start_time is None else _time(pod.start_time),
            "conditions": [condition] if pod.preempted_by_scheduler else None,
        }
    )


def _pdb(pdb: PodDisruptionBudget) -> Manifest:
    spec = {} if pdb.selector is None else {"selector": _label_selector(pdb.selector)}
    status: Manifest = {"disruptionsAllowed": pdb.disruptions_allowed}
    if pdb.disrupted_pods:
        status["disruptedPods"] = dict.fromkeys(sorted(pdb.disrupted_pods), "2026-01-02T00:00:00Z")
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": pdb.name, "namespace": pdb.namespace},
        "spec": spec,
        "status": status,
    }


def _priority_class(priority_class: PriorityClass) -> Manifest:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": priority_class.name},
        "value": priority_class.value,
        "globalDefault": priority_class.global_default,
        "preemptionPolicy": priority_class.preemption_policy,
    }


def _label_selector(selector: LabelSelector) -> Manifest:
    return _present(
        {
            "matchLabels": dict(selector.match_labels),
            "matchExpressions": [_expression(e) for e in selector.match_expressions],
        }
    )


def _node_selector(selector: NodeSelector) -> Manifest:
    terms = [
        _present(
            {
                "matchExpressions": [_expression(e) for e in term.match_expressions],
                "matchFields": [_expression(e) for e in term.match_fields],
            }
        )
        for term in selector.terms
    ]
    return {"nodeSelectorTerms": terms}


def _expression(requirement: Requirement) -> Manifest:
    made: Manifest = {"key": requirement.key, "operator": requirement.operator}
    return {**made, **_present({"values": list(requirement.values)})}


def _quantities(resources: Mapping[str, int]) -> dict[str, str]:
    return {
        name: f"{amount}m" if name == CPU else str(amount) for name, amount in resources.items()
    }


def _time(nanos: int) -> str:
    moment = datetime.fromtimestamp(nanos // 10**9, UTC).replace(microsecond=nanos % 10**9 // 1000)
    return moment.isoformat().replace("+00:00", "Z")


def _present(fields: Manifest) -> Manifest:
    return {key: value for key, value in fields.items() if value not in (None, "", [], {})}
