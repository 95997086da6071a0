"""Measuring: what a sample says is what the strategies decided."""

import gc
import itertools
from collections import Counter

import pytest

from kep_preemption.bench.arms import Arm
from kep_preemption.bench.runner import Progress, measure
from kep_preemption.bench.workload import Workload, select_workloads
from kep_preemption.errors import UsageError
from kep_preemption.strategies import STRATEGY_NAMES, make_strategy

TINY = Workload(
    "tiny", 6, 6, pdbs=2, priorities=(0, 10, 20), preemptor_priorities=(15, 100),
    preemptor_cpu=(300, 900), preemptor_memory=(2**28,),
)  # fmt: skip


def test_one_sample_for_each_strategy_and_preemptor() -> None:
    samples = measure(STRATEGY_NAMES, [TINY], iterations=6, warmup=1)
    assert Counter(s.strategy for s in samples) == dict.fromkeys(STRATEGY_NAMES, 6)
    assert all(s.nanoseconds > 0 and s.simulated and s.workload == "tiny" for s in samples)
    assert {s.nodes for s in samples} == {6}
    assert all((s.victims > 0) == (s.highest_victim_priority is not None) for s in samples)
    assert len({(s.node, s.victims) for s in samples}) > 2


def test_decisions_repeat_by_seed_while_the_order_of_the_arms_varies() -> None:
    def run(seed: int) -> list[tuple[str, int, str, int]]:
        samples = measure(STRATEGY_NAMES, [TINY], iterations=8, seed=seed)
        return [(s.strategy, s.iteration, s.node, s.victims) for s in samples]

    assert run(1) == run(1)
    assert run(1) != run(2)
    first_of_round = {s for s, i, _, _ in run(1)[::4]}
    assert len(first_of_round) > 1


def test_upstream_over_all_candidates_is_always_upstreams_choice() -> None:
    exact = Arm("exact", lambda cluster, _: make_strategy("upstream", cluster, all_candidates=True))
    samples = measure([exact, "original", "upstream"], [TINY], iterations=12)
    by_arm = {name: [s for s in samples if s.strategy == name] for name in ("exact", "original")}
    assert all(s.same_choice_as_upstream and not s.regret for s in by_arm["exact"])
    assert not all(s.same_choice_as_upstream for s in by_arm["original"])
    assert all(bool(s.regret) != s.same_choice_as_upstream for s in by_arm["original"])


def test_only_decisions_are_timed_and_the_collector_is_put_back() -> None:
    ticks = itertools.count(0, 7)
    samples = measure(["upstream"], [TINY], iterations=3, clock=lambda: next(ticks))
    assert [s.nanoseconds for s in samples] == [7, 7, 7]
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_progress_counts_to_the_total() -> None:
    seen: list[Progress] = []
    measure(["upstream", "fast-path"], [TINY], iterations=2, progress=seen.append)
    assert seen[0] == Progress(0, 4, "tiny: building the cluster")
    assert seen[-1] == Progress(4, 4, "done")
    assert [p.done for p in seen] == sorted(p.done for p in seen)


@pytest.mark.parametrize("strategies", [[], ["upstream", "upstream"], ["nope"]])
def test_bad_arms_are_refused(strategies: list[str]) -> None:
    with pytest.raises(UsageError):
        measure(strategies, [TINY], iterations=1)


def test_no_iteration_is_refused() -> None:
    with pytest.raises(UsageError, match="make no measurement"):
        measure(["upstream"], [TINY], iterations=0)


def test_in_the_shipped_scenarios_every_arm_has_to_preempt() -> None:
    """Else the benchmark would time something else than preemption."""
    samples = measure(STRATEGY_NAMES, select_workloads(["quick"]), iterations=4)
    assert {s.outcome for s in samples} == {"nominated"}
