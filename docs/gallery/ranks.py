"""How families order models.

Each line is a model, each column a family. Where lines cross, the choice of the family decides
which model is called better calibrated.
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
scores = {}
for family in ("identity", "platt", "beta", "isotonic", "temperature", "spline"):
    calibrated = fot.CalibratedClassifier(model, family=family, cv=5)
    scores[family] = cross_val_predict(calibrated, images, odd, method="predict_proba")[
        :, 1
    ]
families = ["slope1", "flat", "isotonic", "platt", "beta", "spline"]
evaluation = fot.evaluate(odd, scores, families=families, interval=None)

evaluation.plot_ranks()
