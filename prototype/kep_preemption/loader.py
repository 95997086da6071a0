"""Read a cluster from what kubectl prints: JSON or YAML, one file or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from kep_preemption.errors import InputError
from kep_preemption.loading import pod
from kep_preemption.loading.builder import Builder, LoadedCluster
from kep_preemption.loading.fields import FieldError
from kep_preemption.loading.garbage import without_collection
from kep_preemption.loading.listing import Listed, objects_in
from kep_preemption.loading.policy import classes_by_name
from kep_preemption.loading.problems import Problems
from kep_preemption.loading.sources import read_documents
from kep_preemption.objects import ClusterState, Pod, PriorityClass

_DUMP = "kubectl get nodes,pods,pdb,priorityclasses -A -o json"


def load_files(paths: Iterable[str | Path], *, allow_unknown_nodes: bool = False) -> ClusterState:
    """Return the cluster that the files hold together; see `read_cluster`."""
    return read_cluster(paths, allow_unknown_nodes=allow_unknown_nodes).cluster


def read_cluster(
    paths: Iterable[str | Path],
    *,
    allow_unknown_nodes: bool = False,
    tell: Callable[[str], None] = lambda _: None,
) -> LoadedCluster:
    """Read a cluster from files (JSON, YAML, either gzipped; `-` for standard input).

    The API server's defaults are applied, which changes nothing about objects that came from
    one. A pod bound to a node that is not in the input is an error unless `allow_unknown_nodes`:
    the scheduler would not see it, and most often the nodes were dumped incompletely. `tell`
    hears of each step. YAML takes ten times as long as JSON.

    Raises:
        InputError: a file cannot be read or an object makes no sense; several problems come
            together as `InputProblemsError`.
    """
    problems = Problems()
    listed: list[Listed] = []
    place = ""
    with without_collection():
        for path in paths:
            tell(f"reading {path}")
            place, documents = read_documents(path)
            for document in documents:
                listed += objects_in(document, place, problems)
        builder = Builder(problems, apply_defaults=True, allow_unknown_nodes=allow_unknown_nodes)
        tell(f"sorting out {len(listed)} objects")
        loaded = builder.build(listed)
        del listed, documents
    if not loaded.cluster.nodes:
        raise InputError(place or "input", "holds no node", f"dump the nodes too: {_DUMP}")
    return loaded


def load_objects(
    objects: Iterable[Any],
    place: str,
    *,
    apply_defaults: bool = False,
    allow_unknown_nodes: bool = True,
) -> ClusterState:
    """Return the cluster made of `objects` (each with its kind), as an API server holds them.

    `place` stands for the file in messages. `apply_defaults` applies the API server's defaults
    first, as needed for hand-written manifests.

    Raises:
        InputError: an object makes no sense; several problems come as `InputProblemsError`.
    """
    problems = Problems()
    with without_collection():
        listed = [entry for item in objects for entry in objects_in(item, place, problems)]
        return Builder(problems, apply_defaults, allow_unknown_nodes).build(listed).cluster


def parse_pod(
    manifest: Mapping[str, Any],
    place: str = "pod",
    priority_classes: Iterable[PriorityClass] = (),
    *,
    apply_defaults: bool = False,
) -> Pod:
    """Return the pod that a manifest describes.

    Raises:
        InputError: the manifest makes no sense, or names a PriorityClass that is not given.
    """
    try:
        return pod.parse_pod(
            manifest, classes_by_name(priority_classes), apply_defaults=apply_defaults
        )
    except FieldError as error:
        raise InputError(f"{place}: {error.field}", error.problem, error.remedy) from None


def read_pod(path: str | Path, priority_classes: Iterable[PriorityClass] = ()) -> Pod:
    """Return the one pod in a file, with the API server's defaults applied.

    PriorityClasses in the same file count as well.

    Raises:
        InputError: the file cannot be read, holds no pod or several, or the pod makes no sense.
    """
    problems = Problems()
    place, documents = read_documents(path)
    listed = [entry for d in documents for entry in objects_in(d, place, problems)]
    problems.raise_if_any()
    pods = [entry for entry in listed if entry.kind == "Pod"]
    if len(pods) != 1:
        others = ", ".join(sorted({e.shown_kind for e in listed} - {"Pod"})) or "nothing else"
        problem = f"holds {len(pods)} pods ({others} besides), expected one"
        remedy = "give a file with one object of kind Pod; of a workload, its pod template"
        raise InputError(place, problem, remedy)
    rest = [entry for entry in listed if entry.kind == "PriorityClass"]
    own = Builder(problems, apply_defaults=True, allow_unknown_nodes=True).build(rest)
    classes = [*priority_classes, *own.cluster.priority_classes]
    return parse_pod(pods[0].fields, pods[0].place, classes, apply_defaults=True)
