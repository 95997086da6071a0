"""JSON from files that anyone may edit."""

from __future__ import annotations

import json
from typing import Any


def load_json(data: bytes) -> Any:  # noqa: ANN401 - whatever the file holds
    """Parse one JSON text.

    Raises:
        ValueError: it is not JSON, or is nested deeper than anything meant.
    """
    try:
        return json.loads(data)
    except RecursionError:
        # No chain: its traceback would be a thousand lines.
        raise ValueError("it is nested too deeply") from None
