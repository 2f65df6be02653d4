"""Losses of a bin, one per file."""
