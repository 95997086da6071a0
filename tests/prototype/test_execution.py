"""Carrying out decisions on an API that fails by plan."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kep_preemption.decision import Decision, Outcome
from kep_preemption.execution import Execution, ExecutionOutcome, Executor, VictimState
from kep_preemption.fast_path.backoff import Backoff
from kep_preemption.objects import Pod
from kep_preemption.simulated_api import Fault, SimulatedApi

PREEMPTOR = Pod("default", "high", uid="uid-high", priority=1000)
VICTIMS = tuple(Pod("default", f"low-{i}", uid=f"uid-{i}", node_name="n1") for i in range(3))
DECISION = Decision("fast-path", Outcome.NOMINATED, PREEMPTOR, node="n1", victims=VICTIMS)
FAULTS = st.lists(st.none() | st.sampled_from(list(Fault)), max_size=4)


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def run(
    api: SimulatedApi, decision: Decision = DECISION, immediate: bool = False, jitter: float = 0.0
) -> Execution:
    time = Time()
    executor = Executor(
        api, Backoff(jitter=jitter), immediate, time.clock, time.sleep, random.Random(1)
    )
    return executor.execute(decision)


def api_with(plan: dict[str, list[Fault | None]], *changed: Pod) -> SimulatedApi:
    pods = {pod.key: pod for pod in (*VICTIMS, PREEMPTOR)} | {pod.key: pod for pod in changed}
    return SimulatedApi(pods.values(), plan)


def test_victims_end_by_their_own_grace_period_unless_immediate() -> None:
    graceful, immediate = api_with({}), api_with({})
    for api, option, grace in ((graceful, False, None), (immediate, True, 0)):
        execution = run(api, immediate=option)
        assert execution.outcome is ExecutionOutcome.DONE
        assert execution.nominated
        assert [r.state for r in execution.victims] == [VictimState.DELETED] * 3
        assert {call.grace_period_seconds for call in api.calls if call.verb == "delete"} == {grace}
        assert api.pods[PREEMPTOR.key].nominated_node_name == "n1"
    assert all(graceful.pods[victim.key].terminating for victim in VICTIMS)
    assert not any(victim.key in immediate.pods for victim in VICTIMS)
    assert {pod.key for pod in graceful.finish_terminating()} == {v.key for v in VICTIMS}


@pytest.mark.parametrize(
    ("faults", "outcome", "states", "attempts", "seconds"),
    [
        ([Fault.UNAVAILABLE], ExecutionOutcome.DONE, "deleted deleted deleted", 2, 0.1),
        ([Fault.TOO_MANY_REQUESTS] * 2, ExecutionOutcome.DONE, "deleted deleted deleted", 3, 0.3),
        (
            [Fault.UNAVAILABLE] * 3,
            ExecutionOutcome.PARTLY_DELETED,
            "deleted failed not-tried",
            3,
            0.3,
        ),
        ([Fault.FORBIDDEN], ExecutionOutcome.PARTLY_DELETED, "deleted failed not-tried", 1, 0.0),
    ],
)
def test_the_second_victims_faults(
    faults: list[Fault | None],
    outcome: ExecutionOutcome,
    states: str,
    attempts: int,
    seconds: float,
) -> None:
    execution = run(api_with({"delete default/low-1": faults}))
    assert execution.outcome is outcome
    assert " ".join(r.state for r in execution.victims) == states
    assert execution.attempts == attempts
    assert execution.seconds == pytest.approx(seconds)
    assert execution.nominated is (outcome is ExecutionOutcome.DONE)
    assert bool(execution.problem) is (outcome is not ExecutionOutcome.DONE)


def test_a_lost_reply_is_asked_again_and_found_done() -> None:
    api = api_with({"delete default/low-1": [Fault.LOST_REPLY]})
    execution = run(api, immediate=True)
    assert execution.outcome is ExecutionOutcome.DONE
    assert execution.victims[1].state is VictimState.ALREADY_GONE


def test_a_victim_replaced_by_a_namesake_is_gone_and_the_namesake_lives() -> None:
    namesake = replace(VICTIMS[0], uid="uid-new")
    api = api_with({}, namesake)
    execution = run(api, immediate=True)
    assert execution.victims[0].state is VictimState.REPLACED
    assert "uid-new" in execution.victims[0].problem
    assert execution.outcome is ExecutionOutcome.DONE
    assert api.pods[namesake.key] == namesake


def test_nothing_deleted_when_the_first_victim_is_refused() -> None:
    execution = run(api_with({"delete default/low-0": [Fault.FORBIDDEN]}))
    assert execution.outcome is ExecutionOutcome.NO_VICTIM_DELETED
    assert "default/low-0: 403 Forbidden" in execution.problem


@pytest.mark.parametrize(
    ("faults", "outcome", "attempts"),
    [
        ([Fault.UNAVAILABLE, Fault.LOST_REPLY], ExecutionOutcome.DONE, 3),
        ([Fault.UNAVAILABLE] * 3, ExecutionOutcome.NOT_NOMINATED, 3),
        ([Fault.FORBIDDEN], ExecutionOutcome.NOT_NOMINATED, 1),
    ],
)
def test_nomination_faults(
    faults: list[Fault | None], outcome: ExecutionOutcome, attempts: int
) -> None:
    execution = run(api_with({"nominate default/high": faults}))
    assert execution.outcome is outcome
    assert execution.nomination_attempts == attempts
    assert all(result.state.gone for result in execution.victims)


def test_a_preemptor_that_vanished_is_reported() -> None:
    api = SimulatedApi(VICTIMS)
    execution = run(api)
    assert execution.outcome is ExecutionOutcome.NOT_NOMINATED
    assert "404" in execution.problem


@pytest.mark.parametrize("outcome", [Outcome.NO_CANDIDATE, Outcome.FEASIBLE, Outcome.NOT_ELIGIBLE])
def test_a_decision_without_victims_calls_nothing(outcome: Outcome) -> None:
    api = api_with({})
    execution = run(api, Decision("upstream", outcome, PREEMPTOR))
    assert execution.outcome is ExecutionOutcome.NOTHING_TO_DO
    assert api.calls == []


@given(
    st.dictionaries(
        st.sampled_from(
            [*(f"delete {victim.key}" for victim in VICTIMS), f"nominate {PREEMPTOR.key}"]
        ),
        FAULTS,
    ),
    st.sets(st.integers(0, 2)),
    st.sets(st.integers(0, 2)),
    st.booleans(),
)
def test_under_any_faults_no_victim_dies_twice_and_no_stranger_dies(
    plan: dict[str, list[Fault | None]], gone: set[int], replaced: set[int], immediate: bool
) -> None:
    strangers = [replace(VICTIMS[i], uid=f"uid-new-{i}") for i in replaced]
    bystander = Pod("default", "bystander", uid="uid-bystander", node_name="n1")
    api = api_with(plan, *strangers, bystander)
    for index in gone - replaced:
        del api.pods[VICTIMS[index].key]

    execution = run(api, immediate=immediate, jitter=0.1)

    deaths = Counter(call.uid for call in api.calls if call.verb == "delete" and call.applied)
    assert all(count == 1 for count in deaths.values())
    for pod in (*strangers, bystander):
        assert api.pods[pod.key] == pod
    # What the report says is what the server knows.
    for result in execution.victims:
        left = api.pods.get(result.victim.key)
        alive = left is not None and left.uid == result.victim.uid and not left.terminating
        if result.state.gone:
            assert not alive
        if result.state is VictimState.NOT_TRIED:
            assert alive == (result.victim.key in api.pods and left.uid == result.victim.uid)
    if execution.outcome is ExecutionOutcome.DONE:
        assert execution.nominated
        assert all(result.state.gone for result in execution.victims)
    if execution.nominated:
        assert api.pods[PREEMPTOR.key].nominated_node_name == "n1"
    assert execution.attempts <= 3
    assert execution.seconds < 2 * 0.33


def test_calls_stop_at_the_first_victim_that_cannot_be_deleted() -> None:
    api = api_with({"delete default/low-0": [Fault.UNAVAILABLE] * 3})
    run(api)
    assert Counter(call.pod for call in api.calls) == {"default/low-0": 3}
