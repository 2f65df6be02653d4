"""Calibrators behind a model.

The held-out loss of each calibrator less the smallest one, with the 95 % interval of the
difference, and the calibration error that each leaves.
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

comparison = fot.compare_calibrators(odd, p)

comparison.plot()
