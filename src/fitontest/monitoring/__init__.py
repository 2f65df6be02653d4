"""Monitoring of calibration: evidence against a model that may be looked at after every batch."""
