"""Evidence against small mean errors: a capital process for "the mean error of every batch is at most delta".

Rows of a batch have scores p_i, labels y_i and true rates c_i. Before their labels are seen each score gets a sign
s(p_i), 1 where rates above the score are bet on, -1 for rates below, and all rows one stake b in [0, 1). With
z_i = s(p_i) (y_i - p_i) and lambda = b / (1 + delta) they multiply the capital by the product over rows of

    1 + lambda (z_i - delta) = 1 - b + b (1 + z_i) / (1 + delta).

Given the scores, the mean of a factor is 1 + lambda (s(p_i) (c_i - p_i) - delta). By the inequality of arithmetic and
geometric means the mean of their product is at most (1 + lambda (mean of s (c - p) - delta))^n, and that at most 1
where the mean of |c - p| over the rows of the batch is at most delta. Nothing is assumed of how scores come about.

* The proof needs one stake for all rows of a batch. With stakes that depend on the score it fails.
* It needs the sum of s (c - p) alone. So rows may share cells, of one sign, at the mean score of those rows: the mean
  of s (c - p) stays as it is.
* Rows with exponents u_i in (0, 1], 1 / size of their group for example, have factors to the power of u_i. All of this
  then holds for the mean of |c - p| weighted by u: a concave power of a mean is at least the mean of the power, and
  exponents that sum to at most 1 in a group make its rows as good as one row (Hoelder). Weights that count rows are
  exponents too: so many rows with one label.
* A factor falls, or stays, as delta rises: 1 + z_i is not negative. So does every mixture of them.

Signs and stakes are mixed with a fixed share. The capital against each delta is then a supermartingale under its
hypothesis, and reaches 1 / alpha with probability at most alpha, ever (Ville's inequality).
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import log
from typing import Any

import numpy as np

from fitontest.data.cells.cell_sums import Resolution
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.bettors.fixed_share import SHARE
from fitontest.monitor.stored.values import read_array, read_each, read_list, read_object, read_text
from fitontest.numerics.log_sums import log_sum_exp
from fitontest.results.typing import FloatArray

#: Two digits of the mean errors, in steps of 10 % at most: a bound is one of them, and prints without rounding. Finer
#: steps make a bound a few percent larger, and the state longer.
DIGITS = np.array(
    [*range(10, 20), *range(20, 32, 2), *range(32, 50, 3), *range(50, 70, 4), *range(70, 100, 5)], dtype=np.float64
)
ERRORS = np.concatenate([DIGITS * unit for unit in (1, 10, 100, 1000)]) / 100_000.0
ERRORS = ERRORS[(ERRORS >= 0.0005) & (ERRORS <= 0.5)]
STAKES = np.geomspace(0.005, 0.9, 9)
NO_STAKE = 0.4  # prior weight of the stake 0, which keeps the capital from sinking
ALIKE = 0.1  # share of the other weight of each sign that is the same for all scores, where there are maps too
UNIT = 1e-6  # of weights
OF_SIGNS = Resolution(coarse=128)  # cells of 1/8 in probability and in logit, for rows of one sign


@dataclass(frozen=True, eq=False)
class ErrorCapital:
    """The capital of bets that the mean error is above each of D values.

    The signs of K bets are those of m(p) - p for the map m of each family, fitted to the past, and two that are the
    same for all scores, 1 and -1, which need no map. The K signs with 9 stakes each, and the stake 0, are mixed.

    Attributes
    ----------
    families : tuple of str
    errors : array of shape (D,)
        The mean errors, increasing.
    logs : array of shape (D,)
        The capital against each, as a logarithm.
    weights : array of shape (D, 1 + 9 K)
        Of the stake 0, and of the stakes by sign: whole multiples of 1e-6 with a sum of at most 1.
    highest : array of shape (D,)
        The largest `against` so far.

    References
    ----------
    Waudby-Smith, Ramdas (2024), Estimating means of bounded random variables by betting, Journal of the Royal
    Statistical Society B 86(1), 1-27. https://doi.org/10.1093/jrsssb/qkad009. There the values are sampled from one
    mean; here scores may be anything, since the null hypothesis is on the rates of the rows that were scored.
    """

    families: tuple[str, ...]
    errors: FloatArray
    logs: FloatArray
    weights: FloatArray
    highest: FloatArray

    @classmethod
    def first(cls, families: tuple[str, ...], max_error: float | None = None) -> "ErrorCapital":
        """Return the capital before the first batch; `max_error` is one of its values."""
        errors = ERRORS if max_error is None else np.unique([*ERRORS, max_error])
        weights = np.tile(_rounded_down(_prior(len(families))), (errors.size, 1))
        return cls(families, errors, np.zeros(errors.size), weights, np.zeros(errors.size))

    def after(self, batch: Batch, logits: Mapping[str, FloatArray]) -> "ErrorCapital":
        """Return the capital after a batch.

        A family whose map moves no score, as before there is a map at all, makes no bet: as if its stakes were 0.

        Parameters
        ----------
        batch : Batch of C cells
            All of it: cells that are left out for their labels would make the bets invalid.
        logits : mapping from str to array of shape (C,)
            By family: the logits of the rates that its map, fitted to earlier batches, gives the scores.
        """
        if not len(batch):
            return self
        alike = np.ones(len(batch))
        signs = [*(np.sign(logits[family] - batch.z) for family in self.families), alike, -alike]
        factors = np.concatenate(
            [np.zeros((self.errors.size, 1)), *(self._log_factors(batch, s) for s in signs)], axis=1
        )
        mean = log_sum_exp(factors, self.weights)
        kept = self.weights * np.exp(factors - mean[:, None])
        changed = replace(
            self,
            logs=self.logs + mean,
            weights=_rounded_down((1.0 - SHARE) * kept + SHARE * _prior(len(self.families))),
        )
        return replace(changed, highest=np.maximum(self.highest, changed.against))

    @cached_property
    def against(self) -> FloatArray:
        """The capital against each mean error, as a logarithm, at most that against any smaller one.

        Without rounding it would fall by itself as the error rises. The smaller of two values is valid in any case.
        """
        return np.asarray(np.minimum.accumulate(self.logs))

    def log_at(self, max_error: float) -> float:
        """Return the logarithm of the capital against one of the mean errors."""
        at = int(np.searchsorted(self.errors, max_error))
        if at == self.errors.size or self.errors[at] != max_error:
            raise ValueError(f"max_error must be one of the mean errors that are bet against, got {max_error:g}")
        return float(self.against[at])

    def lower_bound(self, alpha: float) -> float:
        """Return the largest mean error whose capital has reached 1 / alpha so far; 0 where none has.

        With probability 1 - alpha, at all times at once: in at least one batch so far the mean of abs(c - p) over its
        rows was at least this (above it, where this is not 0). Where that mean is the same in all batches, it is at
        least this in each. It is no bound on the error now: after a model has recovered it stays where it is.
        """
        refuted = int(np.count_nonzero(self.highest >= -log(alpha)))  # the smallest, as the capital falls
        return float(self.errors[refuted - 1]) if refuted else 0.0

    def _log_factors(self, batch: Batch, sign: FloatArray) -> FloatArray:
        """Return the log factors of the stakes on a sign of each cell, shape (D, 9)."""
        if not sign.any():
            return np.zeros((self.errors.size, STAKES.size))
        first = _changes(OF_SIGNS.keys(batch.low), sign)
        w = np.add.reduceat(batch.sums.w, first, axis=0)
        p, s = np.add.reduceat(batch.p * batch.total, first) / w.sum(axis=1), sign[first]
        z, rows = np.concatenate((-s * p, s * (1.0 - p))), w.T.ravel()
        z, rows = z[rows > 0.0], rows[rows > 0.0]
        worth = (1.0 + z) / (1.0 + self.errors[:, None])
        return np.stack([np.log(1.0 - stake + stake * worth) @ rows for stake in STAKES], axis=1)

    def to_dict(self) -> dict[str, Any]:
        """Return the capital as JSON-ready values; weights are counts of millionths."""
        return {
            "families": list(self.families),
            "errors": self.errors.tolist(),
            "logs": self.logs.tolist(),
            "highest": self.highest.tolist(),
            "weights": np.rint(self.weights / UNIT).astype(np.int64).tolist(),
        }

    @classmethod
    def from_dict(cls, values: object, place: str = "capital") -> "ErrorCapital":
        """Return the capital of values that `to_dict` returned, or refuse them by the name of their place."""
        held = read_object(values, [field.name for field in fields(cls)], place)
        families = tuple(read_each(held["families"], read_text, f"{place}.families"))
        n = max(1, len(read_list(held["errors"], f"{place}.errors")))
        shapes = {"errors": (n,), "logs": (n,), "weights": (n, _prior(len(families)).size), "highest": (n,)}
        arrays = {name: read_array(held[name], shape, f"{place}.{name}") for name, shape in shapes.items()}
        if np.any(np.diff(arrays["errors"], prepend=0.0, append=1.0) <= 0.0):
            raise ValueError(f"{place}.errors must increase, from above 0 to below 1")
        if arrays["weights"].min() < 0.0 or arrays["weights"].sum(axis=1).max() > 1.0 / UNIT:
            raise ValueError(f"{place}.weights must be counts of millionths, of a sum of 1,000,000 at most in each row")
        return cls(families, **(arrays | {"weights": arrays["weights"] * UNIT}))


def _prior(families: int) -> FloatArray:
    """Return the prior weights of the stake 0, and of the stakes on the sign of each family, on 1 and on -1."""
    alike = ALIKE if families else 0.5
    signs = np.array([*[(1.0 - 2.0 * alike) / max(families, 1)] * families, alike, alike])
    return np.concatenate(([NO_STAKE], np.repeat((1.0 - NO_STAKE) * signs / STAKES.size, STAKES.size)))


def _rounded_down(weights: FloatArray) -> FloatArray:
    """Return weights of six decimals, which make a short state; a sum of at most 1 stays so."""
    return np.asarray(np.floor(weights / UNIT) * UNIT)


def _changes(*columns: Any) -> Any:
    """Return where a run of cells begins that are alike in all columns."""
    return np.flatnonzero(np.any([np.diff(column, prepend=np.nan) != 0.0 for column in columns], axis=0))
