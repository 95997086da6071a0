"""The workloads that ship, and their preemptors."""

import pytest

from kep_preemption.bench.preemptors import make_preemptors
from kep_preemption.bench.workload import all_workloads, select_workloads
from kep_preemption.errors import UsageError


def test_names_are_unique_and_described() -> None:
    workloads = all_workloads()
    assert len({w.name for w in workloads}) == len(workloads)
    assert all(w.description and w.labels and w.nodes > 0 for w in workloads)


def test_selection_by_name_and_label_keeps_the_files_order() -> None:
    names = [w.name for w in select_workloads(["large", "edge-10", "5000x30"])]
    assert names == ["edge-10", "5000x30", "5000x30-pdb"]


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(UsageError, match=r"workload nope: there is no such .*edge-10.*labels: "):
        select_workloads(["nope"])


@pytest.mark.parametrize("workload", all_workloads(), ids=lambda w: w.name)
def test_preemptors_vary_and_repeat_by_seed(workload) -> None:
    pods = make_preemptors(workload, 40, 3)
    assert pods == make_preemptors(workload, 60, 3)[:40]
    assert pods != make_preemptors(workload, 40, 4)
    assert len({(p.priority, *p.requests.values()) for p in pods}) > 4
    assert {p.priority for p in pods} <= set(workload.preemptor_priorities)
    assert all(p.priority > min(workload.priorities) for p in pods)
