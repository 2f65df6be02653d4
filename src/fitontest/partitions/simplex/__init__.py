"""Partitions of the simplex of K classes and the rules that make them from predictions, one rule per file."""
