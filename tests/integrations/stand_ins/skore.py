"""skore, after https://docs.skore.probabl.ai/0.28/reference/api/skore.evaluate.html and skore.ComparisonReport.html.

`evaluate` cross-validates several models, stratified where `splitter` is a number. A metric that is added has the
name of its function and is called with the fitted model, the rows and the labels of each fold.
"""

import pandas as pd
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.model_selection import StratifiedKFold

VERSION = "0.28.0"
MODULES = {"skore": ["evaluate"]}


def log_loss(model, x, y):
    return -get_scorer("neg_log_loss")(model, x, y)


class ComparisonReport:
    def __init__(self, folds):
        self.folds = folds
        self.metrics = Metrics(folds)


class Metrics:
    def __init__(self, folds):
        self.folds = folds
        self.known = {"log_loss": log_loss}

    def add(self, metric, *, greater_is_better=True):
        self.known[metric.__name__] = metric

    def summarize(self, *, metric):
        return Summary({(name, of): self.values(name, of) for name in self.folds for of in metric}, metric)

    def values(self, name, of):
        return pd.Series([self.known[of](*fold) for fold in self.folds[name]])


class Summary:
    def __init__(self, values, metrics):
        self.values = values
        self.metrics = metrics

    def frame(self):
        columns = {}
        for statistic in ("mean", "std"):
            for name, of in self.values:
                columns.setdefault(f"{statistic}_{name}", []).append(self.values[name, of].agg(statistic))
        return pd.DataFrame(columns, index=pd.Index(self.metrics, name="metric"))


def evaluate(estimators, x, y, *, splitter, pos_label):
    splits = list(StratifiedKFold(splitter).split(x, y))
    return ComparisonReport(
        {
            name: [(clone(estimator).fit(x[train], y[train]), x[test], y[test]) for train, test in splits]
            for name, estimator in estimators.items()
        }
    )
