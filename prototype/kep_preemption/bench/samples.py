"""One measured decision, as a row."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Sample:
    """One decision of one strategy, timed alone.

    `nanoseconds` runs from the call of the strategy to its decision: filtering, search and
    choice on a prepared snapshot. No pod is deleted and no server called; `original` contains
    its simulated list of nodes. `highest_victim_priority` and `priority_sum` (the plain sum of
    the victims' priorities) are None without victims.

    `same_choice_as_upstream`: the node is one that upstream, trying all candidates, cannot tell
    from its best (its tie set), with the victims it finds there; or both nominate none. `regret`
    names the first of upstream's criteria by which the choice is worse: `violations`,
    `highest-priority`, `priority-sum`, `victims`, `start-time`; `no-node` if only upstream
    nominates one, '' if the choice is no worse. `simulated` is always True: the cluster is in
    memory.
    """

    strategy: str
    workload: str
    nodes: int
    pods_per_node: int
    pdbs: int
    iteration: int
    nanoseconds: int
    outcome: str
    node: str
    victims: int
    violations: int
    highest_victim_priority: int | None
    priority_sum: int | None
    same_choice_as_upstream: bool
    regret: str
    tried: int
    potential: int
    simulated: bool = True

    def to_row(self) -> dict[str, Any]:
        """Return the fields by name, as plain JSON values."""
        return asdict(self)
