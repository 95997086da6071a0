"""What a pod uses that decides about nodes and that this package does not model."""

from __future__ import annotations

from kep_preemption.loading.fields import FieldError, Fields, each, mapping, text, texts
from kep_preemption.loading.selector import label_selector
from kep_preemption.objects import AntiAffinityTerm

# Volume sources by which a node can refuse a pod (VolumeBinding, VolumeZone, VolumeRestrictions,
# NodeVolumeLimits).
_VOLUMES = (
    "persistentVolumeClaim",
    "ephemeral",
    "awsElasticBlockStore",
    "azureDisk",
    "gcePersistentDisk",
    "iscsi",
    "rbd",
)
_VOLUME_SET = frozenset(_VOLUMES)
_AFFINITIES = (
    ("podAffinity", "requiredPodAffinity"),
    ("podAntiAffinity", "requiredPodAntiAffinity"),
)
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def unmodelled_features(spec: Fields) -> tuple[str, ...]:
    """Name the fields of `spec` that a filter would heed and none here does.

    Preferences decide no filter and are left out.

    Raises:
        FieldError: a field makes no sense.
    """
    affinity = mapping(spec, "affinity")
    found = [
        name for kind, name in _AFFINITIES if affinity and mapping(affinity, kind).get(_REQUIRED)
    ]
    constraints = spec.get("topologySpreadConstraints")
    if constraints is not None:
        unsatisfiable = each(
            spec, "topologySpreadConstraints", lambda c: c.get("whenUnsatisfiable")
        )
        if "DoNotSchedule" in unsatisfiable or None in unsatisfiable:
            found.append("topologySpreadConstraints")
    if spec.get("volumes") is not None:
        volumes = each(spec, "volumes", _volume_sources)
        found += [source for source in _VOLUMES if any(source in used for used in volumes if used)]
    if spec.get("resourceClaims"):
        found.append("resourceClaims")
    if spec.get("schedulingGates"):
        found.append("schedulingGates")
    return tuple(found)


def _volume_sources(volume: Fields) -> tuple[str, ...]:
    return tuple(_VOLUME_SET.intersection(volume))


def anti_affinity_terms(spec: Fields) -> tuple[AntiAffinityTerm, ...]:
    """Return the terms by which the pod, once placed, keeps others away.

    Raises:
        FieldError: a field makes no sense.
    """
    affinity = spec.get("affinity")
    if affinity is None:
        return ()
    terms = mapping(mapping(spec, "affinity"), "podAntiAffinity")
    try:
        return tuple(each(terms, _REQUIRED, _term))
    except FieldError as error:
        raise error.within("affinity.podAntiAffinity") from None


def _term(term: Fields) -> AntiAffinityTerm:
    return AntiAffinityTerm(
        selector=label_selector(term, "labelSelector"),
        topology_key=text(term, "topologyKey"),
        namespaces=texts(term, "namespaces"),
        namespace_selector=label_selector(term, "namespaceSelector"),
    )
