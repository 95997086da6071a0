"""The cluster's objects, reduced to what decides about scheduling and preemption.

Quantities are integers: CPU in millicores, every other resource in its own unit (bytes, pods,
devices), rounded up as upstream does (k8s.io/apimachinery/pkg/api/resource). Times are
nanoseconds since the epoch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kep_preemption.selectors import LabelSelector, NodeSelector

CPU = "cpu"
MEMORY = "memory"
EPHEMERAL_STORAGE = "ephemeral-storage"
PODS = "pods"

# The label that the API server puts on every namespace.
NAMESPACE_NAME_LABEL = "kubernetes.io/metadata.name"

# The labels of each namespace, by its name.
Namespaces = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Taint:
    """A node's taint; `effect` is NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class Toleration:
    """A pod's toleration; an empty `key` with operator Exists tolerates every taint."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: Taint) -> bool:
        """Tell whether it covers `taint` (k8s.io/api/core/v1 `Toleration.ToleratesTaint`)."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        match self.operator:
            case "Exists":
                return True
            case "" | "Equal":
                return self.value == taint.value
            case _:
                return False


@dataclass(frozen=True, slots=True)
class HostPort:
    """A host port a pod asks for; `ip` is 0.0.0.0 when the manifest gives none."""

    ip: str
    protocol: str
    port: int


@dataclass(frozen=True, slots=True)
class PodAffinityTerm:
    """A required term of a pod's affinity or anti-affinity to other pods.

    It is about the pods that it selects, and about the nodes that share the value of the label
    `topology_key` with theirs. `namespaces` empty and `namespace_selector` None means the pod's
    own namespace.
    """

    selector: LabelSelector | None
    topology_key: str
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None

    def selects(
        self, namespace: str, labels: Mapping[str, str], own_namespace: str, known: Namespaces
    ) -> bool:
        """Tell whether it selects pods with `labels` in `namespace` (`AffinityTerm.Matches`).

        `own_namespace` is that of the pod whose term it is; `known` are the cluster's namespaces,
        and one that is not among them has no label but the one with its name.
        """
        if self.selector is None or not self.selector.matches(labels):
            return False
        by_label = self.namespace_selector
        if by_label is None:
            return namespace in (self.namespaces or (own_namespace,))
        return namespace in self.namespaces or by_label.matches(
            known.get(namespace, {NAMESPACE_NAME_LABEL: namespace})
        )


@dataclass(frozen=True, slots=True)
class TopologySpreadConstraint:
    """A constraint that keeps a pod from a node (`whenUnsatisfiable: DoNotSchedule`).

    `selector` None selects nothing. `honor_affinity` and `honor_taints` tell whether nodes that
    the pod may not use for its node affinity or for their taints are left out of the counts.
    """

    topology_key: str
    max_skew: int
    selector: LabelSelector | None
    min_domains: int = 1
    honor_affinity: bool = True
    honor_taints: bool = False
    match_label_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """A node: `allocatable` includes `pods`, the number of pods it may run."""

    name: str
    allocatable: Mapping[str, int]
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False


@dataclass(frozen=True, slots=True)
class Pod:
    """A pod that is bound, nominated or waiting.

    `requests` is what the pod asks of a node in sum (containers, sidecars, init containers,
    overhead, pod-level resources) by the rule of upstream's component-helpers
    `resource.PodRequests`. `priority` is resolved: 0 when neither the pod nor a PriorityClass
    gives one. `start_time` is None for a pod that has not started. `terminating` means that a
    deletion timestamp is set; `preempted_by_scheduler` that its DisruptionTarget condition is
    True with reason PreemptionByScheduler. `controller_kind` is the kind of its controlling
    owner ('' for none). `unmodelled` names what the pod uses and this package does not model,
    such as `persistentVolumeClaim`; a caller must refuse or flag it.
    """

    namespace: str
    name: str
    uid: str = ""
    priority: int = 0
    requests: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    node_name: str = ""
    nominated_node_name: str = ""
    start_time: int | None = None
    host_ports: tuple[HostPort, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    node_selector: Mapping[str, str] = field(default_factory=dict)
    required_node_affinity: NodeSelector | None = None
    preemption_policy: str = "PreemptLowerPriority"
    scheduler_name: str = "default-scheduler"
    phase: str = "Pending"
    terminating: bool = False
    preempted_by_scheduler: bool = False
    controller_kind: str = ""
    unmodelled: tuple[str, ...] = ()
    anti_affinity: tuple[PodAffinityTerm, ...] = ()
    affinity: tuple[PodAffinityTerm, ...] = ()
    spread: tuple[TopologySpreadConstraint, ...] = ()

    @property
    def key(self) -> str:
        """`namespace/name`, as upstream prints a pod."""
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class PodDisruptionBudget:
    """A PDB as preemption reads it.

    `selector` None (missing) or empty matches nothing here, as upstream's
    `filterPodsWithPDBViolation` has it. `disrupted_pods` names pods whose eviction is already
    counted.
    """

    namespace: str
    name: str
    selector: LabelSelector | None
    disruptions_allowed: int
    disrupted_pods: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PriorityClass:
    """A PriorityClass; `global_default` gives its value to pods that name none."""

    name: str
    value: int
    global_default: bool = False
    preemption_policy: str = "PreemptLowerPriority"


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace and its labels."""

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ClusterState:
    """All objects of one moment, in the order the source lists them.

    `pods` holds bound and pending pods alike; pods in phase Succeeded or Failed are left out by
    whoever builds the state, as the scheduler never sees them.
    """

    nodes: tuple[Node, ...] = ()
    pods: tuple[Pod, ...] = ()
    pdbs: tuple[PodDisruptionBudget, ...] = ()
    priority_classes: tuple[PriorityClass, ...] = ()
    namespaces: Namespaces = field(default_factory=dict)
