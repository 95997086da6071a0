"""Where a question's cluster comes from, and which pod it is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kep_preemption.errors import UsageError
from kep_preemption.loader import read_cluster, read_pod
from kep_preemption.loading.builder import LoadedCluster
from kep_preemption.objects import ClusterState, Pod
from kep_preemption.synthetic import Scenario

_MANIFESTS = (".yaml", ".yml", ".json", ".gz")


@dataclass(frozen=True)
class ClusterSource:
    """One way to a cluster: files, a scenario's name, a shape in one line, a trace's two files."""

    files: Sequence[str] = ()
    scenario: str | None = None
    synthetic: str | None = None
    openb: Sequence[str] | None = None
    allow_unknown_nodes: bool = False


@dataclass(frozen=True)
class Found:
    """A cluster, what to call it, and the pods that wait to be scheduled on it."""

    loaded: LoadedCluster
    name: str
    waiting: tuple[Pod, ...]


def read_source(source: ClusterSource, tell: Callable[[str], None]) -> Found:
    """Read or make the cluster; `tell` hears of each step.

    Raises:
        UsageError: not exactly one way is given, or what it names does not exist.
        InputError: a file cannot be read or an object makes no sense.
    """
    made = (source.scenario, source.synthetic, source.openb)
    given = [bool(source.files), *(way is not None for way in made)]
    if sum(given) != 1:
        raise UsageError(
            "kepler preempt",
            "was given more than one cluster" if any(given) else "needs a cluster",
            "give one of --cluster, --scenario, --synthetic, --openb",
        )
    if source.files:
        unknown = source.allow_unknown_nodes
        loaded = read_cluster(source.files, allow_unknown_nodes=unknown, tell=tell)
        waiting = tuple(pod for pod in loaded.cluster.pods if not pod.node_name)
        return Found(loaded, ", ".join(source.files), waiting)
    tell("making the cluster")
    scenario = _made(*made)
    return Found(LoadedCluster(scenario.cluster), scenario.name, scenario.preemptors)


def find_pod(wanted: str | None, cluster: ClusterState, waiting: tuple[Pod, ...]) -> Pod:
    """Return the pod in the file `wanted`, or the one of that name among those that wait.

    None stands for the waiting pod that the scheduler would take first.

    Raises:
        UsageError: there is no such pod, several, or it is on a node already.
        InputError: the file holds no pod, or one that makes no sense.
    """
    if wanted is None:
        if not waiting:
            raise UsageError(
                "--pod", "is missing, and the input has no pending pod", "give a pod's manifest"
            )
        return _most_important(waiting)
    if wanted == "-" or wanted.endswith(_MANIFESTS) or Path(wanted).is_file():
        return read_pod(wanted, cluster.priority_classes)
    return _named(wanted, cluster, waiting)


def _named(wanted: str, cluster: ClusterState, waiting: tuple[Pod, ...]) -> Pod:
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


def _most_important(waiting: Sequence[Pod]) -> Pod:
    """Return the pod of the highest priority that is not gated, the first listed of equal ones."""
    free = [pod for pod in waiting if "schedulingGates" not in pod.unmodelled]
    return max(free or waiting, key=lambda pod: pod.priority)


def _suggestion(waiting: Sequence[Pod]) -> str:
    names = ", ".join(pod.key for pod in waiting[:5])
    return f"pending pods are {names}" if names else "there is no pending pod; give a manifest"
