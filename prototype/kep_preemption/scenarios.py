"""The named scenarios of `scenarios.yaml`, and shapes written in one line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any

import yaml

from kep_preemption.errors import UsageError
from kep_preemption.loader import load_objects
from kep_preemption.objects import ClusterState
from kep_preemption.quantity import milli, parse_quantity, whole
from kep_preemption.synthetic import Scenario, Shape, synthesize

SCENARIOS_FILE = "scenarios.yaml"


def scenario_names() -> tuple[str, ...]:
    """Return the scenarios' names in the file's order."""
    return tuple(_entries())


def scenario_descriptions() -> Mapping[str, str]:
    """Return what each scenario shows, by name."""
    return {name: entry["description"] for name, entry in _entries().items()}


def make_scenario(name: str) -> Scenario:
    """Return the scenario `name`.

    Raises:
        UsageError: there is no such scenario.
    """
    if name not in _entries():
        known = ", ".join(scenario_names())
        raise UsageError(f"scenario {name}", "there is no such scenario", f"known are {known}")
    entry = _entries()[name]
    if "shape" in entry:
        return synthesize(_shape(entry["shape"]), name, entry["description"])
    state = load_objects(entry["objects"], f"{SCENARIOS_FILE}: {name}")
    bound = tuple(pod for pod in state.pods if pod.node_name)
    waiting = tuple(pod for pod in state.pods if not pod.node_name)
    cluster = ClusterState(state.nodes, bound, state.pdbs, state.priority_classes)
    return Scenario(name, entry["description"], cluster, waiting)


def parse_shape(text: str) -> Shape:
    """Return the shape written as `nodes=100,pods_per_node=30,priorities=0:3/100:1`.

    CPU and memory are Kubernetes quantities (`node_cpu=2`, `pod_memory=800Mi`), lists are parted
    by slashes, and a priority's weight follows a colon.

    Raises:
        UsageError: a parameter does not exist, or its value makes no sense.
    """
    values: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or name not in _PARSERS:
            close = get_close_matches(name, _PARSERS, 1)
            remedy = f"did you mean {close[0]}?" if close else f"known are {', '.join(_PARSERS)}"
            problem = "no such parameter" if equals else "is not written name=value"
            raise UsageError(f"synthetic cluster: {part}", problem, remedy)
        try:
            values[name] = _PARSERS[name](value)
        except ValueError as error:
            remedy = f"for example {name}={_EXAMPLES.get(name, '10')}"
            raise UsageError(f"synthetic cluster: {part}", str(error), remedy) from None
    return Shape(**values)


@cache
def _entries() -> Mapping[str, Mapping[str, Any]]:
    text = resources.files(__package__).joinpath(SCENARIOS_FILE).read_text(encoding="utf-8")
    return {entry["name"]: entry for entry in yaml.safe_load(text)["scenarios"]}


def _shape(values: Mapping[str, Any]) -> Shape:
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in values.items()}
    return Shape(**given)


def _weights(text: str) -> dict[int, int]:
    pairs = (part.partition(":") for part in text.split("/"))
    return {int(priority): int(weight or 1) for priority, _, weight in pairs}


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("/"))


def _cpu(text: str) -> int:
    return milli(parse_quantity(text))


def _bytes(text: str) -> int:
    return whole(parse_quantity(text))


_BY_NAME: Mapping[str, Callable[[str], Any]] = {
    "priorities": _weights,
    "pdb_allowed": _numbers,
    "fill": float,
    "variation": float,
    "taint": str,
    "node_prefix": str,
    "pod_cpu": _cpu,
    "node_cpu": _cpu,
    "preemptor_cpu": _cpu,
    "pod_memory": _bytes,
    "node_memory": _bytes,
    "preemptor_memory": _bytes,
}
_PARSERS: Mapping[str, Callable[[str], Any]] = {
    field.name: _BY_NAME.get(field.name, int) for field in fields(Shape)
}
_EXAMPLES = {
    "priorities": "0:3/100:1",
    "pdb_allowed": "0/1",
    "fill": "0.9",
    "variation": "0.5",
    "pod_cpu": "250m",
    "node_cpu": "4",
    "preemptor_cpu": "1500m",
    "pod_memory": "512Mi",
    "node_memory": "16Gi",
    "preemptor_memory": "2Gi",
}
