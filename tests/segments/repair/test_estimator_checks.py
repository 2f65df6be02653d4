"""scikit-learn's own checks of the families that see features."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import fitontest as fot
from tests.releases import SKLEARN

pytestmark = pytest.mark.multiplies

ESTIMATORS = [  # of few trees and folds: what is tried is not how well they fit
    fot.segments.SegmentOffsets(),
    fot.segments.TreeOfMaps(folds=2),
    fot.segments.Boosted(max_stages=2, trees_per_stage=8, folds=2),
    fot.segments.CertifiedOffsets(draws=20),
    fot.segments.Multicalibrated(
        ["identity", "segment_offsets", fot.segments.Boosted(max_stages=1, trees_per_stage=2)], folds=2
    ),
]


# Before scikit-learn 1.7 these checks make two classes of three by the label of the first row, which differs between
# weighted rows and their copies, and give sparse matrices to estimators whose tags say that they take none.
WRONG = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    if SKLEARN < (1, 7) and check.func.__name__ in WRONG:
        pytest.skip("the check is wrong for two classes before scikit-learn 1.7")
    check(estimator)
