"""Diagrams. Each computes its table first and then draws it."""
