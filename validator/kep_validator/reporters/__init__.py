"""Reporters that print a report in one output format each."""
