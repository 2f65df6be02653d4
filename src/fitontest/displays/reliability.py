"""The reliability diagram of any family of calibration maps: the map fitted to the test data against the diagonal."""

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

from fitontest.data.predictions import Reduction, each_class, reduced
from fitontest.data.sample import Sample
from fitontest.displays.base import check_measured
from fitontest.displays.canvas import Where, axes_for
from fitontest.displays.companions import counts_axis, note_beyond
from fitontest.displays.frame import draw_legend, has_diagonal, histogram_of, join, prepare
from fitontest.displays.headline import axis_labels, called
from fitontest.displays.palette import NEUTRAL, Color, ink, series
from fitontest.displays.reliability_artists import (
    draw_areas,
    draw_band,
    draw_counts,
    draw_diagonal,
    draw_knots,
    draw_map,
    draw_means,
)
from fitontest.displays.scales import ScaleName, scale_for, scale_to, widened
from fitontest.displays.shapes import BARS, histogram_parts, knots_of, shape_of, share_beyond
from fitontest.displays.small_multiples import PanelDisplay, SmallMultiples, by_class, figure_of_classes
from fitontest.families.base import Family
from fitontest.maps.base import CalibrationMap
from fitontest.measures.plug_in import error_of
from fitontest.measures.plug_in_error import PlugInError
from fitontest.results.frames import Records, records
from fitontest.typing import ArrayInput, Label, RandomState
from fitontest.uncertainty.bands import POINTS, ConsistencyBand, check_band, consistency_band

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ReliabilityDisplay(PanelDisplay):
    """Reliability diagram: the calibration map of a family, fitted to the test data, against the diagonal.

    The height of the fill over a score p is c_hat(p), and the mean gap |c_hat(p) - p| between it and the diagonal,
    over the predictions, is the calibration error in the legend.

    * Bins of slope 1 have **diagonal filling**: each bar is filled up to the line of slope 1 through its mean
      prediction and mean label, which is the fitted map. So the gap to the diagonal is that of the ECE, which flat
      bars do not show. Flat tops are outlined as in the classic diagram.
    * Flat bins are filled up to the share of positives. More than 200 bins of any kind are drawn as a curve.
    * Continuous maps are filled under their curve. Knots of ``pl`` and ``pl3`` are marked: their mean over the folds,
      for the number of segments chosen. The map is an average over the folds, some with another number of segments, and
      bends in other places too.

    Beyond the lowest and the highest score the map is dotted, and bins are faded. The shade of the gap tells the share
    of the data in its bin (for continuous maps: in the bar of the histogram), from pale to full in proportion. So where
    bins are equally wide and equally full, the area of the gap is the error; elsewhere the shades say what counts.

    Made by `from_predictions` or `from_estimator`. `plot` draws it again, on other axes.

    Parameters
    ----------
    error : PlugInError
        As `calibration_error` returns it, measured on the sample.
    sample : Sample
    scale : {"probability", "logit"}, default="probability"
        How both axes lay out probabilities. On the logit scale rare events are visible, and a single ``pl3`` fit
        (``ensemble=False``) is made of straight lines. What a map of bins has at or beyond 0 and 1 is cut off there.
    limits : (float, float), optional
        Ends of both axes. Scores beyond them are counted in the outermost bars of the histogram. By default the
        probability scale shows [0, 1], and more if the map goes beyond it (bins of slope 1 may); the logit scale shows
        the scores and the map over them, but nothing below 1e-7 or above 1 - 1e-7.
    band : ConsistencyBand, optional
        Where the maps of calibrated scores lie.
    name, pos_label : str and label, optional
        What the legend calls the scores, and the positive class, for the axis labels.

    Attributes
    ----------
    error : PlugInError
    map_ : CalibrationMap
    scale : Scale
    shape : Shape
        The table of the diagram.
    ax_, histogram_ax_ : matplotlib Axes
        After `plot`, as all of the following.
    figure_ : matplotlib Figure or SubFigure
    line_, ref_line_, counts_ : artists
        The map (interrupted between bins), the diagonal, the histogram.
    fill_, gap_, stems_, veil_, outline_, means_, extension_, knots_, band_, legend_ : artists or None
        The areas under the map and between it and the diagonal, that gap as lines in bins too narrow to have an area,
        what fades bins beyond the scores; their flat bars and means; the map beyond the scores; knots; a band.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of
    classifiers, Machine Learning 114, sections 4.5 and 5. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p**1.5
    >>> family = fot.make_family("slope1", n_bins=4, scheme="equal_width")
    >>> display = fot.ReliabilityDisplay.from_predictions(y, p, family=family, ax=Figure())
    >>> print(display.to_frame(part="bins")[["lower", "upper", "share", "mean_gap"]].round(3).to_string())
       lower  upper  share  mean_gap
    0   0.00   0.25  0.231     0.068
    1   0.25   0.50  0.242     0.128
    2   0.50   0.75  0.260     0.084
    3   0.75   1.00  0.267     0.043
    """

    error: PlugInError
    size = (5.2, 6.4)

    def __init__(
        self,
        error: PlugInError,
        sample: Sample,
        *,
        scale: ScaleName = "probability",
        limits: ArrayInput = None,
        band: ConsistencyBand | None = None,
        name: str | None = None,
        pos_label: Label | None = None,
    ) -> None:
        check_measured(error, PlugInError, sample)
        self.error, self.map_, self.band, self.name, self.pos_label = error, error.map, band, name, pos_label
        first = scale_for(scale, sample, error.map) if limits is None else scale_to(scale, limits)
        self.shape = shape_of(error.map, knots_of(error), sample, first)
        self.scale = first if limits is not None else widened(first, self.shape.joined().c)
        self.cells = self.scale.cells(BARS)
        self.counts = self.cells.summarise(sample).w
        self.beyond = share_beyond(sample, self.scale)
        self.whole = sample.whole

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayInput,
        y_prob: ArrayInput,
        *,
        family: str | Family | CalibrationMap = "slope1",
        scale: ScaleName = "probability",
        norm: Literal["l1", "l2", "squared", "max"] = "l1",
        debias: bool = False,
        limits: ArrayInput = None,
        band_draws: int = 0,
        band_level: float = 0.9,
        random_state: RandomState = 0,
        reduction: Reduction | None = None,
        labels: ArrayInput = None,
        sample_weight: ArrayInput = None,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: Where = None,
        color: Color | None = None,
        fill: bool | None = None,
        legend: bool = True,
        ref_line: bool = True,
    ) -> Self | SmallMultiples:
        """Draw the reliability diagram of labels and scores.

        Parameters
        ----------
        y_true, y_prob : array-like of shape (n,)
            Labels of two classes, and predicted probabilities of the positive class; or as `reduction` says.
        family : str, Family or CalibrationMap, default="slope1"
            As in `calibration_error`: a family is fitted to these rows, a map is used as it is.
        norm, debias
            Of the error in the legend, see `calibration_error`.
        band_draws : int, default=0
            Redrawings of the labels from the scores behind the consistency band: the family is fitted again to each,
            and the band shows where the middle `band_level` of the maps of calibrated scores lie. 0 draws no band.
        band_level : float in (0, 1), default=0.9
        random_state : int, RandomState or None, default=0
            Seed of these draws.
        reduction, labels
            How a matrix of scores is read, and the classes of its columns, see `calibration_error`. "confidence" draws
            the accuracy against the confidence; "classwise" `SmallMultiples` of all classes, 16 at most, each against
            the rest: then `ax` is a figure, and `color`, `fill`, `legend` and `ref_line` are not for choice.
        sample_weight, pos_label
            See `calibration_error`.
        scale, limits, name
            See the class.
        ax : matplotlib Axes, Figure or SubFigure, optional
            Where to draw; the histogram goes below the axes, inside the figure's layout. Axes that hold a diagram
            already get this one laid over it. By default a new pyplot figure is made.
        color, fill, legend, ref_line
            See `plot`.

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found.
        """
        check_band(band_draws, band_level)
        columns = (y_true, y_prob, sample_weight)
        measure = partial(error_of, family=family, norm=norm, debias=debias)
        band: dict[str, Any] = {"draws": band_draws, "level": band_level, "random_state": random_state}
        if reduction == "classwise":
            figure = figure_of_classes(ax, plain=color is None and fill is None and legend and ref_line)
            scores = each_class(columns, labels, pos_label)
            return by_class(cls, scores, measure, band, scale=scale, limits=limits, name=name).plot(figure)
        sample = reduced(columns, reduction, labels, pos_label)
        error = measure(sample).under(reduction)
        made = cls(error, sample, scale=scale, limits=limits, name=name, pos_label=pos_label)
        if band_draws:
            made.add_band(sample, **band)
        return made.plot(ax, color=color, fill=fill, legend=legend, ref_line=ref_line)

    def add_band(
        self, sample: Sample, *, draws: int, level: float = 0.9, random_state: RandomState = 0, follow: Any = iter
    ) -> None:
        """Compute the consistency band, for the next `plot`; `follow` may watch the draws go by (a progress bar)."""
        self.band = consistency_band(self.error, sample, self.scale.grid(POINTS), draws, level, random_state, follow)

    def plot(
        self,
        ax: Where = None,
        *,
        name: str | None = None,
        color: Color | None = None,
        fill: bool | None = None,
        legend: bool = True,
        ref_line: bool = True,
    ) -> Self:
        """Draw the diagram, on new axes or over a diagram that is there.

        Parameters
        ----------
        ax, name
            See `from_predictions`.
        color : matplotlib colour, optional
            Of the map; by default one that no other diagram on these axes has, of a palette for colour-blind readers.
        fill : bool, optional
            Whether areas are filled and bars outlined; by default only for the first diagram on the axes.
        legend : bool, default=True
        ref_line : bool, default=True
            Whether the diagonal is drawn (never twice on the same axes).

        Returns
        -------
        self
        """
        main = axes_for(ax, self.size)
        below = histogram_of(main)
        first = below is None
        default, dashes = series(0 if below is None else len(below.patches))
        style: dict[str, Any] = {"color": default if color is None else color, "linestyle": dashes}
        filled = first if fill is None else fill
        if below is None:
            labels = axis_labels(self.pos_label, self.error.reduction)
            below = prepare(main, self.scale, "Count" if self.whole else "Weight", labels)
        else:
            join(main, self.scale)
        self.ax_, self.figure_, self.histogram_ax_ = main, main.figure, below
        self.ref_line_ = draw_diagonal(main, self.scale) if ref_line and not has_diagonal(main) else None
        self._draw_map(main, style, called(self.name if name is None else name, self.error), filled)
        self.band_ = None if self.band is None else draw_band(main, self.band, NEUTRAL if first else style["color"])
        self.counts_ = draw_counts(below, self.counts, self.cells, self.scale, style, fill=first)
        counts_axis(below, "y", self.counts)
        if first:
            note_beyond(below, self.beyond)
        self.legend_ = draw_legend(main) if legend else None
        return self

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn.

        ``bins`` holds the bins of the map (for a continuous map the bars of the histogram): bounds, rows, weight, share
        of the weight, mean prediction, share of positives, and mean gap |c_hat(p) - p|, whose mean over the
        predictions is the l1 error; ``map`` the points (x, y) through which the map is drawn, by piece; ``knots`` those
        marked; ``histogram`` the weight per bar; ``band`` the bounds of the consistency band; ``beyond`` the shares of
        the data below and above the axes.
        """
        found = {
            "bins": self.shape.piece_records(),
            "map": self.shape.course_records(),
            "knots": records(x=self.shape.knots.x, y=self.shape.knots.c),
            **histogram_parts(self.cells, self.counts, self.beyond),
        }
        if self.band is not None:
            found["band"] = records(x=self.band.x, band_lower=self.band.lower, band_upper=self.band.upper)
        return {part: rows for part, rows in found.items() if rows}

    def _draw_map(self, main: "Axes", style: dict[str, Any], label: str, filled: bool) -> None:
        shape = self.shape
        edge = ink(main) if filled else style["color"]
        self.means_ = self.knots_ = None
        self.line_, self.extension_ = draw_map(main, shape, style, label)
        if shape.jumps:
            self.means_ = draw_means(main, shape, edge)
        elif shape.knots.x.size:
            self.knots_ = draw_knots(main, shape, edge)
        self.fill_, self.gap_, self.stems_, self.veil_, self.outline_ = (
            draw_areas(main, shape, self.scale, style["color"]) if filled else (None,) * 5
        )
