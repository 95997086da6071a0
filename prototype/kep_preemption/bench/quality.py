"""How good a decision's victims are, beside what upstream would have chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kep_preemption.decision import Decision
from kep_preemption.objects import Pod

_PRIORITY_OFFSET = 2**31
_NEVER_STARTED = 2**63 - 1

CRITERIA = ("violations", "highest-priority", "priority-sum", "victims", "start-time")


@dataclass(frozen=True, slots=True)
class Quality:
    """The victims of one decision; the priorities are None without victims."""

    victims: int
    violations: int
    highest_victim_priority: int | None
    priority_sum: int | None


def quality(decision: Decision) -> Quality:
    """Return the figures of `decision`'s victims."""
    priorities = [victim.priority for victim in decision.victims]
    return Quality(
        victims=len(priorities),
        violations=decision.num_pdb_violations,
        highest_victim_priority=max(priorities, default=None),
        priority_sum=sum(priorities) if priorities else None,
    )


def same_choice(decision: Decision, reference: Decision) -> bool:
    """Tell whether upstream, having tried all candidates, might have decided the same.

    True if the node is in the reference's tie set and the victims are those the reference found
    there, or if neither nominates a node.
    """
    if not reference.node or not decision.node:
        return reference.node == decision.node
    if decision.node not in reference.tie_set:
        return False
    # Where nothing needs preempting there are no candidates, and no victims to compare.
    expected = next((c.victims for c in reference.candidates if c.node == decision.node), ())
    return _names(decision.victims) == _names(expected)


def regret(decision: Decision, reference: Decision) -> str:
    """Name the first of upstream's criteria by which `decision` is worse than `reference`.

    '' if it is none; `no-node` if only the reference nominates one.
    """
    if not reference.node:
        return ""
    if not decision.node:
        return "no-node"
    if not reference.victims or not decision.victims:
        return "victims" if decision.victims else ""
    mine = _criteria(decision.victims, decision.num_pdb_violations)
    best = _criteria(reference.victims, reference.num_pdb_violations)
    for name, left, right in zip(CRITERIA, mine, best, strict=True):
        if left != right:
            return name if left > right else ""
    return ""


def _names(victims: Sequence[Pod]) -> set[tuple[str, str]]:
    return {(victim.key, victim.uid) for victim in victims}


def _criteria(victims: Sequence[Pod], violations: int) -> tuple[int, ...]:
    """Return upstream's five criteria (`pickOneNodeForPreemption`), the least being the best."""
    highest = max(victim.priority for victim in victims)
    starts = [
        _NEVER_STARTED if victim.start_time is None else victim.start_time
        for victim in victims
        if victim.priority == highest
    ]
    total = sum(victim.priority + _PRIORITY_OFFSET for victim in victims)
    return (violations, highest, total, len(victims), -min(starts))
