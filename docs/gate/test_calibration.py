"""Fails where the scores are wrong by more than the limit, and where there are too few rows to tell."""

import fitontest as fot


def test_the_scores_are_calibrated() -> None:
    """The error of any shape on a twentieth of the rows or more is at most .05, with 95 %."""
    fot.assert_calibrated("scores.csv", label="outcome", prob="score", max_error=0.05)
