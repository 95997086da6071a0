"""What a pod uses that decides about nodes and that this package does not model."""

from __future__ import annotations

from kep_preemption.loading.fields import Fields, each

# Volume sources by which a node can refuse a pod (VolumeBinding, VolumeZone, VolumeRestrictions,
# and NodeVolumeLimits, which counts inline volumes that a CSI driver has taken over too).
_VOLUMES = (
    "persistentVolumeClaim",
    "ephemeral",
    "awsElasticBlockStore",
    "azureDisk",
    "cinder",
    "gcePersistentDisk",
    "iscsi",
    "rbd",
    "vsphereVolume",
)
_VOLUME_SET = frozenset(_VOLUMES)


def unmodelled_features(spec: Fields) -> tuple[str, ...]:
    """Name the fields of `spec` that a filter would heed and none here does.

    Raises:
        FieldError: a field makes no sense.
    """
    found: list[str] = []
    if spec.get("volumes") is not None:
        used = set().union(*each(spec, "volumes", _VOLUME_SET.intersection))
        found += [source for source in _VOLUMES if source in used]
    if spec.get("resourceClaims"):
        found.append("resourceClaims")
    if spec.get("schedulingGates"):
        found.append("schedulingGates")
    return tuple(found)
