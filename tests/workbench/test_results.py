"""The result set's form: round trips, and what is refused with which words."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kep_workbench.errors import ResultError
from kep_workbench.results import Column, Fact, Figure, ResultSet, Table, publish, read_result


def make_result(**changes):
    values = {
        "kind": "preemption-benchmark",
        "title": "Ten nodes",
        "environment": "simulated",
        "environment_note": "Simulated: a synthetic cluster in memory.",
        "kubernetes_version": "1.34",
        "parameters": {"nodes": 10, "strategies": ["upstream"]},
        "sample_counts": {"latency": 3},
        "facts": (Fact("latency-p50-fast-path", "Median", 1.5, "ms"),),
        "tables": (
            Table("latency", "Latency", (Column("strategy"), Column("p50", "ms")), (("a", 1.5),)),
        ),
        "figures": (Figure("latency", "Latency", "A box plot", "image/png", b"\x89PNG"),),
        "samples": ({"strategy": "a", "latency_ms": 1.5},),
    }
    return ResultSet(**{**values, **changes})


def test_round_trip_through_json_text():
    result = make_result()
    assert ResultSet.from_json(json.loads(json.dumps(result.to_json()))) == result


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)


@given(st.lists(st.tuples(scalars, scalars), max_size=4), st.binary(min_size=1, max_size=50))
def test_any_values_survive(rows, data):
    table = Table("t", "c", (Column("a"), Column("b", "s")), tuple(rows))
    result = make_result(tables=(table,), figures=(Figure("f", "c", "x", "image/png", data),))
    assert ResultSet.from_json(json.loads(json.dumps(result.to_json()))) == result


@pytest.mark.parametrize(
    ("changes", "place", "problem"),
    [
        ({"environment": "moon"}, "environment", "moon"),
        ({"environment_note": ""}, "environment_note", "non-empty"),
        ({"status": "not-run", "reason": "no cluster"}, "facts", "expected to be empty"),
        ({"status": "ok", "reason": "because"}, "reason", "because"),
        ({"facts": (Fact("Bad Id", "d", 1),)}, "facts[0].id", "Bad Id"),
        ({"facts": (Fact("a", "d", 1), Fact("a", "d", 2))}, "facts", "occurs twice"),
        ({"facts": (Fact("a", "d", math.nan),)}, "result", "number that JSON cannot write"),
        ({"tables": (Table("t", "c", (Column("a"),), ((1, 2),)),)}, "tables.t", "2 values for 1"),
        ({"sample_counts": {"latency": -1}}, "sample_counts.latency", "-1"),
        ({"figures": (Figure("f", "c", "", "image/png", b"x"),)}, "figures[0].alt", "non-empty"),
    ],
)
def test_what_does_not_conform_is_refused_with_its_place(changes, place, problem):
    with pytest.raises(ResultError) as caught:
        make_result(**changes).to_json()
    assert place in caught.value.place
    assert problem in caught.value.problem
    assert caught.value.remedy


def test_not_run_needs_a_reason():
    empty = {"facts": (), "tables": (), "figures": (), "samples": ()}
    with pytest.raises(ResultError):
        make_result(status="not-run", **empty).to_json()
    made = make_result(status="not-run", reason="no cluster; set one", **empty)
    assert ResultSet.from_json(made.to_json()) == made


def test_foreign_keys_and_versions_are_refused():
    for change in ({"extra": 1}, {"schema_version": "2"}):
        with pytest.raises(ResultError):
            ResultSet.from_json({**make_result().to_json(), **change})


def test_publish_writes_the_file_and_shows_one_bundle(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    path = tmp_path / "result.json"
    publish(make_result(), path)
    assert read_result(path) == make_result()
    assert [p.name for p in tmp_path.iterdir()] == ["result.json"]
    (bundle,) = shown
    assert set(bundle._repr_mimebundle_()) == {
        "application/vnd.kep-workbench.result.v1+json",
        "text/html",
        "text/plain",
    }
    publish(make_result(), "")
    assert len(shown) == 2


@pytest.mark.parametrize(
    ("content", "problem"), [(None, "cannot be read"), ("{", "is not JSON"), ("[]", "object")]
)
def test_reading_what_is_no_result_names_the_file(tmp_path, content, problem):
    path = tmp_path / "result.json"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ResultError, match=r"result\.json") as caught:
        read_result(path)
    assert problem in caught.value.problem
