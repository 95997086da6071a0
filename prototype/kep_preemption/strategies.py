"""The strategies by name."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from kep_preemption.decision import Strategy
from kep_preemption.errors import UsageError
from kep_preemption.objects import ClusterState

# Where each strategy's class lies; it is imported when it is asked for.
_CLASSES = {
    "upstream": "kep_preemption.preemption.upstream:Upstream",
    "upstream-one-candidate": "kep_preemption.preemption.upstream:UpstreamOneCandidate",
    "original": "kep_preemption.preemption.original:Original",
    "fast-path": "kep_preemption.fast_path.planner:FastPath",
}
STRATEGY_NAMES = tuple(_CLASSES)


def make_strategy(
    name: str,
    cluster: ClusterState,
    *,
    rng: random.Random | None = None,
    clock: Callable[[], float] | None = None,
    **options: Any,  # noqa: ANN401 (each strategy checks its own)
) -> Strategy:
    """Return the strategy `name`, prepared for `cluster`.

    Args:
        name: one of `STRATEGY_NAMES`.
        cluster: the state it decides about.
        rng: what it draws from (upstream's offset); seeded with 0 if not given.
        clock: seconds of a monotonic clock, for strategies with a deadline.
        options: the strategy's own, such as `min_candidate_nodes_percentage`.

    Raises:
        UsageError: no such strategy, or one that does not know an option.
    """
    if name not in _CLASSES:
        raise UsageError(
            f"strategy {name}",
            "there is no such strategy",
            f"known are {', '.join(STRATEGY_NAMES)}",
        )
    module, _, class_name = _CLASSES[name].partition(":")
    strategy_class = getattr(import_module(module), class_name)
    _check_options(name, strategy_class.OPTIONS, options)
    made: Strategy = strategy_class(
        cluster,
        rng=rng or random.Random(0),  # noqa: S311 (a simulation, nothing secret)
        clock=clock or time.monotonic,
        **options,
    )
    return made


def _check_options(name: str, known: frozenset[str], options: dict[str, Any]) -> None:
    unknown = sorted(set(options) - known)
    if unknown:
        raise UsageError(
            f"strategy {name}",
            f"has no option {', '.join(unknown)}",
            f"its options are {', '.join(sorted(known)) or '(none)'}",
        )
