"""Guideline data, one folder for each Kubernetes release."""
