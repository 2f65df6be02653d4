"""Fixtures for tests of how results are shown and passed on; what they are is tested in tests/uncertainty.

How pages look is tested in tests/apps/reporting/test_report.py.
"""

import pytest


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    """Let bands and fit tests be of 20 draws; modules that test what is drawn by default have it do nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fitontest.uncertainty.bands.QUICK_DRAWS", 20)
        patch.setattr("fitontest.uncertainty.goodness_of_fit.FIT_DRAWS", 20)  # p-values from 1/21 on, below 5 %
        patch.setattr("fitontest.risk.validation.at_threshold.DRAWS", 20)
        patch.setattr("fitontest.apps.reporting.report.TCE_DRAWS", 20)
        yield


@pytest.fixture(autouse=True, scope="module")
def quick_bands():
    """Let bands be of 20 draws, and nothing else of fewer: for examples, which print none of a band."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fitontest.uncertainty.bands.QUICK_DRAWS", 20)
        yield


@pytest.fixture(autouse=True, scope="module")
def few_null_draws():
    """Let p-values of errors with an interval be of 40 draws where that is left out: from 1/41 on, below 5 %."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fitontest.uncertainty.redrawing.NULL_DRAWS", 40)
        patch.setattr("fitontest.evaluation.measuring.NULL_DRAWS", 40)
        patch.setattr("fitontest.evaluation.measured_rows.NULL_DRAWS", 40)
        yield


@pytest.fixture(autouse=True, scope="module")
def no_pictures():
    """Let pages of reports have frames in place of pictures: these are plotted, and not rendered."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fitontest.apps.reporting.figures.inline_svg", frame)
        yield


def frame(figure, name, text):
    """Return what stands for a picture that is not rendered."""
    return f"<svg id={name!r}>{text}</svg>"
