"""A small KEP to vary, and where its parts lie."""

from __future__ import annotations

from pathlib import Path

METADATA = """\
title: Sample feature
kep-number: 9999
authors:
  - "@alice"
owning-sig: sig-node
status: implementable
creation-date: 2024-01-15
approvers:
  - "@dave"
stage: beta
latest-milestone: "v1.34"
milestone:
  alpha: "v1.33"
  beta: "v1.34"
feature-gates:
  - name: SampleFeature
    components:
      - kubelet
disable-supported: true
metrics:
  - sample_feature_total
"""
README = "# KEP-9999: Sample feature\n\n## Summary\n\nText.\n"
APPROVALS = 'kep-number: 9999\nbeta:\n  approver: "@jpbetz"\n'
ALIASES = "aliases:\n  prod-readiness-approvers:\n    - jpbetz\n"


def write_tree(root: Path, *, name: str = "9999-sample", sig: str = "sig-node") -> Path:
    """Write a tree of one KEP as kubernetes/enhancements has it; return the KEP's directory."""
    directory = root / "keps" / sig / name
    approvals = root / "keps" / "prod-readiness" / "sig-node"
    directory.mkdir(parents=True)
    approvals.mkdir(parents=True, exist_ok=True)
    (directory / "kep.yaml").write_text(METADATA, encoding="utf-8")
    (directory / "README.md").write_text(README, encoding="utf-8")
    (approvals / "9999.yaml").write_text(APPROVALS, encoding="utf-8")
    (root / "OWNERS_ALIASES").write_text(ALIASES, encoding="utf-8")
    return directory
