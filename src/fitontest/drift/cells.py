"""Whether the calibration has changed between two tables of cells: a drift of the scores alone is no such change."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import chdtrc

from fitontest.cells.cells import Cells
from fitontest.checks import is_whole, two_names
from fitontest.data.entries import Entries
from fitontest.drift.cell_comparison import CellComparison, CellTable, Change, Regions
from fitontest.drift.class_comparison import ClassCellComparison
from fitontest.drift.hypergeometric import dealt_positives
from fitontest.drift.score_strata import ScoreStrata
from fitontest.drift.tables import Pair, Table, read_pairs
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family, check_family, read_family
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.norms import Norm
from fitontest.numerics.random import one_seed
from fitontest.typing import FloatArray, IntArray, RandomState
from fitontest.uncertainty.null import check_draws

FAMILY = "spline"  # by default
DRAWS = 999
MOST_REGIONS = 100
ROUNDING = 1e-9


def compare_cells(
    before: Table,
    after: Table,
    *,
    family: str | Family = FAMILY,
    norm: str | Norm | Callable[[FloatArray, FloatArray], float] = "l1",
    regions: int = 10,
    draws: int = DRAWS,
    names: tuple[str, str] = ("before", "after"),
    random_state: RandomState = 0,
) -> CellComparison | ClassCellComparison:
    r"""Return whether the calibration of a score has changed between two data sets, and where.

    They are two tables of cells, or of rows.

    The hypothesis is that the probability of a positive given the score is the same in both. How often which score
    occurs may differ: scores that drift are no change of calibration.

    In stratum s of the scores let n_1s and n_2s be the rows before and after, N_s their sum, K_s the positives of both,
    and A_s those before. Under the hypothesis A_s is hypergeometric, with mean E_s = n_1s K_s / N_s and variance
    V_s = n_1s n_2s K_s (N_s - K_s) / (N_s^2 (N_s - 1)). With

        z_r = sum of (E_s - A_s) over region r / sqrt(sum of V_s over region r),

    the like sum z over all strata, and Q = sum of z_r^2 over the R regions, the statistic is

        T = min(P(chi2_1 > z^2), P(chi2_R > Q)):

    z finds a shift that is the same everywhere, Q one that changes its sign. The p-value is the share of the `draws`,
    the data counted as one more, in which T is as small, where the positives of each stratum are dealt out to its rows
    anew. z_r is also the difference of the mean residuals of the region, less its mean under the hypothesis, in
    standard deviations, and z is that of the Cochran-Mantel-Haenszel test.

    Parameters
    ----------
    before, after : Cells, ClassCells, or tuple (y_true, y_prob) or (y_true, y_prob, sample_weight)
        Cells of one resolution, or rows, also as they were read before: of two tables of rows each distinct score has
        a cell of its own, and rows beside cells are put into cells like these. Of several classes each is compared
        against the rest. Weights must be whole numbers, which count rows, if there are any.
    family : str or Family, default="spline"
        The family of the errors and of the maps. It is fitted to both tables and to those of
        every draw; the p-values of the calibration do without it.
    norm : str, Norm or callable, default="l1"
        See `calibration_error`.
    regions : int, default=10
        How many regions of the scores, of about as many rows each.
    draws : int, default=999
        How often the positives are dealt out.
    names : tuple of two str, default=("before", "after")
        What the result calls the tables.
    random_state : int, RandomState or None, default=0
        Seed of the draws, and of a family given by name that draws anything.

    Returns
    -------
    CellComparison or ClassCellComparison
        The comparison, as a table; of several classes that of each class, with p-values adjusted for their number.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found: tables that are neither cells nor rows, or are empty, two
        resolutions, other classes, weights that are not whole.

    Notes
    -----
    Neighbouring cells are pooled to about 4 N^(1/3) strata, since in strata of single rows nothing could be dealt out;
    where scores are sparse a stratum ends earlier, so that it is at most 2 N^(-1/3) wide in logits. The probability of
    a positive is taken to be constant within one. Where each distinct score has a stratum of its own (few values,
    ``exact=True``) the p-value is exact. Elsewhere it is so nearly: at 5 %, the calibration of scores that drift alone,
    also of scores with two modes, was found to have changed in 4.4 to 5.6 % of simulated pairs, with a standard error
    of 0.7 % (`benchmarks/drift_rates.py`). A probability that jumps between neighbouring scores may still look like a
    change where their frequencies drift. A stratum without rows of one table tells nothing; tables without a common
    one have the p-value 1, which says nothing of their calibration.

    Each table counts as a whole: what changes from period to period within one of them is averaged over it.

    The p-values of the regions account for nothing; those adjusted by Holm account for there being several regions, and
    neither for the comparison of many pairs of tables, such as those of every day.

    References
    ----------
    Mantel, Haenszel (1959), Statistical aspects of the analysis of data from retrospective studies of disease, Journal
    of the National Cancer Institute 22. https://doi.org/10.1093/jnci/22.4.719

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> low, high = rng.beta(1, 3, 5000), rng.beta(3, 2, 5000)
    >>> before = fot.Cells.of(rng.random(5000) < low**1.3, low)
    >>> drifted = fot.Cells.of(rng.random(5000) < high**1.3, high)
    >>> other = fot.Cells.of(rng.random(5000) < high, high)
    >>> fot.compare_cells(before, drifted).changed, fot.compare_cells(before, other).changed
    (False, True)
    >>> rows = [(rng.random(5000) < p**1.3, p) for p in (low, high)]
    >>> fot.compare_cells(*rows).changed
    False
    """
    pairs = read_pairs(before, after)
    if not is_whole(regions) or not 1 <= regions <= MOST_REGIONS:
        raise ValueError(f"regions must be a whole number from 1 to {MOST_REGIONS}, got {regions!r}")
    check_draws(draws, "draws", 1)
    named = two_names(names)
    seed = one_seed(random_state)
    check_family(family)  # a map would not be fitted to what was dealt out
    measure = PlugIn(family, norm).seeded(seed)
    compare = partial(_compare, measure=measure, regions=int(regions), draws=draws, names=named, seed=seed)
    if isinstance(pairs, tuple):
        return compare(pairs)
    return ClassCellComparison({label: compare(pair) for label, pair in pairs.items()})


def _compare(
    pair: Pair, measure: PlugIn, regions: int, draws: int, names: tuple[str, str], seed: int
) -> CellComparison:
    """Return the comparison of two tables of cells."""
    strata = ScoreStrata.of(pair[0].sums, pair[1].sums, regions)
    dealt = _Dealt.of(strata, draws, np.random.default_rng(seed))
    tables = {name: _table(cells, measure) for name, cells in zip(names, pair, strict=True)}
    one, other = tables.values()
    residual, error = other.mean_residual - one.mean_residual, other.error.value - one.error.value
    error_change, maps = dealt.refitted(measure, error)
    return CellComparison(
        tables=tables,
        p_value=dealt.p_value(),
        residual=dealt.residual(residual),
        error=error_change,
        maps=maps,
        regions=dealt.regions(),
        family=measure.name,
        norm=measure.total.name,
        draws=draws,
        n_strata=len(dealt.strata),
    )


@dataclass(frozen=True, eq=False)
class _Dealt:
    """The positives of the table before: of the data in the first column, and of every draw in one more.

    Attributes
    ----------
    strata : ScoreStrata
    positives : int array of shape (S, 1 + draws)
    """

    strata: ScoreStrata
    positives: IntArray

    @classmethod
    def of(cls, strata: ScoreStrata, draws: int, rng: np.random.Generator) -> "_Dealt":
        """Return the data and the draws."""
        dealt = dealt_positives(strata.positives.sum(axis=1), strata.rows[:, 0], strata.rows[:, 1], draws, rng)
        return cls(strata, np.concatenate((strata.positives[:, :1], dealt), axis=1))

    @property
    def missing(self) -> FloatArray:
        """How many positives the table before has less than expected, by region, shape (R, 1 + draws)."""
        return np.asarray(self.strata.by_region(self.strata.expected[:, None] - self.positives))

    def z(self) -> tuple[FloatArray, FloatArray]:
        """Return the differences in standard deviations by region, shape (R, 1 + draws), and over all, (1 + draws,)."""
        missing, variance = self.missing, self.strata.by_region(self.strata.variance)
        return _in_deviations(missing, variance[:, None]), _in_deviations(missing.sum(axis=0), variance.sum())

    def p_value(self) -> float:
        """Return the share of the draws with a statistic at most that of the data."""
        by_region, overall = self.z()
        told = int(np.count_nonzero(self.strata.by_region(self.strata.variance) > 0))
        statistic = chdtrc(1.0, overall**2)
        if told:
            statistic = np.minimum(statistic, chdtrc(float(told), (by_region**2).sum(axis=0)))
        return _share_as_far(-np.log(np.maximum(statistic, 1e-300)))

    def residual(self, difference: float) -> Change:
        """Return the difference of the mean residuals."""
        rows = self.strata.rows.sum(axis=0)
        missing = self.missing.sum(axis=0)
        return Change(
            difference, difference - float(missing[0]) * float((1.0 / rows).sum()), _share_as_far(np.abs(missing))
        )

    def regions(self) -> Regions:
        """Return the mean residuals by region."""
        strata = self.strata
        rows, positives, scores = map(strata.by_region, (strata.rows, strata.positives, strata.scores))
        with np.errstate(divide="ignore", invalid="ignore"):
            before, after = ((positives - scores) / rows).T
            unchanged = after - before - self.missing[:, 0] * (1.0 / rows).sum(axis=1)
        z, _ = self.z()
        return Regions(
            low=strata.low[strata.first],
            high=np.maximum.reduceat(strata.high, strata.first),
            n_before=rows[:, 0],
            n_after=rows[:, 1],
            before=before,
            after=after,
            unchanged=unchanged,
            z=z[:, 0],
            p_value=np.array([_share_as_far(np.abs(one)) for one in z]),
        )

    def refitted(self, measure: PlugIn, difference: float) -> tuple[Change, Change]:
        """Return the difference of the errors and the distance of the maps, both refitted to every draw."""
        total = self.strata.positives.sum(axis=1)[:, None]
        fits = [self._fitted(measure, side, at) for side, at in enumerate((self.positives, total - self.positives))]
        both = self.strata.rows.min(axis=1) > 0
        errors = fits[1][1] - fits[0][1]
        centre = float(errors.mean())
        change = Change(difference, float(errors[1:].mean()), _share_as_far(np.abs(errors - centre)))
        if not both.any():
            return change, Change(0.0, 0.0, 1.0)
        w = self.strata.total[both].astype(np.float64)
        one, other = (values[both[rows > 0]] for (values, _), rows in zip(fits, self.strata.rows.T, strict=True))
        distance = np.asarray(w @ np.abs(other - one) / w.sum())
        return change, Change(float(distance[0]), float(distance[1:].mean()), _share_as_far(distance))

    def _fitted(self, measure: PlugIn, side: int, positives: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the values of the maps of a table at its strata, shape (S', 1 + draws), and their errors."""
        present = self.strata.rows[:, side] > 0
        n = self.strata.rows[present, side]
        entries = Entries(np.maximum.accumulate(self.strata.p)[present], n.astype(np.float64), n, whole=True)
        with without_warnings():  # of the real labels the user has been warned
            values = read_family(measure.family).fit_many(entries, positives[present]).at()[entries.place]
        g = np.abs(values - entries.p[:, None])
        return values, np.array([measure.total(column, entries.w) for column in np.ascontiguousarray(g.T)])


def _in_deviations(missing: FloatArray, variance: FloatArray) -> FloatArray:
    """Return sums in standard deviations; where nothing can vary, 0."""
    return np.asarray(np.where(variance > 0, missing / np.sqrt(np.where(variance > 0, variance, 1.0)), 0.0))


def _share_as_far(values: FloatArray) -> float:
    """Return the share of values, shape (1 + draws,), that are at least the first, which is that of the data."""
    rounding = ROUNDING * max(1e-3, float(np.abs(values).max()))
    return float(np.mean(values >= values[0] - rounding))


def _table(cells: Cells, measure: PlugIn) -> CellTable:
    error = measure.estimate(cells.sample())
    return CellTable(cells.n, cells.base_rate, float(cells.sums.wp.sum() / cells.total), error)
