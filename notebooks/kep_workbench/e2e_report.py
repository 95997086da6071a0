"""The end-to-end run as a result set: measured on a cluster, or a clear 'not run'."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kep_workbench.results import Column, Fact, ResultSet, Table
from kep_workbench.workspace import locate

if TYPE_CHECKING:
    from kep_preemption.live.e2e import LiveResult

KIND = "cluster-e2e"
TARGET_MS = 800.0  # the KEP's target for the p99, from creation to binding
_MOST_NOTES = 5
_TITLE = "Preemption on a cluster, end to end"


def run_on_cluster(
    cluster: str,
    parameters: Mapping[str, Any],
    progress: Callable[[int, int], None] | None = None,
) -> ResultSet:
    """Run the end-to-end workload on `cluster`; '' gives a result that says 'not run'.

    Args:
        cluster: '' for none, `kind` for a throw-away cluster, else a kubeconfig's path,
            relative to the workspace.
        parameters: the notebook's: nodes, pods_per_node, samples, grace_seconds.
        progress: called with the samples done and their total.

    Raises:
        kep_preemption.errors.InputError: the cluster cannot be made, found or reached.
    """
    if not cluster:
        return _not_run(
            parameters,
            "No cluster was given, so nothing was measured. Give one with "
            "-p cluster=kind (needs Docker and kind) or -p cluster=PATH-OF-A-KUBECONFIG.",
        )
    from kep_preemption.live.e2e import run_e2e

    where = cluster if cluster == "kind" else str(locate(cluster))
    names = ("nodes", "pods_per_node", "samples", "grace_seconds")
    live = run_e2e(where, **{name: parameters[name] for name in names}, progress=progress)
    return _measured(live, parameters)


def _not_run(parameters: Mapping[str, Any], reason: str) -> ResultSet:
    return ResultSet(
        kind=KIND,
        title=_TITLE,
        status="not-run",
        reason=reason,
        environment="none",
        environment_note="Not run: there was no cluster.",
        kubernetes_version="",
        parameters=parameters,
    )


def _measured(live: LiveResult, parameters: Mapping[str, Any]) -> ResultSet:
    from kep_preemption.bench.statistics import percentile

    events = {
        "nominated": [s.nominated_ms for s in live.samples if s.nominated_ms is not None],
        "bound": [s.bound_ms for s in live.samples if s.bound_ms is not None],
    }
    rows = []
    facts = []
    for event, values in events.items():
        points = {p: _rounded(percentile(values, p)) if values else None for p in (50, 95, 99, 100)}
        rows.append((event, len(values), len(live.samples) - len(values), *points.values()))
        facts += [
            Fact(f"{event}-p{p}", f"p{p} from creation to {event}", value, "ms")
            for p, value in points.items()
            if value is not None and p != 100
        ]
    return ResultSet(
        kind=KIND,
        title=_TITLE,
        environment=live.environment,
        environment_note=(
            "A real API server with its own kube-scheduler; the nodes are fake objects kept ready "
            f"by an agent, so no container starts or stops.{_notes(live.notes)}"
        ),
        kubernetes_version=live.server_version,
        parameters=parameters,
        sample_counts={"preemptors": len(live.samples)},
        facts=tuple(facts),
        tables=(
            Table(
                "latency",
                "Time from the creation of the preemptor to the event, as a watch sees it; the "
                f"KEP's target is {TARGET_MS:g} ms at p99. 'Missing' came too late or never.",
                (
                    Column("event"),
                    Column("seen"),
                    Column("missing"),
                    *(Column(name, "ms") for name in ("p50", "p95", "p99", "max")),
                ),
                tuple(rows),
            ),
        ),
        samples=tuple(
            {
                "number": sample.number,
                "nominated_ms": sample.nominated_ms,
                "bound_ms": sample.bound_ms,
                "node": sample.node,
                "victims": len(sample.victims),
            }
            for sample in live.samples
        ),
    )


def _notes(notes: tuple[str, ...]) -> str:
    """Return what the run got over, as sentences, the first few of many."""
    shown = "; ".join(notes[:_MOST_NOTES])
    more = len(notes) - _MOST_NOTES
    return f" Notes: {shown}{f'; and {more} more' if more > 0 else ''}." if notes else ""


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
