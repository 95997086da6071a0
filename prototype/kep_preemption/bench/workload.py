"""The benchmarks' workloads: labelled data in `workloads.yaml`, as in scheduler_perf."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any

import yaml

from kep_preemption.errors import InputError, UsageError

WORKLOADS_FILE = "workloads.yaml"


@dataclass(frozen=True, slots=True)
class Workload:
    """The parameters of one synthetic cluster and of the preemptors it is asked about.

    `labels` are the groups a workload belongs to (`quick`, `default`, `large`, `pdb`).
    `priorities` are those of the pods that fill the nodes, spread evenly; preemptors draw
    theirs from `preemptor_priorities`, their CPU request from `preemptor_cpu` (millicores) and
    their memory from `preemptor_memory` (bytes) by the seed. `variation` (0 to 1) is how far the
    share a pod asks of its node may lie from the average. `seed` makes the cluster.
    """

    name: str
    nodes: int
    pods_per_node: int
    pdbs: int = 0
    labels: tuple[str, ...] = ()
    priorities: tuple[int, ...] = (100,)
    preemptor_priorities: tuple[int, ...] = (1000,)
    preemptor_cpu: tuple[int, ...] = (1000,)
    preemptor_memory: tuple[int, ...] = (2 * 1024**3,)
    variation: float = 0.5
    seed: int = 1
    description: str = ""


@cache
def all_workloads() -> tuple[Workload, ...]:
    """Return the workloads that ship with the package, in the file's order."""
    text = resources.files(__package__).joinpath(WORKLOADS_FILE).read_text(encoding="utf-8")
    return tuple(_workload(entry) for entry in yaml.safe_load(text)["workloads"])


def select_workloads(names: Iterable[str]) -> tuple[Workload, ...]:
    """Return the workloads named, or carrying the label named, each once, in the file's order.

    Raises:
        UsageError: a name is neither a workload's nor a label's.
    """
    wanted = tuple(names)
    known = all_workloads()
    for name in wanted:
        if not any(name == w.name or name in w.labels for w in known):
            labels = sorted({label for w in known for label in w.labels})
            raise UsageError(
                f"workload {name}",
                "there is no such workload or label",
                f"workloads: {', '.join(w.name for w in known)}; labels: {', '.join(labels)}",
            )
    return tuple(w for w in known if w.name in wanted or set(w.labels) & set(wanted))


def _workload(entry: dict[str, Any]) -> Workload:
    unknown = set(entry) - {field.name for field in fields(Workload)}
    if unknown:
        raise InputError(
            f"{WORKLOADS_FILE}: {entry.get('name', '?')}",
            f"unknown field {', '.join(sorted(unknown))}",
            f"known are {', '.join(field.name for field in fields(Workload))}",
        )
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()}
    return Workload(**values)
