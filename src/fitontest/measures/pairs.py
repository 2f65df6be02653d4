r"""The pair statistic: whether residuals of neighbouring rows are alike, at scales from two rows to a quarter of all.

It sees errors of any shape that persist over some rows, waves and errors of single values among them, which maps of a
few numbers smooth away. `fitontest.measures.pair_windows` has the formula.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fitontest.data.entries import Entries, count_effective_rows, labelled_entries
from fitontest.data.redraws import Labels, Redraws
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.pair_windows import PairWindows
from fitontest.measures.words import Words
from fitontest.numerics.links import signed_root
from fitontest.results.frames import Records, records
from fitontest.results.table import Section
from fitontest.results.text import percent, short
from fitontest.results.typing import FloatArray, IntArray

NO_SPREAD = "every score is 0 or 1, so that labels of calibrated scores do not vary: the statistic has no scale"
OF_GROUPS = "the standard deviations are those of independent rows, and rows of one group are not"
LEAST_VARIANCE = 0.01  # of the mean one: rows whose labels are as good as certain tell little, but not nothing
NO_PAIR = "no row has another one near it, so that there are no pairs: the statistic is 0"


@dataclass(frozen=True, eq=False)
class EntryPairs:
    """The pair statistic of entries; whole weights count rows, so that those of one score are one unit."""

    entries: Entries
    windows: PairWindows

    @classmethod
    def of(cls, entries: Entries) -> "EntryPairs":
        """Return that of entries, which remember it for other labels."""
        known = entries.memory.get("pairs")
        if known is None:
            known = entries.memory["pairs"] = cls(entries, cls._windows(entries))
        pairs: EntryPairs = known
        return pairs

    @classmethod
    def by_events(cls, entries: Entries, g: FloatArray) -> "EntryPairs":
        """Return that whose windows hold as many events each, or as many of the labels without, if these are rarer.

        Parameters
        ----------
        entries : Entries
        g : array of shape (m,)
            About which probabilities they have. A row has the mass g (1 - g), in units of the mean one: where it is the
            same for all rows, windows are those of rows.
        """
        v, w = g * (1.0 - g), entries.w
        mean = float(w @ v / w.sum())
        v = np.maximum(v / mean, LEAST_VARIANCE) if mean > 0.0 else np.ones(g.size)
        return cls(entries, cls._windows(entries, v[entries.first] if entries.whole else v))

    @staticmethod
    def _windows(entries: Entries, variance: FloatArray | None = None) -> PairWindows:
        if entries.whole:
            return PairWindows.of(entries.distinct_p, entries.distinct_w, np.ones(entries.first.size), variance)
        return PairWindows.of(entries.p, entries.n.astype(np.float64), entries.w / entries.n, variance)

    def of_units(self, positives: IntArray) -> IntArray:
        """Return labellings of the units, from those of the entries, shape (m, B)."""
        if not self.entries.whole:
            return positives
        if not self.entries.unit:  # one label stands for all copies of a row
            positives = positives * np.rint(self.entries.w / self.entries.n).astype(np.intp)[:, None]
        return np.add.reduceat(positives, self.entries.first, axis=0) if self.entries.tied else positives

    def at_units(self, c: FloatArray) -> FloatArray:
        """Return values at the units, from those at the distinct scores, shape (G, ...)."""
        return c if self.entries.whole or not self.entries.tied else c[self.entries.place]

    def from_entries(self, values: FloatArray) -> FloatArray:
        """Return values at the units, from those at the entries."""
        return np.asarray(values[self.entries.first]) if self.entries.whole else values

    def to_entries(self, values: FloatArray) -> FloatArray:
        """Return values at the entries, from those at the units."""
        return np.asarray(values[self.entries.place]) if self.entries.whole else values

    @property
    def least_rows(self) -> float:
        """Rows of a window at scale 0: those of one score, told as 0, or of pooled scores so many on average."""
        return count_effective_rows(self.entries) / len(self.windows.n) if self.entries.pooled else 0.0

    def near_rows(self, scale: int) -> float:
        """Return over how many rows a row looks for near ones at a scale, by its place; 0: those of its score.

        Of windows by events it is that of the mean row, fewer where events are frequent and more where they are rare.
        """
        each = count_effective_rows(self.entries) / self.windows.rows
        return max(2.0 * float(self.windows.scales[scale]) * each, self.least_rows)

    def levels(self, scale: int) -> IntArray:
        """Return in which window of a scale, of windows beside each other, each entry is; at 0 that of its score."""
        windows, reach = self.windows, float(self.windows.scales[scale])
        if not reach:
            return self.entries.place
        ranks = np.cumsum(windows.n * windows.mass)
        return np.asarray(self.to_entries(np.floor(ranks * windows.rows / (2.0 * reach * ranks[-1]))), dtype=np.intp)

    @property
    def p(self) -> FloatArray:
        """The scores of the units."""
        return self.entries.distinct_p if self.entries.whole else self.entries.p

    @property
    def null_deviations(self) -> FloatArray:
        """The standard deviation at every scale of the statistic of calibrated scores."""
        known = self.entries.memory.get("pairs, if calibrated")
        if known is None:
            known = self.entries.memory["pairs, if calibrated"] = self.windows.deviations(self.p)
        return np.asarray(known)

    def standardised(self, positives: IntArray) -> FloatArray:
        """Return T_s by its standard deviation if the scores were calibrated, for labellings of shape (m, B)."""
        values = self.windows.statistics(self.of_units(positives), self.p)
        spread = self.null_deviations[:, None]
        return np.divide(values, spread, out=np.zeros_like(values), where=spread > 0)


@register("pairs")
@dataclass(frozen=True)
class PairStatistic(Measure):
    r"""Test statistic for errors of any shape: how much the errors of rows with similar scores agree.

    The pair statistic, at the scale that shows most.

    At the scale s, with r_i = y_i - p_i and weights w of sum W,

        T_s = (1 / W) sum_i w_i r_i (sum_j w_j r_j) / (sum_j w_j)     over the rows j != i within s ranks of row i,

    for s = 1, 2, 4, ... up to an eighth of the rows, and s = 0, pairs of equal scores, where at least 5 % of the rows
    share theirs. The value is the largest T_s / sd_s, with sd_s the standard deviation of T_s for calibrated scores:
    a number without unit, 0 on average at each scale if the scores are calibrated. Its p-value is that of `null_draws`.

    Where the true probabilities differ from the scores by d, level over the window, T_s is the mean of d^2 on average:
    the root of T_s is an error on the scale of the scores. A d that changes sign within the window averages out.

    Notes
    -----
    Tied scores share the middle one of their ranks. Whole weights count rows; of other weights a row is paired with
    other rows, and ranks are those of the effective number of rows. A row without a near one adds 0. The standard
    deviation is exact. It takes O(n) time at each scale. It is an unbiased squared kernel calibration error with a box
    kernel in the ranks (`kernel` has kernels in the scores); the largest over scales that double is the adaptive test
    of T-Cal, with redrawn labels in place of its constants. Of more than 40,000 rows neighbouring scores are pooled.

    References
    ----------
    Lee, Huang, Hassani, Dobriban (2023), T-Cal: an optimal test for the calibration of predictive models, Journal of
    Machine Learning Research 24. https://doi.org/10.48550/arXiv.2203.01850
    Widmann, Lindsten, Zachariah (2019), Calibration tests in multi-class classification: a unifying framework, NeurIPS.
    https://doi.org/10.48550/arXiv.1910.11385

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> waves = p + 0.1 * np.sin(16 * np.pi * p)
    >>> error = fot.measures.make("pairs").estimate(fot.ScoreSample(rng.random(2000) < waves, p))
    >>> error.value > 3, error.evidence.near_rows, round(error.evidence.root, 2)
    (True, 128.0, 0.06)
    """

    words = Words(title="pair statistic")

    unit: ClassVar[Unit] = "standard deviations"

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the largest standardised statistic, with those of all scales as evidence."""
        entries, positives = labelled_entries(sample)
        pairs = EntryPairs.of(entries)
        squares = pairs.windows.statistics(pairs.of_units(positives[:, None]), pairs.p)[:, 0]
        found = PairsByScale(
            reach=pairs.windows.scales,
            squares=squares,
            spreads=pairs.null_deviations,
            total_rows=pairs.windows.rows,
            least_rows=pairs.least_rows,
            note=self._note(pairs) or ("" if sample.groups is None else OF_GROUPS),
        )
        return Estimate.of(self, sample, float(found.standardised.max()), found)

    @staticmethod
    def _note(pairs: EntryPairs) -> str:
        if pairs.null_deviations.any():
            return ""
        return NO_PAIR if np.any((pairs.p > 0.0) & (pairs.p < 1.0)) else NO_SPREAD

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the statistic for several sets of labels at once."""
        pairs = EntryPairs.of(redraws.entries)  # type: ignore[attr-defined]
        return np.asarray(pairs.standardised(labels).max(axis=0))


@dataclass(frozen=True, kw_only=True, eq=False)
class PairsByScale(Evidence):
    """The pair statistic at every scale.

    Attributes
    ----------
    reach : array of shape (R,)
        Ranks over which rows are near, on either side; 0: the rows of one score.
    squares, spreads : arrays of shape (R,)
        T_s, and its standard deviation for calibrated scores.
    total_rows : float
        All rows; of weights that are no counts the effective ones.
    least_rows : float
        Rows that are pooled to one score; 0 where scores are their own.
    """

    recorded = ("near_rows", "root")  # of the scale that shows most

    reach: FloatArray
    squares: FloatArray
    spreads: FloatArray
    total_rows: float
    least_rows: float = 0.0

    @property
    def standardised(self) -> FloatArray:
        """T_s / sd_s, 0 where labels do not vary."""
        return np.divide(self.squares, self.spreads, out=np.zeros_like(self.squares), where=self.spreads > 0)

    @property
    def largest(self) -> int:
        """The place of the scale whose statistic is the largest."""
        return int(np.argmax(self.standardised))

    @property
    def near_rows(self) -> float:
        """Rows over which the error persists that shows most, 2 s; 0: rows of equal score."""
        return self._near[self.largest]

    @property
    def _near(self) -> list[float]:
        return [max(2.0 * reach, self.least_rows) for reach in self.reach.tolist()]

    @property
    def root(self) -> float:
        """The root of T_s at that scale, an error on the scale of the scores; 0 where T_s is negative."""
        return float(np.sqrt(max(self.squares[self.largest], 0.0)))

    def rows(self) -> Records:
        """Return a record for each scale."""
        return records(
            near_rows=self._near,
            share=[near / self.total_rows for near in self._near],
            square=self.squares,
            root=signed_root(self.squares),
            sd_if_calibrated=self.spreads,
            standardised=self.standardised,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record of every scale."""
        return {**self.record(), "scales": self.rows()}

    def section(self) -> Section:
        """Return the table of the scales."""
        header = ["near rows", "share of rows", "T", "root", "T / s.d."]
        body = [
            [
                f"{row['near_rows']:,.0f}" if row["near_rows"] else "same score",
                percent(row["share"]) if row["near_rows"] else "-",
                short(row["square"]),
                short(row["root"]),
                short(row["standardised"], 2),
            ]
            for row in self.rows()
        ]
        return Section("", header, body)
