"""scikit-learn's own checks of the families that see features."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import fitontest as fot

ESTIMATORS = [
    fot.SegmentOffsets(),
    fot.TreeOfMaps(),
    fot.Boosted(),
    fot.CertifiedOffsets(draws=50),
    fot.Multicalibrated(
        ["identity", "logistic", "segment_offsets", fot.Boosted(max_stages=2, trees_per_stage=5)], folds=3
    ),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
