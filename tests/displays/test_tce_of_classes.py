"""Test-based diagrams of several classes."""

import numpy as np
import pytest

import fitontest as fot
from tests.displays.figures import blank


def classes(n=400, k=3, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.arange(1, k + 1), n)
    y = (rng.random(n)[:, None] > np.cumsum(p**1.3 / (p**1.3).sum(axis=1, keepdims=True), axis=1)[:, :-1]).sum(axis=1)
    return y, p


@pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")  # of two classes of three
def test_test_based_diagrams():
    y, p = classes()
    display = fot.tce(y, p, reduction="confidence", null_draws=2).plot(blank())
    assert float(display.error) == float(fot.tce(y, p, reduction="confidence"))
    assert display.ax_.get_ylabel() == "Confidence (highest predicted probability)"
    assert display.error.reduction == "confidence"
    two = fot.tce(y == 1, p[:, [0, 1]], reduction="binary").plot(blank())
    assert float(two.error) == float(fot.tce(y == 1, p[:, 1]))
    with pytest.raises(
        ValueError, match="'classwise'; draw one class at a time without a reduction, with y_true == label"
    ):
        fot.tce(y, p, reduction="classwise").plot(blank())
