"""Fixtures that all areas share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent

# Time limits for one example would fail on a busy machine. The slow set looks at many more.
settings.register_profile("quick", deadline=None, max_examples=60)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


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
