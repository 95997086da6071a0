"""From arrays to a `Decision`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kep_preemption.columns import IntArray
from kep_preemption.decision import Decision, Outcome
from kep_preemption.preemption.dry_run import Candidates, DryRun, candidate
from kep_preemption.preemption.evaluator import Evaluator, Filtering, TieBreak


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Makes the decisions of the strategy `strategy`; `note` is added to every reason."""

    strategy: str
    evaluator: Evaluator
    filtering: Filtering
    note: str = ""

    def feasible(self, tie_break: TieBreak) -> Decision:
        """A node takes the pod as it is; a nominated one is tried first, as upstream does.

        Upstream would score the others, which preemption does not need.
        """
        names = self._names(np.flatnonzero(self.filtering.verdicts.feasible))
        nominated = self.filtering.preemptor.nominated_node_name
        ties = (nominated,) if nominated in names else names
        reason = f"{len(names)} of {len(self.filtering.verdicts.nodes)} nodes take the pod as it is"
        return Decision(
            strategy=self.strategy,
            outcome=Outcome.FEASIBLE,
            preemptor=self.filtering.preemptor,
            node=tie_break(ties),
            tie_set=ties,
            statuses=self.evaluator.statuses(self.filtering.verdicts),
            potential=len(self.filtering.potential_nodes),
            reason=self._reason(reason),
        )

    def without_node(self, outcome: Outcome, reason: str) -> Decision:
        """No node is nominated, and no victim was searched."""
        return Decision(
            strategy=self.strategy,
            outcome=outcome,
            preemptor=self.filtering.preemptor,
            statuses=self.evaluator.statuses(self.filtering.verdicts),
            potential=len(self.filtering.potential_nodes),
            reason=self._reason(reason),
        )

    def no_potential_node(self) -> Decision:
        """Preemption can help on no node at all."""
        nodes = len(self.filtering.verdicts.nodes)
        reason = f"preemption helps on none of {nodes} nodes" if nodes else "no nodes available"
        return self.without_node(Outcome.NO_CANDIDATE, reason)

    def of_run(self, run: DryRun, best: IntArray, tie_break: TieBreak) -> Decision:
        """Nominate one of the candidates at the positions `best` of a dry run."""
        ties = self._names(run.nodes[best])
        node = tie_break(ties) if ties else ""
        place = int(best[ties.index(node)]) if ties else -1
        chosen = candidate(self.evaluator.snapshot, run, place) if ties else None
        reason = "" if ties else f"none of the {len(run)} nodes tried would fit the pod"
        return Decision(
            strategy=self.strategy,
            outcome=Outcome.NOMINATED if chosen else Outcome.NO_CANDIDATE,
            preemptor=self.filtering.preemptor,
            node=node,
            victims=chosen.victims if chosen else (),
            num_pdb_violations=chosen.num_pdb_violations if chosen else 0,
            tie_set=ties,
            candidates=Candidates(self.evaluator.snapshot, run),
            statuses=self.evaluator.statuses(self.filtering.verdicts),
            dry_run_failures=self.evaluator.statuses(run.verdicts.select(~run.is_candidate)),
            tried=len(run),
            potential=len(self.filtering.potential_nodes),
            clears_nominations=self._cleared(node),
            reason=self._reason(reason),
        )

    def _cleared(self, node: str) -> tuple[str, ...]:
        """Return the pods of lower priority nominated to `node` (getLowerPriorityNominatedPods)."""
        pods = self.evaluator.snapshot.pods
        return tuple(
            pod.key
            for pod in pods.pods[pods.bound :]
            if pod.nominated_node_name == node and pod.priority < self.filtering.preemptor.priority
        )

    def _names(self, nodes: IntArray) -> tuple[str, ...]:
        return tuple(self.evaluator.snapshot.nodes.names[i] for i in nodes.tolist())

    def _reason(self, reason: str) -> str:
        return "; ".join(filter(None, (reason, self.note)))
