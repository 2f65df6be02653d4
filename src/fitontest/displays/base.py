"""What every diagram is: numbers that can be had as a table, a figure, and a way to save it."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from fitontest.checks import choose
from fitontest.data.estimators import probabilities
from fitontest.data.predictions import Reduction
from fitontest.data.sample import Sample
from fitontest.displays.canvas import blank_figure
from fitontest.displays.saving import save_figure
from fitontest.measures.result import BinaryError
from fitontest.results.frames import Backend, Records, to_frame
from fitontest.typing import ArrayInput, Label

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase


class Display(ABC):
    """Base of the diagrams: the table comes first, the drawing shows it."""

    figure_: "FigureBase"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._told()})"

    @abstractmethod
    def _told(self) -> str:
        """Return what the representation tells."""

    @abstractmethod
    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn: plain records by the part of the diagram that shows them."""

    def rows(self, part: str | None = None) -> Records:
        """Return the records of one part, or of all, each then with its ``part`` and all keys."""
        parts = self.parts()
        if part is not None:
            return parts[choose(part, parts, "part")]
        keys = dict.fromkeys(key for records in parts.values() for record in records for key in record)
        blank = dict.fromkeys(keys)
        return [{"part": name, **blank, **record} for name, records in parts.items() for record in records]

    def to_frame(self, backend: Backend = "pandas", *, part: str | None = None) -> Any:
        """Return every number drawn as a data frame of an installed library.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
        part : str, optional
            Only this part of the diagram, with only its columns; by default all of them, with a column ``part``.
        """
        return to_frame(self.rows(part), backend)

    def save(self, path: str | Path, *, dpi: float = 150) -> Path:
        """Write the figure to a file, PNG, SVG or PDF by its ending, and return the path.

        Unlike matplotlib's ``savefig`` on its own, the same diagram always gives the same bytes.
        """
        if not hasattr(self, "figure_"):
            self.plot(blank_figure(self.size))
        return save_figure(self.figure_, path, dpi=dpi)

    @property
    @abstractmethod
    def size(self) -> tuple[float, float]:
        """Width and height, in inches, of a figure for the diagram."""

    @abstractmethod
    def plot(self, where: Any = None) -> Any:
        """Draw the diagram."""


class BinaryDisplay(Display):
    """Base of the diagrams of labels and scores of two classes."""

    from_predictions: ClassVar[Callable[..., Any]]
    error: Any

    def _told(self) -> str:
        return repr(self.error)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayInput,
        *,
        reduction: Reduction | None = None,
        pos_label: Label | None = None,
        name: str | None = None,
        **options: Any,
    ) -> Any:
        """Draw the diagram of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier with predict_proba
        X : array-like of shape (n, n_features)
        y : array-like of shape (n,)
        reduction : {"confidence", "classwise", "binary"}, optional
            How the probabilities of several classes are read, see `from_predictions`; without it the classifier must
            have two classes.
        pos_label : label, optional
            The positive class, by default ``estimator.classes_[1]``; not with "confidence" and "classwise".
        name : str, optional
            What the diagram calls the scores, by default the name of the class of the estimator.
        **options
            All other arguments of `from_predictions` but `labels`, which are ``estimator.classes_``.

        Returns
        -------
        What `from_predictions` returns.

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found.
        sklearn.exceptions.NotFittedError
            For an estimator that is not fitted.
        """
        called = type(estimator).__name__ if name is None else name
        if reduction is not None and "labels" in options:
            raise ValueError(f"labels must be left out: they are estimator.classes_, got {options['labels']!r}")
        scores, read = probabilities(estimator, X, reduction, pos_label)
        return cls.from_predictions(y, scores, name=called, **options, **read)


def check_measured(error: object, kind: type[BinaryError], sample: object) -> None:
    """Raise ValueError unless the error is of that kind and was measured on the sample."""
    if not isinstance(error, kind):
        raise ValueError(f"error must be a {kind.__name__}, got {error!r}")
    if not isinstance(sample, Sample):
        raise ValueError(f"sample must be a Sample, got {sample!r}")
    if sample.n != error.n or not isclose(sample.base_rate, error.base_rate, rel_tol=1e-9):
        raise ValueError(
            f"sample must be the one on which error was measured, n = {error.n} with a share of positives of "
            f"{error.base_rate:.4g}; got {sample!r}"
        )
