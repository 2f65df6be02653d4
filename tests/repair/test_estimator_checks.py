"""scikit-learn's own checks of the families that see features."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import fitontest as fot

ESTIMATORS = [  # of few trees and folds: what is tried is not how well they fit
    fot.SegmentOffsets(),
    fot.TreeOfMaps(folds=2),
    fot.Boosted(max_stages=2, trees_per_stage=8, folds=2),
    fot.CertifiedOffsets(draws=20),
    fot.Multicalibrated(["identity", "segment_offsets", fot.Boosted(max_stages=1, trees_per_stage=2)], folds=2),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
