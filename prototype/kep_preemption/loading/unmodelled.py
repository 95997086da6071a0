"""What a pod uses that decides about nodes and that this package does not model."""

from __future__ import annotations

from kep_preemption.loading.fields import Fields, each

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


def unmodelled_features(spec: Fields) -> tuple[str, ...]:
    """Name the fields of `spec` that a filter would heed and none here does.

    Raises:
        FieldError: a field makes no sense.
    """
    found: list[str] = []
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
