"""Calibrated classifiers: a scikit-learn classifier with families of calibration maps behind it."""
