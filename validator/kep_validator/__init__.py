"""Check a Kubernetes Enhancement Proposal against the guidelines of a Kubernetes release."""

__version__ = "0.1.0"
