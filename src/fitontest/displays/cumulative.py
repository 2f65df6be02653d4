"""The walk of cumulated residuals: where along the scores they add up, with the band of calibrated scores."""

from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from fitontest.data.read import one_sample
from fitontest.data.reading.options import reading_of
from fitontest.data.reading.read import read
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import BinaryDisplay, check_measured
from fitontest.displays.canvas import AxesOrFigure, get_axes, style_axes
from fitontest.displays.options import DrawingOptions
from fitontest.displays.palette import FILL, GAP, NEUTRAL, get_foreground, get_line_color
from fitontest.displays.titles import without_formulas
from fitontest.measures.cumulative import CumulativeError
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import make as make_measure
from fitontest.results.checks import check_level
from fitontest.results.frames import Records, records
from fitontest.results.options import spell_out
from fitontest.results.text import debiased_and_raw, short
from fitontest.results.typing import ArrayInput, FloatArray, IntArray
from fitontest.uncertainty.redrawing import DEFAULT_LEVEL, Redrawing, estimate_of
from fitontest.uncertainty.seminorm import DRAWS, upper_point

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (6.4, 4.2)  # inches
POINTS = 2000  # of a line, beyond which the least and the largest of neighbours stand for them
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the rows, at which scores are written
ROOM = 1.18  # times the walk or the band, up to which the axis goes


class CumulativeDisplay(BinaryDisplay):
    """Line plot of the residuals cumulated in the order of the scores, which shows where scores are wrong.

    The line is S_k, the sum of the weights times label less score up to the k-th distinct score, over the sum of all
    weights. Where it rises scores are too low, where it falls they are too high, and its slope is by how much. The bar
    marks what is measured: from the lowest to the highest point, which is the ECCE, or the point farthest from 0, which
    is KS. Labels drawn from the scores stay within the grey band, all along the line, in 95 % of draws or more.

    Made by `from_predictions` or `from_estimator`, and by `Estimate.plot` of the measures ``ecce`` and ``ks``. `plot`
    draws it again on other axes.

    Parameters
    ----------
    error : Estimate
        Of the measure ``ecce`` or ``ks``, of the sample.
    sample : ScoreSample
        The scores, labels and weights that it was measured on.
    level : float in [0.5, 1), default=0.95
        Of the band.
    name : str, optional
        Name of the scores in the title.

    Attributes
    ----------
    error : Estimate
        As given.
    reach : float or None
        How far the band reaches on either side of 0; None where there is no null.
    ax_ : matplotlib Axes
        Set by `plot`, as are all of the following.
    figure_ : matplotlib Figure or SubFigure
    line_ : Line2D
        The walk.
    range_ : Line2D
        The bar of what is measured.
    band_ : Rectangle or None
    scores_ax_ : SecondaryAxis
        The scores above the diagram.

    References
    ----------
    Arrieta-Ibarra, Gujral, Tannen, Tygert, Xu (2022), Metrics of calibration for probabilistic predictions, JMLR
    23(351). https://doi.org/10.48550/arXiv.2205.09680

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> display = fot.displays.CumulativeDisplay.from_predictions(rng.random(500) < p**1.5, p, ax=Figure())
    >>> display.to_frame(part="range").round(3).to_dict("records")
    [{'from_share': 0.032, 'to_share': 0.968, 'low': -0.101, 'high': 0.001}]
    """

    def __init__(
        self, error: Estimate, sample: ScoreSample, *, level: float = DEFAULT_LEVEL, name: str | None = None
    ) -> None:
        check_measured(error, sample)
        if not error.measure.is_seminorm:
            raise ValueError(f"error must be of the measure ecce or ks, got {error.measure.name}")
        self.error, self.level, self.name = error, check_level(level), name
        null = error.null
        self.reach = None if null is None else upper_point(null.values, 1.0 - level)
        self.share, self.walk = error.evidence.walk  # type: ignore[attr-defined] # of residuals that were cumulated
        self._scores = np.concatenate((sample.distinct.p[:1], sample.distinct.p))

    @classmethod
    @spell_out("interval", "null_draws", "scale", "limits", "color", "legend", "ref_line", draws=DRAWS)
    def from_predictions(
        cls,
        y_true: ArrayInput,
        y_prob: ArrayInput = None,
        *,
        measure: str = "ecce",
        **options: Unpack[DrawingOptions],
    ) -> Self:
        """Draw the cumulated residuals of labels and scores.

        Parameters
        ----------
        y_true, y_prob : array-like of shape (n,)
            Labels of two classes, and predicted probabilities of the positive class; or as given by `reduction`; or
            what `read` returns in place of both.
        measure : {"ecce", "ks"}, default="ecce"
            What is marked.
        draws : int, default=1000
            Labels are simulated so often.
        reduction, labels
            How a matrix of scores is reduced, "confidence" or "binary", and the classes of its columns.

        Returns
        -------
        CumulativeDisplay

        Raises
        ------
        ValueError
            The message names the argument, the rule and the value.
        """
        data = read(y_true, y_prob, **reading_of(options))
        level = options["level"]
        chosen = make_measure(measure)
        if not isinstance(chosen, CumulativeError):
            raise ValueError(f"measure must be 'ecce' or 'ks', got {measure!r}")
        sample = one_sample(data)
        redrawing = Redrawing.at(level, null_draws=options["draws"], random_state=options["random_state"])
        error = estimate_of(chosen, sample, sample.reduction, redrawing)
        return cls(error, sample, level=level, name=options["name"]).plot(options["ax"])

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return SIZE

    @property
    def _marked(self) -> tuple[int, int]:
        """The places of the two points that the bar joins: the lowest and the highest, or 0 and the farthest."""
        if self.error.evidence.statistic == "range":
            return int(self.walk.argmin()), int(self.walk.argmax())
        return 0, int(np.abs(self.walk).argmax())

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn: the walk, the band, and what the bar marks."""
        first, last = sorted(self._marked)
        ends = sorted(self.walk[place] for place in self._marked)
        walk = records(share=self.share, score=self._scores, cumulated=self.walk)
        band = {} if self.reach is None else {"low": -self.reach, "high": self.reach, "level": self.level}
        shares = {"from_share": float(self.share[first]), "to_share": float(self.share[last])}
        marked = [{**shares, "low": float(ends[0]), "high": float(ends[1])}]
        return {"walk": walk, **({"band": [band]} if band else {}), "range": marked}

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram. By default a new pyplot figure is made.

        Returns
        -------
        self
        """
        self.ax_ = get_axes(ax, self.size)
        self.figure_ = self.ax_.figure
        style_axes(self.ax_)
        self._draw_band(self.ax_)
        self.ax_.axhline(0.0, color=get_foreground(self.ax_), linewidth=0.9)
        kept = _thinned(self.walk)
        (self.line_,) = self.ax_.plot(
            self.share[kept], self.walk[kept], color=get_line_color(self.ax_, FILL), linewidth=1.6, zorder=3
        )
        self._mark(self.ax_)
        self._scale(self.ax_)
        title = self._headline()
        self.ax_.set_title(title, fontsize="medium", loc="left")
        self.ax_.set_xlabel("Share of the rows, by increasing score")
        self.ax_.set_ylabel("Cumulated residuals (label less score)")
        self._write_scores(self.ax_)
        return self

    def _headline(self) -> str:
        """Return what is measured, in a line or two."""
        error = self.error
        debiased = error.debiased if error.interval is not None else None
        line = f"{error.measure.title}: {debiased_and_raw(debiased, error.value)}"
        if error.interval is not None:
            ends = f"{short(error.interval.low)} to {short(error.interval.high)}"
            line += f", {100 * error.interval.level:g} % interval {ends}"
        return line if self.name is None else f"{without_formulas(self.name)}\n{line}"

    def _draw_band(self, ax: "Axes") -> None:
        self.band_ = None
        if self.reach is not None:
            label = f"calibrated: within it in {100 * self.level:g} %"
            self.band_ = ax.axhspan(-self.reach, self.reach, color=NEUTRAL, alpha=0.22, linewidth=0.0, label=label)

    def _mark(self, ax: "Axes") -> None:
        """Draw a bar from the one point to the other, beside the line."""
        first, last = self._marked
        color = get_line_color(ax, GAP)
        ax.plot(self.share[[first, last]], self.walk[[first, last]], "o", color=color, markersize=5.0, zorder=4)
        for place in (first, last):
            ax.plot(
                [self.share[place], 1.035], [self.walk[place]] * 2, color=color, linewidth=0.7, linestyle=(0, (2, 2))
            )
        (self.range_,) = ax.plot(
            [1.035, 1.035], self.walk[[first, last]], color=color, linewidth=3.0, solid_capstyle="butt", clip_on=False,
            label=f"{self.error.measure.title} {short(self.error.value)}", zorder=4,
        )  # fmt: skip

    def _scale(self, ax: "Axes") -> None:
        largest = max(float(np.abs(self.walk).max()), self.reach or 0.0) or 1.0
        ax.set_ylim(-ROOM * largest, ROOM * largest)
        ax.set_xlim(0.0, 1.05)
        ax.set_xticks(SHARES, [f"{100 * share:g} %" for share in SHARES])
        above = self.walk[np.abs(self.walk).argmax()] < 0.0
        ax.legend(loc="upper left" if above else "lower left", frameon=False, fontsize="small", ncols=2)

    def _write_scores(self, ax: "Axes") -> None:
        """Write the scores at shares of the rows above the axes."""
        places = np.minimum(np.searchsorted(self.share, SHARES), self.share.size - 1)
        above = ax.secondary_xaxis("top")
        above.set_xticks(SHARES, [short(score, 2) for score in self._scores[places].tolist()], fontsize="small")
        above.tick_params(length=0.0, pad=1.0, colors=get_foreground(ax))
        above.spines["top"].set_visible(False)
        above.set_xlabel("score", fontsize="small", loc="left", labelpad=4.0)
        self.scores_ax_ = above


def _thinned(walk: FloatArray) -> IntArray:
    """Return the places of a long line that are drawn: of neighbours the lowest and the highest."""
    if walk.size <= 2 * POINTS:
        return np.arange(walk.size)
    borders = np.linspace(0, walk.size, POINTS + 1).astype(np.intp)
    kept = {0, walk.size - 1}
    for start, end in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        part: Any = walk[start:end]
        kept |= {start + int(part.argmin()), start + int(part.argmax())}
    return np.array(sorted(kept))
