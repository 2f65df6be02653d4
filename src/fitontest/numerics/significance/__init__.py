"""Tests of one probability against a count of positives: p-values, and decisions for many probabilities at once."""
