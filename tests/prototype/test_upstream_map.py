"""UPSTREAM.yaml names files that exist, and for each deviation a test that exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from kep_preemption.plugins import DEFAULT_PLUGINS

ROOT = Path(__file__).resolve().parents[2]
MAP = yaml.safe_load((ROOT / "prototype" / "UPSTREAM.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("deviation", MAP["deviations"], ids=lambda d: d["what"][:40])
def test_each_deviation_has_a_reason_and_a_test(deviation: dict[str, str]) -> None:
    assert deviation["why"]
    path, _, name = deviation["test"].partition("::")
    assert re.search(rf"^def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)


def test_the_files_exist() -> None:
    for entry in MAP["modelled"]:
        first, *others = entry["here"].split(", ")
        path = ROOT / "prototype" / first
        assert path.exists(), entry
        for other in others:
            assert (path.parent / other).exists() or (path.parents[1] / other).exists(), entry


def test_every_plugin_is_on_the_map() -> None:
    mapped = " ".join(entry["here"] for entry in MAP["modelled"])
    for plugin in DEFAULT_PLUGINS:
        file = plugin.__module__.rpartition(".")[2]
        assert f"plugins/{file}.py" in mapped
