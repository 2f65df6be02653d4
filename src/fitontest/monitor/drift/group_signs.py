r"""The sums of whole groups with signs drawn at random, where rows belong to groups.

In stratum s let n_1s and n_2s be the rows of both tables, N_s their sum and K_s their positives. What the table before
lacks in positives is a sum over groups,

    sum_s (E_s - A_s) = sum_g u_g,
    u_g = - sum over the rows i of group g of (1{i before} - n_1s / N_s) (y_i - K_s / N_s),

whichever table the rows of a group are in. If the probability of a positive given the score is the same in both, each
u_g is 0 on average, groups are independent, and so the sums with other signs are as likely: sum_g v_g u_g, v_g = +-1.
Rows of a group keep together in them, within a table and across both. Residuals are smaller than errors are, since
K_s / N_s is made of the same rows: those whose signs are drawn are times sqrt(N_s / (N_s - 1)), as rows of a stratum
ask for, and their sums times sqrt(K / (K - 1)), as K groups do.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fitontest.data.cells.cell_sums import CellSums
from fitontest.data.cells.group_ids import joined_ids
from fitontest.data.known_groups import KnownGroups
from fitontest.data.row_groups import GroupSizes
from fitontest.measures.plug_in import PlugIn
from fitontest.monitor.drift.cell_comparison import Change, Regions
from fitontest.monitor.drift.differences import Differences
from fitontest.monitor.drift.score_strata import ScoreStrata
from fitontest.results.typing import FloatArray, IntArray

BLOCK = 4096  # groups whose signs are drawn together


@dataclass(frozen=True, eq=False)
class TableGroups:
    """Which groups the rows of two tables belong to.

    Attributes
    ----------
    ids : array of shape (K,)
        Of both tables.
    places : tuple of two int arrays
        The place among them of the group of each cell.
    rows : array of shape (K, 2)
        Rows of each group in both tables.
    """

    ids: NDArray[Any]
    places: tuple[IntArray, IntArray]
    rows: FloatArray

    @classmethod
    def of(cls, before: CellSums, after: CellSums) -> "TableGroups | None":
        """Return the groups of two tables, or None where their rows have none."""
        if before.ids is None or after.ids is None or before.group is None or after.group is None:
            return None
        ids, (one, other) = joined_ids([before.ids, after.ids])
        codes = [
            table if place is None else place[table] for table, place in ((before.group, one), (after.group, other))
        ]
        tables = zip(codes, (before, after), strict=True)
        rows = [np.bincount(code, sums.w.sum(axis=1), ids.size) for code, sums in tables]
        return cls(ids, (codes[0], codes[1]), np.stack(rows, axis=1))

    @property
    def in_both(self) -> int:
        """How many groups have rows in both tables."""
        return int(np.count_nonzero(self.rows.min(axis=1) > 0))

    @property
    def known(self) -> KnownGroups:
        """Their sizes; as many are effective as in the table that has fewer effective ones."""
        total = self.rows.sum(axis=1)
        effective = min(float(rows.sum() ** 2 / (rows @ rows)) for rows in self.rows.T)
        sizes = GroupSizes(
            groups=self.ids.size,
            rows=int(total.sum()),
            effective=effective,
            several=int(np.count_nonzero(total > 1)),
            least=int(total.min()),
            median=float(np.median(total)),
            most=int(total.max()),
        )
        return KnownGroups(sizes)


@dataclass(frozen=True, eq=False)
class GroupSigns(Differences):
    """Sums over groups by region: of the data, and with signs drawn at random.

    Attributes
    ----------
    strata : ScoreStrata
    sums : array of shape (K, R)
        u_g in each region, of the residuals as they are drawn.
    draws : array of shape (R, 1 + draws)
        Their sums: of the data first, then with the signs of each draw.
    too_few : bool
        Whether there are fewer than 10 effective groups in a table, of which nothing is concluded.
    """

    sums: FloatArray
    draws: FloatArray
    too_few: bool

    @classmethod
    def of(
        cls,
        strata: ScoreStrata,
        tables: tuple[CellSums, CellSums],
        groups: TableGroups,
        draws: int,
        rng: np.random.Generator,
    ) -> "GroupSigns":
        """Return the sums of the groups of two tables of cells, and those of the draws."""
        missing, sums = _sums_of_groups(strata, tables, groups)
        drawn = np.zeros((sums.shape[1], draws))
        for start in range(0, len(sums), BLOCK):
            part = sums[start : start + BLOCK]
            signs = 2.0 * rng.integers(0, 2, (len(part), draws), dtype=np.int8) - 1.0
            drawn += part.T @ signs
        return cls(strata, sums, np.column_stack((missing, drawn)), groups.known.too_few)

    @property
    def missing(self) -> FloatArray:
        """How many positives the table before has less than expected, by region, shape (R, 1 + draws)."""
        return self.draws

    @property
    def variances(self) -> tuple[FloatArray, float]:
        """K / (K - 1) sum of u_g^2 over the K groups, by region, and for the sum over all regions."""
        return (self.sums**2).sum(axis=0), float((self.sums.sum(axis=1) ** 2).sum())

    def p_value(self) -> float | None:
        """Return the share of the draws with a statistic at most that of the data; None of too few groups."""
        return None if self.too_few else super().p_value()

    def residual(self, difference: float) -> Change:
        """Return the difference of the mean residuals."""
        change = super().residual(difference)
        return replace(change, p_value=None) if self.too_few else change

    def regions(self) -> Regions:
        """Return the mean residuals by region."""
        regions = super().regions()
        nothing = np.full(regions.z.shape, np.nan)
        return replace(regions, z=nothing, p_value=nothing) if self.too_few else regions

    def refitted(self, measure: PlugIn, difference: float) -> tuple[Change, Change]:
        """Return the difference of the errors and the distance of the maps.

        What they would be if unchanged is not given: dealt out anew, rows of a group would not keep together.
        """
        _, distance = self._maps(measure, self.strata.positives[:, :1])
        return Change(difference, None, None), Change(0.0 if distance is None else float(distance[0]), None, None)


def _sums_of_groups(
    strata: ScoreStrata, tables: tuple[CellSums, CellSums], groups: TableGroups
) -> tuple[FloatArray, FloatArray]:
    """Return the sum of u_g over the groups by region, shape (R,), and u_g as they are drawn, shape (K, R)."""
    total = strata.total.astype(np.float64)
    share = strata.positives.sum(axis=1) / total
    before = strata.rows[:, 0] / total
    larger = np.sqrt(total / np.maximum(total - 1.0, 1.0))
    n_regions, n_groups = len(strata.first), len(groups.ids)
    missing, sums = np.zeros(n_regions), np.zeros(n_groups * n_regions)
    for part, (table, place) in enumerate(zip(tables, groups.places, strict=True)):
        at = strata.of_keys(table.key)
        residual = table.w[:, 1] - table.w.sum(axis=1) * share[at]
        u = (before[at] - (1.0 if part == 0 else 0.0)) * residual
        region = strata.region[at]
        missing += np.bincount(region, u, n_regions)
        sums += np.bincount(place * n_regions + region, u * larger[at], sums.size)
    return missing, sums.reshape(n_groups, n_regions) * np.sqrt(n_groups / max(n_groups - 1, 1))
