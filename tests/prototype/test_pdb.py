"""Which pods violate a PodDisruptionBudget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.scheduling import cluster, node, pdb, pod, preemptor
from kep_preemption.objects import Pod, PodDisruptionBudget
from kep_preemption.preemption.lockstep import first_below
from kep_preemption.preemption.pdb import BudgetColumns, filter_pods_with_pdb_violation, matches
from kep_preemption.selectors import LabelSelector, Requirement
from kep_preemption.snapshot import Snapshot

WEB = {"app": "web"}
ABSENT = LabelSelector({}, (Requirement("app", "DoesNotExist"),))


@pytest.mark.parametrize(
    ("budget", "candidate", "match"),
    [
        (pdb("b", 0, WEB), pod("p", labels=WEB), True),
        (pdb("b", 0, WEB), pod("p", labels={"app": "db"}), False),
        (pdb("b", 0, WEB), pod("p", labels=WEB, namespace="other"), False),
        (pdb("b", 0, WEB, disrupted_pods=frozenset({"p"})), pod("p", labels=WEB), False),
        (pdb("b", 0, WEB, disrupted_pods=frozenset({"q"})), pod("p", labels=WEB), True),
        (pdb("b", 0, {}), pod("p", labels=WEB), False),
        (PodDisruptionBudget("default", "b", None, 0), pod("p", labels=WEB), False),
        (PodDisruptionBudget("default", "b", ABSENT, 0), pod("p"), False),
        (PodDisruptionBudget("default", "b", ABSENT, 0), pod("p", labels={"x": "y"}), True),
    ],
)
def test_matches(budget: PodDisruptionBudget, candidate: Pod, match: bool) -> None:
    assert matches(budget, candidate) is match


def violating(pods: list[Pod], *pdbs: PodDisruptionBudget) -> list[str]:
    return [p.name for p in filter_pods_with_pdb_violation(pods, pdbs)[0]]


def test_the_most_important_pods_spend_the_budget() -> None:
    pods = [pod(name, labels=WEB) for name in "abc"]
    assert violating(pods, pdb("b", 1, WEB)) == ["b", "c"]
    assert violating(pods, pdb("b", 3, WEB)) == []
    assert violating(pods, pdb("b", -1, WEB)) == ["a", "b", "c"]


def test_every_matching_budget_is_charged_exhausted_or_not() -> None:
    both = {"app": "web", "tier": "front"}
    pods = [pod("a", labels=both), pod("b", labels={"tier": "front"})]
    budgets = pdb("exhausted", 0, WEB), pdb("other", 1, {"tier": "front"})
    assert violating(pods, *budgets) == ["a", "b"]


LABELS = st.sampled_from([{}, WEB, {"app": "db"}, {"app": "web", "tier": "x"}, {"tier": "x"}])


@given(
    st.lists(st.tuples(st.sampled_from("nm"), st.integers(0, 3), LABELS), max_size=30),
    st.lists(st.tuples(st.integers(-1, 3), LABELS, st.frozensets(st.just("p1"))), max_size=4),
    st.integers(0, 4),
)
def test_columns_say_what_upstreams_loop_says(shapes, budgets, priority) -> None:
    pods = [
        pod(f"p{i}", name, level, labels=labels, start_time=i)
        for i, (name, level, labels) in enumerate(shapes)
    ]
    pdbs = [
        pdb(f"b{i}", allowed, labels, disrupted_pods=disrupted)
        for i, (allowed, labels, disrupted) in enumerate(budgets)
    ]
    snapshot = Snapshot.of(cluster([node("n"), node("m")], pods, pdbs))
    for index in (0, 1):
        nodes = snapshot.nodes.taint_set * 0 + index
        first = first_below(snapshot, nodes[:1], preemptor(priority=priority).priority)
        found = BudgetColumns.of(snapshot).violating(snapshot, nodes[:1], first)
        potential = [snapshot.pods.pods[i] for i in snapshot.pods.on_node(index)]
        potential = [p for p in potential if p.priority < priority]
        expected, _ = filter_pods_with_pdb_violation(potential, pdbs)
        bound = snapshot.pods.pods[: snapshot.pods.bound]
        assert [p for p, is_violating in zip(bound, found, strict=True) if is_violating] == expected
