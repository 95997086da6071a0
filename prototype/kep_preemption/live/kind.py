"""A throw-away cluster made by kind (Kubernetes in Docker)."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kep_preemption.errors import InputError

# kind's node image of the release.
NODE_IMAGE = "kindest/node:v1.34.0"


@contextmanager
def kind_cluster(image: str = NODE_IMAGE) -> Iterator[Path]:
    """Create a cluster, yield its kubeconfig, and delete the cluster at the end.

    Its name is new each time, so that never another cluster is the one that is deleted.

    Raises:
        InputError: kind or Docker is missing, or the cluster does not come up.
    """
    kind = shutil.which("kind")
    if kind is None:
        raise InputError(
            "kind",
            "is not on PATH",
            "install kind, or give the path of a kubeconfig as `cluster`",
        )
    name = f"kepler-e2e-{secrets.token_hex(3)}"
    with tempfile.TemporaryDirectory(prefix="kepler-kind-") as folder:
        kubeconfig = Path(folder) / "kubeconfig"
        create = [kind, "create", "cluster", "--name", name, "--image", image]
        create += ["--kubeconfig", str(kubeconfig), "--wait", "180s"]
        try:
            _run(create)
            yield kubeconfig
        finally:
            subprocess.run(
                [kind, "delete", "cluster", "--name", name],
                capture_output=True,
                check=False,
            )


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["(nothing)"]
        raise InputError(
            " ".join(command[:3]),
            f"failed with exit code {done.returncode}: {said[-1]}",
            "check that Docker runs, or give the path of a kubeconfig as `cluster`",
        )
