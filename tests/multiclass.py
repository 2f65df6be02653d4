"""Predictions of several classes that the tests share."""

import json

import numpy as np
import pytest

from tests.published import BESIDE


@pytest.fixture(autouse=True, scope="module")
def one_room():
    """Let networks and polygons have room for 320 rows at least, so that fits to fewer share what is compiled."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fitontest.families.multiclass.intra_order_program.LEAST_ROOM", 320)
        yield


def draw(n=300, K=4, seed=0, power=1.5, bias=0.3):
    """Return (P, y): rows whose true probabilities are softmax(power ln p + b), with other biases for each class."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(K, 0.7), n)
    z = power * np.log(np.maximum(P, 1e-12)) + bias * np.arange(K)
    q = np.exp(z - z.max(axis=1, keepdims=True))
    q /= q.sum(axis=1, keepdims=True)
    return P, np.minimum((rng.random((n, 1)) > q.cumsum(axis=1)).sum(axis=1), K - 1)


def golden():
    """Return the golden values of several classes, or skip the test."""
    path = BESIDE / "golden" / "golden_multiclass.json"
    if not path.exists():
        pytest.skip("golden_multiclass.json is not beside the checkout")
    return json.loads(path.read_text())["sets"]


def open_set(name):
    """Return (P, y, P of the rows that judge, y of these) of a set called "file" or "file:MODEL", or skip the test."""
    file, _, model = name.partition(":")
    path = BESIDE / "predictions" / f"{file}.npz"
    if not path.exists():
        pytest.skip(f"{file} is not beside the checkout")
    with np.load(path) as found:
        if model:
            return found[f"p_val_{model}"], found["y_val"], found[f"p_test_{model}"], found["y_test"]
        return found["p"][::2], found["y"][::2], found["p"][1::2], found["y"][1::2]


def losses(q, codes):
    """Return log loss, clipped to 1e-6, and Brier score over the classes."""
    own = q[np.arange(codes.size), codes]
    log_loss = float(-np.log(np.clip(own, 1e-6, 1 - 1e-6)).mean())
    return log_loss, float(((q**2).sum(axis=1) - 2 * own + 1).mean())
