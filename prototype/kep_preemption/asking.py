"""A question about one pod: where the cluster comes from, which pod, which strategy."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kep_preemption.errors import UsageError
from kep_preemption.loader import read_cluster, read_pod
from kep_preemption.loading.builder import LoadedCluster
from kep_preemption.objects import ClusterState, Pod
from kep_preemption.report.answer import Answer
from kep_preemption.strategies import make_strategy
from kep_preemption.synthetic import Scenario

_MANIFESTS = (".yaml", ".yml", ".json", ".gz")


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
    *,
    cluster: Sequence[str] = (),
    scenario: str | None = None,
    synthetic: str | None = None,
    openb: Sequence[str] | None = None,
    pod: str | None = None,
    strategy: str = "upstream",
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    allow_unmodelled: bool = False,
    allow_unknown_nodes: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> Question:
    """Read the cluster from files, or make it, and find the pod; `tell` hears of each step.

    Raises:
        UsageError: not exactly one source of a cluster is given, or the pod is not to be found.
        InputError: a file cannot be read or an object makes no sense.
    """
    sources = [bool(cluster), *(made is not None for made in (scenario, synthetic, openb))]
    if sum(sources) != 1:
        raise UsageError(
            "kepler preempt",
            "needs a cluster" if not any(sources) else "was given more than one cluster",
            "give one of --cluster, --scenario, --synthetic, --openb",
        )
    if cluster:
        loaded = read_cluster(cluster, allow_unknown_nodes=allow_unknown_nodes, tell=tell)
        source, waiting = ", ".join(cluster), _waiting(loaded.cluster)
    else:
        tell("making the cluster")
        made = _made(scenario, synthetic, openb)
        loaded, source, waiting = LoadedCluster(made.cluster), made.name, made.preemptors
    preemptor = _find_pod(pod, loaded.cluster, waiting)
    # The pod that asks is not part of the state it asks about.
    rest = tuple(p for p in loaded.cluster.pods if p.node_name or p.key != preemptor.key)
    loaded = replace(loaded, cluster=replace(loaded.cluster, pods=rest))
    return Question(
        loaded, source, preemptor, waiting, strategy, seed, options or {}, allow_unmodelled
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


def _made(scenario: str | None, synthetic: str | None, openb: Sequence[str] | None) -> Scenario:
    from kep_preemption.scenarios import make_scenario, parse_shape
    from kep_preemption.synthetic import synthesize

    if scenario is not None:
        return replace(make_scenario(scenario), name=f"scenario {scenario}")
    if synthetic is not None:
        return synthesize(parse_shape(synthetic), f"synthetic {synthetic}".strip())
    from kep_preemption.trace import read_openb

    nodes, pods = openb or ("", "")
    made = read_openb(nodes, pods)
    return replace(made, name=made.description)


def _waiting(cluster: ClusterState) -> tuple[Pod, ...]:
    return tuple(pod for pod in cluster.pods if not pod.node_name)


def _find_pod(wanted: str | None, cluster: ClusterState, waiting: tuple[Pod, ...]) -> Pod:
    if wanted is None:
        if not waiting:
            raise UsageError(
                "--pod", "is missing, and the input has no pending pod", "give a pod's manifest"
            )
        return _most_important(waiting)
    if wanted == "-" or wanted.endswith(_MANIFESTS) or Path(wanted).is_file():
        return read_pod(wanted, cluster.priority_classes)
    named = [p for p in (*waiting, *cluster.pods) if wanted in (p.key, p.name)]
    if not named:
        raise UsageError(
            f"--pod {wanted}",
            "is no file, and there is no such pod in the input",
            _suggestion(waiting),
        )
    keys = {pod.key for pod in named}
    if len(keys) > 1:
        raise UsageError(
            f"--pod {wanted}",
            f"means {len(keys)} pods",
            f"say which: {', '.join(sorted(keys)[:5])}",
        )
    if named[0].node_name:
        raise UsageError(
            f"--pod {wanted}",
            f"is on node {named[0].node_name} already",
            "give a pending pod, or a manifest without spec.nodeName",
        )
    return named[0]


def _most_important(waiting: Sequence[Pod]) -> Pod:
    """Return the pod that the scheduler would take first: the highest priority, then as listed."""
    return max(waiting, key=lambda pod: pod.priority)


def _suggestion(waiting: Sequence[Pod]) -> str:
    names = ", ".join(pod.key for pod in waiting[:5])
    return f"pending pods are {names}" if names else "there is no pending pod; give a manifest"


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
