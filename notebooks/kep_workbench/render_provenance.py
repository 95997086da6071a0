"""Where a result comes from, in words beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kep_workbench.markdown_text import code, escape
from kep_workbench.record import Provenance, RunRecord

# What a reader must not overlook: whether a cluster was there at all.
_ENVIRONMENTS = {
    "simulated": "Simulated, not measured on a cluster.",
    "trace": "Simulated on a recorded trace, not measured on a cluster.",
    "kubeconfig": "Measured on a real cluster.",
    "kind": "Measured on a kind cluster.",
    "local-control-plane": "Measured on a real control plane, run locally.",
    "none": "Nothing is measured here.",
}
_SHOWN_DIGITS = 12


def environment_line(record: RunRecord) -> str:
    """The sentence beside every table: in bold words what was measured on, then the note."""
    result = record.result
    assert result is not None
    note = escape(result.environment_note)
    if result.status == "not-run":
        return note
    words = _ENVIRONMENTS.get(result.environment, f"Environment: {escape(result.environment)}.")
    return f"**{words}** {note}"


def provenance_lines(record: RunRecord) -> list[str]:
    """All that ties the result to its source, as a Markdown list."""
    provenance = record.provenance
    version = provenance.kubernetes_version
    lines = [
        f"Run {code(f'{record.batch}/{record.run}')} of {escape(provenance.started)}, "
        f"{provenance.seconds:.1f} s",
        f"Notebook {code(provenance.notebook)}, {_digest(provenance.notebook_digest)}; "
        f"code {_digest(provenance.code_digest)}"
        + (f"; inputs {_digest(provenance.input_digest)}" if provenance.input_digest else ""),
        f"Parameters: {_pairs(provenance.parameters) or 'none'}",
        f"Kubernetes: {escape(version)}" if version else "Kubernetes: not stated",
        f"Tool: kep-workbench {escape(provenance.tool_version)}, Python "
        f"{escape(provenance.python)}{_packages(provenance.packages)}",
        f"Machine: {_machine(provenance)}",
        f"Samples: {_counts(provenance.sample_counts)}",
    ]
    return [f"- {line}" for line in lines]


def folded_provenance(record: RunRecord) -> list[str]:
    """The same, folded away under one line that names run, date and notebook."""
    provenance = record.provenance
    # HTML, so Markdown's code marks would show.
    summary = (
        f"Provenance: run <code>{record.batch}/{record.run}</code>, "
        f"{escape(provenance.started[:10])}, notebook {_digest(provenance.notebook_digest, 'html')}"
    )
    head = f"<details><summary>{summary}</summary>"
    return [head, "", *provenance_lines(record), "", "</details>"]


def _digest(digest: str, form: str = "markdown") -> str:
    name, _, digits = digest.partition(":")
    short = f"{name}:{digits[:_SHOWN_DIGITS]}"
    return f"<code>{short}</code>" if form == "html" else code(short)


def _pairs(values: Mapping[str, Any]) -> str:
    shown = []
    for name, value in sorted(values.items()):
        shown.append(f"{escape(name)} = {code(_parameter(value))}")
    return ", ".join(shown)


def _parameter(value: object) -> str:
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    # Where a file lay on that machine helps no reader; its digest stands above.
    return f"…/{Path(value).name}" if Path(value).is_absolute() else value


def _packages(packages: Mapping[str, str]) -> str:
    return "".join(f", {escape(name)} {escape(packages[name])}" for name in sorted(packages))


def _machine(provenance: Provenance) -> str:
    machine = provenance.machine
    cpus = "1 CPU" if machine.cpus == 1 else f"{machine.cpus} CPUs"
    memory = "" if machine.memory_gib is None else f", {machine.memory_gib:g} GiB of memory"
    return f"{escape(machine.system)} {escape(machine.arch)}, {cpus}{memory}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{escape(name)} {counts[name]}" for name in sorted(counts)) or "none"
