"""Continuous piecewise-linear families, PL and PL3, and how they are fitted."""
