"""Templates are clean, batches fit them, and references were really executed from them."""

import json
import re
from pathlib import Path

import pytest

from kep_workbench.batch import load_batches, plan
from kep_workbench.parameters import read_parameters
from kep_workbench.reference import REFERENCES, template_with_checks
from kep_workbench.results import MEDIA_TYPE, ResultSet
from kep_workbench.workspace import Workspace

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "notebooks").glob("*.ipynb"))
WORKSPACE = Workspace(ROOT)


def source(cell):
    return "".join(cell["source"])


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_templates_have_stable_ids_and_no_outputs(path):
    notebook = json.loads(path.read_text())
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z][a-z-]*", cell_id) for cell_id in ids)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["execution_count"] is None
            assert cell["outputs"] == []
            assert len(source(cell).splitlines()) <= 16, "the logic belongs into a module"
    assert source(notebook["cells"][-1]) == "publish(result, result_path)"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_parameters_are_typed_and_explained(path):
    parameters = read_parameters(path)
    assert parameters["result_path"].default == ""
    assert all(parameter.type for parameter in parameters.values())
    notebook = json.loads(path.read_text())
    (cell,) = (c for c in notebook["cells"] if "parameters" in c["metadata"].get("tags", []))
    assert all("#" in line for line in source(cell).splitlines())


@pytest.mark.parametrize("name", list(load_batches(WORKSPACE)))
def test_batches_fit_their_notebooks(name):
    assert plan(WORKSPACE, name).runs


def executed(reference):
    path = ROOT / "notebooks" / "reference" / reference.notebook
    return json.loads(path.read_text())


references = pytest.mark.parametrize("reference", REFERENCES, ids=lambda r: r.notebook)


@references
def test_references_were_executed_from_the_templates_as_they_are(reference):
    cells = executed(reference)["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert not [o for o in outputs if o["output_type"] == "error"]
    assert not [o for o in outputs if o.get("name") == "stderr"]
    expected = [
        (cell["cell_type"], cell["id"], source(cell))
        for cell in template_with_checks(WORKSPACE, reference)["cells"]
    ]
    found = [
        (cell["cell_type"], cell["id"], source(cell))
        for cell in cells
        if cell["id"] != "injected-parameters"
    ]
    assert found == expected, "make them again: python -m kep_workbench.reference"


@references
def test_references_show_one_valid_result_with_their_parameters(reference):
    cells = executed(reference)["cells"]
    (value,) = (
        output["data"][MEDIA_TYPE]
        for cell in cells
        for output in cell.get("outputs", [])
        if MEDIA_TYPE in output.get("data", {})
    )
    result = ResultSet.from_json(value)
    assert {name: result.parameters[name] for name in reference.parameters} == (
        reference.parameters
    )


@references
def test_references_tell_nothing_of_the_machine_they_were_made_on(reference):
    notebook = executed(reference)
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert str(ROOT) not in json.dumps(notebook)
    assert str(Path.home()) not in json.dumps(notebook)
