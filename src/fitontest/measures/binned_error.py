"""The result of a general calibration error: the number, its bins, and the tests behind it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.arrays import as_scores
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.result import BinaryError
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Backend, records, to_frame
from fitontest.results.text import short, text_table
from fitontest.significance.choice import SignificanceTest, find_test
from fitontest.typing import ArrayInput, BoolArray, FloatArray


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class BinnedError(BinaryError):
    """A general calibration error: a norm of one loss per bin, as `gce` and `tce` return it.

    Attributes
    ----------
    value : float
        A fraction from `gce`, percent from `tce`.
    percent : bool
        Which of the two. The losses per bin are fractions either way.
    norm, loss : str
        Their names, or those of the callables given.
    n : int
        Rows of positive weight.
    base_rate : float
        Weighted share of positives.
    partition : Partition
    n_bins : int
        Number of its bins, empty ones included.
    reduction : str or None
        How the sample was made of several classes: "confidence" (then the base rate is the accuracy), "binary", or
        "classwise" for one class against the rest. None where nothing was reduced.
    losses : array of shape (B,)
        The loss of each bin, NaN where it is empty.
    table : BinTable
        Sums per bin.
    whole : bool
        Whether all weights are whole numbers, so that weights count rows.
    alpha : float or None
        Level of the test, for rejections.
    test : str or None
        Name of the test, for rejections.
    null : IfCalibrated or None
        What the error would be if the scores were calibrated, where `null_draws` asked for it.

    Examples
    --------
    >>> import fitontest as fot
    >>> y = [0, 0, 0, 1, 0, 1, 1, 1]
    >>> error = fot.gce(y, [0.1, 0.1, 0.2, 0.2, 0.6, 0.7, 0.8, 0.9], n_bins=2)
    >>> print(error)
    GCE 0.0500: loss bias, norm l1, 2 bins, n = 8
    bin       n  positives  empirical  mean prediction   loss
    --------  -  ---------  ---------  ---------------  -----
    [0, 0.5)  4          1      0.250            0.150  0.100
    [0.5, 1]  4          3      0.750            0.750   0.00
    """

    percent: bool
    loss: str
    partition: Partition
    losses: FloatArray
    table: BinTable
    whole: bool
    alpha: float | None = None
    test: str | None = None
    null: IfCalibrated | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain record per bin.

        ``n`` counts the rows, repeated by their weights where these are whole numbers; ``positives`` is the weight of
        the positives. What an empty bin lacks is None.
        """
        borders, table = self.partition.borders, self.table
        counts = table.w if self.whole else table.n
        columns: dict[str, Any] = {
            "lower": borders[:-1],
            "upper": borders[1:],
            "n": counts.astype(np.int64),
            "weight": table.w,
            "positives": table.sum_y.astype(np.int64) if self.whole else table.sum_y,
            "empirical_probability": table.mean_y,
            "mean_prediction": table.mean_p,
            "loss": self.losses,
        }
        if self.test is not None:
            share = np.where(table.occupied, self.losses, 0.0)
            columns["rejected"] = np.rint(share * table.w).astype(np.int64)
            columns["share_rejected"] = self.losses
        return records(**columns)

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Return the records as a data frame of an installed library, one row per bin."""
        return to_frame(self.rows(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values, with the table of the bins."""
        return {
            "loss": self.loss,
            "unit": "percent" if self.percent else "fraction",
            "alpha": self.alpha,
            "test": self.test,
            **super().to_dict(),
            "if_calibrated": None if self.null is None else self.null.to_dict(),
            "bins": self.rows(),
        }

    def rejects(self, y_prob: ArrayInput) -> BoolArray:
        """Return whether the test rejects each score against the labels of its bin.

        Parameters
        ----------
        y_prob : array-like of shape (m,)
            Scores in [0, 1]: those that were measured, for the decision on each of them, or any others. A score in a
            bin without rows is not rejected.
        """
        p = as_scores(y_prob, "y_prob")
        distinct, place = np.unique(p, return_inverse=True)
        starts = self.partition.starts(distinct)
        test, alpha = self._test()
        decided = test.rejected(self.table.sum_y, self.table.w, distinct, starts, alpha)
        return decided[place]

    def p_values(self, y_prob: ArrayInput) -> FloatArray:
        """Return the p-value of each score against the labels of its bin; 1 in a bin without rows."""
        p = as_scores(y_prob, "y_prob")
        at = self.partition.locate(p)
        return self._test()[0].p_values(self.table.sum_y[at], self.table.w[at], p)

    def _test(self) -> tuple[SignificanceTest, float]:
        if self.test is None or self.alpha is None:
            raise ValueError(f"loss must be 'rejection' for there to be a test, got loss={self.loss!r}")
        return find_test(self.test), self.alpha

    def __str__(self) -> str:
        rows, borders = self.rows(), _distinct(self.partition.borders)
        header = ["bin", "n", "positives", "empirical", "mean prediction", "loss"]
        if self.test is not None:
            header[-1:] = ["rejected", "share"]
        return f"{self.headline()}\n{text_table(header, [self._cells(row, b, borders) for b, row in enumerate(rows)])}"

    def headline(self) -> str:
        """Return the error in one line of words."""
        name = "TCE" if self.percent else "GCE"
        unit = " %" if self.percent else ""
        test = "" if self.test is None else f" ({self.test} test, alpha {self.alpha:g})"
        reduction = "" if self.reduction is None else f"reduction {self.reduction}, "
        what = f"{reduction}loss {self.loss}{test}, norm {self.norm}, {self.n_bins} bins, n = {self.n}"
        line = f"{name} {short(self.value)}{unit}: {what}"
        if self.null is None:
            return line
        return f"{line}\nexpected if calibrated: {self.null.in_words(unit)}"

    def _cells(self, row: dict[str, Any], b: int, borders: list[str]) -> list[str]:
        left = self.partition.closed == "left"
        first, last = b == 0, b == self.partition.n_bins - 1
        opens, closes = "[" if left or first else "(", "]" if last or not left else ")"
        bin_ = f"{opens}{borders[b]}, {borders[b + 1]}{closes}"
        means = [_cell(row["empirical_probability"]), _cell(row["mean_prediction"])]
        rejected = [] if self.test is None else [str(row["rejected"])]
        return [bin_, str(row["n"]), f"{row['positives']:g}", *means, *rejected, _cell(row["loss"])]

    def __repr__(self) -> str:
        unit = " %" if self.percent else ""
        null = "" if self.null is None else f", if_calibrated={self.null.mean:.4g}{unit}"
        reduction = "" if self.reduction is None else f"reduction={self.reduction!r}, "
        how = f"{reduction}loss={self.loss!r}, norm={self.norm!r}, n_bins={self.n_bins}, n={self.n}{null}"
        return f"BinnedError({self.value:.6g}{unit}, {how})"


def _distinct(borders: FloatArray) -> list[str]:
    """Return the borders with as few digits, three at least, as tell them apart."""
    wanted = np.unique(borders).size
    for digits in range(3, 18):
        texts = [f"{border:.{digits}g}" for border in borders]
        if len(set(texts)) == wanted:
            break
    return texts


def _cell(value: float | None) -> str:
    return "-" if value is None else short(value)
