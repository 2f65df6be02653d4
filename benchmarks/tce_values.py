"""Every column of the tables of the TCE paper on one set of scores, with bins as they were published."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

import fitontest as fot
from fitontest.results.exceptions import without_warnings
from timing import seconds_of

Array = np.ndarray
CALLS = 5  # of which the median is the time


@dataclass(frozen=True)
class Setting:
    """Bounds of PAVA-BC (by default n / 20 and n / 5), number of the other bins, and level of the test."""

    n_min: int | None = None
    n_max: int | None = None
    n_bin: int = 10
    alpha: float = 0.05


def quantile_edges(p: Array, n_bins: int) -> Array:
    """Return the paper's quantile bins: the sorted scores cut at int(linspace(0, 1, B + 1) n).

    Edges cannot cut scores that are equal, so heavy ties leave fewer bins than the paper has.
    """
    cuts = (np.linspace(0, 1, n_bins + 1) * p.size).astype(int)[1:-1]
    edges = np.unique(np.sort(p)[cuts])
    return edges[edges > 0]


def published_t_test(p: Array, n: Array, positives: Array) -> Array:
    """Return p-values of the t-test whose "standard deviation" is the variance of a label, as published.

    Where all labels of a bin are equal, of one row too, every score but their mean is rejected.
    """
    ybar = positives / n
    away, variance = np.abs(ybar - p), ybar * (1 - ybar)
    statistic = np.sqrt(n) * np.divide(away, variance, out=np.where(away > 0, np.inf, 0.0), where=variance > 0)
    return 2 * student.sf(statistic, np.maximum(n - 1, 1))


def calls_of(y: Array, p: Array, setting: Setting) -> dict[str, Callable[[], float]]:
    """Return what computes each column; those of TCE are in percent."""
    edges = quantile_edges(p, setting.n_bin)
    bins = {"P": fot.partitions.PavaBC(setting.n_min, setting.n_max), "Q": edges, "V": fot.partitions.Pava()}

    def tce(name: str, test: object, alpha: float) -> Callable[[], float]:
        return lambda: 100 * float(fot.tce(y, p, partition=bins[name], test=test, alpha=alpha, null_draws=0))

    calls = {
        "ECE": lambda: float(fot.gce(y, p, n_bins=setting.n_bin)),
        "ACE": lambda: float(fot.gce(y, p, partition=edges)),
        "MCE": lambda: float(fot.gce(y, p, n_bins=setting.n_bin, norm="max")),
        "MCE(Q)": lambda: float(fot.gce(y, p, partition=edges, norm="max")),
        "TCE": tce("P", "binomial", setting.alpha),
    }
    for name in bins:
        calls[f"TCE({name})"] = tce(name, "binomial", setting.alpha)
        calls[f"TCE({name})-B"] = tce(name, "binomial", setting.alpha)
        calls[f"TCE({name})-T"] = tce(name, "t", setting.alpha)
        calls[f"TCE({name})-T, variance"] = tce(name, published_t_test, setting.alpha)
    return calls


def values_of(y: Array, p: Array, setting: Setting, columns: Iterable[str]) -> dict[str, float]:
    """Return the values of columns. That ties may break the default bounds of PAVA-BC is not warned of."""
    calls = calls_of(y, p, setting)
    with without_warnings():
        return {column: calls[column]() for column in columns}


def times_of(y: Array, p: Array, columns: Iterable[str]) -> dict[str, float]:
    """Return the seconds that columns take at the default setting."""
    calls = calls_of(y, p, Setting())
    for column in columns:
        calls[column]()  # the first call imports
    return {column: float(np.median([seconds_of(calls[column]) for _ in range(CALLS)])) for column in columns}
