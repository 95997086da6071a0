"""Measure preemption by the cluster's own kube-scheduler on a real API server.

The nodes are fake: objects that a `NodeAgent` keeps ready. All pods, nodes and PriorityClasses
carry the run's label, and the preemptor can only be on those nodes, which their taint keeps free
of other pods. A DaemonSet that tolerates every taint still puts its pods there, where they could be
preempted like any other. What was made is removed at the end, also after a failure or an interrupt;
only a process that is killed leaves it, to be removed by the label.
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

from kep_preemption.errors import InputError, PreemptionError, RetryableError, UsageError
from kep_preemption.live.client import JSON, ApiClient, ApiError, ConnectionLostError
from kep_preemption.live.kind import kind_cluster
from kep_preemption.live.node_agent import NodeAgent, running_status
from kep_preemption.live.objects import FEWEST_LOW_PODS, MOST_LOW_PODS, Workload
from kep_preemption.live.removal import persist, remove_run, with_remains

_ATTEMPTS = 3  # for one sample, when the API server hangs up or is busy
_AWAY = 10.0  # seconds that the API server may be away between two attempts


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

    A sample during which the API server hangs up or is busy is measured again, and noted.

    Args:
        cluster: `kind` for a throw-away cluster, else the path of a kubeconfig.
        nodes: fake nodes to create.
        pods_per_node: low-priority pods on each of them.
        samples: preemptors to measure, one after another.
        grace_seconds: the victims' terminationGracePeriodSeconds.
        wait_seconds: how long to wait for a preemptor to be bound, besides the grace period.
        progress: called with the samples done and their total.

    Raises:
        UsageError: with these numbers nothing would be preempted.
        InputError: the cluster cannot be made, found or reached.
        ApiError: the API server refuses what the run needs.
    """
    workload = Workload(secrets.token_hex(3), nodes, pods_per_node, grace_seconds)
    _check(workload, samples)
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
        run = _Run(api, kubeconfig, workload, wait_seconds + grace_seconds)
        measured = run.measure(samples, progress or (lambda _done, _total: None))
    environment = "kind" if cluster == "kind" else "kubeconfig"
    return LiveResult(environment, version, workload, tuple(measured), tuple(run.notes))


def _check(workload: Workload, samples: int) -> None:
    """Refuse what would measure nothing, or something else than preemption."""
    ranges = {
        "nodes": (workload.nodes, 1, 100_000),
        "pods_per_node": (workload.pods_per_node, FEWEST_LOW_PODS, MOST_LOW_PODS),
        "samples": (samples, 1, 1_000_000),
        "grace_seconds": (workload.grace_seconds, 0, 86_400),
    }
    for name, (value, least, most) in ranges.items():
        if not least <= value <= most:
            raise UsageError(
                f"{name}={value}",
                "measures no preemption",
                f"use {least} to {most}; the low pods must leave no room for the preemptor",
            )


@dataclass
class _Run:
    """The objects of one run on the cluster; `notes` tell what went wrong and was got over."""

    api: ApiClient
    kubeconfig: Path
    workload: Workload
    wait_seconds: int
    notes: list[str] = field(default_factory=list)

    def measure(self, samples: int, progress: Callable[[int, int], None]) -> list[LiveSample]:
        """Make the objects, measure, and remove them, whatever happens."""
        try:
            measured = self._measure(samples, progress)
        except BaseException as error:
            left = remove_run(self.api, self.workload)
            if left:
                raise with_remains(error, left) from error
            raise
        if left := remove_run(self.api, self.workload):
            self.notes.append(left)
        return measured

    def _measure(self, samples: int, progress: Callable[[int, int], None]) -> list[LiveSample]:
        _create(self.api, self.workload)
        make_client = partial(ApiClient, self.kubeconfig)
        measured = []
        with NodeAgent(make_client, self.workload.node_names, _pods(self.workload)) as agent:
            for number in range(samples):
                measured.append(self._sample(number))
                progress(number + 1, samples)
        self.notes += [f"node agent: {failure}" for failure in agent.failures]
        return measured

    def _sample(self, number: int) -> LiveSample:
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                sample = _measure(
                    self.api, self.kubeconfig, self.workload, number, self.wait_seconds
                )
                break
            except RetryableError as error:
                if attempt == _ATTEMPTS:
                    raise
                self.notes.append(f"sample {number} was measured again: {error.problem}")
                self._restore(number)
        self._restore(number)
        return sample

    def _restore(self, number: int) -> None:
        persist(lambda: _restore(self.api, self.workload, number), time.monotonic() + _AWAY)


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
        except (ApiError, ConnectionLostError) as error:
            if isinstance(error, ApiError) and error.status == 409:
                break  # an attempt before arrived, and only its answer did not
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
