"""Carrying a decision out: delete its victims, then nominate the node.

The fast path's proposal wraps the deletions in `wait.ExponentialBackoff`. Two things that it
leaves open are settled here. A new attempt goes on at the first victim that is not gone yet: the
proposal starts over, and a victim that an earlier attempt deleted would fail it for good. And a
victim that cannot be deleted keeps those after it alive: without it the preemptor does not fit,
so each further deletion would be a loss for nothing.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from kep_preemption.decision import Decision
from kep_preemption.errors import PreemptionError, RetryableError
from kep_preemption.fast_path.backoff import Backoff, retry
from kep_preemption.objects import Pod


class PodGoneError(PreemptionError):
    """The pod does not exist any more: for a victim that is success."""


class PodReplacedError(PreemptionError):
    """A pod of that name exists, but it has another UID and was never chosen as a victim."""


class PermanentError(PreemptionError):
    """The API refused for a reason that a later attempt cannot change."""


class Evictor(Protocol):
    """The part of the API that carrying out a preemption needs.

    Every other exception than those named is a fault of the evictor and is passed on.
    """

    def delete(self, victim: Pod, grace_period_seconds: int | None) -> None:
        """Ask for `victim`'s deletion under the precondition that its UID is unchanged.

        Args:
            victim: the pod; only one of this namespace, name and UID may be deleted.
            grace_period_seconds: None leaves the pod its own terminationGracePeriodSeconds,
                0 kills it at once.

        Raises:
            PodGoneError: there is no such pod (404).
            PodReplacedError: the precondition failed (409 with a UID mismatch).
            RetryableError: time-out, 429, 5xx, connection lost: it may have happened or not.
            PermanentError: the API refused for good (403, 422).
        """

    def nominate(self, preemptor: Pod, node: str) -> None:
        """Set `status.nominatedNodeName` of `preemptor`.

        Raises:
            PodGoneError: there is no such pod.
            PodReplacedError: the name now belongs to another pod.
            RetryableError: see `delete`.
            PermanentError: see `delete`.
        """


class VictimState(StrEnum):
    """What became of a victim.

    FAILED after a retryable error means that nobody knows: the request may have been carried out
    before the answer was lost.
    """

    DELETED = "deleted"
    ALREADY_GONE = "already-gone"
    REPLACED = "replaced"
    FAILED = "failed"
    NOT_TRIED = "not-tried"

    @property
    def gone(self) -> bool:
        """True if the victim is deleted, or its deletion was accepted."""
        return self in (VictimState.DELETED, VictimState.ALREADY_GONE, VictimState.REPLACED)


class ExecutionOutcome(StrEnum):
    """How carrying out ended."""

    DONE = "done"
    NOTHING_TO_DO = "nothing-to-do"
    NO_VICTIM_DELETED = "no-victim-deleted"
    PARTLY_DELETED = "partly-deleted"
    NOT_NOMINATED = "not-nominated"


@dataclass(frozen=True, slots=True)
class VictimResult:
    """One victim, what became of it and the last error ('' for none)."""

    victim: Pod
    state: VictimState = VictimState.NOT_TRIED
    problem: str = ""


@dataclass(frozen=True)
class Execution:
    """What was really done.

    `attempts` counts the attempts at deleting, `nomination_attempts` those at nominating;
    `seconds` is the whole time by the injected clock, pauses included. `problem` names what kept
    it from being DONE. A victim in state DELETED may still be shutting down.
    """

    decision: Decision
    outcome: ExecutionOutcome
    victims: tuple[VictimResult, ...] = ()
    nominated: bool = False
    attempts: int = 0
    nomination_attempts: int = 0
    seconds: float = 0.0
    problem: str = ""


@dataclass
class Executor:
    """Carries out decisions through an `Evictor`.

    Victims are deleted one after the other in the decision's order. Deletions and nomination
    have a backoff of their own each.

    Args:
        evictor: the API.
        backoff: attempts and pauses.
        immediate: delete with grace period 0. Off by default: the victims' processes are then
            killed without a chance to finish, and their preStop hooks do not run.
        clock: monotonic, in seconds.
        sleep: waits that many seconds.
        rng: the source of the jitter.
    """

    evictor: Evictor
    backoff: Backoff = field(default_factory=Backoff)
    immediate: bool = False
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    rng: random.Random = field(default_factory=random.Random)

    def execute(self, decision: Decision) -> Execution:
        """Delete the victims of `decision` and nominate its node; reports, never raises for
        what the API answers.

        A decision without victims (no candidate, not eligible, feasible as it is) is
        NOTHING_TO_DO.
        """
        if not decision.node or not decision.victims:
            return Execution(decision, ExecutionOutcome.NOTHING_TO_DO)
        start = self.clock()
        run = _Run(self, decision)
        execution = run.delete_all()
        if execution.outcome is ExecutionOutcome.DONE:
            execution = run.nominate(execution)
        return replace(execution, seconds=self.clock() - start)


class _Run:
    """The mutable course of one execution."""

    def __init__(self, executor: Executor, decision: Decision) -> None:
        self._executor = executor
        self._decision = decision
        self._results = [VictimResult(victim) for victim in decision.victims]

    def delete_all(self) -> Execution:
        """Delete what is left, attempt by attempt."""
        attempts, problem = self._retry(self._delete_rest)
        gone = sum(result.state.gone for result in self._results)
        if gone == len(self._results):
            outcome = ExecutionOutcome.DONE
        elif gone:
            outcome = ExecutionOutcome.PARTLY_DELETED
        else:
            outcome = ExecutionOutcome.NO_VICTIM_DELETED
        return Execution(
            self._decision, outcome, tuple(self._results), attempts=attempts, problem=problem
        )

    def nominate(self, execution: Execution) -> Execution:
        """Nominate the node once all victims are gone."""

        def once() -> None:
            self._executor.evictor.nominate(self._decision.preemptor, self._decision.node)

        attempts, problem = self._retry(once)
        outcome = ExecutionOutcome.NOT_NOMINATED if problem else ExecutionOutcome.DONE
        return replace(
            execution,
            outcome=outcome,
            nominated=not problem,
            nomination_attempts=attempts,
            problem=problem,
        )

    def _retry(self, action: Callable[[], None]) -> tuple[int, str]:
        """Return the number of attempts and the error that was left standing ('' if none)."""
        attempts, problem = 0, "no attempt was allowed: the backoff has no steps"

        def attempt() -> bool:
            nonlocal attempts, problem
            attempts += 1
            try:
                action()
            except RetryableError as error:
                problem = str(error)
                return False
            problem = ""
            return True

        executor = self._executor
        try:
            retry(attempt, executor.backoff, executor.sleep, executor.rng)
        except (PermanentError, PodGoneError, PodReplacedError) as error:
            problem = str(error)
        return attempts, problem

    def _delete_rest(self) -> None:
        for index, result in enumerate(self._results):
            if not result.state.gone:
                self._delete(index)

    def _delete(self, index: int) -> None:
        victim = self._results[index].victim
        try:
            self._executor.evictor.delete(victim, 0 if self._executor.immediate else None)
        except PodGoneError:
            state, problem = VictimState.ALREADY_GONE, ""
        except PodReplacedError as error:
            state, problem = VictimState.REPLACED, str(error)
        except (RetryableError, PermanentError) as error:
            self._results[index] = VictimResult(victim, VictimState.FAILED, str(error))
            raise
        else:
            state, problem = VictimState.DELETED, ""
        self._results[index] = VictimResult(victim, state, problem)
