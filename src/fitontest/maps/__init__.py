"""Calibration maps: immutable functions from [0, 1], one shape per file."""
