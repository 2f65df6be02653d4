"""Measures of a sample, of its classes or of its segments as one table."""
