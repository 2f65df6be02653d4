"""Rows whose label contradicts a certain score, one of 0 or 1: no chance explains them, and no sum can weigh them.

Such a row has a residual of 1 and a variance of 0. In a sum over a segment it would be taken for evidence against all
rows of the segment, and a segment of such rows alone would have too little variance to be tested.
"""

from dataclasses import dataclass

import numpy as np

from fitontest.maps.rules.conditions import Rule
from fitontest.results.text import count
from fitontest.results.typing import BoolArray
from fitontest.segments.features.cuts import LEAST_VARIANCE, cut_columns
from fitontest.segments.features.rows import FeatureRows

MOST_NAMED = 3  # conditions
LEAST_Z = 4.0  # standard errors by which more of these rows meet a condition that is named than would by chance


@dataclass(frozen=True)
class Contradicted:
    """How many rows have a label that contradicts a certain score, and where they are.

    Attributes
    ----------
    rows : int
    within : tuple of pairs
        Conditions that more of them meet than by chance, each with how many do that met none before it.
    """

    rows: int
    within: tuple[tuple[Rule, int], ...]

    @classmethod
    def of(cls, rows: FeatureRows) -> "Contradicted | None":
        """Return what there is to say of rows; None where no label contradicts a certain score.

        Parameters
        ----------
        rows : FeatureRows
            With the probabilities that are tested.
        """
        if not rows.contradicted.any():
            return None
        return cls(_rows_of(rows, rows.contradicted), tuple(_conditions(rows)))

    @property
    def lead(self) -> str:
        """How many there are, as the beginning of a sentence."""
        kind = "score" if self.rows == 1 else "scores"
        return f"Labels contradict {count(self.rows)} {kind} of exactly 0 or 1, which no chance explains"

    @property
    def note(self) -> str:
        """What was done with them, and where they are."""
        where = "; ".join(f"{count(n)} of them have {rule}" for rule, n in self.within)
        row = "the row" if self.rows == 1 else f"the {count(self.rows)} rows"
        first = f"Left out of all sums: {row} whose label contradicts a score of exactly 0 or 1"
        return f"{first} ({where})." if where else f"{first}."


def _conditions(rows: FeatureRows) -> list[tuple[Rule, int]]:
    """Return the single conditions that tell most of the contradicted rows from others, one after the other."""
    left = rows.contradicted.copy()
    found: list[tuple[Rule, int]] = []
    cut = cut_columns(rows.columns, rows.w, np.where(left, LEAST_VARIANCE, 0.0))  # those that one such row meets
    places = [(column, one) for column, each in enumerate(cut.columns) for one in range(len(each.conditions))]
    met = [cut.meets((place,)) for place in places]
    chosen = [number for number, inside in enumerate(met) if _is_telling(rows, inside)]
    telling, rules = [met[number] for number in chosen], [cut.rule((places[number],)) for number in chosen]
    while left.any() and telling and len(found) < MOST_NAMED:
        best = int(np.argmax([_likeness(rows, left, inside) for inside in telling]))
        if not (left & telling[best]).any():
            break
        found.append((rules[best], _rows_of(rows, left & telling[best])))
        left &= ~telling[best]
    return found


def _is_telling(rows: FeatureRows, inside: BoolArray) -> bool:
    """Return whether more of the contradicted rows meet a condition than would if they were any rows."""
    share, n = float(rows.w[inside].sum() / rows.w.sum()), int(rows.contradicted.sum())
    excess = int((rows.contradicted & inside).sum()) - n * share
    return excess >= LEAST_Z * float(np.sqrt(n * share * (1.0 - share)))


def _likeness(rows: FeatureRows, left: BoolArray, inside: BoolArray) -> float:
    """Return the weight of rows that are in both sets over that of rows in either."""
    return float(rows.w[left & inside].sum() / rows.w[left | inside].sum())


def _rows_of(rows: FeatureRows, at: BoolArray) -> int:
    return round(float(rows.w[at].sum())) if rows.whole else int(at.sum())
