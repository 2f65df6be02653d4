"""The diagram of the pair statistic: how large the errors are that persist over so many rows."""

from typing import Any, Self, Unpack

import numpy as np

from fitontest.data.read import one_sample
from fitontest.data.reading.options import Reading
from fitontest.data.reading.read import read
from fitontest.displays.base import Display, check_shows
from fitontest.displays.canvas import AxesOrFigure, get_axes, style_axes
from fitontest.displays.palette import FILL, NEUTRAL, get_line_color
from fitontest.measures.estimate import Estimate
from fitontest.measures.pairs import PairsByScale, PairStatistic
from fitontest.results.frames import Records
from fitontest.results.options import spell_out
from fitontest.results.typing import ArrayInput

SIZE = (5.6, 3.6)  # inches
BAR = 10.0  # points, width of a band of one scale
SURE = 1.645  # standard deviations, which calibrated scores exceed at one scale in one of twenty sets


class PairsDisplay(Display):
    """Plot of how much the errors of rows with similar scores agree, against how similar is meant.

    It shows the signed root of the pair statistic against the share of rows over which rows count as near.

    A point is the error that persists over so many rows, as a fraction on the scale of the scores; a negative one says
    that neighbouring residuals differ more than chance has them. The band holds what calibrated scores have in nine of
    ten sets at each scale. Pairs of equal scores, where there are any, stand apart on the left. Where points are high
    on the left and fall to the right, the error comes in waves or belongs to single scores.

    Made by ``PairsDisplay.from_predictions``.

    Parameters
    ----------
    error : Estimate
        Of the measure ``pairs``.

    Raises
    ------
    ValueError
        An estimate of another measure.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure or SubFigure, and Axes
        After `plot`.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> display = fot.displays.PairsDisplay.from_predictions(rng.random(2000) < p, p, ax=Figure())
    >>> display.ax_.get_xlabel()
    'near rows, percent of all'
    """

    def __init__(self, error: Estimate) -> None:
        check_shows(error, PairsByScale, "an estimate of the measure 'pairs'")
        self.error = error

    @classmethod
    @spell_out()
    def from_predictions(
        cls,
        y_true: ArrayInput,
        y_prob: ArrayInput = None,
        *,
        ax: AxesOrFigure = None,
        **options: Unpack[Reading],
    ) -> Self:
        """Draw, from labels and scores, how much the errors of rows with similar scores agree.

        Parameters
        ----------
        y_true, y_prob : array-like of shape (n,)
            Labels of two classes, and predicted probabilities of the positive class; or as given by `reduction`; or
            what `read` returns in place of both.
        reduction : {"confidence", "binary"}, optional
            How a matrix of scores is reduced, see `calibration_error`.
        ax : matplotlib Axes, Figure or SubFigure, optional
            Where to draw; by default a new pyplot figure.

        Raises
        ------
        ValueError
            The message names the argument, the rule and the value.
        """
        data = read(y_true, y_prob, **options)
        return cls(PairStatistic().estimate(one_sample(data))).plot(ax)

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn."""
        return {"scales": self.error.evidence.rows()}

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return SIZE

    def _summarise(self) -> str:
        return f"{len(self.error.evidence.rows())} scales"

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Where to draw; by default a new pyplot figure.
        """
        self.ax_ = ax = get_axes(ax, SIZE)
        self.figure_ = ax.figure
        style_axes(ax)
        rows = self.error.evidence.rows()
        columns: dict[str, Any] = {key: np.array([row[key] for row in rows]) for key in rows[0]}
        near = columns["near_rows"] > 0
        first = columns["share"][near].min() / 2.0 if near.any() else 1e-3
        x = 100.0 * np.where(near, columns["share"], first)  # pairs of equal scores stand left of all others
        color = get_line_color(ax, FILL)
        band = np.sqrt(SURE * columns["sd_if_calibrated"])
        ax.axhline(0.0, color=NEUTRAL, linewidth=0.8)
        for part in (near, ~near):  # pairs of equal scores are no point on the way to wider windows
            if not part.any():
                continue
            labels = ("calibrated scores, 90 %", "these rows") if part is near or not near.any() else (None, None)
            shade: dict[str, Any] = {"color": NEUTRAL, "alpha": 0.25, "label": labels[0]}
            if np.count_nonzero(part) == 1:
                ax.vlines(x[part], -band[part], band[part], linewidth=BAR, **shade)
            else:
                ax.fill_between(x[part], -band[part], band[part], linewidth=0, **shade)
            ax.plot(x[part], columns["root"][part], color=color, marker="o", markersize=4, label=labels[1])
        ax.set_xscale("log")
        names = [f"{share:.2g}" if is_near else "same\nscore" for share, is_near in zip(x, near, strict=True)]
        step = max(1, -(-x.size // 6))
        ax.set_xticks(x[::step], names[::step])
        ax.minorticks_off()
        ax.set_xlabel("near rows, percent of all")
        ax.set_ylabel("root of the pair statistic")
        ax.legend(frameon=False, fontsize=8)
        return self
