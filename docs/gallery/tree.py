"""A tree of probabilities.

Each leaf has the probability that it states, and the share of positives in the rows of the test set
that reach it.
"""

from sklearn.datasets import load_breast_cancer

import fitontest as fot

X, benign = load_breast_cancer(return_X_y=True, as_frame=True)
calibrator = fot.segments.TreeCalibrator(max_depth=2).fit(X[:300], benign[:300])

fot.segments.TreeDisplay.from_estimator(calibrator, X[300:], benign[300:])
