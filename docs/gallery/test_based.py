"""A test-based diagram.

Violins show the predictions of each bin, lines its share of positives. Red predictions are
contradicted by the labels of their bin; the TCE is their share.
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

fot.tce(odd, p, null_draws=100).plot()
