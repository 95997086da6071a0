"""What ties a pod to other pods: affinity, anti-affinity and topology spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

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
from kep_preemption.selectors import LabelSelector, Requirement

Labels = Mapping[str, str]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_POLICIES = ("Honor", "Ignore")
_UNSATISFIABLE = ("DoNotSchedule", "ScheduleAnyway")


def affinity_terms(spec: Fields, merged: Labels | None = None) -> tuple[PodAffinityTerm, ...]:
    """Return the terms of the pod's required affinity to other pods.

    With `merged`, the pod's labels, matchLabelKeys and mismatchLabelKeys become part of the
    selectors, as the API server has it when a pod is created (`applyMatchLabelKeysAndMismatch-
    LabelKeys` of pkg/registry/core/pod); the scheduler itself never reads those two fields.

    Raises:
        FieldError: a field makes no sense.
    """
    return _terms(spec, "podAffinity", merged)


def anti_affinity_terms(spec: Fields, merged: Labels | None = None) -> tuple[PodAffinityTerm, ...]:
    """Return the terms by which the pod keeps others away, and keeps away from them.

    `merged` is as for `affinity_terms`.

    Raises:
        FieldError: a field makes no sense.
    """
    return _terms(spec, "podAntiAffinity", merged)


def spread_constraints(spec: Fields) -> tuple[TopologySpreadConstraint, ...]:
    """Return the topology spread constraints that keep the pod from nodes.

    Raises:
        FieldError: a field makes no sense.
    """
    if spec.get("topologySpreadConstraints") is None:
        return ()
    found = each(spec, "topologySpreadConstraints", _constraint)
    return tuple(constraint for constraint in found if constraint)


def _terms(spec: Fields, kind: str, merged: Labels | None) -> tuple[PodAffinityTerm, ...]:
    if spec.get("affinity") is None:
        return ()
    parse = partial(_term, merged=merged)
    try:
        return tuple(each(mapping(mapping(spec, "affinity"), kind), _REQUIRED, parse))
    except FieldError as error:
        raise error.within(f"affinity.{kind}") from None


def _term(term: Fields, merged: Labels | None) -> PodAffinityTerm:
    selector = label_selector(term, "labelSelector")
    if merged is not None and selector is not None:
        selector = _with_label_keys(selector, term, merged)
    return PodAffinityTerm(
        selector=selector,
        topology_key=text(term, "topologyKey"),
        namespaces=texts(term, "namespaces"),
        namespace_selector=label_selector(term, "namespaceSelector"),
    )


def _with_label_keys(selector: LabelSelector, term: Fields, labels: Labels) -> LabelSelector:
    wanted = [(key, "In") for key in texts(term, "matchLabelKeys")]
    wanted += [(key, "NotIn") for key in texts(term, "mismatchLabelKeys")]
    # A pod that came from an API server has them in its selectors already, by the labels it had.
    there = {(e.key, e.operator) for e in selector.match_expressions}
    added = tuple(
        Requirement(key, operator, (labels[key],))
        for key, operator in wanted
        if key in labels and (key, operator) not in there
    )
    return replace(selector, match_expressions=selector.match_expressions + added)


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
