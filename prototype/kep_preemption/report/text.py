"""The answer as text: who would be preempted, where, and why not elsewhere."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from kep_preemption.decision import Decision, Outcome
from kep_preemption.objects import CPU, MEMORY
from kep_preemption.report.amounts import amount, requests_text, time_text
from kep_preemption.report.answer import Answer
from kep_preemption.report.groups import Group, group_nodes

_INDENT = "  "


def to_text(answer: Answer, examples: int = 3, width: int = 80) -> str:
    """Return the answer in lines of at most `width` columns, where names allow it.

    `examples` is how many nodes of each group are shown.
    """
    lines = [*_head(answer, width), *_victims(answer, width), *_groups(answer, examples, width)]
    lines += _notes(answer, width)
    return "\n".join(lines)


def _head(answer: Answer, width: int) -> Iterator[str]:
    decision, cluster = answer.decision, answer.loaded.cluster
    pod = decision.preemptor
    yield from _wrap(
        f"Pod {pod.key}, priority {pod.priority}, asks for {requests_text(pod.requests)}.", width
    )
    yield from _wrap(
        f"Cluster: {_count(len(cluster.nodes), 'node')}, {_count(len(cluster.pods), 'pod')}, "
        f"{_count(len(cluster.pdbs), 'PDB')}, from {answer.source}.",
        width,
    )
    yield ""
    yield from _wrap(_verdict(decision), width)


def _verdict(decision: Decision) -> str:
    reason = decision.reason.rstrip(".")
    match decision.outcome:
        case Outcome.FEASIBLE:
            also = len(decision.tie_set) - 1
            others = f" ({also} more would do)" if also > 0 else ""
            return f"No preemption: node {decision.node} takes the pod as it is{others}."
        case Outcome.NOMINATED:
            return (
                f"Strategy {decision.strategy} preempts "
                f"{_count(len(decision.victims), 'pod')} on node {decision.node}, with "
                f"{_count(decision.num_pdb_violations, 'PDB violation')}."
            )
        case Outcome.NOT_ELIGIBLE:
            return f"Strategy {decision.strategy} preempts nothing: {reason}."
        case Outcome.TIMED_OUT:
            return f"Strategy {decision.strategy} found nothing in time: {reason}."
        case _:
            return f"No node helps: {reason}."


def _victims(answer: Answer, width: int) -> Iterator[str]:
    if not answer.victims:
        return
    yield ""
    others = sorted({name for v in answer.victims for name in v.pod.requests} - {CPU, MEMORY})
    names = [CPU, MEMORY, *others]
    rows = [("VICTIM", "PRIORITY", *(name.upper() for name in names), "STARTED")]
    for victim in answer.victims:
        pod = victim.pod
        asks = [
            amount(name, pod.requests[name]) if pod.requests.get(name) else "-" for name in names
        ]
        rows.append((pod.key, str(pod.priority), *asks, time_text(pod.start_time)))
    yield from _table(rows, width)
    for victim in answer.victims:
        for pdb in victim.budgets:
            allowed = _count(pdb.disruptions_allowed, "disruption")
            yield from _wrap(
                f"{victim.pod.key} is under PDB {pdb.name}, which allows {allowed}", width, _INDENT
            )


def _groups(answer: Answer, examples: int, width: int) -> Iterator[str]:
    groups = group_nodes(answer)
    if not groups:
        return
    yield ""
    yield _question(sum(len(group.nodes) for group in groups), chosen=bool(answer.decision.node))
    size = max(len(str(len(group.nodes))) for group in groups)
    for group in groups:
        hanging = " " * (size + 4)
        first = f"{_INDENT}{len(group.nodes):>{size}}  "
        yield from _wrap(group.reason, width, hanging, first)
        yield from _examples(group, examples, width, hanging)


def _question(nodes: int, chosen: bool) -> str:
    other = "other " if chosen else ""
    if nodes == 1:
        return f"Why not the {other or 'only '}node:"
    return f"Why not one of the {other}{nodes} nodes:"


def _examples(group: Group, examples: int, width: int, indent: str) -> Iterator[str]:
    shown = group.nodes[:examples]
    detailed = any(group.detail(node) for node in shown)
    if not shown:
        return
    left = len(group.nodes) - len(shown)
    more = [f"and {left} more"] if left else []
    if not detailed:
        names = ", ".join([node.node for node in shown] + more)
        yield from _wrap(names, width, indent)
        return
    for node in shown:
        yield from _wrap(f"{node.node}: {group.detail(node)}", width, indent + _INDENT, indent)
    yield from (indent + line for line in more)


def _effort(decision: Decision) -> str:
    found = _count(len(decision.candidates), "candidate")
    might_help = f"{_count(decision.potential, 'node')} where preemption might help"
    if decision.tried > decision.potential:
        # The strategy `original` does not ask first where preemption might help.
        return f"tried {_count(decision.tried, 'node')}, with {might_help}; {found}"
    return f"tried {decision.tried} of {might_help}; {found}"


def _notes(answer: Answer, width: int) -> Iterator[str]:
    decision, loaded = answer.decision, answer.loaded
    notes = []
    if decision.outcome == Outcome.NOMINATED:
        if decision.reason:
            notes.append(decision.reason)
        notes.append(_effort(decision))
        if decision.strategy.startswith("upstream") and decision.tried < decision.potential:
            notes.append(
                "upstream starts at a random node: another --seed may answer otherwise; "
                "--all-candidates tries every node"
            )
    notes += _owners(answer)
    if decision.clears_nominations:
        notes.append(f"these lose their nomination: {', '.join(decision.clears_nominations)}")
    if loaded.terminated:
        notes.append(f"left out {_count(loaded.terminated, 'pod')} that ran to the end")
    if loaded.orphans:
        notes.append(f"{_count(loaded.orphans, 'pod')} on unknown nodes do not count")
    if loaded.ignored:
        kinds = ", ".join(f"{kind} ({n})" for kind, n in sorted(loaded.ignored.items()))
        notes.append(f"ignored what does not matter here: {kinds}")
    notes += loaded.notes
    lines = [*(f"note: {note}" for note in notes), *(f"WARNING: {w}" for w in answer.warnings)]
    if lines:
        yield ""
    for line in lines:
        yield from _wrap(line, width, _INDENT, "")


def _owners(answer: Answer) -> Iterator[str]:
    for victim in answer.victims:
        kind, key = victim.pod.controller_kind, victim.pod.key
        if kind == "DaemonSet":
            yield f"{key} belongs to a DaemonSet: its successor can only wait for the same node"
        elif kind == "Node":
            yield f"{key} is a static pod: the kubelet runs it whether its mirror exists or not"


def _table(rows: Sequence[tuple[str, ...]], width: int) -> Iterator[str]:
    """Yield aligned rows; if they are too wide, each name gets a line of its own."""
    wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    fits = sum(wide) + 2 * len(wide) <= width
    for row in rows:
        cells = [cell.ljust(size) for cell, size in zip(row, wide, strict=True)]
        if fits:
            yield (_INDENT + "  ".join(cells)).rstrip()
        else:
            yield _INDENT + row[0]
            yield (_INDENT * 3 + "  ".join(cells[1:])).rstrip()


def _wrap(text: str, width: int, indent: str = "", first: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
