"""An API server in memory for tests and benchmarks: simulated, no process and no network."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from kep_preemption.errors import RetryableError
from kep_preemption.execution import PermanentError, PodGoneError, PodReplacedError
from kep_preemption.objects import Pod


class Fault(StrEnum):
    """How a planned call fails.

    LOST_REPLY carries the call out and loses the answer, as a connection that breaks at the
    wrong moment does; the others change nothing.
    """

    UNAVAILABLE = "503 Service Unavailable"
    TOO_MANY_REQUESTS = "429 Too Many Requests"
    LOST_REPLY = "connection lost before the answer"
    FORBIDDEN = "403 Forbidden"


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the server saw it; `applied` tells whether it changed a pod."""

    verb: str
    pod: str
    uid: str
    grace_period_seconds: int | None = None
    applied: bool = False


class SimulatedApi:
    """An `Evictor` over pods in memory.

    A pod deleted with grace period 0 vanishes; with any other it stays, terminating, until
    `finish_terminating` is called, and deleting it again changes nothing.

    Args:
        pods: the pods that exist.
        plan: faults by `delete namespace/name` or `nominate namespace/name`; each call takes
            the next of its list (None: the call works), and works when the list is used up.
    """

    simulated = True

    def __init__(
        self, pods: Iterable[Pod], plan: Mapping[str, Iterable[Fault | None]] | None = None
    ) -> None:
        self.pods = {pod.key: pod for pod in pods}
        self.calls: list[Call] = []
        self._plan = {call: deque(faults) for call, faults in (plan or {}).items()}

    def delete(self, victim: Pod, grace_period_seconds: int | None) -> None:
        """Delete by UID (see `Evictor.delete`)."""
        fault = self._next_fault("delete", victim)
        call = Call("delete", victim.key, victim.uid, grace_period_seconds)
        try:
            self._raise_before(fault, victim)
            found = self._find(victim)
            call = replace(call, applied=not found.terminating or grace_period_seconds == 0)
            if grace_period_seconds == 0:
                del self.pods[victim.key]
            else:
                self.pods[victim.key] = replace(found, terminating=True)
        finally:
            self.calls.append(call)
        self._raise_after(fault, victim)

    def nominate(self, preemptor: Pod, node: str) -> None:
        """Set the nominated node (see `Evictor.nominate`)."""
        fault = self._next_fault("nominate", preemptor)
        call = Call("nominate", preemptor.key, preemptor.uid)
        try:
            self._raise_before(fault, preemptor)
            found = self._find(preemptor)
            self.pods[preemptor.key] = replace(found, nominated_node_name=node)
            call = replace(call, applied=True)
        finally:
            self.calls.append(call)
        self._raise_after(fault, preemptor)

    def finish_terminating(self) -> tuple[Pod, ...]:
        """Let the grace periods of all terminating pods end; returns the pods that vanished."""
        ended = tuple(pod for pod in self.pods.values() if pod.terminating)
        for pod in ended:
            del self.pods[pod.key]
        return ended

    def _next_fault(self, verb: str, pod: Pod) -> Fault | None:
        faults = self._plan.get(f"{verb} {pod.key}")
        return faults.popleft() if faults else None

    def _find(self, pod: Pod) -> Pod:
        found = self.pods.get(pod.key)
        if found is None:
            raise PodGoneError(f"pod {pod.key}", "404 Not Found", "nothing is left to do")
        if found.uid != pod.uid:
            raise PodReplacedError(
                f"pod {pod.key}",
                f"409 Conflict: its UID is {found.uid}, not {pod.uid}",
                "decide anew: the new pod was never chosen",
            )
        return found

    def _raise_before(self, fault: Fault | None, pod: Pod) -> None:
        if fault is Fault.FORBIDDEN:
            raise PermanentError(f"pod {pod.key}", str(fault), "grant the scheduler the right")
        if fault in (Fault.UNAVAILABLE, Fault.TOO_MANY_REQUESTS):
            raise RetryableError(f"pod {pod.key}", str(fault), "try again later")

    def _raise_after(self, fault: Fault | None, pod: Pod) -> None:
        if fault is Fault.LOST_REPLY:
            raise RetryableError(f"pod {pod.key}", str(fault), "try again later")
