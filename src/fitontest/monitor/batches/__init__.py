"""Batches: what a monitor is given, checked and counted by cell of the score."""
