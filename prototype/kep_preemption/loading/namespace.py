"""Namespaces: only their labels matter, to namespace selectors."""

from __future__ import annotations

from kep_preemption.loading.fields import FieldError, Fields, mapping, required_text, text_map
from kep_preemption.objects import Namespace


def parse_namespace(namespace: Fields) -> Namespace:
    """Return a namespace with its labels.

    Raises:
        FieldError: a field makes no sense.
    """
    metadata = mapping(namespace, "metadata")
    try:
        name = required_text(metadata, "name", "every namespace has a name")
        return Namespace(name, text_map(metadata, "labels"))
    except FieldError as error:
        raise error.within("metadata") from None
