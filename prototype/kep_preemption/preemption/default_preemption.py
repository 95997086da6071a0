"""DefaultPreemption's own rules: its arguments and who may preempt."""

from __future__ import annotations

from dataclasses import dataclass

from kep_preemption.decision import Code, NodeStatus
from kep_preemption.errors import UsageError
from kep_preemption.objects import Pod
from kep_preemption.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class DefaultPreemptionArgs:
    """How many candidates are looked for (kubescheduler.config.k8s.io `DefaultPreemptionArgs`).

    `min_candidate_nodes_percentage` is in percent of the potential nodes,
    `min_candidate_nodes_absolute` a number of nodes; the larger of the two counts.

    Raises:
        UsageError: a value that kube-scheduler itself would refuse.
    """

    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100

    def __post_init__(self) -> None:
        percentage, absolute = (
            self.min_candidate_nodes_percentage,
            self.min_candidate_nodes_absolute,
        )
        if not 0 <= percentage <= 100:
            raise UsageError(
                "min_candidate_nodes_percentage",
                f"{percentage} is not a percentage",
                "give a number from 0 to 100",
            )
        if absolute < 0:
            raise UsageError(
                "min_candidate_nodes_absolute", f"{absolute} is negative", "give 0 or more"
            )
        if not percentage and not absolute:
            raise UsageError(
                "min_candidate_nodes_percentage and min_candidate_nodes_absolute",
                "both are 0, so no candidate would ever be looked for",
                "give at least one of them a positive value",
            )

    def number_of_candidates(self, potential: int) -> int:
        """Return how many candidates are enough among `potential` nodes."""
        share = potential * self.min_candidate_nodes_percentage // 100
        return min(max(share, self.min_candidate_nodes_absolute), potential)


def pod_eligible_to_preempt_others(
    preemptor: Pod, snapshot: Snapshot, nominated_node_status: NodeStatus | None
) -> tuple[bool, str]:
    """Tell whether `preemptor` may preempt, and if not, why (`PodEligibleToPreemptOthers`).

    `nominated_node_status` is the filters' verdict on its nominated node, None without one.
    """
    if preemptor.preemption_policy == "Never":
        return False, "not eligible due to preemptionPolicy=Never."
    if nominated_node_status is None or nominated_node_status.code is Code.UNRESOLVABLE:
        return True, ""
    node = snapshot.nodes.index[preemptor.nominated_node_name]
    for pod in (snapshot.pods.pods[i] for i in snapshot.pods.on_node(node)):
        if pod.priority < preemptor.priority and pod.terminating and pod.preempted_by_scheduler:
            return False, "not eligible due to a terminating pod on the nominated node."
    return True, ""
