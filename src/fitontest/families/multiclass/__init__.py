"""Families of calibration maps of several classes."""
