"""The bump chart of ranks: how each of several evaluators orders the same models."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.stats import rankdata

from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, get_axes, style_axes
from fitontest.displays.palette import get_line_color, get_series_style
from fitontest.results.checks import brief
from fitontest.results.frames import Records
from fitontest.results.typing import FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST = 2  # models that can be ordered
PER_EVALUATOR, PER_MODEL = 0.85, 0.42  # inches
MARGINS = (2.6, 1.5)  # inches, for the names on both sides and below
APART = 0.07  # of a rank: lines of models that share a rank everywhere are drawn beside one another


class RankDisplay(Display):
    """Bump chart: how each evaluator ranks the models, with a line for each model.

    Rank 1, at the top, is the smallest value, or the largest with `largest_first`. Equal values share the mean of their
    ranks, as in Spearman's correlation. A line that crosses others says that the choice of the evaluator decides which
    model looks better.

    Parameters
    ----------
    values : dict of dict of float
        By evaluator, the value of each model; all evaluators have the same models. A data frame of pandas with a column
        for each evaluator and the models as its index is read alike.
    largest_first : bool, default=False
        Whether the largest value is the best, as of an accuracy.

    Attributes
    ----------
    evaluators, models : list of str
    values : array of shape (n_evaluators, n_models)
    ranks : array of shape (n_evaluators, n_models)
        1 for the best.
    ax_ : matplotlib Axes
        After `plot`.
    figure_ : matplotlib Figure or SubFigure
        After `plot`.

    Raises
    ------
    ValueError
        Fewer than two models, no evaluator, other models for one evaluator than for another, or a value that is no
        finite number.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of
    classifiers, Machine Learning 114, figure 15. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import fitontest as fot
    >>> display = fot.displays.RankDisplay({"ECE": {"a": 0.02, "b": 0.05}, "isotonic": {"a": 0.04, "b": 0.03}})
    >>> display.ranks.tolist()
    [[1.0, 2.0], [2.0, 1.0]]
    """

    ax_: "Axes"

    def __init__(self, values: Mapping[str, Mapping[str, float]], *, largest_first: bool = False) -> None:
        self.largest_first = largest_first
        self.evaluators, self.models, self.values = _read(values)
        signed = -self.values if largest_first else self.values
        self.ranks: FloatArray = rankdata(signed, axis=1)

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn: value and rank of each model by each evaluator."""
        return {
            "ranks": [
                {"evaluator": evaluator, "model": model, "value": value, "rank": rank}
                for evaluator, values, ranks in zip(
                    self.evaluators, self.values.tolist(), self.ranks.tolist(), strict=True
                )
                for model, value, rank in zip(self.models, values, ranks, strict=True)
            ]
        }

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return (
            MARGINS[0] + PER_EVALUATOR * len(self.evaluators),
            MARGINS[1] + PER_MODEL * len(self.models),
        )

    def _summarise(self) -> str:
        return f"{len(self.models)} models by {len(self.evaluators)} evaluators"

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the chart.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Where it is drawn; by default in a new pyplot figure.

        Returns
        -------
        self
        """
        self.ax_ = get_axes(ax, self.size)
        self.figure_ = self.ax_.get_figure()  # type: ignore[assignment]
        style_axes(self.ax_)
        self.ax_.grid(visible=False)
        at, heights = np.arange(len(self.evaluators)), _drawn_apart(self.ranks)
        for k, model in enumerate(self.models):
            color, dash = get_series_style(k)
            line = get_line_color(self.ax_, color)
            self.ax_.plot(at, heights[:, k], color=line, linestyle=dash, linewidth=2.0, label=model)
            self.ax_.plot(at, heights[:, k], color=line, linestyle="none", marker="o", markersize=6.5)
        self._name_both_ends()
        self.ax_.set_xticks(at, self.evaluators, rotation=35, ha="right", rotation_mode="anchor")
        self.ax_.set_xlim(-0.3, len(self.evaluators) - 0.7)
        return self

    def _name_both_ends(self) -> None:
        """Write ranks on the left axis, and on the right the models in the order of the last evaluator."""
        n = len(self.models)
        self.ax_.set_ylim(n + 0.5, 0.5)
        self.ax_.set_yticks(range(1, n + 1))
        self.ax_.set_ylabel("Rank (1: best)")
        last = np.argsort(self.ranks[-1], kind="stable")
        right = self.ax_.secondary_yaxis("right")
        right.set_yticks(range(1, n + 1), [self.models[k] for k in last])
        right.spines["right"].set_visible(False)
        right.tick_params(length=0)


def _read(values: object) -> tuple[list[str], list[str], FloatArray]:
    """Return evaluators, models, and their values."""
    to_dict = getattr(values, "to_dict", None)
    if callable(to_dict) and not isinstance(values, Mapping):
        for name, labels in (("columns", list(values.columns)), ("index", list(values.index))):  # type: ignore[attr-defined]
            _check_differ(labels, f"values must be a data frame whose {name} differ")
    table = to_dict() if callable(to_dict) and not isinstance(values, Mapping) else values
    if not isinstance(table, Mapping) or not all(isinstance(column, Mapping) for column in table.values()):
        raise ValueError(f"values must be a dict of dicts, the value of each model by evaluator; got {brief(values)}")
    if not table:
        raise ValueError("values must have at least one evaluator, got none")
    first, models = next((str(name), list(column)) for name, column in table.items())
    if len(models) < FEWEST:
        raise ValueError(f"values must have at least two models, got {models!r}")
    for name, column in table.items():
        if set(column) != set(models):
            raise ValueError(
                f"values must have the same models for each evaluator, got {list(column)!r} for {name!r} and "
                f"{models!r} for {first!r}"
            )
    _check_differ([str(name) for name in table], "values must have evaluators that differ as texts")
    _check_differ([str(model) for model in models], "values must have models that differ as texts")
    numbers = [[_number(column[model], str(name), str(model)) for model in models] for name, column in table.items()]
    return [str(name) for name in table], [str(model) for model in models], np.array(numbers)


def _check_differ(labels: list[Any], rule: str) -> None:
    """Raise ValueError if a label occurs twice."""
    twice = [label for k, label in enumerate(labels) if label in labels[:k]]
    if twice:
        raise ValueError(f"{rule}, got {twice[0]!r} twice")


def _number(value: object, evaluator: str, model: str) -> float:
    """Return a value as a float, or refuse it."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise ValueError(f"values must be finite numbers, got {brief(value)} for {model!r} by {evaluator!r}")
    return number


def _drawn_apart(ranks: FloatArray) -> FloatArray:
    """Return the heights of the marks: ranks, with those of models of one rank a little apart so that both show."""
    heights = ranks.copy()
    for row in heights:
        for rank in np.unique(row):
            same = np.flatnonzero(row == rank)
            row[same] += APART * (np.arange(same.size) - (same.size - 1) / 2) * 2
    return heights
