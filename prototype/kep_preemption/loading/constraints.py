"""What ties a pod to other pods: affinity, anti-affinity and topology spread."""

from __future__ import annotations

from kep_preemption.loading.fields import (
    FieldError,
    Fields,
    choice,
    each,
    integer,
    mapping,
    required_text,
    text,
    texts,
)
from kep_preemption.loading.selector import label_selector
from kep_preemption.objects import PodAffinityTerm, TopologySpreadConstraint

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_POLICIES = ("Honor", "Ignore")
_UNSATISFIABLE = ("DoNotSchedule", "ScheduleAnyway")


def affinity_terms(spec: Fields) -> tuple[PodAffinityTerm, ...]:
    """Return the terms of the pod's required affinity to other pods.

    Raises:
        FieldError: a field makes no sense.
    """
    return _terms(spec, "podAffinity")


def anti_affinity_terms(spec: Fields) -> tuple[PodAffinityTerm, ...]:
    """Return the terms by which the pod keeps others away, and keeps away from them.

    Raises:
        FieldError: a field makes no sense.
    """
    return _terms(spec, "podAntiAffinity")


def spread_constraints(spec: Fields) -> tuple[TopologySpreadConstraint, ...]:
    """Return the topology spread constraints that keep the pod from nodes.

    Raises:
        FieldError: a field makes no sense.
    """
    if spec.get("topologySpreadConstraints") is None:
        return ()
    found = each(spec, "topologySpreadConstraints", _constraint)
    return tuple(constraint for constraint in found if constraint)


def _terms(spec: Fields, kind: str) -> tuple[PodAffinityTerm, ...]:
    if spec.get("affinity") is None:
        return ()
    try:
        return tuple(each(mapping(mapping(spec, "affinity"), kind), _REQUIRED, _term))
    except FieldError as error:
        raise error.within(f"affinity.{kind}") from None


def _term(term: Fields) -> PodAffinityTerm:
    return PodAffinityTerm(
        selector=label_selector(term, "labelSelector"),
        topology_key=text(term, "topologyKey"),
        namespaces=texts(term, "namespaces"),
        namespace_selector=label_selector(term, "namespaceSelector"),
    )


def _constraint(constraint: Fields) -> TopologySpreadConstraint | None:
    if choice(constraint, "whenUnsatisfiable", _UNSATISFIABLE, "DoNotSchedule") != "DoNotSchedule":
        return None
    return TopologySpreadConstraint(
        topology_key=required_text(constraint, "topologyKey", "name the node label to spread over"),
        max_skew=integer(constraint, "maxSkew", 1) or 1,
        selector=label_selector(constraint, "labelSelector"),
        min_domains=integer(constraint, "minDomains", 1) or 1,
        honor_affinity=choice(constraint, "nodeAffinityPolicy", _POLICIES, "Honor") == "Honor",
        honor_taints=choice(constraint, "nodeTaintsPolicy", _POLICIES, "Ignore") == "Honor",
        match_label_keys=texts(constraint, "matchLabelKeys"),
    )
