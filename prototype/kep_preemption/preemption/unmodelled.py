"""What a pod uses and this package does not model must not pass unnoticed."""

from __future__ import annotations

from kep_preemption.errors import UsageError
from kep_preemption.objects import ClusterState, Pod

# The one constraint of a running pod that keeps others off its node.
REQUIRED_ANTI_AFFINITY = "requiredPodAntiAffinity"


class ModelCheck:
    """Looks for what a decision on `cluster` leaves out; the cluster is read through once.

    Args:
        cluster: the state decided about.
        allow: let preemptors pass that use what is not modelled.
    """

    def __init__(self, cluster: ClusterState, allow: bool) -> None:
        self._allow = allow
        self._holders = sum(REQUIRED_ANTI_AFFINITY in pod.unmodelled for pod in cluster.pods)

    def remark(self, preemptor: Pod) -> str:
        """Return a remark on what the decision leaves out, '' if it leaves out nothing.

        Raises:
            UsageError: the preemptor uses what is not modelled, and that is not allowed.
        """
        if preemptor.unmodelled and not self._allow:
            raise UsageError(
                f"pod {preemptor.key}",
                f"uses {', '.join(preemptor.unmodelled)}, which is not modelled, so the answer "
                "might be wrong",
                "remove it from the manifest, or allow unmodelled constraints",
            )
        remarks = []
        if preemptor.unmodelled:
            remarks.append(f"not modelled: the preemptor's {', '.join(preemptor.unmodelled)}")
        if self._holders:
            remarks.append(
                f"not modelled: the required anti-affinity of {self._holders} existing pods"
            )
        return "; ".join(remarks)
