"""How often `compare_errors` of several classes finds a difference where there is none, and covers one where there is.

Both models are functions of what is known of a row. "equal": q ~ Dirichlet(1, ..., 1) and c ~ Dirichlet(8 q), so that
labels drawn from c are calibrated for the model that says c and for the one that says q; a difference is found at 5 %
in the share of data sets that is printed. "different": one model says c^2, divided by its sum, the other c^1.2; printed
is how often the 95 % interval holds the true difference of their errors. `compare_cells` of several classes is held
against two samples of one such model with scores that drift: how often the smallest adjusted p-value is at most 5 %.

    python benchmarks/class_comparisons.py --draws 200 --rows 300 1000
"""

import argparse

import numpy as np

import fitontest as fot

REDUCTIONS = {"canonical": ("vector", "temperature"), "confidence": (None,), "classwise": (None,)}
CLASSES = 3


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200, help="data sets of each kind")
    parser.add_argument("--rows", type=int, nargs="+", default=[300, 1000])
    arguments = parser.parse_args()
    for n in arguments.rows:
        for reduction, families in REDUCTIONS.items():
            for family in families:
                for loss in ("brier", "log_loss"):
                    found, covered = rates(n, arguments.draws, reduction, family, loss)
                    name = f"{reduction} {family or 'spline'} {loss}"
                    print(f"{name:32} n = {n:5}: equal {found:6.1%}, different covered {covered:6.1%}", flush=True)
        print(f"{'drift, each class':32} n = {n:5}: unchanged {drift_rate(n, arguments.draws):6.1%}", flush=True)


def rates(n: int, draws: int, reduction: str, family: str | None, loss: str) -> tuple[float, float]:
    """Return how often equality is rejected, and how often the interval holds the true difference."""
    options = {"reduction": reduction, "family": family, "loss": loss, "labels": range(CLASSES)}
    found, covered = [], []
    _, population, _ = draw(100_000, 10_000)
    truth = error(powered(population, 2.0), population, reduction, loss)
    truth -= error(powered(population, 1.2), population, reduction, loss)
    for seed in range(draws):
        q, c, y = draw(n, seed)
        found.append(fot.compare_errors(y, c, q, random_state=seed, **options).p_value <= 0.05)
        overconfident, more_so = powered(c, 1.2), powered(c, 2.0)
        interval = fot.compare_errors(y, more_so, overconfident, random_state=seed, **options).interval
        covered.append(interval.low <= truth <= interval.high)
    return float(np.mean(found)), float(np.mean(covered))


def drift_rate(n: int, draws: int) -> float:
    """Return how often the calibration of one model with drifting scores is said to have changed."""
    found = []
    for seed in range(draws):
        tables = []
        for part, sharpness in enumerate((1.0, 2.0)):
            _, c, y = draw(n, 2 * seed + part, sharpness)
            p = powered(c, 1.5)
            tables.append(fot.data.ClassCells({k: fot.Cells.of(y == k, p[:, k]) for k in range(CLASSES)}))
        found.append(fot.monitor.compare_cells(*tables, draws=199, family="identity", random_state=seed).changed)
    return float(np.mean(found))


def draw(n: int, seed: int, sharpness: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, c and labels drawn from c."""
    rng = np.random.default_rng([seed, 7])
    q = rng.dirichlet(np.full(CLASSES, sharpness), n)
    gamma = rng.gamma(8.0 * q + 1e-12)
    c = gamma / gamma.sum(axis=1, keepdims=True)
    y = (c.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return q, c, np.minimum(y, CLASSES - 1)


def powered(c: np.ndarray, power: float) -> np.ndarray:
    """Return more extreme predictions."""
    p = c**power
    return p / p.sum(axis=1, keepdims=True)


def error(p: np.ndarray, c: np.ndarray, reduction: str, loss: str) -> float:
    """Return the true error of predictions of which c is a function, in the loss of the reduction."""
    if reduction == "canonical":
        return float(np.mean(divergence(c, p, loss).sum(axis=1)))
    if reduction == "confidence":
        top, rows = p.argmax(axis=1), np.arange(len(p))
        return float(np.mean(binary(given(p[rows, top], c[rows, top]), p[rows, top], loss)))
    return float(np.mean([binary(given(p[:, k], c[:, k]), p[:, k], loss).mean() for k in range(CLASSES)]))


def given(p: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return E[c | p], the mean over 400 rows of nearly the same p."""
    order = np.argsort(p)
    means = c[order].reshape(-1, 400).mean(axis=1)
    values = np.empty(p.size)
    values[order] = np.repeat(means, 400)
    return values


def binary(c: np.ndarray, p: np.ndarray, loss: str) -> np.ndarray:
    """Return the divergence of two classes; the squared distance of one of them with the Brier score."""
    if loss == "brier":
        return (c - p) ** 2
    return divergence(np.stack([c, 1 - c], axis=1), np.stack([p, 1 - p], axis=1), loss).sum(axis=1)


def divergence(c: np.ndarray, p: np.ndarray, loss: str) -> np.ndarray:
    """Return the terms of the divergence of p from c, log loss with predictions clipped to [1e-6, 1 - 1e-6]."""
    if loss == "brier":
        return (c - p) ** 2
    return np.where(c > 0, c * (np.log(np.maximum(c, 1e-300)) - np.log(np.clip(p, 1e-6, 1 - 1e-6))), 0.0)


if __name__ == "__main__":
    main()
