"""The result of comparing the calibration of two tables of cells: over all scores, and region by region."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.known_groups import KnownGroups, groups_record
from fitontest.data.weights import weighting_record
from fitontest.measures.estimate import Estimate
from fitontest.numerics.rounding import without_rounding
from fitontest.numerics.significance.holm import holm_adjusted
from fitontest.results.frames import Records, attributes, records
from fitontest.results.table import Section, Table
from fitontest.results.text import short, signed
from fitontest.results.typing import FloatArray

CHANGED = 0.05
FEW_GROUPS = "Few groups ({effective:.0f} effective in one of the tables): p-values are rough."
OF_GROUPS = "if unchanged: what the {strata:,} strata of scores of both tables together give. {signs}{words}"
SIGNS = (
    "p-values: {draws:,} draws of a random sign for the sums of each group, so that rows of a group keep together, "
    "within a table and across both; errors and maps have none. "
)
WORDS = "mean residual: share of positives less mean score."
NOTE = (
    "if unchanged: the mean over {draws:,} redistributions of the positives of each of {strata:,} strata of scores "
    "between the two tables, under which only the scores have drifted. mean residual: share of positives less mean "
    "score. Whether the calibration has changed is told by the mean residuals, over all scores and by region. The "
    "distance of the maps is its mean over the scores that both tables have."
)


@dataclass(frozen=True)
class Change:
    """A number that compares the two tables, and what it would be if the calibration had not changed.

    Attributes
    ----------
    value : float
    unchanged : float or None
        Its mean over redistributed positives; None of errors and maps of rows that belong to groups.
    p_value : float or None
        Share of the redistributions, the real one counted as one more, in which it is as far from that mean; None where
        nothing is redistributed, and of fewer than 10 effective groups.
    """

    value: float
    unchanged: float | None
    p_value: float | None

    def to_dict(self) -> dict[str, float | None]:
        """Return the numbers by name."""
        return vars(self).copy()


@dataclass(frozen=True)
class CellTable:
    """What is compared of one of the tables.

    Attributes
    ----------
    n : int
        Rows of positive weight.
    base_rate, mean_score : float
    error : Estimate
        The plug-in error under the family.
    groups : int or None
        Groups that the rows belong to; None where none were named.
    """

    n: int
    base_rate: float
    mean_score: float
    error: Estimate
    groups: int | None = None

    @property
    def mean_residual(self) -> float:
        """Share of positives less mean score."""
        return without_rounding(self.base_rate - self.mean_score, self.base_rate + self.mean_score)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers by name."""
        weighting = weighting_record(self.error.weighting)
        facts = attributes(self, "base_rate", "mean_score", "mean_residual")
        groups = {} if self.groups is None else {"groups": self.groups}
        return {"n": self.n, **groups, **weighting, **facts, "error": self.error.value}


@dataclass(frozen=True, eq=False)
class Regions:
    """The tables by region of the scores; every attribute has shape (R,).

    Attributes
    ----------
    low, high : arrays
        The lowest and the highest score.
    n_before, n_after : int arrays
    before, after : arrays
        Mean residuals, NaN where a table has no rows.
    unchanged : array
        What their difference would be on average if the calibration had not changed.
    z : array
        The difference less that, in standard deviations.
    p_value : array
    """

    low: FloatArray
    high: FloatArray
    n_before: FloatArray
    n_after: FloatArray
    before: FloatArray
    after: FloatArray
    unchanged: FloatArray
    z: FloatArray
    p_value: FloatArray

    def records(self) -> Records:
        """Return a record for each region."""
        return records(
            low=self.low,
            high=self.high,
            n_before=self.n_before.astype(np.int64),
            n_after=self.n_after.astype(np.int64),
            residual_before=self.before,
            residual_after=self.after,
            difference=self.after - self.before,
            if_unchanged=self.unchanged,
            z=self.z,
            p_value=self.p_value,
            adjusted_p_value=holm_adjusted(self.p_value),
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CellComparison(Table):
    """How much calibration differs between two data sets, such as two months of one model's scores.

    It is what `compare_cells` returns.

    Attributes
    ----------
    tables : dict of str to CellTable
        Each with ``n``, ``base_rate``, ``mean_score``, ``mean_residual`` and ``error``.
    p_value : float or None
        That the calibration has not changed, whatever the scores have done; None of fewer than 10 effective groups.
    residual, error, maps : Change
        Differences of the mean residuals and of the errors, the later less the earlier, and the mean distance of the
        maps; each with ``value``, ``unchanged`` and ``p_value``.
    regions : Regions
        The tables by region of the scores, with a p-value each.
    family, norm : str
        The family of the maps, and how distances add up.
    draws : int
        Of the labels, behind the p-values.
    n_strata : int
        Strata of the scores within which positives are dealt out again.
    groups : KnownGroups or None
        The groups that the rows of both tables belong to, with the effective ones of the table that has fewer; None
        where none were named.
    groups_in_both : int or None
        How many of them have rows in both tables.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random((2, 10_000))
    >>> before, after = (fot.Cells.of(rng.random(10_000) < q, p) for p, q in zip(p, (p[0], p[1] ** 1.2)))
    >>> comparison = fot.monitor.compare_cells(before, after)
    >>> comparison.changed, round(comparison.residual.value, 3), comparison.to_frame().shape
    (True, -0.048, (10, 11))
    """

    tables: Mapping[str, CellTable]
    p_value: float | None
    residual: Change
    error: Change
    maps: Change
    regions: Regions
    family: str
    norm: str
    draws: int
    n_strata: int
    groups: KnownGroups | None = None
    groups_in_both: int | None = None

    @property
    def changed(self) -> bool | None:
        """Whether the p-value is at most 0.05; None where there is none."""
        return None if self.p_value is None else self.p_value <= CHANGED

    @property
    def sentence(self) -> str:
        """Whether the calibration has changed, and where."""
        if self.p_value is None:
            return f"Whether the calibration has changed cannot be said: {self.groups.refusal}."  # type: ignore[union-attr]
        p_value = f"p-value {short(self.p_value, 2)}"
        if not self.changed:
            return f"The data do not show that the calibration has changed ({p_value})."
        where = [
            f"{short(row['low'])} to {short(row['high'])}" for row in self.rows() if row["adjusted_p_value"] <= CHANGED
        ]
        regions = f"; by region it shows at scores {', '.join(where)}" if where else ""
        return f"The calibration has changed ({p_value}){regions}."

    def rows(self) -> Records:
        """Return a record for each region of scores, in their order."""
        return self.regions.records()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        return {
            **attributes(self, "changed", "p_value"),
            "tables": {name: table.to_dict() for name, table in self.tables.items()},
            **{name: getattr(self, name).to_dict() for name in ("residual", "error", "maps")},
            "regions": self.rows(),
            **attributes(self, "family", "norm", "draws", "n_strata"),
            **groups_record(self.groups),
            **({} if self.groups is None else {"groups_in_both": self.groups_in_both}),
        }

    def sections(self) -> list[Section]:
        """Return the table of all scores with the sentence, and that of the regions with notes."""
        by_group = self.groups is not None and not self.groups.sizes.are_single
        signs = "" if self.p_value is None else SIGNS.format(draws=self.draws)
        own = OF_GROUPS.format(strata=self.n_strata, signs=signs, words=WORDS)
        note = own if by_group else NOTE.format(draws=self.draws, strata=self.n_strata)
        note = "\n".join([note, *self._describe_groups()])
        return [
            Section(notes=f"{self.sentence}\n{self._describe_residuals()}"),
            Section("all scores", *self._tabulate()),
            Section("by region of the scores, of about as many rows each", *self._tabulate_regions(), note),
        ]

    def _describe_residuals(self) -> str:
        """Return the mean residuals of both tables."""
        parts = [f"{signed(table.mean_residual)} {name}" for name, table in self.tables.items()]
        return f"Share of positives less mean score: {', '.join(parts)} (minus: scores too high)."

    def _describe_groups(self) -> list[str]:
        """Return what is known of the groups, a sentence each."""
        if self.groups is None:
            return []
        lines = [f"{self.groups.in_words()}; {self.groups_in_both:,} have rows in both tables."]
        if self.groups.are_few:
            lines.append(FEW_GROUPS.format(effective=self.groups.sizes.effective))
        return lines

    def _tabulate(self) -> tuple[list[str], list[list[str]]]:
        """Return header and cells of the numbers over all scores."""
        before, after = self.tables.values()
        header = ["", *self.tables, "difference", "if unchanged", "p-value"]
        body = [["n", f"{before.n:,}", f"{after.n:,}", "", "", ""]]
        if self.groups is not None:
            body.append(["groups", *(f"{table.groups:,}" for table in (before, after)), "", "", ""])
        weightings = [table.error.weighting for table in (before, after)]
        if any(weightings):
            rows = (
                table.n if one is None else one.total for table, one in zip((before, after), weightings, strict=True)
            )
            body.append(["rows that weights count", *(f"{count:,.0f}" for count in rows), "", "", ""])
        for name, key in (("share of positives", "base_rate"), ("mean score", "mean_score")):
            values = getattr(before, key), getattr(after, key)
            body.append([name, *(short(value) for value in values), signed(values[1] - values[0]), "", ""])
        residuals = (signed(table.mean_residual) for table in (before, after))
        body.append(["mean residual", *residuals, *_change(self.residual)])
        errors = (short(table.error.value) for table in (before, after))
        body.append([f"raw error ({self.family}, {self.norm})", *errors, *_change(self.error)])
        rest = (_or_dash(self.maps.unchanged), _or_dash(self.maps.p_value, 2))
        body.append(["distance of the maps", "", "", short(self.maps.value), *rest])
        return header, body

    def _tabulate_regions(self) -> tuple[list[str], list[list[str]]]:
        """Return header and cells of the regions."""
        first, second = self.tables
        header = ["scores", f"n {first}", f"n {second}", f"residual {first}", f"residual {second}"]
        header += ["difference", "if unchanged", "p-value", "Holm p"]
        body = []
        for row in self.rows():
            line = [f"{short(row['low'])} to {short(row['high'])}", f"{row['n_before']:,}", f"{row['n_after']:,}"]
            keys = ("residual_before", "residual_after", "difference", "if_unchanged")
            line += ["-" if row[key] is None else signed(row[key]) for key in keys]
            body.append([*line, *(_or_dash(row[key], 2) for key in ("p_value", "adjusted_p_value"))])
        return header, body


def _change(change: Change) -> list[str]:
    unchanged = "-" if change.unchanged is None else signed(change.unchanged)
    return [signed(change.value), unchanged, _or_dash(change.p_value, 2)]


def _or_dash(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else short(value, digits)
