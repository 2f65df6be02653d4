"""Scores of exactly 0 and 1.

They have no place on a logit axis. The outermost bars count what lies beyond it: here scores that
round to 0 or 1 in four decimals.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import fitontest as fot

x, benign = load_breast_cancer(return_X_y=True)
p = cross_val_predict(GaussianNB(), x, benign, method="predict_proba")[:, 1]

fot.ReliabilityDisplay.from_predictions(benign, p.round(4), family="beta", scale="logit")
