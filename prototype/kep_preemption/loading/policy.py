"""PodDisruptionBudgets and PriorityClasses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kep_preemption.loading.fields import (
    FieldError,
    Fields,
    boolean,
    choice,
    integer,
    mapping,
    required_text,
    text,
)
from kep_preemption.loading.selector import label_selector
from kep_preemption.objects import PodDisruptionBudget, PriorityClass

PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
# The two classes that every API server makes for itself (pkg/apis/scheduling).
SYSTEM_CLASSES = (
    PriorityClass("system-node-critical", 2_000_001_000),
    PriorityClass("system-cluster-critical", 2_000_000_000),
)
Classes = Mapping[str, PriorityClass]
_NAME_REMEDY = "every object from a cluster has a name; dump it again with kubectl get -o json"


def parse_pdb(pdb: Fields) -> PodDisruptionBudget:
    """Return a PodDisruptionBudget; without a status it allows no disruption, as for upstream.

    Raises:
        FieldError: a field makes no sense.
    """
    name, namespace = _identity(pdb)
    try:
        selector = label_selector(mapping(pdb, "spec"), "selector")
    except FieldError as error:
        raise error.within("spec") from None
    status = mapping(pdb, "status")
    try:
        allowed = integer(status, "disruptionsAllowed", 0) or 0
        disrupted = frozenset(mapping(status, "disruptedPods"))
    except FieldError as error:
        raise error.within("status") from None
    return PodDisruptionBudget(namespace, name, selector, allowed, disrupted)


def parse_priority_class(priority_class: Fields) -> PriorityClass:
    """Return a PriorityClass.

    Raises:
        FieldError: a field makes no sense, or there is no value.
    """
    name, _ = _identity(priority_class)
    value = integer(priority_class, "value")
    if value is None:
        # The API leaves out a value of 0 nowhere: `value` has no omitempty.
        raise FieldError("value", "is missing", "give the priority that the class stands for")
    return PriorityClass(
        name,
        value,
        boolean(priority_class, "globalDefault"),
        choice(priority_class, "preemptionPolicy", PREEMPTION_POLICIES, PREEMPTION_POLICIES[0]),
    )


def classes_by_name(priority_classes: Iterable[PriorityClass]) -> Classes:
    """Return the classes by name with the two system ones, and under '' the global default.

    Of several global defaults the lowest counts (admission plugin Priority).
    """
    classes = {c.name: c for c in (*SYSTEM_CLASSES, *priority_classes)}
    defaults = [c for c in classes.values() if c.global_default]
    if defaults:
        classes[""] = min(defaults, key=lambda c: c.value)
    return classes


def _identity(owner: Fields) -> tuple[str, str]:
    metadata = mapping(owner, "metadata")
    try:
        name = required_text(metadata, "name", _NAME_REMEDY)
        return name, text(metadata, "namespace") or "default"
    except FieldError as error:
        raise error.within("metadata") from None
