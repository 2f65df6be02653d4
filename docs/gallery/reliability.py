"""A reliability diagram.

The map that is fitted to the labels against the diagonal of perfect calibration. At each score the
band holds the true map, with a confidence of 90 %. This is the default.
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

fot.ReliabilityDisplay.from_predictions(odd, p)
