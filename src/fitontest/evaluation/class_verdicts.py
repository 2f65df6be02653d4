"""The verdicts on several classes, each against the rest, adjusted for their number."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.evaluation.verdict_lines import IDEALS, header_of, line_of
from fitontest.numerics.significance.holm import holm_adjusted
from fitontest.results.table import Section
from fitontest.results.text import short
from fitontest.results.typing import Label
from fitontest.uncertainty.joint import UNLIKELY
from fitontest.uncertainty.verdict import NOT_SHOWN, Verdict


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
        return verdict.headline if label in self.shown else NOT_SHOWN

    def section(self, notes: str) -> Section:
        """Return what is printed: in which classes miscalibration is shown, and a line for each class.

        Parameters
        ----------
        notes : str
            What is to be known of the rows.
        """
        header = header_of("class", self.verdicts.values(), "Holm p")
        body = [
            line_of(str(label), verdict, self.headline_of(label), self.adjusted_p_values[label])
            for label, verdict in self.verdicts.items()
        ]
        ideals = f"{IDEALS.format('share of positives', 'score')} Holm p: adjusted for the number of classes."
        return Section(self.headline, header, body, "\n".join(filter(None, (ideals, notes))))

    def record(self, label: Label) -> dict[str, Any]:
        """Return the verdict on a class as JSON-ready values; empty where it has none.

        Parameters
        ----------
        label : label
        """
        if label not in self.verdicts:
            return {}
        return {"verdict": self.verdicts[label].to_dict(), "adjusted_p_value": self.adjusted_p_values[label]}
