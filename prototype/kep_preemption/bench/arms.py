"""What is compared: strategies as they are made for one cluster."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kep_preemption.decision import Strategy
from kep_preemption.errors import UsageError
from kep_preemption.objects import ClusterState
from kep_preemption.strategies import make_strategy


@dataclass(frozen=True, slots=True)
class Arm:
    """A strategy under a name; `make` takes the cluster and a seed for what it draws."""

    name: str
    make: Callable[[ClusterState, int], Strategy]


def make_arms(strategies: Sequence[str | Arm]) -> tuple[Arm, ...]:
    """Return an arm for each entry; a name stands for the strategy with its defaults.

    Raises:
        UsageError: no entry, or two of one name.
    """
    arms = tuple(_named(s) if isinstance(s, str) else s for s in strategies)
    names = [arm.name for arm in arms]
    if not arms or len(set(names)) < len(names):
        raise UsageError(
            f"strategies {', '.join(names) or '(none)'}",
            "each arm of a benchmark needs a name of its own, and there must be one",
            "name each strategy once",
        )
    return arms


def _named(name: str) -> Arm:
    return Arm(
        name,
        lambda cluster, seed: make_strategy(name, cluster, rng=random.Random(seed)),  # noqa: S311
    )


def make_reference(cluster: ClusterState) -> Strategy:
    """Return upstream over all candidates, which is what choices are compared with."""
    return make_strategy("upstream", cluster, all_candidates=True)
