"""Partitions of [0, 1] and the rules that make them from data, one rule per file."""
