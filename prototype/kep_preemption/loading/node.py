"""Nodes."""

from __future__ import annotations

from kep_preemption.loading.fields import (
    FieldError,
    Fields,
    boolean,
    choice,
    each,
    mapping,
    required_text,
    text,
    text_map,
)
from kep_preemption.loading.resources import ResourceList, is_allocatable, resource_list
from kep_preemption.objects import CPU, MEMORY, PODS, Node, Taint
from kep_preemption.quantity import milli, whole

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NAME_REMEDY = "every object from a cluster has a name; dump it again with kubectl get -o json"


def parse_node(node: Fields) -> Node:
    """Return a node.

    Raises:
        FieldError: a field makes no sense, or what the scheduler needs is not there.
    """
    metadata, spec = mapping(node, "metadata"), mapping(node, "spec")
    try:
        name = required_text(metadata, "name", _NAME_REMEDY)
        labels = text_map(metadata, "labels")
    except FieldError as error:
        raise error.within("metadata") from None
    try:
        taints = tuple(each(spec, "taints", _taint))
        unschedulable = boolean(spec, "unschedulable")
    except FieldError as error:
        raise error.within("spec") from None
    try:
        allocatable = _allocatable(mapping(node, "status"))
    except FieldError as error:
        raise error.within("status") from None
    return Node(name, allocatable, labels, taints, unschedulable)


def _allocatable(status: Fields) -> dict[str, int]:
    # The API server fills in what is missing from the capacity (SetDefaults_NodeStatus).
    field = "capacity" if status.get("allocatable") is None else "allocatable"
    if status.get(field) is None:
        raise FieldError(
            "allocatable",
            "is missing",
            "dump the nodes with kubectl get nodes -o json, which includes their status",
        )
    resources: ResourceList = resource_list(status, field)
    for name, example in ((CPU, "4"), (MEMORY, "16Gi"), (PODS, "110")):
        if name not in resources:
            raise FieldError(
                f"{field}.{name}",
                "is missing, and the scheduler would take it for 0",
                f'give the amount, such as {name}: "{example}"',
            )
    return {
        name: milli(nanos) if name == CPU else whole(nanos)
        for name, nanos in resources.items()
        if is_allocatable(name)
    }


def _taint(taint: Fields) -> Taint:
    return Taint(
        required_text(taint, "key", "name the taint's key"),
        text(taint, "value"),
        choice(taint, "effect", _EFFECTS, ""),
    )
