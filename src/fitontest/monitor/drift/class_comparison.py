"""The result of comparing the calibration of two tables of several classes: each class against the rest."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.monitor.drift.cell_comparison import CHANGED, CellComparison
from fitontest.numerics.significance.holm import holm_adjusted
from fitontest.results.frames import Records
from fitontest.results.several import CLASS, Kind, Several
from fitontest.results.table import Section
from fitontest.results.text import short, signed
from fitontest.results.typing import Label

NOTE = (
    "each class is compared against the rest: {draws:,} redistributions of its positives within strata of its scores, "
    "under which only the scores have drifted. Holm p: adjusted for {classes} classes. mean residual: share of the "
    "class less mean score."
)
OF_GROUPS = (
    "each class is compared against the rest: {draws:,} draws of a random sign for the sums of each group. Holm p: "
    "adjusted for {classes} classes. mean residual: share of the class less mean score."
)
FEW_DRAWS = "Note: of {draws:,} redistributions no adjusted p-value is below {least}; draws={enough:,} would be enough."


@dataclass(frozen=True, eq=False, repr=False)
class ClassCellComparison(Several[Label, CellComparison]):
    """How much calibration differs between two data sets of several classes, class by class.

    A mapping from each class to its `CellComparison`.

    Parameters
    ----------
    comparisons : dict of label to CellComparison
        Of each class against the rest.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> y, P = rng.integers(0, 3, (2, 500)), rng.dirichlet(np.ones(3), (2, 500))
    >>> cells = [
    ...     fot.data.ClassCells({k: fot.Cells.of(labels == k, scores[:, k]) for k in range(3)})
    ...     for labels, scores in zip(y, P)
    ... ]
    >>> comparison = fot.monitor.compare_cells(*cells, draws=99)
    >>> comparison.changed, list(comparison)
    (False, [0, 1, 2])
    """

    comparisons: Mapping[Label, CellComparison]

    @property
    def kind(self) -> Kind:
        """What the keys are: classes."""
        return CLASS

    @property
    def _results(self) -> Mapping[Label, CellComparison]:
        return self.comparisons

    @cached_property
    def adjusted_p_values(self) -> dict[Label, float | None]:
        """The p-value of each class, adjusted by Holm's method for the number of classes; None where there are none."""
        if any(comparison.p_value is None for comparison in self.values()):
            return dict.fromkeys(self)
        adjusted = holm_adjusted(np.array([comparison.p_value for comparison in self.values()]))
        return dict(zip(self, adjusted.tolist(), strict=True))

    @property
    def p_value(self) -> float | None:
        """The p-value of no change in any class: the smallest adjusted one; None of fewer than 10 effective groups."""
        adjusted = [value for value in self.adjusted_p_values.values() if value is not None]
        return min(adjusted, default=None)

    @property
    def changed(self) -> bool | None:
        """Whether the p-value is at most 0.05; None where there is none."""
        return None if self.p_value is None else self.p_value <= CHANGED

    @property
    def sentence(self) -> str:
        """Whether the calibration has changed, and of which classes."""
        if self.p_value is None:
            return next(iter(self.values())).sentence
        p_value = f"p-value {short(self.p_value, 2)}"
        if not self.changed:
            return f"The data do not show that the calibration of any class has changed ({p_value})."
        labels = [
            str(label)
            for label, adjusted in self.adjusted_p_values.items()
            if adjusted is not None and adjusted <= CHANGED
        ]
        return f"The calibration has changed ({p_value}) of {', '.join(labels)}."

    def rows(self) -> Records:
        """Return a record for each class."""
        return [self._record(label, comparison) for label, comparison in self.items()]

    def _record(self, label: Label, comparison: CellComparison) -> dict[str, Any]:
        before, after = comparison.tables.values()
        return {
            "class": label,
            "n_before": before.n,
            "n_after": after.n,
            "residual_before": before.mean_residual,
            "residual_after": after.mean_residual,
            "difference": comparison.residual.value,
            "if_unchanged": comparison.residual.unchanged,
            "p_value": comparison.p_value,
            "adjusted_p_value": self.adjusted_p_values[label],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values; the classes in a list, since JSON has no keys but texts."""
        return {"changed": self.changed, "p_value": self.p_value, **super().to_dict()}

    def _entry(self, key: Label, result: CellComparison) -> dict[str, Any]:
        return {"class": key, "adjusted_p_value": self.adjusted_p_values[key], **result.to_dict()}

    def sections(self) -> list[Section]:
        """Return the table of the classes, with the sentence and notes."""
        first = next(iter(self.values()))
        names, draws = list(first.tables), first.draws
        header = ["class", *(f"n {name}" for name in names), *(f"residual {name}" for name in names)]
        header += ["difference", "if unchanged", "p-value", "Holm p"]
        body = []
        for row in self.rows():
            line = [str(row["class"]), f"{row['n_before']:,}", f"{row['n_after']:,}"]
            keys = ("residual_before", "residual_after", "difference", "if_unchanged")
            line += [signed(row[key]) for key in keys]
            p_values = (row[key] for key in ("p_value", "adjusted_p_value"))
            body.append([*line, *("-" if value is None else short(value, 2) for value in p_values)])
        by_group = first.groups is not None and not first.groups.sizes.are_single
        notes, least = (
            [(OF_GROUPS if by_group else NOTE).format(draws=draws, classes=len(self))],
            len(self) / (draws + 1),
        )
        if least > CHANGED:
            enough = int(np.ceil(len(self) / CHANGED)) - 1
            notes.append(FEW_DRAWS.format(draws=draws, least=short(least, 2), enough=enough))
        return [Section(notes=self.sentence), Section("by class", header, body), Section(notes="\n".join(notes))]
