"""The confidence by the predicted class.

The confidence may be right on the whole and wrong for each class. The predicted classes that add
most to the error come first.
"""

from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import fitontest as fot

images, digit = load_digits(return_X_y=True)
model = make_pipeline(PCA(12, random_state=0), GaussianNB())
P = cross_val_predict(model, images, digit, method="predict_proba")

fot.ReliabilityDisplay.from_predictions(
    digit, P, reduction="confidence", by_predicted=True, classes=3
)
