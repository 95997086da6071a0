"""A small KEP beside a workspace whose runs have results, for the tests of evidence."""

import json
import os
from dataclasses import replace
from pathlib import Path

import yaml

from kep_workbench.batch import plan
from kep_workbench.provenance import code_digest, input_digest, notebook_digest
from kep_workbench.record import Machine, Provenance, RunRecord, RunStatus
from kep_workbench.results import Column, Fact, Figure, ResultSet, Table
from kep_workbench.workspace import Workspace

METADATA = """\
# One comment
title: Scheduler Preemption Fast Path
kep-number: 4389
authors:
  - "@author-one"
owning-sig: sig-scheduling
status: provisional
creation-date: 2025-06-01
reviewers:
  - "@reviewer-one"
approvers:
  - "@approver-one"
stage: alpha
latest-milestone: "v1.34"
milestone:
  alpha: "v1.34"
"""

README = """\
# KEP-4389: Scheduler Preemption Fast Path

<!-- toc -->
- [Summary](#summary)
- [Evidence](#evidence)
<!-- /toc -->

## Summary
The median is <!-- fact:latency-p50 run="default/edge-10" --><!-- /fact --> on ten nodes.

## Evidence
<!-- evidence:begin id="edge-10" run="default/edge-10" show="table:latency figure:latency" -->
<!-- evidence:end -->

In a cluster:

<!-- evidence:begin id="e2e" run="default/e2e" -->
<!-- evidence:end -->

The end.
"""

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>\n'


def make_result(**changes):
    """A benchmark's result with one fact, one table, one figure and samples."""
    values = {
        "kind": "preemption-benchmark",
        "title": "Ten nodes",
        "environment": "simulated",
        "environment_note": "A synthetic cluster in memory.",
        "kubernetes_version": "1.34 (rules re-implemented in Python)",
        "parameters": {"nodes": 10},
        "sample_counts": {"latency": 600},
        "facts": (Fact("latency-p50", "Median latency", 1.2345, "ms"),),
        "tables": (
            Table(
                "latency",
                "Latency by strategy",
                (Column("strategy"), Column("p50", "ms"), Column("victims")),
                (("upstream", 1.2345, 3), ("fast-path", 0.04567, None)),
            ),
        ),
        "figures": (Figure("latency", "Latency", "Box plot of latencies", "image/svg+xml", SVG),),
        "samples": ({"strategy": "upstream", "latency_ms": 1.5},),
    }
    return ResultSet(**{**values, **changes})


def not_run_result():
    """The result of a notebook that needs a cluster and found none."""
    return ResultSet(
        kind="cluster-e2e",
        title="On a cluster",
        environment="none",
        environment_note="Nothing was measured.",
        kubernetes_version="",
        status="not-run",
        reason="no cluster; give the parameter cluster",
    )


def make_record(run="edge-10", result=None, status=RunStatus.OK, **changes):
    """A run record with a full provenance."""
    result = make_result() if result is None else result
    provenance = Provenance(
        notebook="notebooks/bench.ipynb",
        notebook_digest="sha256:" + "a" * 64,
        code_digest="sha256:" + "b" * 64,
        parameters={"nodes": 10},
        tool_version="0.1.0",
        python="3.11.7",
        packages={"numpy": "2.4.6"},
        machine=Machine("Linux", "x86_64", 2, 23.4),
        started="2026-01-02T03:04:05+00:00",
        seconds=12.34,
        kubernetes_version=result.kubernetes_version,
        environment=result.environment,
        sample_counts=result.sample_counts,
    )
    return RunRecord(run, "default", status, replace(provenance, **changes), result)


class EvidenceCase:
    """Writes the KEP, notebooks, batches.yaml and the runs' records into a folder."""

    def __init__(self, root: Path):
        self.root = root
        self.workspace = Workspace(root)
        self.kep = root / "kep"
        self.kep.mkdir(parents=True)
        (self.kep / "kep.yaml").write_text(METADATA)
        self.readme.write_text(README)
        (root / "notebooks").mkdir()
        self.notebook("bench.ipynb", "nodes: int = 10", "print(nodes)")
        self.notebook("e2e.ipynb", 'cluster: str = ""', "pass")
        runs = {
            "edge-10": {"notebook": "bench.ipynb", "publishes": "preemption-benchmark"},
            "e2e": {"notebook": "e2e.ipynb", "publishes": "cluster-e2e"},
        }
        self.batches({"default": {"description": "all", "runs": runs}})
        self.record("edge-10")
        self.record("e2e", not_run_result(), RunStatus.NOT_RUN)

    @property
    def readme(self):
        return self.kep / "README.md"

    @property
    def batch(self):
        return plan(self.workspace, "default")

    def batches(self, batches):
        text = yaml.safe_dump({"schema_version": "1", "batches": batches}, sort_keys=False)
        self.workspace.batches.write_text(text)

    def notebook(self, name, parameters, source):
        cells = [
            {
                "cell_type": "code",
                "id": cell_id,
                "metadata": {"tags": [cell_id]},
                "execution_count": None,
                "outputs": [],
                "source": text,
            }
            for cell_id, text in (
                ("parameters", f'{parameters}\nresult_path: str = ""'),
                ("work", source),
            )
        ]
        value = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (self.root / "notebooks" / name).write_text(json.dumps(value))

    def record(self, run_id, result=None, status=RunStatus.OK, error="", **changes):
        """Write the record that running `run_id` now would leave."""
        run = plan(self.workspace, "default", [run_id]).runs[0]
        now = {
            "notebook": f"notebooks/{run.notebook.name}",
            "notebook_digest": notebook_digest(run.notebook),
            "code_digest": code_digest(run.publishes),
            "input_digest": input_digest(run.inputs),
            "parameters": run.parameters,
        }
        record = make_record(run_id, result, status, **{**now, **changes})
        if error:
            record = replace(record, result=None, error=error)
        path = self.root / "out" / "default" / run_id / "result.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        record.write(path)

    def edit(self, old, new):
        """Edit the README by hand."""
        text = self.readme.read_bytes().decode()
        assert old in text
        self.readme.write_bytes(text.replace(old, new, 1).encode())

    def files(self):
        """All files of the KEP with their content."""
        paths = [path for path in self.kep.rglob("*") if path.is_file()]
        return {path.relative_to(self.kep).as_posix(): path.read_bytes() for path in paths}

    def kepler(self, *arguments):
        """Run `kepler` in the workspace, in this process; return the exit code."""
        from kep_workbench.cli import main

        before = Path.cwd()
        os.chdir(self.root)
        try:
            return main(arguments)
        finally:
            os.chdir(before)
