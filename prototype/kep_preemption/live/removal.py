"""Removing what a run made, and saying what could not be removed."""

from __future__ import annotations

import time
from collections.abc import Callable

from kep_preemption.errors import InputError, PreemptionError, RetryableError
from kep_preemption.live.client import ApiClient
from kep_preemption.live.objects import RUN_LABEL, Workload

_PAUSE = 0.5
_PATIENCE = 20.0  # seconds that the API server may be away while a run is removed


def persist(attempt: Callable[[], object], deadline: float) -> None:
    """Call `attempt` until it succeeds, pausing after each failure that may pass.

    Raises:
        PreemptionError: the last failure, once `time.monotonic()` is past `deadline`.
    """
    while True:
        try:
            attempt()
            return
        except RetryableError:
            if time.monotonic() + _PAUSE > deadline:
                raise
            time.sleep(_PAUSE)


def remove_run(api: ApiClient, workload: Workload, patience: float = _PATIENCE) -> str:
    """Remove all objects of the run; return a sentence on what may be left, '' if nothing.

    Args:
        api: the API server.
        workload: the run.
        patience: how long, in seconds, to go on against an API server that does not answer.
    """
    of_run = f"{RUN_LABEL}={workload.run}"
    namespace = f"/api/v1/namespaces/{workload.namespace}"
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    steps: dict[str, Callable[[], object]] = {
        "pods": lambda: api.delete(
            f"{namespace}/pods", labelSelector=of_run, gracePeriodSeconds="0"
        ),
        "namespace": lambda: api.delete(namespace),
        "nodes": lambda: api.delete("/api/v1/nodes", labelSelector=of_run),
        "PriorityClasses": lambda: api.delete(classes, labelSelector=of_run),
    }
    deadline = time.monotonic() + patience
    left: dict[str, str] = {}
    for what, step in steps.items():
        if left and time.monotonic() > deadline:
            left[what] = "not tried"
            continue
        try:
            persist(step, deadline)
        except PreemptionError as error:
            left[what] = error.problem
    if not left:
        return ""
    return (
        f"the run's {', '.join(left)} may be left on the cluster ({next(iter(left.values()))}); "
        f"remove them: kubectl delete namespaces,nodes,priorityclasses -l {of_run}"
    )


def with_remains(error: BaseException, left: str) -> BaseException:
    """Return `error` with the sentence on what is left, for the user to see both."""
    if not isinstance(error, PreemptionError):
        error.add_note(left)
        return error
    return InputError(error.place, error.problem, f"{error.remedy}; and {left}")
