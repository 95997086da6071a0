"""A workspace of tiny notebooks, for the runner's tests."""

import json
import uuid

import pytest
import yaml

PARAMETERS = 'amount: int = 1\nwords: list[str] = ["a"]\nresult_path: str = ""'
PUBLISH = """\
from kep_workbench.results import Fact, ResultSet, publish

publish(
    ResultSet(
        kind="tiny", title="Tiny", environment="none", environment_note="Nothing is measured.",
        kubernetes_version="1.34", parameters={"amount": amount},
        facts=(Fact("amount", "The amount", amount),),
    ),
    result_path,
)"""


class TinyWorkspace:
    """Writes notebooks and batches.yaml into a folder."""

    def __init__(self, root):
        self.root = root
        self.runs = {}
        (root / "notebooks").mkdir(parents=True)

    def notebook(self, name, *cells, parameters=PARAMETERS):
        """A notebook with a parameters cell and these code cells."""
        sources = [("parameters", parameters), *((f"c{n}", c) for n, c in enumerate(cells, 1))]
        nodes = [
            {
                "cell_type": "code",
                "id": cell_id,
                "metadata": {"tags": ["parameters"]} if cell_id == "parameters" else {},
                "execution_count": None,
                "outputs": [],
                "source": source,
            }
            for cell_id, source in sources
        ]
        spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
        value = {
            "cells": nodes,
            "metadata": {"kernelspec": spec},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
        path = self.root / "notebooks" / name
        path.write_text(json.dumps(value))
        return path

    def run(self, run_id, *cells, notebook=None, **settings):
        """A run of the batch `b`, of a notebook with these cells."""
        if notebook is None:
            notebook = self.notebook(f"{run_id}-{uuid.uuid4().hex[:4]}.ipynb", *cells).name
        self.runs[run_id] = {"notebook": notebook, "publishes": "tiny", **settings}
        self.write({"b": {"description": "A batch", "runs": self.runs}})

    def write(self, batches):
        """Write batches.yaml."""
        text = yaml.safe_dump({"schema_version": "1", "batches": batches}, sort_keys=False)
        (self.root / "notebooks" / "batches.yaml").write_text(text)

    def record(self, run):
        """The record of a run, as plain data."""
        return json.loads((self.root / "out" / "b" / run / "result.json").read_text())


@pytest.fixture
def tiny(tmp_path):
    """An empty workspace to put tiny notebooks in."""
    return TinyWorkspace(tmp_path / "workspace")


@pytest.fixture
def publish_cell():
    """The source of a cell that publishes a valid result."""
    return PUBLISH
