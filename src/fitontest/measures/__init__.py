"""Calibration errors, one kind per file."""
