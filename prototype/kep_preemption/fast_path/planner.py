"""The strategy `fast-path`: what KEP-4389 proposes.

Nodes come from the cached snapshot, are tried in the order of their preemption score, and the
first that fits ends the search, which has 500 ms. Where the proposal's code has placeholders:

- `calculatePreemptionScore` returns a constant; its comment asks for fewer low-priority pods.
  Here the score is the estimated cost by upstream's own criteria (`scores.py`).
- `checkNodeFitFastPath` says yes to every node and names no victims: here it is upstream's
  search, with upstream's filters and PodDisruptionBudgets.
- One goroutine a node races for the first answer, so the order of the scores does not bind:
  here the best score that fits wins, always. Equal scores keep the order of the nodes.
- When the time is over it drops what it has. So it does here, unless `avoid_violations` has
  kept a candidate back.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from kep_preemption.decision import Decision, Outcome
from kep_preemption.errors import UsageError
from kep_preemption.fast_path.budget import DEFAULT_BUDGET_SECONDS, Budget
from kep_preemption.fast_path.reprieve_order import ReprieveOrder, reprieve_order
from kep_preemption.fast_path.scores import Scores, score_nodes
from kep_preemption.fast_path.search import Search, first_fit
from kep_preemption.objects import ClusterState, Pod
from kep_preemption.preemption.conclusion import Conclusion
from kep_preemption.preemption.evaluator import Evaluator, Filtering
from kep_preemption.preemption.preliminaries import decide_without_search
from kep_preemption.preemption.selection import best_candidates
from kep_preemption.preemption.unmodelled import check_modelled
from kep_preemption.preemption.upstream import first_in_order
from kep_preemption.snapshot import Snapshot

CACHED_LEVELS = 16
"""For so many levels of priority the pods' layout is kept."""


class FastPath:
    """Score-ordered first fit under a time budget.

    Args:
        cluster: the state it decides about.
        rng: not used; nothing is drawn.
        clock: the budget's, monotonic, in seconds.
        budget_seconds: bounds scoring and search; the filters before belong to the scheduling
            cycle. None for no bound.
        avoid_violations: go on past candidates that violate a PodDisruptionBudget. If no other
            is found, in time or at all, upstream's criteria choose among them.
        allow_unmodelled: decide although the preemptor uses what is not modelled, and say so in
            the decision's reason.

    Raises:
        UsageError: the budget is negative.
    """

    name = "fast-path"
    OPTIONS = frozenset({"budget_seconds", "avoid_violations", "allow_unmodelled"})

    def __init__(
        self,
        cluster: ClusterState,
        *,
        rng: random.Random,
        clock: Callable[[], float],
        budget_seconds: float | None = DEFAULT_BUDGET_SECONDS,
        avoid_violations: bool = False,
        allow_unmodelled: bool = False,
    ) -> None:
        if budget_seconds is not None and not budget_seconds >= 0:
            raise UsageError(
                "budget_seconds", f"{budget_seconds} is no span of time", "give 0 or more, or none"
            )
        self.cluster = cluster
        self.evaluator = Evaluator(Snapshot.of(cluster))
        self._clock = clock
        self._budget_seconds = budget_seconds
        self._avoid_violations = avoid_violations
        self._allow_unmodelled = allow_unmodelled
        pods = self.evaluator.snapshot.pods
        self._priorities = np.unique(pods.priority[: pods.bound])
        self._layout: Callable[[int], ReprieveOrder] = lru_cache(CACHED_LEVELS)(self._lay_out)
        # Matching PDBs with pods is part of the preparation, like the snapshot.
        _ = self.evaluator.budgets

    def preempt(self, preemptor: Pod) -> Decision:
        """Decide; changes nothing.

        Raises:
            UsageError: the preemptor uses what is not modelled and `allow_unmodelled` is off.
        """
        note = check_modelled(preemptor, self._allow_unmodelled)
        filtering = self.evaluator.filter(preemptor)
        conclusion = Conclusion(self.name, self.evaluator, filtering, note)
        decision = decide_without_search(self.evaluator, filtering, conclusion, first_in_order)
        if decision is not None:
            return decision
        budget = Budget(self._budget_seconds, self._clock)
        search = first_fit(
            lambda nodes: self.evaluator.dry_run(filtering, nodes),
            self.score(preemptor).order(filtering.potential_nodes),
            budget,
            avoid_violations=self._avoid_violations,
        )
        return self._conclude(search, filtering, conclusion, budget)

    def score(self, preemptor: Pod) -> Scores:
        """Estimate what `preemptor` would cost on each node of the snapshot, in its order.

        The layout of the pods below its priority is cached: preemptors between the same two
        priorities share one.
        """
        level = int(np.searchsorted(self._priorities, preemptor.priority))
        return score_nodes(self._layout(level), self.evaluator.snapshot.nodes, preemptor.requests)

    def _lay_out(self, level: int) -> ReprieveOrder:
        """Lay out the pods of the `level` lowest priorities."""
        above = self._priorities[level : level + 1].tolist() or [int(np.iinfo(np.int64).max)]
        return reprieve_order(self.evaluator.snapshot, self.evaluator.budgets, above[0])

    def _conclude(
        self, search: Search, filtering: Filtering, conclusion: Conclusion, budget: Budget
    ) -> Decision:
        potential = len(filtering.potential_nodes)
        if search.run is None:
            reason = f"the budget of {budget.seconds} s was over before the first node"
            return conclusion.without_node(Outcome.TIMED_OUT, reason)
        if search.found is not None:
            best = np.array([search.found], dtype=np.int64)
        elif self._avoid_violations:
            best = best_candidates(self.evaluator.snapshot, search.run)
        else:
            best = np.zeros(0, dtype=np.int64)
        decision = conclusion.of_run(search.run, best, first_in_order)
        if search.timed_out:
            reason = f"{len(search.run)} of {potential} nodes tried in {budget.elapsed:.3f} s"
            decision = replace(
                decision,
                outcome=Outcome.TIMED_OUT,
                reason="; ".join(filter(None, (reason, conclusion.note))),
            )
        return decision
