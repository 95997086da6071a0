"""The benchmark's tables, facts and figures, from samples whose answers are known."""

from dataclasses import replace
from xml.etree import ElementTree

import pandas as pd
import pytest

from kep_preemption.bench.samples import Sample
from kep_workbench.benchmark_figures import growth_figure, latency_figure, quality_figure
from kep_workbench.benchmark_tables import (
    comparisons,
    facts,
    growth_table,
    latency_table,
    quality_table,
    to_frame,
    verdict_table,
)

STRATEGIES = ["upstream", "fast-path"]
MS = 1_000_000


def sample(strategy, iteration, milliseconds, **changes):
    plain = Sample(
        strategy=strategy,
        workload="w",
        nodes=10,
        pods_per_node=5,
        pdbs=0,
        iteration=iteration,
        nanoseconds=int(milliseconds * MS),
        outcome="nominated",
        node="n",
        victims=2,
        violations=0,
        highest_victim_priority=100,
        priority_sum=200,
        same_choice_as_upstream=True,
        regret="",
        tried=10,
        potential=10,
    )
    return replace(plain, **changes)


@pytest.fixture
def frame():
    samples = [sample("upstream", i, 10 + i / 10) for i in range(100)]
    worse = {"same_choice_as_upstream": False, "regret": "violations", "violations": 1}
    none = {"outcome": "no-candidate", "victims": 0, "highest_victim_priority": None}
    none |= {"priority_sum": None, "node": "", "same_choice_as_upstream": False}
    none |= {"regret": "no-node", "tried": 0}
    for i in range(100):
        changes = worse if i < 25 else none if i == 99 else {}
        samples.append(sample("fast-path", i, 1 + i / 100, **changes))
    return to_frame(samples)


def test_latency_has_percentiles_in_milliseconds(frame):
    table = latency_table(frame, STRATEGIES, "here")
    assert [column.unit for column in table.columns[2:]] == ["ms"] * 5
    assert table.rows[0] == ("upstream", 100, 10.0, 14.95, 19.405, 19.801, 19.9)
    few = latency_table(frame[frame["iteration"] < 99], STRATEGIES, "here")
    assert few.rows[0][5] is None  # no p99 from fewer than 100 samples


def test_verdicts_are_relative_to_upstream(frame):
    table = verdict_table(comparisons(frame, STRATEGIES), "here")
    ((strategy, ratio, low, high, verdict),) = table.rows
    assert (strategy, ratio, verdict) == ("fast-path", 0.1, "faster")
    assert low < ratio < high
    assert comparisons(frame, ["fast-path"]) == {}


def test_equal_arms_are_inconclusive():
    samples = [sample(name, i, 10 + i % 7) for name in STRATEGIES for i in range(50)]
    found = comparisons(to_frame(samples), STRATEGIES)
    assert found["fast-path"].verdict.value == "inconclusive"


def test_quality_counts_what_differs_from_upstream(frame):
    table = quality_table(frame, STRATEGIES, "here")
    names = [column.name for column in table.columns]
    upstream, fast = (dict(zip(names, row, strict=True)) for row in table.rows)
    assert upstream["same as upstream"] == 100
    assert upstream["worse by"] == "never"
    assert fast["same as upstream"] == 74
    assert fast["nominated"] == 99
    assert fast["PDB violations"] == 0.25
    assert fast["victims"] == 2  # of the decisions that have any
    assert fast["worse by"] == "violations 25, no-node 1"


def test_growth_has_one_row_for_each_number_of_nodes(frame):
    bigger = frame.assign(nodes=1000, latency_ms=frame["latency_ms"] * 3)
    both = pd.concat([frame, bigger])
    table = growth_table(both, STRATEGIES, "here")
    assert [row[:2] for row in table.rows] == [
        (10, "upstream"),
        (10, "fast-path"),
        (1000, "upstream"),
        (1000, "fast-path"),
    ]
    assert table.rows[2][2] == pytest.approx(3 * table.rows[0][2], rel=1e-3)


def test_facts_carry_what_prose_may_cite(frame):
    found = {fact.id: (fact.value, fact.unit) for fact in facts(frame, STRATEGIES)}
    assert found["latency-p50-upstream"] == (14.95, "ms")
    assert found["latency-p99-fast-path"][1] == "ms"
    assert found["ratio-fast-path"] == (0.1, "")
    assert found["verdict-fast-path"] == ("faster", "")
    assert found["violations-fast-path"] == (25, "")
    assert found["same-choice-fast-path"] == (74.0, "%")
    assert "ratio-upstream" not in found


@pytest.mark.parametrize("draw", [latency_figure, quality_figure, growth_figure])
def test_figures_are_svg_and_the_same_samples_draw_the_same(frame, draw):
    first, second = (draw(frame, STRATEGIES, "simulated cluster of ten nodes") for _ in range(2))
    assert first == second
    assert ElementTree.fromstring(first.data).tag == "{http://www.w3.org/2000/svg}svg"
    assert first.alt
    assert "simulated" in first.caption
    other = draw(frame.assign(latency_ms=frame["latency_ms"] * 2), STRATEGIES, "simulated")
    assert other.data != first.data


def test_a_strategy_without_any_victim_can_be_drawn(frame):
    columns = {"victims": 0, "highest_victim_priority": None}
    empty = frame.assign(**columns)
    assert quality_figure(empty, STRATEGIES, "simulated").data
    assert quality_table(empty, STRATEGIES, "here").rows[0][4] is None
