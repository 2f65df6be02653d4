"""Calibration maps of several classes, from the simplex to the simplex."""
