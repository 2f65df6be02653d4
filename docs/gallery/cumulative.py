"""Residuals along the scores.

The sum of the residuals of all rows with a lower score, over the number of rows. It is flat where
scores are calibrated, rises where they are too low and falls where they are too high. Its range is
the measure `ecce`, which needs no bins and no map.
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

fot.measure(odd, p, "ecce").plot()
