"""How other packages are asked for a map of several classes, each imported only when it is asked.

An entry fits to a matrix of probabilities and labels, and returns the function that maps other matrices. Bringing them
into the form that a package takes is part of the call. The remark says what it fits differently; betacal is for two
classes and has no place here.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from league_peers import module, quiet

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Map = Callable[[Array], Array]


@dataclass(frozen=True)
class Peer:
    """A fit of another package; `ours` is the map here that it is held against."""

    package: str
    ours: str
    fit: Callable[[Array, Codes], Map]
    least: float | None = None  # how many times longer than ours it is to take, at least
    remark: str = ""

    @property
    def missing(self) -> str | None:
        """Why it cannot be asked, if so."""
        try:
            version(self.package)
            with silenced():
                self.fit(*PROBE)
        except PackageNotFoundError:
            return "not installed"
        except ImportError as error:
            return f"cannot be imported: {error}"
        return None


PROBE = (np.tile([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5]], (20, 1)), np.arange(60) * 7 % 13 % 3)


@contextmanager
def silenced() -> Iterator[None]:
    """Hold back what is printed, warned and logged inside."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with quiet():
            yield
    finally:
        logging.disable(before)


@contextmanager
def one_core() -> Iterator[None]:
    """Keep BLAS, OpenMP and torch to one thread, because threads that wait for work take time of the CPU too."""
    torch = module("torch") if find_spec("torch") else None
    threads = torch.get_num_threads() if torch else 1
    if torch:
        torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        if torch:
            torch.set_num_threads(threads)


def fit_scikit_learn(P: Array, y: Codes) -> Map:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.frozen import FrozenEstimator

    class Given(ClassifierMixin, BaseEstimator):
        """A classifier that returns what it is given."""

        classes_ = np.arange(P.shape[1])

        def fit(self, X: Array, y: Array) -> "Given":  # noqa: ARG002 - nothing is fitted
            return self

        def __sklearn_is_fitted__(self) -> bool:
            return True

        def predict_proba(self, X: Array) -> Array:
            return X

        def predict(self, X: Array) -> Array:
            return X.argmax(axis=1)

    calibrated = module("sklearn.calibration").CalibratedClassifierCV(FrozenEstimator(Given()), method="temperature")
    return calibrated.fit(P, y).predict_proba


def fit_probmetrics(name: str) -> Callable[[Array, Codes], Map]:
    return lambda P, y: module("probmetrics.calibrators").get_calibrator(name).fit(P, y).predict_proba


def fit_netcal(P: Array, y: Codes) -> Map:
    return module("netcal.scaling").TemperatureScaling().fit(P, y).transform


def fit_dirichletcal(P: Array, y: Codes) -> Map:
    return module("dirichletcal").FullDirichletCalibrator().fit(P, y).predict_proba


def fit_torch_uncertainty(kind: str) -> Callable[[Array, Codes], Map]:
    """Return a fit of a scaler to ln p, given as one batch."""

    def fit(P: Array, y: Codes) -> Map:
        torch, scalers = module("torch"), module("torch_uncertainty.post_processing")
        data = module("torch.utils.data")

        def logits(Q: Array) -> Any:
            return torch.from_numpy(np.log(np.maximum(Q, np.finfo(np.float32).tiny)).astype(np.float32))

        loader = data.DataLoader(data.TensorDataset(logits(P), torch.from_numpy(y)), batch_size=y.size)
        scaler = getattr(scalers, kind)(**({} if kind == "TemperatureScaler" else {"num_classes": P.shape[1]}))
        scaler.fit(loader, progress=False)

        def predict(Q: Array) -> Array:
            with torch.no_grad():
                return scaler._scale(logits(Q)).double().softmax(dim=1).numpy()

        return predict

    return fit


PLAIN = "temperature, not mixed"
PEERS = [
    Peer("scikit-learn", PLAIN, fit_scikit_learn, 4),
    Peer("netcal", PLAIN, fit_netcal, 4),
    Peer("probmetrics", PLAIN, fit_probmetrics("temp-scaling"), 4),
    Peer("probmetrics", "temperature", fit_probmetrics("ts-mix"), 4, "mixed with the uniform"),
    Peer("torch-uncertainty", PLAIN, fit_torch_uncertainty("TemperatureScaler"), 4, "float32"),
    Peer("probmetrics", "vector", fit_probmetrics("svs"), 2),
    Peer("torch-uncertainty", "vector", fit_torch_uncertainty("VectorScaler"), remark="float32, no bias, no penalty"),
    Peer("probmetrics", "matrix", fit_probmetrics("sms"), 2.5),
    Peer("torch-uncertainty", "matrix", fit_torch_uncertainty("MatrixScaler"), remark="float32, no penalty, 200 steps"),
    Peer("dirichletcal", "matrix", fit_dirichletcal, remark="no penalty"),
]
