"""The run record: one run's status, its provenance and the result it published."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from kep_workbench.errors import ResultError
from kep_workbench.files import write_atomically
from kep_workbench.results import ResultSet
from kep_workbench.schemas import json_path, violations
from kep_workbench.strict_json import load_json

SCHEMA_VERSION = "1"


class RunStatus(StrEnum):
    """How a run ended.

    `failed`: a cell raised; `timeout`: the run's time was up; `error`: it could not be run, or
    published no valid result; `not-run`: what it needs is missing, and the result says what.
    """

    OK = "ok"
    FAILED = "failed"
    TIMEOUT = "timeout"
    ERROR = "error"
    NOT_RUN = "not-run"

    @property
    def is_failure(self) -> bool:
        """Whether the batch fails with this run."""
        return self in (RunStatus.FAILED, RunStatus.TIMEOUT, RunStatus.ERROR)


@dataclass(frozen=True)
class Machine:
    """What the run ran on; `memory_gib` is None where the system does not tell."""

    system: str
    arch: str
    cpus: int
    memory_gib: float | None


@dataclass(frozen=True)
class Provenance:
    """What produced a result: the source, code and inputs by digest, parameters and machine.

    `notebook` is relative to the workspace; `started` is ISO 8601 in UTC. `input_digest` covers
    the files that parameters name ('' when they name none).
    """

    notebook: str
    notebook_digest: str
    code_digest: str
    parameters: Mapping[str, Any]
    tool_version: str
    python: str
    packages: Mapping[str, str]
    machine: Machine
    started: str
    seconds: float
    input_digest: str = ""
    kubernetes_version: str = ""
    environment: str = ""
    sample_counts: Mapping[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        value = asdict(self)
        if not self.input_digest:
            del value["input_digest"]
        return value


@dataclass(frozen=True)
class RunRecord:
    """One run of a batch; `result` is there for `ok` and `not-run`, `error` says what broke."""

    run: str
    batch: str
    run_status: RunStatus
    provenance: Provenance
    result: ResultSet | None = None
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object.

        Raises:
            ResultError: the record does not conform to record.schema.json.
        """
        value = {
            "schema_version": SCHEMA_VERSION,
            "run": self.run,
            "batch": self.batch,
            "run_status": self.run_status.value,
            "provenance": self.provenance.to_json(),
            "result": self.result.to_json() if self.result else None,
            "error": self.error,
        }
        _check(value, "record")
        return value

    @classmethod
    def from_json(cls, value: object, place: str = "record") -> RunRecord:
        """Build a record from a parsed JSON object.

        Raises:
            ResultError: `value` does not conform.
        """
        data = _check(value, place)
        provenance = dict(data["provenance"])
        provenance["machine"] = Machine(**provenance["machine"])
        result = data["result"]
        return cls(
            run=data["run"],
            batch=data["batch"],
            run_status=RunStatus(data["run_status"]),
            provenance=Provenance(**provenance),
            result=None if result is None else ResultSet.from_json(result, f"{place}: result"),
            error=data["error"],
        )

    def write(self, path: Path) -> None:
        """Write the record's JSON, replacing the file as a whole."""
        text = json.dumps(self.to_json(), indent=1, ensure_ascii=False, allow_nan=False)
        write_atomically(path, f"{text}\n".encode())


def read_record(path: Path) -> RunRecord:
    """Read a run record.

    Raises:
        ResultError: the file is missing, is no JSON or does not conform.
    """
    remedy = "run it again: kepler run BATCH --force"
    try:
        value = load_json(path.read_bytes())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ResultError(str(path), f"cannot be read: {reason}", remedy) from error
    except ValueError as error:
        raise ResultError(str(path), f"is not JSON: {error}", remedy) from error
    return RunRecord.from_json(value, str(path))


def _check(value: object, place: str) -> dict[str, Any]:
    found = violations("record.schema.json", value)
    if found:
        remedy = "see kep_workbench/record.schema.json for the form"
        raise ResultError(f"{place}: {json_path(found[0])}", found[0].message[:300], remedy)
    assert isinstance(value, dict)
    return value
