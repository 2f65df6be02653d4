"""Null hypotheses: the rates that a monitor allows at a score."""
