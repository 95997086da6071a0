"""Run a KEP's notebooks, keep their results as evidence, and write them into the KEP."""

__version__ = "0.1.0"
