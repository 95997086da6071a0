"""Measurements on a real API server: the only place that talks to a cluster."""
