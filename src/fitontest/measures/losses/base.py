"""Losses of a bin: how badly the predictions of one bin fit its labels.

With the rows (p_i, y_i, w_i) of a bin and their weighted means pbar and ybar:

* bias: |ybar - pbar|, the gap of the means (ECE, ACE, MCE);
* deviation: the weighted mean of |p_i - ybar| (PDE, the probability deviation error);
* rejection: the weighted share of the predictions p_i that a significance test rejects as the probability of the bin's
  labels (TCE).

A loss of one's own is a callable that gets the rows of one bin.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from fitontest.checks import is_real
from fitontest.data.sample import Sample
from fitontest.measures.binned_sample import BinnedSample
from fitontest.significance.choice import check_alpha, find_test
from fitontest.typing import BoolArray, FloatArray

SignificanceName: TypeAlias = Literal["binomial", "t"]
DEFAULT_ALPHA: float = 0.05
DEFAULT_TEST: SignificanceName = "binomial"


class BinLoss(ABC):
    """A loss per bin, known to readers by its name."""

    name: str

    def check(self, sample: Sample) -> None:  # noqa: B027 - most losses have a meaning for every sample
        """Raise ValueError for a sample that the loss has no meaning for."""

    @abstractmethod
    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return the loss of each bin, shape (B,), NaN where a bin is empty."""


class Bias(BinLoss):
    """|ybar - pbar|."""

    name = "bias"

    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return the gaps of the means."""
        return np.abs(binned.table.gap)


class Deviation(BinLoss):
    """The weighted mean of |p - ybar|."""

    name = "deviation"

    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return the mean distances between predictions and the mean label of their bin."""
        away = np.abs(binned.groups.p - binned.spread(binned.table.mean_y))
        return _mean(binned, away)


@dataclass(frozen=True)
class Rejection(BinLoss):
    """The share of predictions that a significance test rejects at level alpha."""

    alpha: float = DEFAULT_ALPHA
    test: str = DEFAULT_TEST
    name = "rejection"

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        find_test(self.test)

    def check(self, sample: Sample) -> None:
        """Refuse weights that count no rows."""
        if not sample.whole:
            parts = sample.w[sample.w != np.floor(sample.w)]
            found = f"{parts[0]!s}" if parts.size else f"a sum of {sample.total!s}"
            raise ValueError(
                "sample_weight must be whole numbers with a sum up to 2**53 for loss='rejection', because "
                f"a significance test counts rows; got {found}"
            )

    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return the shares of rejected predictions."""
        table, groups = binned.table, binned.groups
        rejected = find_test(self.test).rejected(table.sum_y, table.w, groups.p, binned.starts, self.alpha)
        return _mean(binned, rejected)


@dataclass(frozen=True)
class OfEachBin(BinLoss):
    """A user's callable, called once per occupied bin."""

    function: Callable[..., Any]

    @property
    def name(self) -> str:  # type: ignore[override]
        """Name of the function."""
        return name_of(self.function)

    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return what the callable makes of the labels and predictions of each bin, sorted by (p, y, w)."""
        rows, sample = binned.sample.rows, binned.sample
        first = np.append(binned.groups.first, len(rows))[binned.starts]
        out = np.full(len(binned.table), np.nan)
        for b in np.flatnonzero(binned.table.occupied):
            piece = slice(first[b], first[b + 1])
            weights = {} if sample.unit else {"sample_weight": rows.w[piece]}
            out[b] = as_number(self.function(rows.y[piece], rows.p[piece], **weights), "loss", f" for bin {b}")
        return out


BIN_LOSSES: dict[str, type[BinLoss]] = {"bias": Bias, "deviation": Deviation, "rejection": Rejection}


def find_bin_loss(loss: object, alpha: float, test: str) -> BinLoss:
    """Return the loss of that name, or the user's callable; alpha and test belong to the rejection alone."""
    if callable(loss) and not isinstance(loss, type):
        found: BinLoss = OfEachBin(loss)
    elif isinstance(loss, str) and loss in BIN_LOSSES:
        found = Rejection(alpha, test) if loss == "rejection" else BIN_LOSSES[loss]()
    else:
        raise ValueError(f"loss must be one of {', '.join(map(repr, BIN_LOSSES))} or a callable, got {loss!r}")
    if isinstance(found, Rejection):
        return found
    for name, value, default in (("alpha", alpha, DEFAULT_ALPHA), ("test", test, DEFAULT_TEST)):
        if not (isinstance(value, str | float) and value == default):
            raise ValueError(f"{name} must be left at {default!r} unless loss='rejection', got {name}={value!r}")
    return found


def name_of(chosen: object) -> str:
    """Return a name as it is, and the name of a callable."""
    return chosen if isinstance(chosen, str) else str(getattr(chosen, "__name__", type(chosen).__name__))


def as_number(value: object, argument: str, where: str = "") -> float:
    """Return what a user's callable returned as a float, if it is a finite real number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not is_real(value) or not np.isfinite(value):
        found = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
        raise ValueError(f"{argument} must return a finite number, got {found}{where}")
    return float(value)


def _mean(binned: BinnedSample, values: FloatArray | BoolArray) -> FloatArray:
    """Return the weighted mean of a value per group over each bin."""
    total = binned.sums(binned.groups.w * values)
    out: FloatArray = np.full(total.shape, np.nan)
    return np.divide(total, binned.table.w, out=out, where=binned.table.occupied)
