"""Pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kep_preemption.loading.constraints import (
    affinity_terms,
    anti_affinity_terms,
    spread_constraints,
)
from kep_preemption.loading.fields import (
    FieldError,
    Fields,
    choice,
    each,
    integer,
    mapping,
    required_text,
    text,
    text_map,
    timestamp,
)
from kep_preemption.loading.policy import PREEMPTION_POLICIES
from kep_preemption.loading.selector import node_selector
from kep_preemption.loading.unmodelled import unmodelled_features
from kep_preemption.objects import Pod, PriorityClass, Toleration
from kep_preemption.requests import host_ports, pod_requests
from kep_preemption.selectors import NodeSelector

TERMINAL_PHASES = frozenset({"Succeeded", "Failed"})
_PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
_EFFECTS = ("", "NoSchedule", "PreferNoSchedule", "NoExecute")
_NAME_REMEDY = "give the pod a name"
_TOLERATIONS: dict[tuple[tuple[tuple[str, object], ...], ...], tuple[Toleration, ...]] = {}
_MOST_KEPT = 4096
_NO_TOLERATIONS: tuple[Toleration, ...] = ()


def parse_pod(
    pod: Fields, classes: Mapping[str, PriorityClass], *, apply_defaults: bool = False
) -> Pod:
    """Return a pod with its priority resolved by `classes` (by name, '' for the global default).

    With `apply_defaults`, the API server's defaults come first, as for a manifest.

    Raises:
        FieldError: a field makes no sense, or names a class that is not in `classes`.
    """
    metadata, spec, status = mapping(pod, "metadata"), mapping(pod, "spec"), mapping(pod, "status")
    try:
        values = _of_metadata(metadata)
    except FieldError as error:
        raise error.within("metadata") from None
    try:
        values.update(_of_status(status))
    except FieldError as error:
        raise error.within("status") from None
    try:
        values.update(_of_spec(spec, status, classes, apply_defaults))
        values.update(_ties(spec, values["labels"] if apply_defaults else None))
    except FieldError as error:
        # Requests read both; a container status says itself where it is.
        raise (error if error.field.startswith("status.") else error.within("spec")) from None
    return Pod(**values)


def is_terminal(pod: Fields) -> bool:
    """Tell whether the pod has run to its end, so that the scheduler does not see it."""
    status = pod.get("status")
    return type(status) is dict and status.get("phase") in ("Succeeded", "Failed")


def _of_metadata(metadata: Fields) -> dict[str, Any]:
    return {
        "name": required_text(metadata, "name", _NAME_REMEDY),
        "namespace": text(metadata, "namespace") or "default",
        "uid": text(metadata, "uid"),
        "labels": text_map(metadata, "labels"),
        "terminating": metadata.get("deletionTimestamp") is not None,
        "controller_kind": _controller_kind(metadata),
    }


def _of_status(status: Fields) -> dict[str, Any]:
    return {
        "nominated_node_name": text(status, "nominatedNodeName"),
        "start_time": timestamp(status, "startTime"),
        "phase": choice(status, "phase", _PHASES, "Pending"),
        "preempted_by_scheduler": any(each(status, "conditions", _is_preemption)),
    }


def _of_spec(
    spec: Fields, status: Fields, classes: Mapping[str, PriorityClass], apply_defaults: bool
) -> dict[str, Any]:
    priority, policy = _priority(spec, classes)
    node_name = text(spec, "nodeName")
    return {
        "priority": priority,
        "preemption_policy": policy,
        "node_name": node_name,
        # Only a bound pod's status counts (pkg/scheduler/framework, `CalculateResource`).
        "requests": pod_requests(
            spec, status if node_name else None, apply_defaults=apply_defaults
        ),
        "host_ports": host_ports(spec, apply_defaults=apply_defaults),
        "tolerations": _tolerations(spec),
        "node_selector": text_map(spec, "nodeSelector"),
        "required_node_affinity": _node_affinity(spec),
        "scheduler_name": text(spec, "schedulerName") or "default-scheduler",
        "unmodelled": unmodelled_features(spec),
    }


def _ties(spec: Fields, merged: Mapping[str, str] | None) -> dict[str, Any]:
    return {
        "anti_affinity": anti_affinity_terms(spec, merged),
        "affinity": affinity_terms(spec, merged),
        "spread": spread_constraints(spec),
    }


def _priority(spec: Fields, classes: Mapping[str, PriorityClass]) -> tuple[int, str]:
    name = text(spec, "priorityClassName")
    priority = integer(spec, "priority")
    chosen = classes.get(name)
    if priority is None:
        if name and chosen is None:
            known = ", ".join(sorted(known for known in classes if known)[:8])
            raise FieldError(
                "priorityClassName",
                f"names {name!r}, and there is no such PriorityClass (known: {known})",
                "add the PriorityClasses to the input: kubectl get priorityclasses -o json",
            )
        priority = chosen.value if chosen else 0
    inherited = chosen.preemption_policy if chosen else PREEMPTION_POLICIES[0]
    return priority, choice(spec, "preemptionPolicy", PREEMPTION_POLICIES, inherited)


def _node_affinity(spec: Fields) -> NodeSelector | None:
    if spec.get("affinity") is None:
        return None
    try:
        return node_selector(
            mapping(mapping(spec, "affinity"), "nodeAffinity"),
            "requiredDuringSchedulingIgnoredDuringExecution",
        )
    except FieldError as error:
        raise error.within("affinity.nodeAffinity") from None


def _tolerations(spec: Fields) -> tuple[Toleration, ...]:
    given = spec.get("tolerations")
    if not given:
        return _NO_TOLERATIONS
    # Most pods of a cluster share a few lists.
    try:
        key = tuple([tuple(toleration.items()) for toleration in given])
        known = _TOLERATIONS.get(key)
    except (AttributeError, TypeError):
        return tuple(each(spec, "tolerations", _toleration))
    if known is None:
        known = tuple(each(spec, "tolerations", _toleration))
        if len(_TOLERATIONS) < _MOST_KEPT:
            _TOLERATIONS[key] = known
    return known


def _toleration(toleration: Fields) -> Toleration:
    return Toleration(
        text(toleration, "key"),
        choice(toleration, "operator", ("Equal", "Exists"), "Equal"),
        text(toleration, "value"),
        choice(toleration, "effect", _EFFECTS, ""),
    )


def _controller_kind(metadata: Fields) -> str:
    if not metadata.get("ownerReferences"):
        return ""
    owners = each(metadata, "ownerReferences", lambda owner: owner)
    return next((text(owner, "kind") for owner in owners if owner.get("controller") is True), "")


def _is_preemption(condition: Fields) -> bool:
    return (
        condition.get("type") == "DisruptionTarget"
        and condition.get("status") == "True"
        and condition.get("reason") == "PreemptionByScheduler"
    )
