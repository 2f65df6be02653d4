"""Bins, and the ECE.

Each bin has a line of slope 1 through its mean score and its share of positives. The mean distance
of this map from the diagonal is the ECE.
"""

from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import fitontest as fot

images, digit = load_digits(return_X_y=True)
odd = digit % 2
model = make_pipeline(PCA(12, random_state=0), GaussianNB())
p = cross_val_predict(model, images, odd, method="predict_proba")[:, 1]

fot.ReliabilityDisplay.from_predictions(odd, p, family=fot.Slope1(10), band=None)
