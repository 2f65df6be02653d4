"""Calibration errors: the distance between the scores and a calibration map."""
