"""Measures of risk models, one kind a file."""
