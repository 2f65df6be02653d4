"""Fit tests redraw little here."""

from tests.few_draws import few_draws  # noqa: F401 - a fixture of all modules
