"""All families for every class: the errors of each class against the rest under every family, and their means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fitontest.checks import choose
from fitontest.displays.canvas import SomeFigure
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.scales import ScaleName
from fitontest.displays.small_multiples import SmallMultiples, arrange_panels, check_class_count
from fitontest.measures.classwise import json_ready
from fitontest.results.frames import Backend, to_frame
from fitontest.results.text import short, text_table
from fitontest.typing import Label

if TYPE_CHECKING:
    from fitontest.evaluation import Evaluation

HEADER = ("family", "mean error", "smallest", "in class", "largest", "in class")
FOOTNOTE = """\
Means over the classes, each against the rest and each counting the same. The families are estimates of one quantity by
different maps, not a ranking: smaller is not better, and identity is 0 by definition."""


@dataclass(frozen=True, repr=False)
class ClasswiseEvaluation:
    """Calibration errors of several classes, each against the rest, under several families.

    Made by ``evaluate(..., reduction="classwise")``. Iterating it gives the classes, as for a dict, and
    ``evaluation[label]`` the `Evaluation` of one, which can be plotted.

    Attributes
    ----------
    evaluations : dict
        From each class, in the order of the columns, to its `Evaluation`.

    Examples
    --------
    >>> import fitontest as fot
    >>> p = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]
    >>> y = ["a", "b", "b", "c"]
    >>> evaluation = fot.evaluate(y, p, families=["isotonic", fot.Slope1(1)], reduction="classwise")
    >>> print(evaluation)
    class-wise calibration error (l1): mean over 3 classes, n = 4
    family    mean error  smallest  in class  largest  in class
    --------  ----------  --------  --------  -------  --------
    isotonic       0.275     0.188         c    0.363         b
    slope1         0.142    0.0875         c    0.212         b
    Means over the classes, each against the rest and each counting the same. ...
    >>> {family: round(mean, 3) for family, mean in evaluation.means.items()}
    {'isotonic': 0.275, 'slope1': 0.142}
    >>> [*evaluation], round(float(evaluation["b"]["slope1"]), 12)
    (['a', 'b', 'c'], 0.2125)
    """

    evaluations: Mapping[Label, "Evaluation"]

    def __getitem__(self, label: Label) -> "Evaluation":
        """Return the evaluation of one class against the rest."""
        return self.evaluations[label]

    def __iter__(self) -> Iterator[Label]:
        return iter(self.evaluations)

    def __len__(self) -> int:
        return len(self.evaluations)

    @property
    def means(self) -> dict[str, float]:
        """The class-wise error under each family: the mean over the classes."""
        return {family: sum(errors.values()) / len(errors) for family, errors in self._by_family()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain record per class and family, as those of `Evaluation` with the class."""
        return [{"class": label, **row} for label, each in self.evaluations.items() for row in each.rows()]

    def to_dict(self) -> dict[str, Any]:
        """Return the means and the records of every class as JSON-ready values."""
        classes = [{"class": json_ready(label), "errors": each.rows()} for label, each in self.evaluations.items()]
        return {"reduction": "classwise", "means": self.means, "classes": classes}

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Return the records as a data frame of an installed library, one row per class and family."""
        return to_frame(self.rows(), backend)

    def plot(
        self, family: str = "slope1", *, scale: ScaleName = "probability", figure: SomeFigure = None
    ) -> SmallMultiples:
        """Draw the reliability diagrams of all classes under one family side by side, on shared axes.

        Parameters
        ----------
        family : str, default="slope1"
            One of those evaluated.
        scale : {"probability", "logit"}, default="probability"
            How the axes lay out probabilities, see `ReliabilityDisplay`.
        figure : matplotlib Figure or SubFigure, optional
            An empty one to draw in; by default a new pyplot figure that is large enough.

        Returns
        -------
        SmallMultiples
        """
        check_class_count(len(self))
        choose(family, [name for name, _ in self._by_family()], "family")
        measured = [(f"class {label}", each[family], each.sample) for label, each in self.evaluations.items()]
        return arrange_panels(ReliabilityDisplay, measured, scale, title=family).plot(figure)

    def __str__(self) -> str:
        first = next(iter(self.evaluations.values())).errors[0]
        title = f"class-wise calibration error ({first.norm}): mean over {len(self)} classes, n = {first.n}"
        return f"{title}\n{text_table(HEADER, (_cells(*one) for one in self._by_family()))}\n{FOOTNOTE}"

    __repr__ = __str__

    def _by_family(self) -> list[tuple[str, dict[Label, float]]]:
        """Return the errors of the classes under each family, which are the same and in the same order in all."""
        names = [error.family for error in next(iter(self.evaluations.values())).errors]
        return [
            (name, {label: float(each.errors[i]) for label, each in self.evaluations.items()})
            for i, name in enumerate(names)
        ]


def _cells(family: str, errors: Mapping[Label, float]) -> tuple[str, ...]:
    least, most = min(errors, key=lambda label: errors[label]), max(errors, key=lambda label: errors[label])
    mean = sum(errors.values()) / len(errors)
    return family, short(mean), short(errors[least]), str(least), short(errors[most]), str(most)
