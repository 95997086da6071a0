"""First fit: trying nodes in order until one fits or the time is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import IntArray
from kep_preemption.fast_path.budget import Budget
from kep_preemption.preemption.dry_run import DryRun

MAX_BATCH = 256
"""The most nodes tried between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Search:
    """What was tried before the search ended; `run` is None if that was no node at all.

    `found` is the position in `run` of the node that ended it, None if none did. `timed_out`
    says that the budget ended it.
    """

    run: DryRun | None
    found: int | None = None
    timed_out: bool = False


def first_fit(
    dry_run: Callable[[IntArray], DryRun],
    nodes: IntArray,
    budget: Budget,
    *,
    avoid_violations: bool = False,
) -> Search:
    """Try `nodes` in their order: one, then two at once, then four, and so on.

    Nodes of one batch cost little more than a single one, and most searches end at the first.
    With `avoid_violations` only a candidate without PDB violations ends the search.
    """
    run: DryRun | None = None
    tried, size = 0, 1
    while tried < len(nodes):
        if budget.expired:
            return Search(run, timed_out=True)
        batch = dry_run(nodes[tried : tried + size])
        run = batch if run is None else run.then(batch)
        ends = run.is_candidate[tried:]
        if avoid_violations:
            ends = ends & (run.violations[tried:] == 0)
        if ends.any():
            return Search(run, tried + int(np.argmax(ends)))
        tried += len(batch)
        size = min(2 * size, MAX_BATCH)
    return Search(run)
