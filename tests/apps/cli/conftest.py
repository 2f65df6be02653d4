"""Bands and fit tests redraw little here, and pages are without pictures."""

from tests.few_draws import few_draws, no_pictures  # noqa: F401 - fixtures of all modules
