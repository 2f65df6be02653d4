"""Counts and sums per cell of scores: data reduced once, from batches, frames of any engine and files."""
