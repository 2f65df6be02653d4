"""Calibration-map families: scikit-learn estimators, one family per file."""
