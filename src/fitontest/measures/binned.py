"""The general calibration error: a loss per bin, a partition and a norm, chosen independently of one another.

GCE = || (L(D_1), ..., L(D_B)) ||. The expected calibration error is one such triplet, its maximum and its adaptive form
two others, the probability deviation error a fourth; with the share of rejected predictions it is the test-based
calibration error. Of whole distributions the loss of a cell of the simplex is the distance d(pbar_b, ybar_b) of its
mean prediction from its mean label, as a distribution. That is the plug-in error of the map that is a shift in each
cell, g(p) = p + ybar_b - pbar_b, for every distance that depends on the difference.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np

from fitontest.data.arrays import as_scores
from fitontest.data.redraws import Labels, Redraws
from fitontest.data.simplex_sample import SimplexSample
from fitontest.maps.multiclass.cells import CellMap
from fitontest.measures.binning import (
    DEFAULT_BINS,
    EQUAL_WIDTH,
    MEDIAN_VARIANCE,
    AnyPartition,
    BinnedSample,
    OverBins,
    find_cells,
    find_rule,
    make_partition,
)
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.losses.base import BinLoss, find_bin_loss
from fitontest.measures.losses.rejection import DEFAULT_ALPHA, DEFAULT_TEST
from fitontest.measures.measure import register
from fitontest.measures.notes import one_bin_of_rule_note
from fitontest.measures.simplex_cells import SimplexCells, note_of_cells
from fitontest.measures.words import Words, as_percent
from fitontest.numerics.distances import absolute_difference, farthest
from fitontest.numerics.norms import Norm, find_norm
from fitontest.numerics.significance.choice import SignificanceTest, TestChoice
from fitontest.numerics.simplex_distances import DEFAULT_DISTANCE, Distance, find_distance
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.cell_partition import CellPartition
from fitontest.partitions.partition import Partition
from fitontest.partitions.simplex.cell_table import CellSums, cells_of
from fitontest.results.frames import Records, records
from fitontest.results.registry import plain_setting
from fitontest.results.table import Section, cell
from fitontest.results.text import count, distinct, short
from fitontest.results.typing import ArrayInput, BoolArray, FloatArray

CELLS = "cells"
TITLES = {  # of losses, norms and partitions
    ("bias", "l1", "equal_width"): "ECE",
    ("bias", "l1", "equal_mass"): "ACE",
    ("bias", "max", "equal_width"): "MCE",
    ("deviation", "l1", "equal_mass"): "PDE",
    ("bias", "l1", "cells"): "ECE",
    ("bias", "max", "cells"): "MCE",
    ("deviation", "l1", "cells"): "PDE",
}


@register("simplex_ece", distance=DEFAULT_DISTANCE)
@register("tce", loss="rejection", partition="pava_bc")
@register("pde", loss="deviation", partition="equal_mass")
@register("mce", norm="max")
@register("ace", partition="equal_mass")
@register("ece", loss="bias", partition="equal_width", norm="l1")
@register("gce")
@dataclass(frozen=True, eq=False)
class Binned(OverBins):
    """A binned calibration error: one loss per bin, summed up by a norm, as ECE, ACE, MCE and TCE.

    The registered names gce, ece, ace, mce, pde, tce and simplex_ece are settings of it.

    Parameters
    ----------
    loss, partition, norm, n_bins, alpha, test
        See `gce`. A `BinLoss` and a `Norm` are taken beside their names.
    distance : str, Distance or callable, optional
        Of whole distributions, between the mean prediction and the mean label of a cell of the simplex; None: bins of
        scores. A callable is called as ``distance(pbar, ybar)`` with two matrices of a row for each cell, and returns a
        number for each. Then the loss is "bias", and the partition "median_variance" by default, "uniform_grid", a rule
        such as ``MedianVariance(20)``, any object with its method, or the cell of each row.

    Examples
    --------
    >>> import fitontest as fot
    >>> sample = fot.ScoreSample([0, 0, 1, 0, 1, 1, 1, 1], [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9])
    >>> for name in ("ece", "mce", "pde"):
    ...     print(name, round(fot.measures.make(name, n_bins=2).estimate(sample).value, 3))
    ece 0.15
    mce 0.25
    pde 0.162
    >>> P = [[0.4, 0.1, 0.5], [0.5, 0.3, 0.2], [0.3, 0.7, 0.0], [0.1, 0.0, 0.9], [0.8, 0.1, 0.1]]
    >>> error = fot.gce([0, 1, 2, 0, 1], P, reduction="canonical", partition=fot.partitions.MedianVariance(2))
    >>> round(float(error), 12), error.n_bins
    (0.54, 2)
    """

    loss: str | BinLoss | Callable[..., Any] = "bias"
    partition: AnyPartition = EQUAL_WIDTH
    norm: str | Norm | Callable[..., Any] = "l1"
    n_bins: int = DEFAULT_BINS
    alpha: float = DEFAULT_ALPHA
    test: TestChoice = DEFAULT_TEST
    distance: Any = None
    bin_loss: BinLoss = field(init=False, repr=False)
    total: Norm = field(init=False, repr=False)
    rule: Any = field(init=False, repr=False)
    between: Distance | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        put = object.__setattr__  # the dataclass is frozen: what its settings mean is settled once
        put(self, "bin_loss", _loss_of(self.loss, self.alpha, self.test))
        put(self, "total", find_norm(self.norm))
        if self.distance is None:
            put(self, "between", None)
            put(self, "rule", find_rule(self.partition, self.n_bins))
            return
        if not self.bin_loss.is_gap:
            raise ValueError(f"loss must be 'bias' for the probabilities of all classes, got {self.loss!r}")
        if isinstance(self.partition, str) and self.partition == EQUAL_WIDTH:
            put(self, "partition", MEDIAN_VARIANCE)
        put(self, "between", find_distance(self.distance))
        put(self, "rule", find_cells(self.partition, self.n_bins))

    @property
    def classes(self) -> Literal["two", "any"]:  # type: ignore[override]
        """How many classes it measures: any number, where distances between probabilities of all classes are taken."""
        return "two" if self.between is None else "any"

    @property
    def words(self) -> Words:
        """The abbreviation of the field, such as ECE, ACE, MCE, PDE or TCE.

        It is GCE for what has none; a TCE is in percent.
        """
        if self.between is not None:
            return self._words_of_cells()
        tested = self.bin_loss.significance is not None
        cells = "" if self.rule.ascends else CELLS
        partition = self.partition if isinstance(self.partition, str) else cells
        settings = {
            "loss": self.bin_loss.name,
            "norm": self.total.name,
            "alpha": float(getattr(self.bin_loss, "alpha", self.alpha)) if tested else None,
            "test": self.bin_loss.significance[0].name if self.bin_loss.significance else None,
        }
        return Words(
            title="TCE" if self.in_percent else TITLES.get((self.bin_loss.name, self.total.name, partition), "GCE"),
            settings=settings,
            brief={"loss": self.bin_loss.name, "norm": self.total.name},
            settings_in_words=f"loss {self.bin_loss.in_words()}, norm {self.total.name}",
            printed=as_percent if self.in_percent else short,
            needs_null=self.in_percent,  # calibrated scores are rejected too, many of them in wide bins
        )

    def _words_of_cells(self) -> Words:
        """Return how the error of whole distributions is called: without the settings that its name implies."""
        partition = self.partition if isinstance(self.partition, str) else plain_setting(repr(self.rule))
        settings = {"partition": partition, "distance": str(self.between), "norm": self.total.name}
        implied = {"partition": MEDIAN_VARIANCE, "distance": DEFAULT_DISTANCE, "norm": "l1"}
        changed = ", ".join(f"{name}={value!r}" for name, value in settings.items() if value != implied[name])
        return Words(
            title="canonical ECE" if self.total.name == "l1" else "canonical GCE",
            name=f"simplex_ece({changed})" if changed else "simplex_ece",
            settings=settings,
            brief={name: value for name, value in settings.items() if (name, value) != ("norm", "l1")},
        )

    @property
    def is_raw(self) -> bool:
        """Whether label noise adds to the value: to gaps and distances between means."""
        return bool(self.bin_loss.is_gap)

    @property
    def of_bins(self) -> bool:
        """It is a total over bins."""
        return True

    @property
    def in_percent(self) -> bool:
        """Whether values are printed as percent: shares of rejected predictions are."""
        return self.bin_loss.significance is not None and self.total.name == "l1"

    def estimate(self, sample: Any) -> Estimate:
        """Return the norm of the losses of the bins that hold rows.

        Of whole distributions it is that of the distances of the cells of the simplex.
        """
        if self.between is not None:
            return self._of_cells(sample)
        self.bin_loss.check(sample)
        bins = Bins.of(BinnedSample(sample, make_partition(self.rule, sample)), self.bin_loss)
        note = one_bin_of_rule_note(self.rule, len(bins.table), self.total.name) if self.bin_loss.is_gap else ""
        if note:
            bins = replace(bins, note=note)
        return Estimate.of(self, sample, bins.norm_of_losses(partial(self.total, counts=sample.whole)), bins)

    def _of_cells(self, sample: SimplexSample) -> Estimate:
        assert self.between is not None
        partition, ids = cells_of(self.rule, sample)
        table = CellSums.of(sample, ids).table(sample.codes)
        distances = self.between(table.mean_p, table.mean_y)
        evidence = SimplexCells(
            map=CellMap.of(partition, table),
            cells=partition,
            table=table,
            distances=distances,
            note=note_of_cells(table),
            labels=tuple(sample.classes),
        )
        return Estimate.of(self, sample, self.total(distances, table.w, counts=sample.whole), evidence)

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the values for several sets of labels of the same predictions.

        They are for whole distributions in the same cells.
        """
        if self.between is None:
            return super().values(redraws, labels)
        sums = CellSums.of(redraws.sample, cells_of(self.rule, redraws.sample)[1])
        whole = redraws.sample.whole
        distances = (self.between(sums.mean_p, sums.mean_label(labelling)) for labelling in labels)
        return np.fromiter((self.total(g, sums.w, counts=whole) for g in distances), dtype=np.float64)

    @property
    def squared(self) -> bool:
        """Whether the value is a mean of squares."""
        of_squares = self.between is not None and self.between.name == "squared_euclidean"
        return of_squares != (self.total.name == "squared") and not (of_squares and self.total.name == "l2")

    def target(self, sample: Any, c: FloatArray) -> float | None:
        """Return what the error would be if the true probabilities were known.

        That is the norm of c - p for the bias under l1, l2 and their like; other losses aim at something else.

        Of whole distributions it is the norm of the distances between the rows and those of c.
        """
        of_cells = self.between is None and not self.rule.ascends
        if not self.bin_loss.is_gap or self.total.influence is None or of_cells:
            return None
        return self.total((self.between or absolute_difference)(sample.p, c), sample.w, counts=sample.whole)

    def ceiling(self, sample: Any) -> float:
        """Return the error of the truths that are farthest from the predictions, since a norm grows with distances."""
        most = self.target(sample, farthest(sample.p))
        return np.inf if most is None else most


@dataclass(frozen=True, kw_only=True, eq=False)
class Bins(Evidence):
    """The bins of a sample with the loss of each.

    Attributes
    ----------
    partition : Partition
    losses : array of shape (B,)
        The loss of each bin, NaN where it is empty.
    table : BinTable
        Sums per bin.
    whole : bool
        Whether all weights are whole numbers, so that weights count rows.
    bin_loss : BinLoss
    """

    losses: FloatArray
    table: BinTable
    whole: bool
    bin_loss: BinLoss

    @classmethod
    def of(cls, binned: BinnedSample, bin_loss: BinLoss) -> Self:
        """Return the bins of a binned sample with the loss of each."""
        losses, table = bin_loss.per_bin(binned), binned.table
        if not (isinstance(losses, np.ndarray) and losses.shape == (len(table),)):
            rule = f"{type(bin_loss).__name__}.per_bin must return an array of shape ({len(table)},)"
            raise TypeError(f"{rule}, one loss for each bin; got {losses!r}")
        losses.flags.writeable = False
        return cls(partition=binned.partition, losses=losses, table=table, whole=binned.sample.whole, bin_loss=bin_loss)

    def norm_of_losses(self, norm: Callable[[FloatArray, FloatArray], float]) -> float:
        """Return the norm of the losses of the occupied bins, each with the weight of its rows."""
        kept = self.table.occupied
        return norm(self.losses[kept], self.table.w[kept])

    def rows(self) -> Records:
        """Return one plain record per bin.

        ``n`` counts the rows, repeated by their weights where these are whole numbers; ``positives`` is the weight of
        the positives. What an empty bin lacks is None.
        """
        table = self.table
        counts = table.w if self.whole else table.n
        columns: dict[str, Any] = {
            **_places(self.bins),
            "n": counts.astype(np.int64),
            "weight": table.w,
            "positives": table.sum_y.astype(np.int64) if self.whole else table.sum_y,
            "empirical_probability": table.mean_y,
            "mean_prediction": table.mean_p,
            "loss": self.losses,
        }
        if self.bin_loss.significance is not None:
            share = np.where(table.occupied, self.losses, 0.0)
            columns["rejected"] = np.rint(share * table.w).astype(np.int64)
            columns["share_rejected"] = self.losses
        return records(**columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the table of the bins."""
        return {"bins": self.rows()}

    @property
    def bins(self) -> Partition | CellPartition:
        """The partition, which is always there."""
        assert self.partition is not None
        return self.partition

    def rejects(self, y_prob: ArrayInput) -> BoolArray:
        """Return whether the test rejects each score against the labels of its bin.

        Parameters
        ----------
        y_prob : array-like of shape (m,)
            Scores in [0, 1]: those that were measured, for the decision on each of them, or any others. A score in a
            bin without rows is not rejected.
        """
        p, bins = as_scores(y_prob, "y_prob"), self.bins_of_scores()
        distinct, place = np.unique(p, return_inverse=True)
        starts = bins.starts(distinct)
        test, alpha = self._significance()
        return test.rejected(self.table.sum_y, self.table.w, distinct, starts, alpha)[place]

    def p_values(self, y_prob: ArrayInput) -> FloatArray:
        """Return the p-value of each score against the labels of its bin; 1 in a bin without rows."""
        p = as_scores(y_prob, "y_prob")
        at = self.bins_of_scores().locate(p)
        return self._significance()[0].p_values(self.table.sum_y[at], self.table.w[at], p)

    def bins_of_scores(self) -> Partition:
        """Return the bins, which must be bins of [0, 1] and no cells."""
        if not self.bins.ascends:
            raise ValueError(f"partition must have bins of scores to test single scores, got {self.bins!r}")
        return self.bins  # type: ignore[return-value]

    def _significance(self) -> tuple[SignificanceTest, float]:
        if self.bin_loss.significance is None:
            raise ValueError(f"loss must be 'rejection' for there to be a test, got loss={self.bin_loss.name!r}")
        return self.bin_loss.significance

    def section(self) -> Section:
        """Return the printed table of the bins."""
        header = ["bin" if self.bins.ascends else "cell", "n", "positives", "empirical", "mean prediction", "loss"]
        if self.bin_loss.significance is not None:
            header[-1:] = ["rejected", "share"]
        body = [self._cells(row, name) for row, name in zip(self.rows(), _names(self.bins), strict=True)]
        return Section(header=header, body=body)

    def _cells(self, row: dict[str, Any], bin_: str) -> list[str]:
        means = [cell(row["empirical_probability"]), cell(row["mean_prediction"])]
        rejected = [count(row["rejected"])] if "rejected" in row else []
        return [bin_, count(row["n"]), count(row["positives"]), *means, *rejected, cell(row["loss"])]


def _places(bins: Any) -> dict[str, Any]:
    """Return where the bins are, as columns of a table: between which borders, or in which cell."""
    return {"lower": bins.borders[:-1], "upper": bins.borders[1:]} if bins.ascends else {"cell": bins.labels}


def _names(bins: Any) -> list[str]:
    """Return what the bins are called: the intervals, or the labels of the cells."""
    if not bins.ascends:
        return [str(label) for label in bins.labels.tolist()]
    borders, left, last = distinct(bins.borders.tolist()), bins.closed == "left", bins.n_bins - 1
    opens = ["[" if left or b == 0 else "(" for b in range(bins.n_bins)]
    closes = ["]" if b == last or not left else ")" for b in range(bins.n_bins)]
    return [f"{opens[b]}{borders[b]}, {borders[b + 1]}{closes[b]}" for b in range(bins.n_bins)]


def _loss_of(loss: object, alpha: float, test: TestChoice) -> BinLoss:
    """Return the loss that is meant; level and test belong to the rejection by name alone."""
    if loss == "rejection" and isinstance(loss, str):
        return find_bin_loss(loss, alpha=alpha, test=test)
    bin_loss = find_bin_loss(loss)
    for name, value, default in (("alpha", alpha, DEFAULT_ALPHA), ("test", test, DEFAULT_TEST)):
        if not (isinstance(value, str | float) and value == default):
            rule = f"{name} must be left at {default!r} unless loss='rejection'"
            hint = "" if bin_loss.significance is None else "; a Rejection has its own"
            raise ValueError(f"{rule}, got {name}={value!r}{hint}")
    return bin_loss
