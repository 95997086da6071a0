"""The default filter plugins that decide about a pod and a node, in upstream's order."""

from kep_preemption.framework.interface import FilterPlugin
from kep_preemption.plugins.inter_pod_affinity import InterPodAffinity
from kep_preemption.plugins.node_affinity import NodeAffinity, NodeNames
from kep_preemption.plugins.node_name import NodeName
from kep_preemption.plugins.node_ports import NodePorts
from kep_preemption.plugins.node_resources_fit import NodeResourcesFit
from kep_preemption.plugins.node_unschedulable import NodeUnschedulable
from kep_preemption.plugins.pod_topology_spread import PodTopologySpread
from kep_preemption.plugins.taint_toleration import TaintToleration

DEFAULT_PLUGINS: tuple[FilterPlugin, ...] = (
    NodeNames,
    NodeUnschedulable,
    NodeName,
    TaintToleration,
    NodeAffinity,
    NodePorts,
    NodeResourcesFit,
    PodTopologySpread,
    InterPodAffinity,
)
