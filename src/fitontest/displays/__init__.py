"""Diagrams: each computes its table first and then draws it."""
