"""What a family promises that is a candidate by default, checked over the registry: its map stays in [0, 1]."""

import warnings

import numpy as np
import pytest

import fitontest as fot
from fitontest.families.base import family_class
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

CALIBRATORS = [name for name in fot.families.names("two") if family_class(name).calibrator]
BOUNDED = [*CALIBRATORS, "pl", "pl3", "rcs"]  # which can be listed too
GRID = np.concatenate((np.linspace(0, 1, 201), 10.0 ** -np.arange(3, 17), 1 - 10.0 ** -np.arange(3, 17)))
Y, P = noisy(300)
SHAPES = {
    "as they come": (Y, P),
    "sharp": (Y, P**8 / (P**8 + (1 - P) ** 8)),
    "rare": ((np.arange(300) % 60 == 0).astype(int), 0.1 * P**3),
    "the other class": (1 - Y, P),
}


def test_which_families_are_candidates_by_default():
    assert CALIBRATORS == ["beta", "identity", "isotonic", "platt", "spline", "temperature", "venn_abers"]
    not_evaluators = {name for name in fot.families.names("two") if not family_class(name).evaluator}
    by_name = {"cumulative_spline", "kde", "pl_de", "scaling_binning", "stacking"}
    assert not_evaluators == {*by_name, "identity", "venn_abers"}
    assert not fot.Family.calibrator
    assert not fot.families.CrossValidated.calibrator


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", BOUNDED)
def test_its_map_stays_in_the_unit_interval(name, shape):
    """Without clipping: `predict`, not `transform`."""
    y, p = SHAPES[shape]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        family = fot.families.make(name).fit(p, y)
    values = family.predict(np.concatenate((GRID, p)))
    assert values.min() >= 0
    assert values.max() <= 1


def test_a_family_that_leaves_the_interval_is_no_calibrator():
    """The check above can fail: slope-1 bins shift scores beyond 1 and below 0."""
    values = fot.Slope1(10).fit(P, Y).predict(GRID)
    assert values.min() < 0
