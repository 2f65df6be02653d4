"""Maximum likelihood for many labellings: the fits that are made together are those of each labelling."""

import numpy as np

import fitontest as fot
from fitontest.data.entries import entries_of_rows
from fitontest.families import likelihood_many
from fitontest.families.base import Family


def test_slopes_held_at_zero_are_solved_together(monkeypatch):
    """Of beta calibration two of five labellings drawn at random have one; each took milliseconds alone."""
    rng = np.random.default_rng(60)
    entries = entries_of_rows(fot.ScoreSample(np.arange(60) % 2, rng.random(60)))
    labels = rng.integers(0, 2, (60, 200))
    expected = Family.fit_many(fot.Beta(), entries, labels).at()
    monkeypatch.setattr(likelihood_many, "Fits", None)  # which nothing is left for
    np.testing.assert_allclose(fot.Beta().fit_many(entries, labels).at(), expected, rtol=0, atol=1e-9)
