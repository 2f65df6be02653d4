"""Calibrators that see the features of the rows: trees, offsets of segments, boosted trees, and a stack of them."""
