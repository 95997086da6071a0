from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from kep_preemption.loader import load_files
from kep_preemption.manifests import to_manifests
from kep_preemption.synthetic import Shape, synthesize


@pytest.mark.slow
def test_a_large_dump_is_read_in_time(tmp_path: Path) -> None:
    """5,000 nodes with 150,000 pods; the bound is wide, for machines that are busy."""
    cluster = synthesize(Shape(nodes=5000, pods_per_node=30, variation=0.5, pdbs=20)).cluster
    path = tmp_path / "dump.json"
    path.write_text(json.dumps(to_manifests(cluster)))
    start = time.process_time()
    assert load_files([path]) == cluster
    assert time.process_time() - start < 40
