"""Base classes of the diagrams: a table of the numbers, a figure that shows them, and a method to save it."""

from abc import ABC, abstractmethod
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.canvas import create_figure
from fitontest.displays.saving import save_figure
from fitontest.measures.estimate import Estimate
from fitontest.results.checks import choose
from fitontest.results.frames import Backend, Records, to_frame
from fitontest.results.text import short

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase


class Display(ABC):
    """Base of the diagrams. The table is computed first, and the figure shows it."""

    figure_: "FigureBase"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._summarise()})"

    @abstractmethod
    def _summarise(self) -> str:
        """Return the content of the parentheses in the representation."""

    @abstractmethod
    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn, as plain records keyed by the part of the diagram that shows them."""

    def rows(self, part: str | None = None) -> Records:
        """Return the records of one part, or of all parts.

        The records of all parts have the same keys, and ``part`` names the part of each.

        Parameters
        ----------
        part : str, optional
            One of the keys of `parts`; by default all.

        Raises
        ------
        ValueError
            There is no such part.
        """
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
            The library of the frame.
        part : str, optional
            The only part of the diagram to return, with only its columns. By default all parts are returned, with a
            column ``part``.
        """
        return to_frame(self.rows(part), backend)

    def save(self, path: str | Path, *, dpi: float = 150) -> Path:
        """Write the figure to a PNG, SVG or PDF file, depending on the ending of the path, and return the path.

        The same diagram always gives the same bytes, which matplotlib's ``savefig`` alone does not guarantee.

        Parameters
        ----------
        path : str or Path
            A file, which is replaced where there is one.
        dpi : float, default=150
            Dots per inch, of a PNG.

        Raises
        ------
        ValueError
            Another ending of the name.
        """
        if not hasattr(self, "figure_"):
            self.plot(create_figure(self.size))
        return save_figure(self.figure_, path, dpi=dpi)

    @property
    @abstractmethod
    def size(self) -> tuple[float, float]:
        """Width and height, in inches, of a figure for the diagram."""

    @abstractmethod
    def plot(self, where: Any = None) -> Any:
        """Draw the diagram.

        Parameters
        ----------
        where : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; by default a new pyplot figure.
        """


def check_measured(error: object, sample: object) -> None:
    """Raise ValueError unless the error is an estimate for two classes that was measured on the sample."""
    if not isinstance(error, Estimate) or error.base_rate is None:
        raise ValueError(f"error must be an Estimate for two classes, got {error!r}")
    if not isinstance(sample, ScoreSample):
        raise ValueError(f"sample must be a ScoreSample, got {sample!r}")
    if sample.n != error.n or not isclose(sample.base_rate, error.base_rate, rel_tol=1e-9):
        raise ValueError(
            f"sample must be the one on which error was measured, n = {error.n:,} with a share of positives of "
            f"{short(error.base_rate)}; got {sample!r}"
        )
