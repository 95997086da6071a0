"""What becomes of a run's objects when the API server or the user breaks the run off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kep_preemption.errors import InputError, UsageError
from kep_preemption.live.client import ApiClient, ApiError, ConnectionLostError, RetryableApiError
from kep_preemption.live.e2e import run_e2e
from kep_preemption.live.objects import RUN_LABEL, Workload
from kep_preemption.live.removal import persist, remove_run, with_remains

WORKLOAD = Workload("abc123", nodes=3)


class Recorder(ApiClient):
    """Notes what is asked of the API server, and lets `answer` decide about it."""

    def __init__(self, answer: Callable[[str], bool] = lambda _: True) -> None:
        self.answer = answer
        self.asked: list[tuple[str, dict[str, str]]] = []

    def delete(self, path: str, body: object = None, **query: str) -> bool:
        self.asked.append((path, query))
        return self.answer(path)


def away(path: str) -> bool:
    raise ConnectionLostError(path, "hung up", "wait")


def forbidden_nodes(path: str) -> bool:
    if path.endswith("/nodes"):
        raise ApiError(path, 403, "forbidden")
    return True


def test_all_is_removed_by_the_label_of_the_run() -> None:
    api = Recorder()
    assert remove_run(api, WORKLOAD) == ""
    of_run = {"labelSelector": f"{RUN_LABEL}=abc123"}
    assert api.asked == [
        ("/api/v1/namespaces/kepler-e2e-abc123/pods", {**of_run, "gracePeriodSeconds": "0"}),
        ("/api/v1/namespaces/kepler-e2e-abc123", {}),
        ("/api/v1/nodes", of_run),
        ("/apis/scheduling.k8s.io/v1/priorityclasses", of_run),
    ]


def test_every_object_of_a_run_carries_the_label() -> None:
    made = [WORKLOAD.namespace_object(), WORKLOAD.priority_class("low"), WORKLOAD.node(0)]
    made += [WORKLOAD.low_pod("n", 0), WORKLOAD.preemptor(0)]
    assert all(thing["metadata"]["labels"][RUN_LABEL] == "abc123" for thing in made)


def test_what_is_refused_is_named_and_the_rest_removed() -> None:
    api = Recorder(forbidden_nodes)
    left = remove_run(api, WORKLOAD)
    assert "the run's nodes may be left" in left and "forbidden" in left
    assert f"kubectl delete namespaces,nodes,priorityclasses -l {RUN_LABEL}=abc123" in left
    assert len(api.asked) == 4


def test_an_api_server_that_is_away_is_not_waited_for_at_every_step() -> None:
    api = Recorder(away)
    left = remove_run(api, WORKLOAD, patience=0)
    assert "pods, namespace, nodes, PriorityClasses may be left" in left
    assert len(api.asked) == 1


def test_persisting_through_a_short_absence() -> None:
    answers = iter([ConnectionLostError("a", "b", "c"), RetryableApiError("a", 503, "b"), None])

    def attempt() -> None:
        if error := next(answers):
            raise error

    persist(attempt, deadline=float("inf"))
    assert next(answers, "all used") == "all used"


def test_the_user_hears_of_the_fault_and_of_what_is_left() -> None:
    both = with_remains(InputError("place", "fault", "mend it"), "nodes are left")
    assert "fault" in str(both) and "nodes are left" in str(both)
    interrupt = with_remains(KeyboardInterrupt(), "nodes are left")
    assert interrupt.__notes__ == ["nodes are left"]


@pytest.mark.parametrize(
    "numbers",
    [{"nodes": 0}, {"samples": 0}, {"pods_per_node": 2}, {"grace_seconds": -1}],
)
def test_numbers_that_measure_no_preemption_are_refused(numbers: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(numbers))}.*measures no preemption"):
        run_e2e("nowhere", **numbers)
