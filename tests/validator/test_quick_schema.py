"""The quick check of schemas never accepts what jsonschema refuses, and seldom the reverse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kep_validator.quick_schema import surely_valid
from kep_validator.schema_check import load_schema, without_needless_formats

with without_needless_formats():
    from jsonschema import Draft202012Validator

SCHEMAS = {name: load_schema("1.34", name) for name in ("kep", "prod-readiness")}
KEYS = sorted({key for schema in SCHEMAS.values() for key in schema["properties"]})
SCALARS = st.one_of(st.none(), st.sampled_from(["", "true", "yes", "x", "1"]), st.text(max_size=5))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["name", "components", "alpha", "approver", "z"]), inner, max_size=3
        ),
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("name", SCHEMAS)
def test_schemas_are_valid_schemas(name: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[name])


@pytest.mark.parametrize("name", SCHEMAS)
@given(document=st.dictionaries(st.sampled_from([*KEYS, "other"]), VALUES, max_size=6))
def test_agrees_with_jsonschema(name: str, document: dict[str, object]) -> None:
    schema = SCHEMAS[name]
    needed = dict.fromkeys(schema["required"], "x")
    lists = {"authors": ["x"], "approvers": ["x"]} if name == "kep" else {}
    for candidate in (document, {**needed, **lists, **document}):
        valid = Draft202012Validator(schema).is_valid(candidate)
        assert surely_valid(candidate, schema, schema) == valid


@pytest.mark.parametrize(
    "schema", [{"enum": ["a"]}, {"type": "number"}, {"additionalProperties": {"type": "string"}}]
)
def test_leaves_unknown_keywords_to_jsonschema(schema: dict[str, object]) -> None:
    assert not surely_valid({"a": "a"}, schema, schema)
