"""What a pod uses and this package does not model must not pass unnoticed."""

from __future__ import annotations

from kep_preemption.errors import UsageError
from kep_preemption.objects import Pod


def check_modelled(preemptor: Pod, allow: bool) -> str:
    """Return a remark on what a decision about `preemptor` leaves out, '' if nothing.

    Raises:
        UsageError: the preemptor uses what is not modelled, and `allow` is False.
    """
    if not preemptor.unmodelled:
        return ""
    uses = ", ".join(preemptor.unmodelled)
    if not allow:
        raise UsageError(
            f"pod {preemptor.key}",
            f"uses {uses}, which is not modelled, so the answer might be wrong",
            "remove it from the manifest, or allow unmodelled constraints",
        )
    return f"not modelled: the preemptor's {uses}"
