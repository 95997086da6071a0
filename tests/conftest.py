"""Fixtures that all areas share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The read-only reference data: KEPLER_SHARED or the folder `shared` beside the checkout.

    A clone without it skips the tests that need it; with KEPLER_REQUIRE_SHARED=1 they fail.
    """
    folder = Path(os.environ.get("KEPLER_SHARED") or REPOSITORY.parent / "shared")
    if (folder / "oracle").is_dir():
        return folder
    message = f"no reference data at {folder}: set KEPLER_SHARED to the folder that holds oracle/"
    if os.environ.get("KEPLER_REQUIRE_SHARED"):
        pytest.fail(message)
    pytest.skip(message)
