"""scikit-learn's own checks of an estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import fitontest as fot

pytestmark = pytest.mark.multiplies


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([fot.segments.TreeCalibrator(), fot.segments.ProbabilityCalibrationTree()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
