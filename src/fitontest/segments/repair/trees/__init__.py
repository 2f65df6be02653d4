"""Calibrators that see the features: decision trees whose leaves hold probabilities or calibration maps."""
