"""Benchmarks of the preemption strategies."""
