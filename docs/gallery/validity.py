"""The share of rows that are near enough.

The share of the rows whose scores are within a distance of what the labels beside them say, before
and after a calibrator.
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

calibrator = fot.families.make("beta").fit(p[::2], odd[::2])
y, before = odd[1::2], p[1::2]
after = calibrator.predict(before)

fot.displays.validity_curves(y, {"before": before, "after": after}, k=50).plot()
