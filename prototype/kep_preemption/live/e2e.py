"""Measure preemption by the cluster's own kube-scheduler on a real API server.

The nodes are fake: objects that a `NodeAgent` keeps ready. All pods, nodes and PriorityClasses
carry the run's label; preemptor and victims can only be on those nodes, so that pods of others
are never preempted. What was made is removed at the end, also after a failure.
"""

from __future__ import annotations

import queue
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from kep_preemption.errors import InputError, PreemptionError, RetryableError
from kep_preemption.live.client import JSON, ApiClient, ApiError
from kep_preemption.live.kind import kind_cluster
from kep_preemption.live.node_agent import NodeAgent, running_status
from kep_preemption.live.objects import RUN_LABEL, Workload


@dataclass(frozen=True)
class LiveSample:
    """One preemptor: milliseconds from just before its POST to the events seen by a watch.

    `nominated_ms` and `bound_ms` are None when the event did not come within the wait.
    `victims` names the low-priority pods that were deleted or marked for deletion.
    """

    number: int
    nominated_ms: float | None
    bound_ms: float | None
    node: str
    victims: tuple[str, ...]


@dataclass(frozen=True)
class LiveResult:
    """All samples of one run, with what they were measured on."""

    environment: str
    server_version: str
    workload: Workload
    samples: tuple[LiveSample, ...]
    notes: tuple[str, ...] = field(default=())


def run_e2e(
    cluster: str,
    *,
    nodes: int = 10,
    pods_per_node: int = 5,
    samples: int = 20,
    grace_seconds: int = 0,
    wait_seconds: int = 30,
    progress: Callable[[int, int], None] | None = None,
) -> LiveResult:
    """Create the edge cluster's fake nodes and pods, preempt `samples` times, and clean up.

    Args:
        cluster: `kind` for a throw-away cluster, else the path of a kubeconfig.
        nodes: fake nodes to create.
        pods_per_node: low-priority pods on each of them.
        samples: preemptors to measure, one after another.
        grace_seconds: the victims' terminationGracePeriodSeconds.
        wait_seconds: how long to wait for a preemptor to be bound.
        progress: called with the samples done and their total.

    Raises:
        InputError: the cluster cannot be made, found or reached.
        ApiError: the API server refuses what the run needs.
    """
    workload = Workload(secrets.token_hex(3), nodes, pods_per_node, grace_seconds)
    with ExitStack() as stack:
        if cluster == "kind":
            kubeconfig = stack.enter_context(kind_cluster())
        else:
            kubeconfig = Path(cluster).expanduser()
        if not kubeconfig.is_file():
            raise InputError(
                str(kubeconfig), "no such kubeconfig", "give the path of a kubeconfig, or `kind`"
            )
        api = ApiClient(kubeconfig)
        stack.callback(api.close)
        version = str(api.get("/version").get("gitVersion", "unknown"))
        stack.callback(_remove, api, workload)
        _create(api, workload)
        agent = stack.enter_context(
            NodeAgent(partial(ApiClient, kubeconfig), workload.node_names, _pods(workload))
        )
        measured: list[LiveSample] = []
        for number in range(samples):
            measured.append(_measure(api, kubeconfig, workload, number, wait_seconds))
            _restore(api, workload, number)
            if progress:
                progress(number + 1, samples)
        notes = tuple(dict.fromkeys(agent.failures))[:5]
    environment = "kind" if cluster == "kind" else "kubeconfig"
    return LiveResult(environment, version, workload, tuple(measured), notes)


def _pods(workload: Workload) -> str:
    return f"/api/v1/namespaces/{workload.namespace}/pods"


def _create(api: ApiClient, workload: Workload) -> None:
    for level in ("low", "high"):
        api.post("/apis/scheduling.k8s.io/v1/priorityclasses", workload.priority_class(level))
    api.post("/api/v1/namespaces", workload.namespace_object())
    for index in range(workload.nodes):
        api.post("/api/v1/nodes", workload.node(index))
    for node in workload.node_names:
        for index in range(workload.pods_per_node):
            _post_low_pod(api, workload, node, index)


def _post_low_pod(api: ApiClient, workload: Workload, node: str, index: int) -> None:
    body = workload.low_pod(node, index)
    for attempt in range(60):
        try:
            api.post(_pods(workload), body)
            break
        except ApiError as error:
            # The namespace's default ServiceAccount is made by a controller a moment later.
            waits = isinstance(error, RetryableError) or "serviceaccount" in error.problem
            if not waits or attempt == 59:
                raise
            time.sleep(0.5)
    name = body["metadata"]["name"]
    with suppress(RetryableError):
        api.patch(f"{_pods(workload)}/{name}/status", running_status())


@contextmanager
def _watching(kubeconfig: Path, path: str, version: str, seconds: int) -> Iterator[_Events]:
    """Collect the events of `path` with the time of their arrival, on a connection of its own."""
    api = ApiClient(kubeconfig)
    events: _Events = queue.Queue()

    def collect() -> None:
        try:
            for event in api.watch(path, version, seconds):
                events.put((time.perf_counter_ns(), event))
        except PreemptionError as error:
            events.put((time.perf_counter_ns(), error))

    thread = threading.Thread(target=collect, daemon=True, name="watch")
    thread.start()
    try:
        yield events
    finally:
        api.close()


_Events = queue.Queue[tuple[int, JSON | PreemptionError]]


def _measure(
    api: ApiClient, kubeconfig: Path, workload: Workload, number: int, wait_seconds: int
) -> LiveSample:
    pods = _pods(workload)
    body = workload.preemptor(number)
    name = body["metadata"]["name"]
    version = api.get(pods)["metadata"]["resourceVersion"]
    nominated: float | None = None
    victims: dict[str, None] = {}
    with _watching(kubeconfig, pods, version, wait_seconds + 5) as events:
        # The watch must stand before the POST, or the nomination may be missed.
        time.sleep(0.1)
        start = time.perf_counter_ns()
        api.post(pods, body)
        deadline = time.monotonic() + wait_seconds
        while (left := deadline - time.monotonic()) > 0:
            try:
                arrived, event = events.get(timeout=left)
            except queue.Empty:
                break
            if isinstance(event, PreemptionError):
                raise event
            pod = event["object"]
            milliseconds = (arrived - start) / 1e6
            if pod["metadata"]["name"] != name:
                if event["type"] == "DELETED" or "deletionTimestamp" in pod["metadata"]:
                    victims[pod["metadata"]["name"]] = None
                continue
            if nominated is None and pod["status"].get("nominatedNodeName"):
                nominated = milliseconds
            if node := pod["spec"].get("nodeName"):
                return LiveSample(number, nominated, milliseconds, node, tuple(victims))
    return LiveSample(number, nominated, None, "", tuple(victims))


def _restore(api: ApiClient, workload: Workload, number: int) -> None:
    pods = _pods(workload)
    api.delete(f"{pods}/{workload.preemptor(number)['metadata']['name']}", gracePeriodSeconds="0")
    deadline = time.monotonic() + 30 + workload.grace_seconds
    while True:
        found = api.get(pods)["items"]
        if not any("deletionTimestamp" in pod["metadata"] for pod in found):
            break
        if time.monotonic() > deadline:
            raise InputError(pods, "terminating pods stay", "see whether something holds them")
        time.sleep(0.1)
    present = {pod["metadata"]["name"] for pod in found}
    for node in workload.node_names:
        for index in range(workload.pods_per_node):
            if workload.low_pod(node, index)["metadata"]["name"] not in present:
                _post_low_pod(api, workload, node, index)
    # The scheduler's cache follows by watch; measuring sooner would measure the catching up.
    time.sleep(0.3)


def _remove(api: ApiClient, workload: Workload) -> None:
    """Remove what the run made, as far as the API server lets us."""
    label = f"{RUN_LABEL}={workload.run}"
    with suppress(PreemptionError):
        for pod in api.get(_pods(workload), labelSelector=label)["items"]:
            with suppress(PreemptionError):
                api.delete(f"{_pods(workload)}/{pod['metadata']['name']}", gracePeriodSeconds="0")
    with suppress(PreemptionError):
        api.delete(f"/api/v1/namespaces/{workload.namespace}")
    for node in workload.node_names:
        with suppress(PreemptionError):
            api.delete(f"/api/v1/nodes/{node}")
    for level in ("low", "high"):
        with suppress(PreemptionError):
            name = workload.priority_class_name(level)
            api.delete(f"/apis/scheduling.k8s.io/v1/priorityclasses/{name}")
