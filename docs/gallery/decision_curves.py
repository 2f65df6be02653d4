"""Decision curves of two models.

Dashed lines are those of the recalibrated risks. The panel below shows what miscalibration costs.
"""

from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import fitontest as fot

images, digit = load_digits(return_X_y=True)
odd = digit % 2
models = {
    "naive Bayes": make_pipeline(PCA(12, random_state=0), GaussianNB()),
    "random forest": RandomForestClassifier(50, random_state=0),
}
scores = {
    name: cross_val_predict(model, images, odd, method="predict_proba")[:, 1]
    for name, model in models.items()
}

curve = fot.risk.decision_curve(odd, scores)

curve.plot(show="loss")
