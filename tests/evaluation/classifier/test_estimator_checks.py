"""scikit-learn's own checks of an estimator."""

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from fitontest.evaluation.classifier.calibrated import CalibratedClassifier

pytestmark = pytest.mark.multiplies

EXPECTED_FAILURES: dict[str, str] = {}  # name of the check: reason
CANDIDATES = [  # every family and both kinds of cross-fitting, not each with each
    CalibratedClassifier(LogisticRegression(), cv=2),  # takes sparse matrices
    CalibratedClassifier(GaussianNB(), "beta", cv=2),
    CalibratedClassifier(GaussianNB(), "isotonic", cv=2, ensemble=False),
    CalibratedClassifier(GaussianNB(), "platt", cv=2, ensemble=False),
]


@pytest.mark.filterwarnings("ignore::fitontest.results.exceptions.CalibrationWarning")  # separable data
@pytest.mark.filterwarnings("ignore:divide by zero encountered in log:RuntimeWarning")  # naive Bayes, class of weight 0
@parametrize_with_checks(CANDIDATES, expected_failed_checks=lambda estimator: EXPECTED_FAILURES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
