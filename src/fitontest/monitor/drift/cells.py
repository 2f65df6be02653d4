"""Whether the calibration has changed between two tables of cells: a drift of the scores alone is no such change."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from fitontest.data.cells.cells import Cells
from fitontest.families.base import Family, check_family
from fitontest.measures.plug_in import PlugIn
from fitontest.monitor.drift.cell_comparison import CellComparison, CellTable, Change
from fitontest.monitor.drift.class_comparison import ClassCellComparison
from fitontest.monitor.drift.differences import Differences, share_as_far
from fitontest.monitor.drift.group_signs import GroupSigns, TableGroups
from fitontest.monitor.drift.hypergeometric import dealt_positives
from fitontest.monitor.drift.score_strata import ScoreStrata
from fitontest.monitor.drift.tables import Pair, Table, read_pairs
from fitontest.numerics.norms import Norm
from fitontest.numerics.random import one_seed
from fitontest.results.checks import is_whole, two_names
from fitontest.results.typing import FloatArray, IntArray, RandomState
from fitontest.uncertainty.null import check_draws

FAMILY = "spline"  # by default
DRAWS = 999
MOST_REGIONS = 100


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

    Where rows belong to groups nothing is dealt out row by row. E_s - A_s is then a sum over groups, of whichever table
    their rows are,

        u_g = - sum over the rows i of group g of (1{i before} - n_1s / N_s) (y_i - K_s / N_s),

    whose variance is K / (K - 1) sum of u_g^2 over the K groups (of residuals times sqrt(N_s / (N_s - 1))), and each
    draw gives all sums of a group one random sign. Groups may have rows in one table or in both, in which they need not
    be independent. The p-value is that of the T so drawn; errors and maps have none. Below 10 effective groups in
    either table nothing is concluded.

    Parameters
    ----------
    before, after : Cells, ClassCells, or tuple (y_true, y_prob) or (y_true, y_prob, sample_weight)
        Cells of one resolution, or rows, also as they were read before: of two tables of rows each distinct score has
        a cell of its own, and rows beside cells are put into cells like these. Of several classes each is compared
        against the rest. Weights must be whole numbers, which count rows, if there are any. Rows that belong to groups
        are given as `read` or `Cells` have them, those of both tables by group, with the same ids.
    family : str or Family, default="spline"
        The family of the errors and of the maps. It is fitted to both tables and to those of
        every draw; the p-values of the calibration do without it.
    norm : str, Norm or callable, default="l1"
        See `calibration_error`.
    regions : int, default=10
        How many regions of the scores, of about as many rows each.
    draws : int, default=999
        How often the positives are dealt out, or the signs of the groups drawn.
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
        resolutions, other classes, weights that are not whole, groups in one table alone.

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
    Kline, Santos (2012), A score based approach to wild bootstrap inference, Journal of Econometric Methods 1.
    https://doi.org/10.1515/2156-6674.1006
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
    >>> fot.monitor.compare_cells(before, drifted).changed, fot.monitor.compare_cells(before, other).changed
    (False, True)
    >>> rows = [(rng.random(5000) < p**1.3, p) for p in (low, high)]
    >>> fot.monitor.compare_cells(*rows).changed
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
    sums = pair[0].sums, pair[1].sums
    strata = ScoreStrata.of(sums[0].ungrouped, sums[1].ungrouped, regions)
    groups, rng = TableGroups.of(*sums), np.random.default_rng(seed)
    together = None if groups is None or groups.known.sizes.are_single else groups
    drawn: Differences
    if together is None:
        drawn = DealtRows.of(strata, draws, rng)
    else:
        drawn = GroupSigns.of(strata, sums, together, draws, rng)
    tables = {name: _table(cells, measure) for name, cells in zip(names, pair, strict=True)}
    one, other = tables.values()
    residual, error = other.mean_residual - one.mean_residual, other.error.value - one.error.value
    error_change, maps = drawn.refitted(measure, error)
    return CellComparison(
        tables=tables,
        p_value=drawn.p_value(),
        residual=drawn.residual(residual),
        error=error_change,
        maps=maps,
        regions=drawn.regions(),
        family=measure.name,
        norm=measure.total.name,
        draws=draws,
        n_strata=len(strata),
        groups=None if groups is None else groups.known,
        groups_in_both=None if groups is None else groups.in_both,
    )


def _table(cells: Cells, measure: PlugIn) -> CellTable:
    error = measure.estimate(cells.sample())
    groups = None if cells.groups is None else len(cells.groups)
    return CellTable(cells.n, cells.base_rate, float(cells.sums.wp.sum() / cells.total), error, groups)


@dataclass(frozen=True, eq=False)
class DealtRows(Differences):
    """The positives of the table before: of the data in the first column, and of every draw in one more.

    Attributes
    ----------
    strata : ScoreStrata
    positives : int array of shape (S, 1 + draws)
    """

    positives: IntArray

    @classmethod
    def of(cls, strata: ScoreStrata, draws: int, rng: np.random.Generator) -> "DealtRows":
        """Return the data and the draws."""
        dealt = dealt_positives(strata.positives.sum(axis=1), strata.rows[:, 0], strata.rows[:, 1], draws, rng)
        return cls(strata, np.concatenate((strata.positives[:, :1], dealt), axis=1))

    @property
    def missing(self) -> FloatArray:
        """How many positives the table before has less than expected, by region, shape (R, 1 + draws)."""
        return np.asarray(self.strata.by_region(self.strata.expected[:, None] - self.positives))

    @property
    def variances(self) -> tuple[FloatArray, float]:
        """The variances by region, and that of the sum: strata are dealt out one by one."""
        variance = self.strata.by_region(self.strata.variance)
        return variance, float(variance.sum())

    def refitted(self, measure: PlugIn, difference: float) -> tuple[Change, Change]:
        """Return the difference of the errors and the distance of the maps, both refitted to every draw."""
        errors, distance = self._maps(measure, self.positives)
        centre = float(errors.mean())
        change = Change(difference, float(errors[1:].mean()), share_as_far(np.abs(errors - centre)))
        if distance is None:
            return change, Change(0.0, 0.0, 1.0)
        return change, Change(float(distance[0]), float(distance[1:].mean()), share_as_far(distance))
