"""A quick 'surely valid' for the keywords that our schemas use.

Importing `jsonschema` takes longer than all other work on one KEP. Most KEPs have no fault in
their metadata, and for them this module answers; whatever it does not accept, or does not
understand, goes to `jsonschema`, which alone decides and words the findings. A test compares the
two on generated documents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_ANNOTATIONS = frozenset(
    {"$schema", "$id", "$comment", "$defs", "title", "description", "deprecated", "examples"}
)
_TYPES: Mapping[str, type] = {"object": dict, "array": list, "string": str, "null": type(None)}


def surely_valid(value: object, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    """Whether `value` conforms; False also when the schema uses a keyword not known here.

    `value` is made of dict, list, str and None, as YamlDocument gives it.
    """
    return all(_holds(keyword, value, schema, root) for keyword in schema)


def _holds(keyword: str, value: object, schema: Mapping[str, Any], root: Mapping[str, Any]) -> bool:
    rule = schema[keyword]
    match keyword:
        case "type":
            names = rule if isinstance(rule, list) else [rule]
            return any(isinstance(value, _TYPES.get(name, ())) for name in names)
        case "$ref":
            target = root["$defs"].get(rule.removeprefix("#/$defs/"))
            return target is not None and surely_valid(value, target, root)
        case "minLength":
            return not isinstance(value, str) or len(value) >= rule
        case "pattern":
            return not isinstance(value, str) or re.search(rule, value) is not None
        case "required":
            return not isinstance(value, dict) or all(name in value for name in rule)
        case "properties":
            return not isinstance(value, dict) or all(
                surely_valid(value[name], part, root)
                for name, part in rule.items()
                if name in value
            )
        case "additionalProperties":
            known = schema.get("properties", {})
            return rule is False and (not isinstance(value, dict) or value.keys() <= known.keys())
        case "items":
            return not isinstance(value, list) or all(
                surely_valid(item, rule, root) for item in value
            )
        case _:
            return keyword in _ANNOTATIONS
