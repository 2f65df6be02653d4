"""The result of a comparison of post-hoc calibrators: what was chosen, by how much, and every number behind it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from fitontest.checks import choose
from fitontest.comparison.candidates import DO_NOTHING
from fitontest.comparison.record import Calibrator
from fitontest.comparison.rules import RULES
from fitontest.comparison.words import in_words
from fitontest.displays.canvas import SomeFigure
from fitontest.displays.comparison import ComparisonDisplay
from fitontest.families.base import Family
from fitontest.numerics.losses import LOSS_NAMES
from fitontest.results.frames import Backend, Records, to_frame


@dataclass(frozen=True, eq=False)
class Comparison:
    """Post-hoc calibrators compared on rows they were not fitted to, as `compare_calibrators` returns them.

    Attributes
    ----------
    best_ : Family
        The chosen family, fitted to all rows.
    chosen : str
        Its name.
    calibrators : tuple of Calibrator
        All candidates, from the smallest held-out loss to the largest.
    scoring, rule, decomposition : str
    cv, repeats : int
    n : int
        Rows of positive weight.
    base_rate : float
        Share of positives.
    n_smaller_class : int
        Rows of the class that has fewer.
    backwards : bool
        Whether positives have lower scores than negatives, on average: then they may be those of the other class.
    n_test : int or None
        Rows of the test set.

    Notes
    -----
    Printing it shows the table and says in words what was chosen. ``comparison["beta"]`` is one candidate.
    """

    calibrators: tuple[Calibrator, ...]
    chosen: str
    scoring: str
    rule: str
    decomposition: str
    cv: int
    repeats: int
    n: int
    base_rate: float
    n_smaller_class: int
    backwards: bool
    n_test: int | None = None
    do_nothing: str = field(default=DO_NOTHING, repr=False)

    @property
    def best_(self) -> Family:
        """The chosen family, fitted to all rows."""
        return self[self.chosen].family

    def choice(self, rule: Literal["best", "one_se"]) -> str:
        """Return the name that a rule chooses, which need not be the rule of this comparison."""
        return RULES[choose(rule, RULES, "rule")](self.calibrators, self.do_nothing)

    def __getitem__(self, name: str) -> Calibrator:
        """Return the candidate of that name."""
        for calibrator in self.calibrators:
            if calibrator.name == name:
                return calibrator
        raise KeyError(f"{name!r} is not among {[calibrator.name for calibrator in self.calibrators]}")

    def __iter__(self) -> Iterator[Calibrator]:
        return iter(self.calibrators)

    def __len__(self) -> int:
        return len(self.calibrators)

    def rows(self) -> Records:
        """Return one plain record per candidate, from the smallest held-out loss to the largest."""
        return [{**one.to_dict(), "chosen": one.name == self.chosen} for one in self.calibrators]

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Return the records as a data frame of an installed library, one row per candidate.

        ``score`` is the mean held-out loss; ``to_best`` and ``to_identity`` say how much larger it is than the smallest
        and than that of doing nothing, with the standard errors of these paired differences; names that begin with
        ``test_`` are the same on the test set. ``calibration`` and ``refinement`` add up to the loss; ``error_...`` is
        the calibration error after calibration by each evaluator. All three are of the test set, if there is one.
        """
        return to_frame(self.rows(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values, with the map that was chosen."""
        return {
            "chosen": self.chosen,
            "rule": self.rule,
            "scoring": self.scoring,
            "decomposition": self.decomposition,
            "cv": self.cv,
            "repeats": self.repeats,
            "n": self.n,
            "base_rate": self.base_rate,
            "n_smaller_class": self.n_smaller_class,
            "backwards": self.backwards,
            "n_test": self.n_test,
            "calibrators": self.rows(),
            "map": self.best_.map_.to_dict(),
        }

    def plot(self, figure: SomeFigure = None) -> ComparisonDisplay:
        """Draw how far each candidate's held-out loss is from the smallest, and the calibration error that it leaves.

        Parameters
        ----------
        figure : matplotlib Figure or SubFigure, optional
            An empty one to draw in; by default a new pyplot figure that is large enough.

        Returns
        -------
        ComparisonDisplay
        """
        return self.diagram().plot(figure)

    def diagram(self) -> ComparisonDisplay:
        """Return the picture, which is yet to be drawn, or to be saved."""
        return ComparisonDisplay(self.rows(), loss=LOSS_NAMES[self.scoring], do_nothing=self.do_nothing)

    def __str__(self) -> str:
        return in_words(self)

    __repr__ = __str__
