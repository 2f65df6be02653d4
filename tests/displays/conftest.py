"""Diagrams redraw little here, where it is tested how they are drawn; what bands are is tested in tests/uncertainty."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    """Let bands be of 20 draws, and fit tests too; modules that test what is drawn by default have it do nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fitontest.uncertainty.bands.QUICK_DRAWS", 20)
        patch.setattr("fitontest.uncertainty.goodness_of_fit.FIT_DRAWS", 20)  # p-values from 1/21 on, below 5 %
        yield
