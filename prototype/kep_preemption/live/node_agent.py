"""A minimal stand-in for the kubelets of fake nodes.

It reports the nodes ready, reports their pods running, and removes terminating pods when their
grace period has passed. It runs nothing, so a latency measured with it holds no container time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from kep_preemption.errors import PreemptionError
from kep_preemption.live.client import JSON, ApiClient, ApiError

_HEARTBEAT_SECONDS = 10.0
_MOST_FAILURES = 5


def now() -> str:
    """Return the present time as the API writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class NodeAgent:
    """Keeps fake nodes and their pods alive in a thread of its own.

    `failures` holds what went wrong in the thread, each once, for the caller to report.
    """

    def __init__(self, make_client: Callable[[], ApiClient], nodes: list[str], pods: str) -> None:
        self._make_client = make_client
        self._nodes = nodes
        self._pods = pods
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True, name="node-agent")
        self.failures: list[str] = []

    def __enter__(self) -> NodeAgent:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        self._thread.join(timeout=15)

    def _work(self) -> None:
        api = self._make_client()
        heartbeat_due = 0.0
        try:
            while not self._stop.is_set():
                try:
                    if time.monotonic() >= heartbeat_due:
                        self._heartbeat(api)
                        heartbeat_due = time.monotonic() + _HEARTBEAT_SECONDS
                    self._settle_pods(api)
                except PreemptionError as error:
                    self._note(str(error))
                except Exception as error:  # noqa: BLE001 - without the agent no victim ends
                    self._note(f"{type(error).__name__}: {error}")
                self._stop.wait(0.2)
        finally:
            api.close()

    def _note(self, failure: str) -> None:
        if failure not in self.failures and len(self.failures) < _MOST_FAILURES:
            self.failures.append(failure)

    def _heartbeat(self, api: ApiClient) -> None:
        for name in self._nodes:
            moment = now()
            condition = {
                "type": "Ready",
                "status": "True",
                "reason": "FakeNode",
                "lastHeartbeatTime": moment,
                "lastTransitionTime": moment,
            }
            api.patch(f"/api/v1/nodes/{name}/status", {"status": {"conditions": [condition]}})

    def _settle_pods(self, api: ApiClient) -> None:
        for pod in api.get(self._pods)["items"]:
            if not pod["spec"].get("nodeName"):
                continue
            path = f"{self._pods}/{pod['metadata']['name']}"
            try:
                if _grace_is_over(pod):
                    api.delete(path, {"gracePeriodSeconds": 0})
                elif pod["status"].get("phase") == "Pending":
                    api.patch(f"{path}/status", running_status())
            except ApiError as error:
                if error.status not in (404, 409):
                    raise


def running_status() -> JSON:
    """Return the status of a pod that runs."""
    moment = now()
    conditions = [{"type": kind, "status": "True"} for kind in ("Initialized", "Ready")]
    return {"status": {"phase": "Running", "startTime": moment, "conditions": conditions}}


def _grace_is_over(pod: JSON) -> bool:
    deadline = pod["metadata"].get("deletionTimestamp")
    return deadline is not None and datetime.fromisoformat(deadline) <= datetime.now(UTC)
