"""The strategy `upstream`: DefaultPreemption of kube-scheduler 1.34."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from kep_preemption.decision import Decision
from kep_preemption.objects import ClusterState, Pod
from kep_preemption.preemption.conclusion import Conclusion
from kep_preemption.preemption.default_preemption import DefaultPreemptionArgs
from kep_preemption.preemption.evaluator import Evaluator, TieBreak
from kep_preemption.preemption.preliminaries import decide_without_search
from kep_preemption.preemption.selection import best_candidates
from kep_preemption.preemption.unmodelled import check_modelled
from kep_preemption.snapshot import Snapshot


def first_in_order(nodes: Sequence[str]) -> str:
    """Break a tie by taking the node that was tried first; upstream takes any."""
    return nodes[0]


class Upstream:
    """DefaultPreemption's PostFilter, without its API calls.

    Args:
        cluster: the state it decides about.
        rng: draws the offset at which the search begins.
        clock: not used; there is no deadline.
        min_candidate_nodes_percentage: see `DefaultPreemptionArgs`.
        min_candidate_nodes_absolute: see `DefaultPreemptionArgs`.
        all_candidates: try every potential node, whatever the two above say, from the first on.
        allow_unmodelled: decide although the preemptor uses what is not modelled, and say so in
            the decision's reason.
        tie_break: chooses among nodes that the criteria cannot tell apart.
    """

    name = "upstream"
    OPTIONS = frozenset(
        {
            "min_candidate_nodes_percentage",
            "min_candidate_nodes_absolute",
            "all_candidates",
            "allow_unmodelled",
            "tie_break",
        }
    )

    def __init__(
        self,
        cluster: ClusterState,
        *,
        rng: random.Random,
        clock: Callable[[], float],
        min_candidate_nodes_percentage: int = 10,
        min_candidate_nodes_absolute: int = 100,
        all_candidates: bool = False,
        allow_unmodelled: bool = False,
        tie_break: TieBreak = first_in_order,
    ) -> None:
        self.cluster = cluster
        self.evaluator = Evaluator(Snapshot.of(cluster))
        self._rng = rng
        self._args = DefaultPreemptionArgs(
            min_candidate_nodes_percentage, min_candidate_nodes_absolute
        )
        self._all_candidates = all_candidates
        self._allow_unmodelled = allow_unmodelled
        self._tie_break = tie_break
        # Matching PDBs with pods is part of the preparation, like the snapshot.
        _ = self.evaluator.budgets

    def preempt(self, preemptor: Pod) -> Decision:
        """Decide, following upstream's steps; changes nothing.

        Raises:
            UsageError: the preemptor uses what is not modelled and `allow_unmodelled` is off.
        """
        note = check_modelled(preemptor, self._allow_unmodelled)
        filtering = self.evaluator.filter(preemptor)
        conclusion = Conclusion(self.name, self.evaluator, filtering, note)
        early = decide_without_search(self.evaluator, filtering, conclusion, self._tie_break)
        if early is not None:
            return early
        offset, number = self._offset_and_number(len(filtering.potential_nodes))
        run = self.evaluator.find_candidates(filtering, offset, number)
        best = best_candidates(self.evaluator.snapshot, run)
        return conclusion.of_run(run, best, self._tie_break)

    def _offset_and_number(self, potential: int) -> tuple[int, int]:
        """Return where the search begins and how many candidates are enough."""
        if self._all_candidates:
            return 0, potential
        return self._rng.randrange(potential), self._args.number_of_candidates(potential)


class UpstreamOneCandidate(Upstream):
    """The same with percentage 0 and absolute 1: the first candidate without violation wins."""

    name = "upstream-one-candidate"
    OPTIONS = frozenset({"allow_unmodelled", "tie_break"})

    def __init__(
        self,
        cluster: ClusterState,
        *,
        rng: random.Random,
        clock: Callable[[], float],
        allow_unmodelled: bool = False,
        tie_break: TieBreak = first_in_order,
    ) -> None:
        super().__init__(
            cluster,
            rng=rng,
            clock=clock,
            min_candidate_nodes_percentage=0,
            min_candidate_nodes_absolute=1,
            allow_unmodelled=allow_unmodelled,
            tie_break=tie_break,
        )
