"""What batches.yaml may say, and what is refused before any kernel starts."""

import pytest

from kep_workbench.batch import load_batches, plan
from kep_workbench.errors import InputError, UsageError, WorkbenchError
from kep_workbench.parameters import Parameter, parse_override, read_parameters
from kep_workbench.workspace import Workspace, find_workspace, locate

GOOD = {"notebook": "n.ipynb", "publishes": "tiny"}


def batches(**run):
    return {"b": {"description": "d", "runs": {"r": {**GOOD, **run}}}}


@pytest.fixture
def workspace(tiny):
    tiny.notebook("n.ipynb")
    tiny.write(batches())
    return Workspace(tiny.root)


def test_plan_fills_in_defaults(tiny, workspace):
    tiny.write(batches(parameters={"amount": 5}, timeout=7))
    (run,) = plan(workspace, "b").runs
    assert run.parameters == {"amount": 5, "words": ["a"]}
    assert (run.id, run.batch, run.timeout, run.publishes) == ("r", "b", 7, "tiny")


@pytest.mark.parametrize(
    ("run", "place", "problem", "remedy"),
    [
        ({"parameters": {"amuont": 5}}, "runs.r.parameters.amuont", "no such", "mean amount?"),
        ({"parameters": {"zzz": 5}}, "parameters.zzz", "no such", "amount, words"),
        ({"parameters": {"amount": "5"}}, "parameters.amount", "'5' is not of type int", "1"),
        ({"parameters": {"amount": True}}, "parameters.amount", "not of type int", "1"),
        ({"parameters": {"words": "a"}}, "parameters.words", "not of type list[str]", "['a']"),
        ({"parameters": {"words": [1]}}, "parameters.words", "not of type list[str]", "['a']"),
        ({"parameters": {"result_path": "x"}}, "result_path", "set by the runner", "leave"),
        ({"timeuot": 5}, "batches.b.runs.r.timeuot", "no key", "mean timeout?"),
        ({"timeout": 0}, "batches.b.runs.r.timeout", "minimum", "schema"),
        ({"notebook": "m.ipynb"}, "runs.r.notebook", "m.ipynb is missing", "check"),
        ({"inputs": ["amuont"]}, "runs.r.inputs.amuont", "no such", "mean amount?"),
    ],
)
def test_a_wrong_run_is_refused_with_place_and_remedy(tiny, workspace, run, place, problem, remedy):
    tiny.write(batches(**run))
    with pytest.raises(WorkbenchError) as caught:
        plan(workspace, "b")
    assert place in caught.value.place
    assert "batches.yaml" in caught.value.place
    assert problem in caught.value.problem
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ({"name": "bb"}, "did you mean b?"),
        ({"name": "b", "only": ["rr"]}, "did you mean r?"),
        ({"name": "b", "overrides": ["amuont=1"]}, "did you mean amount?"),
        ({"name": "b", "overrides": ["amount=x"]}, "give one such as 1"),
        ({"name": "b", "overrides": ["amount"]}, "nodes=100"),
    ],
)
def test_a_wrong_command_line_is_refused(workspace, arguments, remedy):
    with pytest.raises(UsageError) as caught:
        plan(workspace, **arguments)
    assert remedy in caught.value.remedy


def test_overrides_are_for_one_run(tiny, workspace):
    tiny.write({"b": {"description": "d", "runs": {"r": GOOD, "s": GOOD}}})
    with pytest.raises(UsageError, match="--only"):
        plan(workspace, "b", overrides=["amount=2"])
    (run,) = plan(workspace, "b", ["s"], ["amount=2", "words=x,y"]).runs
    assert (run.id, run.parameters) == ("s", {"amount": 2, "words": ["x", "y"]})


def test_an_input_typed_on_the_command_line_is_meant_from_there(tiny, tmp_path, monkeypatch):
    tiny.notebook("n.ipynb", parameters='trace: str = ""\nresult_path: str = ""')
    tiny.write(batches(inputs=["trace"], parameters={"trace": "data/t.csv"}))
    workspace = Workspace(tiny.root)
    (run,) = plan(workspace, "b").runs
    assert run.inputs == (tiny.root / "data/t.csv",)
    monkeypatch.chdir(tmp_path)
    (run,) = plan(workspace, "b", overrides=["trace=t.csv"]).runs
    assert run.parameters["trace"] == str(tmp_path / "t.csv")
    assert run.inputs == (tmp_path / "t.csv",)


def test_a_key_given_twice_is_refused_with_its_line(workspace):
    text = workspace.batches.read_text()
    workspace.batches.write_text(f"{text}schema_version: '1'\n")
    with pytest.raises(InputError, match=r"'schema_version' is given twice.*line \d+"):
        load_batches(workspace)


@pytest.mark.parametrize("text", ["", "[]", "a: [", "schema_version: '2'\nbatches: {}", "\x00"])
def test_a_broken_file_is_an_input_error(tiny, workspace, text):
    workspace.batches.write_text(text)
    with pytest.raises(InputError, match=r"batches\.yaml"):
        load_batches(workspace)


@pytest.mark.parametrize(
    ("source", "problem"), [("x = (", "is not Python"), ("amount: int = 1", "result_path")]
)
def test_a_notebook_that_cannot_be_run_is_refused(tiny, workspace, source, problem):
    tiny.notebook("n.ipynb", parameters=source)
    with pytest.raises(InputError, match=problem):
        plan(workspace, "b")


def test_parameters_are_read_from_annotations_and_defaults(tiny):
    source = "a: float = 2\nb = 3\nc = [1]\nd: str\nimport os\ne: list[int] = []"
    assert read_parameters(tiny.notebook("p.ipynb", parameters=source)) == {
        "a": Parameter("a", "float", 2),
        "b": Parameter("b", "int", 3),
        "c": Parameter("c", "", [1]),
        "e": Parameter("e", "list[int]", []),
    }


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("n=10", "int", 10),
        ("n=1e-3", "float", "1e-3"),  # YAML 1.1 has no such float; refused later, not guessed
        ("n=0.5", "float", 0.5),
        ("n=10", "str", "10"),
        ("n=a=b", "str", "a=b"),
        ("n=", "str", ""),
        ("n=yes", "bool", True),
        ("n=1,2", "list[int]", [1, 2]),
        ("n=[1, 2]", "list[int]", [1, 2]),
        ("n=a", "list[str]", ["a"]),
        ("n=", "list[str]", []),
    ],
)
def test_an_override_is_read_by_its_type(text, type_, value):
    assert parse_override(text, {"n": Parameter("n", type_, None)}) == ("n", value)


def test_a_workspace_is_found_upwards(tiny, workspace, tmp_path, monkeypatch):
    deep = tiny.root / "a" / "b"
    deep.mkdir(parents=True)
    assert find_workspace(deep).root == tiny.root
    assert find_workspace(tmp_path, tiny.root).root == tiny.root
    with pytest.raises(UsageError, match="--workspace"):
        find_workspace(tmp_path)
    with pytest.raises(UsageError, match="holds no"):
        find_workspace(given=deep)
    monkeypatch.chdir(deep)
    assert locate("kep") == tiny.root / "kep"
    assert locate("/x").as_posix() == "/x"
    monkeypatch.chdir(tmp_path)
    assert locate("kep") == tmp_path / "kep"
