"""All that a report says about one preemptor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from kep_preemption.decision import Decision, Outcome
from kep_preemption.explain import NodeExplanation, Victim, explain_nodes, explain_victims
from kep_preemption.loading.builder import LoadedCluster


@dataclass(frozen=True)
class Answer:
    """A decision with where its input came from and how it was asked for.

    `source` names the files or the scenario; `options` are the strategy's own; `warnings` say
    what may make the answer differ from a real scheduler's.
    """

    decision: Decision
    loaded: LoadedCluster
    source: str
    seed: int
    options: Mapping[str, object] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether the pod gets a node, with or without preemption."""
        return self.decision.outcome in (Outcome.FEASIBLE, Outcome.NOMINATED)

    @cached_property
    def nodes(self) -> tuple[NodeExplanation, ...]:
        """Every node's verdict."""
        return tuple(explain_nodes(self.decision, self.loaded.cluster))

    @cached_property
    def victims(self) -> tuple[Victim, ...]:
        """The pods that would be preempted."""
        return tuple(explain_victims(self.decision, self.loaded.cluster))
