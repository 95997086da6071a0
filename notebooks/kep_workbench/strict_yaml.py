"""YAML in which a key cannot be given twice."""

from __future__ import annotations

from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
    """Refuses what PyYAML passes silently: of two equal keys only the last would count."""


def _mapping(loader: _Loader, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[object] = set()
    for key_node, _ in node.value:
        key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
        if key is not None and key != "<<" and key in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} is given twice", key_node.start_mark
            )
        seen.add(key)
    loader.flatten_mapping(node)
    return loader.construct_mapping(node, deep=True)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def load_yaml(text: str) -> object:
    """Parse one document.

    Raises:
        yaml.YAMLError: it is not YAML, a key is given twice, or a value cannot be made: the 31st
            of February, a number of thousands of digits, lists in lists without end.
    """
    try:
        value: object = yaml.load(text, Loader=_Loader)  # noqa: S506 - derives from SafeLoader
    except RecursionError:
        raise yaml.YAMLError("it is nested too deeply") from None
    except (ValueError, AttributeError) as error:
        # PyYAML's constructors pass on whatever int(), date() and re.match() do.
        raise yaml.YAMLError(f"a value cannot be read: {error}") from error
    return value
