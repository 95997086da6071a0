"""A question about one pod: where the cluster comes from, which pod, which strategy."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kep_preemption.cluster_source import ClusterSource, find_pod, read_source
from kep_preemption.errors import UsageError
from kep_preemption.loading.builder import LoadedCluster, notes_on_namespaces
from kep_preemption.objects import Pod
from kep_preemption.report.answer import Answer
from kep_preemption.strategies import make_strategy


@dataclass(frozen=True)
class Question:
    """A cluster, the pod to schedule on it, and the strategy to be asked.

    `waiting` are the pods without a node that could have been asked about instead.
    """

    loaded: LoadedCluster
    source: str
    preemptor: Pod
    waiting: tuple[Pod, ...]
    strategy: str
    seed: int
    options: Mapping[str, Any]
    allow_unmodelled: bool


def read_question(
    source: ClusterSource,
    *,
    pod: str | None = None,
    strategy: str = "upstream",
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    allow_unmodelled: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Question:
    """Get the cluster and find the pod in it or in a file; `tell` hears of each step.

    Raises:
        UsageError: not exactly one source of a cluster is given, or the pod is not to be found.
        InputError: a file cannot be read or an object makes no sense.
    """
    found = read_source(source, tell)
    loaded = found.loaded
    preemptor = find_pod(pod, loaded.cluster, found.waiting)
    # The pod that asks is not part of the state it asks about.
    rest = tuple(p for p in loaded.cluster.pods if p.node_name or p.key != preemptor.key)
    # A pod from a manifest of its own has not been looked at with the cluster's.
    notes = (*loaded.notes, *notes_on_namespaces([preemptor], bool(loaded.cluster.namespaces)))
    loaded = replace(
        loaded, cluster=replace(loaded.cluster, pods=rest), notes=tuple(dict.fromkeys(notes))
    )
    return Question(
        loaded,
        found.name,
        preemptor,
        found.waiting,
        strategy,
        seed,
        options or {},
        allow_unmodelled,
    )


def answer_question(question: Question) -> Answer:
    """Ask the strategy.

    Raises:
        UsageError: the pod uses what is not modelled and that is not allowed, or the strategy
            does not know an option.
    """
    cluster, preemptor = question.loaded.cluster, question.preemptor
    unmodelled = tuple(_unmodelled(preemptor))
    if unmodelled and not question.allow_unmodelled:
        raise UsageError(
            f"pod {preemptor.key}",
            f"the answer may be wrong, as this is not modelled: {'; '.join(unmodelled)}",
            "get an answer that says so with --allow-unmodelled",
        )
    strategy = make_strategy(
        question.strategy,
        cluster,
        rng=random.Random(question.seed),  # noqa: S311 - a simulation, nothing secret
        allow_unmodelled=True,
        **question.options,
    )
    warnings = [f"not modelled, so the answer may be wrong: {what}" for what in unmodelled]
    warnings += _warnings(preemptor)
    return Answer(
        strategy.preempt(preemptor),
        question.loaded,
        question.source,
        question.seed,
        question.options,
        tuple(warnings),
    )


def write_cluster(question: Question, path: Path) -> None:
    """Write the cluster and the pods waiting as a Kubernetes List, in one step.

    Raises:
        UsageError: a pod uses what cannot be written.
        InputError: the file cannot be written.
    """
    from kep_preemption.bench.output import write_atomically
    from kep_preemption.manifests import to_manifests

    bound = tuple(p for p in question.loaded.cluster.pods if p.node_name)
    waiting = {p.key: p for p in (*question.waiting, question.preemptor)}
    listed = to_manifests(replace(question.loaded.cluster, pods=bound), waiting.values())
    write_atomically(path, json.dumps(listed, indent=1) + "\n")


def _unmodelled(preemptor: Pod) -> Iterator[str]:
    if preemptor.unmodelled:
        yield f"the pod's {', '.join(preemptor.unmodelled)}"


def _warnings(preemptor: Pod) -> Iterator[str]:
    if preemptor.node_name:
        yield f"the pod has spec.nodeName {preemptor.node_name}, so no scheduler would see it"
    if preemptor.scheduler_name != "default-scheduler":
        yield (
            f"the pod asks for the scheduler {preemptor.scheduler_name}; "
            "the answer is the default scheduler's"
        )
