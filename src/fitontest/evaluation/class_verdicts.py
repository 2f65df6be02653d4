"""The verdicts on several classes, each against the rest, adjusted for their number."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.numerics.significance.holm import holm_adjusted
from fitontest.results.number_lines import NumberLine, number_lines
from fitontest.results.table import Section
from fitontest.results.text import count, short
from fitontest.results.typing import Label
from fitontest.uncertainty.joint import UNLIKELY
from fitontest.uncertainty.verdict import NOT_SHOWN, Verdict

MOST_CLASSES = 3  # that are printed, so that all fits into eight lines


@dataclass(frozen=True)
class ClassVerdicts:
    """What rows say of each class against the rest.

    Attributes
    ----------
    verdicts : dict of Verdict
        By class, of those that have one.
    of : int
        The number of all classes.
    """

    verdicts: Mapping[Label, Verdict]
    of: int

    @cached_property
    def adjusted_p_values(self) -> dict[Label, float]:
        """The joint p-value of each class, adjusted by Holm for the number of classes."""
        p_values = np.array([verdict.p_value for verdict in self.verdicts.values()])
        return dict(zip(self.verdicts, holm_adjusted(p_values).tolist(), strict=True))

    @property
    def shown(self) -> list[Label]:
        """The classes in which miscalibration is shown."""
        return [label for label, p_value in self.adjusted_p_values.items() if p_value <= UNLIKELY]

    @property
    def headline(self) -> str:
        """In which classes miscalibration is shown, in a sentence."""
        untested = self.of - len(self.verdicts)
        of = f"{self.of} classes{f', {untested} of which have no verdict' if untested else ''}"
        if not self.shown:
            least = short(min(self.adjusted_p_values.values()), 2)
            said = f"No miscalibration is shown in any of {of}"
            return f"{said}: the smallest Holm p-value of the joint test is {least}."
        named = ", ".join(map(str, self.shown))
        some = f"class {named}" if len(self.shown) == 1 else f"classes {named}"
        return f"Miscalibration is shown in {some} of {of} (Holm p-value of the joint test at most {UNLIKELY})."

    def headline_of(self, label: Label) -> str:
        """Return the verdict on a class in a few words.

        Parameters
        ----------
        label : label
            One of those that have a verdict.
        """
        verdict = self.verdicts[label]
        return verdict.headline if label in self.shown or verdict.close else NOT_SHOWN

    def section(self, rows: int, more: str) -> Section:
        """Return what is printed: in which classes miscalibration is shown, and those with the largest errors.

        Parameters
        ----------
        rows : int
        more : str
            Where more is said.
        """
        errors = {label: verdict.estimate.quoted for label, verdict in self.verdicts.items()}
        worst = sorted(errors, key=lambda label: -errors[label])
        mean = NumberLine("mean of the classes", sum(errors.values()) / len(errors))
        lines = [mean, *map(self._line, worst[:MOST_CLASSES])]
        others = [] if len(worst) <= MOST_CLASSES else [f"{count(len(worst) - MOST_CLASSES)} classes more: .table()"]
        lead = f"{self.headline}\nCalibration error of each class against the rest, n = {count(rows)}:"
        return Section(lead=lead, body=number_lines(lines), notes="\n".join([*others, more]))

    def _line(self, label: Label) -> NumberLine:
        verdict = self.verdicts[label]
        estimate, interval = verdict.estimate, verdict.interval
        remark = self.headline_of(label)
        remark = f"{remark[0].lower()}{remark[1:]}"
        return NumberLine(
            f"class {label}", estimate.quoted, (interval.low, interval.high), interval.level, remark=remark
        )

    def record(self, label: Label) -> dict[str, Any]:
        """Return the verdict on a class as JSON-ready values; empty where it has none.

        Parameters
        ----------
        label : label
        """
        if label not in self.verdicts:
            return {}
        return {"verdict": self.verdicts[label].to_dict(), "adjusted_p_value": self.adjusted_p_values[label]}
