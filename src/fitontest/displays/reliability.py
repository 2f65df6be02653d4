"""The reliability diagram of any family of calibration maps: the map fitted to the test data against the diagonal."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack

import numpy as np

from fitontest.data.read import one_sample
from fitontest.data.reading.models import by_model, is_of_models, read_models
from fitontest.data.reading.read import read
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import check_measured
from fitontest.displays.canvas import AxesOrFigure, get_axes
from fitontest.displays.class_choice import ClassChoice
from fitontest.displays.companions import annotate_advice, annotate_shares_beyond, format_counts_axis
from fitontest.displays.frame import (
    draw_legend,
    extend_limits,
    find_histogram,
    find_scale_name,
    has_diagonal,
    prepare_axes,
)
from fitontest.displays.headline import format_legend_label, name_axes
from fitontest.displays.models import draw_models
from fitontest.displays.options import DrawingOptions
from fitontest.displays.palette import Color, get_foreground, get_line_color, get_series_style
from fitontest.displays.reliability_artists import (
    annotate_one_bin,
    draw_areas,
    draw_atoms,
    draw_band,
    draw_counts,
    draw_cuts,
    draw_diagonal,
    draw_difference_of_means,
    draw_gaps_at_scores,
    draw_knots,
    draw_map,
    draw_map_at_scores,
    draw_means,
    draw_members,
    draw_new_group,
    draw_single_scores,
    draw_words,
)
from fitontest.displays.scales import (
    Scale,
    ScaleName,
    advise_logit,
    choose_scale,
    extend_to_values,
    make_scale,
    name_scale,
)
from fitontest.displays.shapes import (
    BARS,
    compute_shape,
    compute_shares_beyond,
    find_knots,
    find_single_scores,
    tabulate_cuts,
    tabulate_histogram,
    tabulate_members,
)
from fitontest.displays.small_multiples import PanelDisplay, SmallMultiples, check_classes_figure
from fitontest.families.base import Family
from fitontest.maps.base import CalibrationMap
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure, read_measure
from fitontest.measures.plug_in import PlugIn
from fitontest.results.checks import as_list, brief, check_level
from fitontest.results.frames import Records, records
from fitontest.results.options import spell_out
from fitontest.results.typing import ArrayInput, Label, RandomState
from fitontest.uncertainty.bands import (
    BAND_DRAWS,
    BAND_LEVEL,
    POINTS,
    TESTED_ROWS,
    Band,
    BandKind,
    band_of,
    quick_band,
    read_band,
)
from fitontest.uncertainty.new_group import NEW_GROUP, new_group_bands
from fitontest.uncertainty.options import split_options
from fitontest.uncertainty.redrawing import estimate_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ReliabilityDisplay(PanelDisplay):
    """Reliability diagram: a calibration map fitted to the test data, against the diagonal.

    The height of the fill over a score p is c_hat(p), and the mean gap |c_hat(p) - p| between it and the diagonal,
    over the predictions, is the calibration error in the legend.

    * Bins of slope 1 have **diagonal filling**: each bar is filled up to the line of slope 1 through its mean
      prediction and mean label, which is the fitted map. The gap to the diagonal is therefore that of the ECE, which
      flat bars do not show. The outlines are the flat bars of the classic diagram.
    * Flat bins are filled up to the share of positives. More than 200 bins of any kind are drawn as a curve.
    * Continuous maps are filled under their curve. Knots of ``pl`` and ``pl3`` are marked at their means over the folds
      with the chosen number of segments. The map is the mean over all folds. Folds with another number of segments add
      bends elsewhere.

    Of at most 20 distinct scores, such as stated confidences, each is a point: the share of positives among its rows,
    with the exact interval of Clopper and Pearson. A single bin of slope 1 is drawn as the point of means, since it
    says nothing else of the map.

    Beyond the lowest and the highest score, and over the outermost half per cent of the rows on either side, the map is
    dotted. Bins beyond the scores are faded. The shade of the gap shows the share
    of the data in its bin, or in its bar of the histogram for continuous maps. If all bins have the same width and the
    same weight, the area of the gap is the error. Otherwise the shades show the weights of its parts.

    The map is cut off where it leaves the axes, as the lines of slope-1 bins may leave [0, 1]. A triangle at the end of
    the axis marks where, over the scores, and the part ``cuts`` of the table says how far the map goes. The gap beyond
    the axes is not drawn.

    Made by `from_predictions` or `from_estimator`. `plot` draws it again on other axes.

    Parameters
    ----------
    error : Estimate
        A result of `calibration_error`, measured on the sample.
    sample : ScoreSample
        The scores, labels and weights that the error was measured on.
    scale : {"auto", "probability", "logit"}, default="auto"
        Scale of both axes. The logit scale shows rare events. "auto" is the scale of the diagram on the axes; else
        logit where most scores are within 0.05 of an end, unless half of all or more, such as exact 0 and 1, have no
        place on a logit axis; else probability. A single ``pl3`` fit (``ensemble=False``) is made of
        straight lines on it. If 90 % of the scores are below 0.01, or above 0.99, a text in the histogram of a
        probability scale advises to use the logit scale.
    limits : (float, float), optional
        Ends of both axes. Scores beyond them are counted in the outermost bars of the histogram. By default the
        probability scale shows [0, 1]. The axis of scores of the logit scale ends where the scores end. That of
        observed frequencies also shows the mean of the map in each bin, or in each bar of the histogram, and its values
        at the lowest and the highest score. Scores and values of 0 and 1 have no place on the logit scale, and it shows
        nothing below 1e-7 or above 1 - 1e-7.
    band : Band, optional
        A band that contains most maps of calibrated scores, or the true map.
    new_group : Band, optional
        A band that contains the maps of most new groups.
    measures : iterable of str or Measure, optional
        Further measures whose values the legend shows.
    name, pos_label : str and label, optional
        Name of the scores in the legend, and the positive class for the axis labels.

    Attributes
    ----------
    error : Estimate
        As given.
    estimates : tuple of Estimate
        Of the further measures.
    map_ : CalibrationMap
        The map that is drawn: that of the error.
    scale, y_scale : Scale
        Of the scores, and of the observed frequencies.
    advice : str or None
        The text that advises to use the logit scale.
    shape : Shape
        The table of the diagram.
    ax_, histogram_ax_ : matplotlib Axes
        Set by `plot`, as are all of the following.
    figure_ : matplotlib Figure or SubFigure
        The figure of the axes.
    line_, ref_line_, counts_ : artists
        The map (interrupted between bins), the diagonal, the histogram.
    members_ : list of Line2D
        The maps that a mixture of families (`Stacking`) is made of, where there are any.
    cuts_ : list of Line2D
        The triangles below and above the axes, where there are any.
    scores_, whiskers_, words_, note_ : artists or None
        The points of few distinct scores with their intervals, the words in the corners, and what is said of one bin.
    fill_, gap_, stems_, veil_, outline_, means_, extension_, knots_, atoms_ : artists or None
        The area under the map, the gap between it and the diagonal, that gap as lines in narrow bins, the fading of
        bins beyond the scores, the flat bars and the means of the bins, the map beyond the scores, the knots, and the
        scores that many rows share.
    band_, new_group_, legend_ : artists or None
        The band, that of a new group, and the legend.

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
    >>> family = fot.families.make("slope1", n_bins=4, scheme="equal_width")
    >>> display = fot.ReliabilityDisplay.from_predictions(y, p, family=family, ax=Figure())
    >>> print(display.to_frame(part="bins")[["lower", "upper", "share", "mean_gap"]].round(3).to_string())
       lower  upper  share  mean_gap
    0   0.00   0.25  0.231     0.068
    1   0.25   0.50  0.242     0.128
    2   0.50   0.75  0.260     0.084
    3   0.75   1.00  0.267     0.043
    """

    error: Estimate
    size = (5.2, 6.4)

    def __init__(
        self,
        error: Estimate,
        sample: ScoreSample,
        *,
        scale: ScaleName | Scale = "auto",
        limits: ArrayInput = None,
        band: Band | None = None,
        new_group: Band | None = None,
        measures: Iterable[str | Measure] = (),
        name: str | None = None,
        pos_label: Label | None = None,
    ) -> None:
        check_measured(error, sample)
        if error.map is None:
            raise ValueError(f"error must be one that calibration_error returns, with a map to draw; got {error!r}")
        self.error, self.map_, self.name, self.pos_label = error, error.map, name, pos_label
        self.band, self.new_group = band, new_group
        self.estimates = tuple(read_measure(one).estimate(sample) for one in as_list(measures, "measures", empty=True))
        if isinstance(scale, Scale):
            self.scale = scale
        else:
            named = name_scale(scale, [sample], limits)
            self.scale = choose_scale(named, sample) if limits is None else make_scale(named, limits)
        self.shape = compute_shape(error.map, find_knots(error), sample, self.scale)
        self.single = find_single_scores(error.map, sample)
        self.has_one_bin = self.shape.jumps and error.n_bins == 1 and error.shifts_by_gap
        shown = self.shape.values_to_show()
        if self.single is not None:
            shown = np.concatenate((shown, self.single.share))
        self.y_scale = self.scale if limits is not None else extend_to_values(self.scale, shown)
        self.members = tabulate_members(error, sample, self.scale)
        self.advice = advise_logit(self.scale, sample) if limits is None else None
        self.cells = self.scale.cells(BARS)
        self.counts = self.cells.summarise(sample).w
        self.beyond = compute_shares_beyond(sample, self.scale)
        self.whole = sample.whole

    @classmethod
    @spell_out("draws", "null_draws")
    def from_predictions(
        cls,
        y_true: ArrayInput,
        y_prob: ArrayInput = None,
        *,
        family: str | Family | CalibrationMap = "spline",
        measures: Iterable[str | Measure] = (),
        band: BandKind | Literal["auto"] | None = "auto",
        band_draws: int = 0,
        band_level: float = BAND_LEVEL,
        classes: ClassChoice = None,
        by_predicted: bool = False,
        **options: Unpack[DrawingOptions],
    ) -> Self | SmallMultiples:
        """Draw the reliability diagram of labels and scores.

        The legend shows the debiased error and its interval, where there is one. Of more than 20,000 rows "auto" makes
        none, since it takes seconds.

        Parameters
        ----------
        y_true, y_prob : array-like of shape (n,)
            Labels of two classes, and predicted probabilities of the positive class; or as given by `reduction`; or
            what `read` returns in place of both. A dict of the scores of several models draws `SmallMultiples`, a panel
            for each; `ax` is then a figure, and `color`, `fill`, `legend` and `ref_line` must be left out.
        family : str, Family or CalibrationMap, default="spline"
            As in `calibration_error`. A family is fitted to these rows, and a map is used unchanged.
        measures : iterable of str or Measure, optional
            Further measures whose values the legend shows, by registered name (`fot.measures.names`) or as objects.
        band : {"auto", "consistency", "confidence", "simultaneous", "new group"} or None, default="auto"
            Labels are redrawn and the family is fitted to each of them. None: no band. "auto": a confidence band of
            100 labellings, of families that are refitted in a moment. More than 40,000 rows are pooled for it, and of
            more than 20,000 it is not tested whether the spline g below fits. With `band_draws` it is "confidence".

            * "consistency": labels are drawn from the scores. The band contains the middle `band_level` of these maps
              of calibrated scores: a map inside shows no more than noise does.
            * "confidence": labels are drawn from a smooth map g that is fitted to the real ones (`Spline`). How far the
              maps are from g tells how far the map drawn is from the true one: at each score the band holds the true
              map with a confidence of `band_level`. It reaches from the lowest to the highest score.
            * "simultaneous": the same at all scores at once, wider.
            * "new group": the confidence band, and beside it, dashed, where the map of a new group lies, such as a
              hospital of which there are no labels yet: at each score `band_level` of all groups have a map inside. The
              rows must have `groups`. It reaches as far as groups differ, and does not shrink with more of them; where
              they do not differ (rho = 0) it is the confidence band. How surely rho is known it does not cover.

            The bands of the true map are too narrow where the family, or g, cannot follow it. Of 1000 scores of three
            kinds (square, stairs and Sharp of `fitontest.datasets`), the 95 % bands of ``slope1`` with 15 bins,
            ``isotonic`` and ``spline`` held the truth in 89 to 97 % of the cases at a score, and in 85 to 98 % at all
            of the middle 90 % of the scores; those of ``platt`` and ``beta`` in 96 to 100 % where they can follow it
            (square), otherwise in 73 to 86 % and 65 to 90 %. For ``pl`` and ``pl3``, which take too long to be fitted
            hundreds of times, a spline is refitted, and the band lies about their own map; the legend says so.
        band_draws : int, default=0
            Number of labellings for the band. 0 means 200 with a `band` that is named.
        band_level : float in [0.5, 1), default=0.9
            Level of the band.
        reduction : {"confidence", "classwise", "binary"}, optional
            How a matrix of scores is reduced, see `calibration_error`. "confidence" draws the accuracy against the
            confidence. "classwise" draws `SmallMultiples` of the classes, each against the rest. `ax` is then a figure,
            and `color`, `fill`, `legend` and `ref_line` must be left out.
        classes : int or array-like of labels, optional
            Of several diagrams, how many are drawn, by default 16, or which, in the order given. Of more classes than
            the number those with the largest errors are drawn, the worst first, and the title says so.
        by_predicted : bool, default=False
            With "confidence": whether each predicted class has a diagram of its own, of the rows in which it is
            predicted, as `SmallMultiples`. Of more than `classes` of them those are drawn that add most to the error,
            by error times share of the rows: the error of a few rows is mostly noise.
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram. The histogram is below the axes, inside the layout of the figure. On axes that hold a
            diagram already, the two are overlaid. By default a new pyplot figure is made.

        Raises
        ------
        ValueError
            The message names the argument, the rule and the value.
        """
        kind, wanted = read_band(band, band_draws, band_level)
        reading, redrawing = split_options(options)
        reduction, prob = reading["reduction"], reading["prob"]
        seed = redrawing.random_state
        measure = PlugIn(family)
        banded: dict[str, Any] = {"kind": kind, "draws": wanted, "level": band_level, "random_state": seed}
        others = tuple(map(read_measure, as_list(measures, "measures", empty=True)))
        if by_predicted and reduction != "confidence":
            raise ValueError(
                f"by_predicted must be False unless reduction is 'confidence', got reduction={reduction!r}"
            )
        name, ax, scale, limits = options["name"], options["ax"], options["scale"], options["limits"]
        style: dict[str, Any] = {part: options[part] for part in ("color", "fill", "legend", "ref_line")}
        plain = style == {"color": None, "fill": None, "legend": True, "ref_line": True}
        y_prob = by_model(y_true, y_prob, reduction)
        if is_of_models(y_prob, prob):
            models = read_models(y_true, y_prob, **reading)
            panels = {"scale": scale, "limits": limits, "measures": others, "title": name}
            return draw_models(cls, models, measure, redrawing, banded, (ax, plain), **panels)
        data = read(y_true, y_prob, **reading | {"reduction": "classwise" if by_predicted else reduction})
        if data.is_by_class:
            why = "by_predicted=True" if by_predicted else "reduction='classwise'"
            figure = check_classes_figure(ax, why, plain=plain)
            panels = {"scale": scale, "limits": limits, "name": name, "measures": others}
            drawn = data.whole.by_predicted() if by_predicted else data
            return cls.of_classes(drawn, measure, banded, redrawing, classes=classes, **panels).plot(figure)
        if classes is not None:
            rule = "classes must be left out unless reduction is 'classwise' or by_predicted is True"
            raise ValueError(f"{rule}, got {brief(classes)}")
        data = one_sample(data)
        if redrawing.interval == "auto" and data.n > TESTED_ROWS:  # too many for an interval in a moment
            redrawing = replace(redrawing, interval=None)
        error = estimate_of(measure, data, data.reduction, redrawing)
        if scale == "auto" and limits is None:
            scale = find_scale_name(ax) or scale
        display = cls(
            error, data, scale=scale, limits=limits, measures=others, name=name, pos_label=reading["pos_label"]
        )
        if kind is not None:
            display.add_band(data, **banded)
        return display.plot(ax, **style)

    def add_band(
        self,
        sample: ScoreSample,
        *,
        kind: BandKind | Literal["auto"] = "consistency",
        draws: int = BAND_DRAWS,
        level: float = BAND_LEVEL,
        random_state: RandomState = 0,
    ) -> None:
        """Compute a band for the next `plot`, see `from_predictions`.

        Parameters
        ----------
        sample : ScoreSample
            The sample of the diagram.
        kind : {"consistency", "confidence", "simultaneous", "new group", "auto"}, default="consistency"
            As `band` of `from_predictions`; of "auto" the next two arguments are passed over.
        draws : int, default=200
            Labellings that are drawn, each of which is fitted.
        level : float in [0.5, 1), default=0.9
            Share of the maps within the band.
        random_state : int, RandomState or None, default=0
            Of the drawn labels.
        """
        check_level(level)
        x = self.scale.grid(POINTS)
        self.new_group = None
        if kind == NEW_GROUP:
            self.band, self.new_group = new_group_bands(self.error, sample, x, draws, level, random_state)
            return
        if kind == "auto":
            known = self.single is not None or self.has_one_bin  # intervals of their own; nothing but the means
            self.band = None if known else quick_band(self.error, sample, x, random_state)
            return
        self.band = band_of(self.error, sample, x, kind=kind, draws=draws, level=level, random_state=random_state)

    def plot(
        self,
        ax: AxesOrFigure = None,
        *,
        name: str | None = None,
        color: Color | None = None,
        fill: bool | None = None,
        legend: bool = True,
        ref_line: bool = True,
        advise: bool = True,
    ) -> Self:
        """Draw the diagram on new axes, or over another diagram.

        Parameters
        ----------
        ax, name
            See `from_predictions`.
        color : matplotlib colour, optional
            Colour of the map. By default each diagram on the axes has its own, from a palette for colour-blind readers.
        fill : bool, optional
            Whether areas are filled and bars outlined. By default only the first diagram on the axes is filled.
        legend : bool, default=True
            Whether a legend is drawn.
        ref_line : bool, default=True
            Whether the diagonal is drawn. It is never drawn twice on the same axes.
        advise : bool, default=True
            Whether the advice to use a logit scale is written, where there is one.

        Returns
        -------
        self
        """
        main = get_axes(ax, self.size)
        below = find_histogram(main)
        first = below is None
        default, dashes = get_series_style(0 if below is None else len(below.patches))
        base = default if color is None else color
        style: dict[str, Any] = {"color": get_line_color(main, default) if color is None else color}
        style["linestyle"] = dashes
        filled = first if fill is None else fill
        if below is None:
            labels = name_axes(self.pos_label, self.error.reduction)
            below = prepare_axes(main, (self.scale, self.y_scale), "Count" if self.whole else "Weight", labels)
        else:
            extend_limits(main, (self.scale, self.y_scale))
        self.ax_, self.figure_, self.histogram_ax_ = main, main.figure, below
        self.ref_line_ = draw_diagonal(main, self.scale) if ref_line and not has_diagonal(main) else None
        self._draw_map(main, style, base, self._label(self.name if name is None else name), filled)
        self.band_ = None if self.band is None else draw_band(main, self.band, style["color"], first=first)
        self.new_group_ = None if self.new_group is None else draw_new_group(main, self.new_group, style["color"])
        self._draw_histogram(below, style, first=first)
        self.words_ = draw_words(main) if first and advise and legend else []
        if first:
            annotate_shares_beyond(below, self.beyond)
            if advise and self.advice is not None:
                annotate_advice(below, self.advice)
        self.legend_ = draw_legend(main) if legend else None
        return self

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn.

        ``bins`` holds the bins of the map, or the bars of the histogram for a continuous map: bounds, rows, weight,
        share of the weight, mean prediction, share of positives, and mean gap |c_hat(p) - p|, whose mean over the
        predictions is the l1 error. ``map`` holds the points (x, y) through which the map is drawn, by piece. ``cuts``
        holds the places where it leaves the axes, with its value furthest beyond. ``knots`` holds the knots marked,
        ``atoms`` the scores that many rows share with the values of the map there, which ``map`` passes by.
        ``members`` holds the points of the maps of which a mixture is made, with their weights.
        ``scores`` holds the distinct scores where they are few, with the share of positives at each and its exact
        interval. ``histogram`` holds the weight per bar. ``band`` holds the bounds of the band, ``new_group``
        those of the maps of new groups. ``beyond`` holds the shares of the data below and above the axes.
        """
        parts = {
            "bins": self.shape.piece_records(),
            "map": self.shape.course_records(),
            "cuts": tabulate_cuts(self.shape, *self.y_scale.visible),
            "knots": records(x=self.shape.knots.x, y=self.shape.knots.c),
            "atoms": records(x=self.shape.atoms.x, y=self.shape.atoms.c),
            "members": self.members,
            "scores": [] if self.single is None else self.single.to_records(),
            **tabulate_histogram(self.cells, self.counts, self.beyond),
        }
        if self.band is not None:
            parts["band"] = records(x=self.band.x, band_lower=self.band.lower, band_upper=self.band.upper)
        if self.new_group is not None:
            ends = {"new_group_lower": self.new_group.lower, "new_group_upper": self.new_group.upper}
            parts["new_group"] = records(x=self.new_group.x, **ends)
        return {part: rows for part, rows in parts.items() if rows}

    def _label(self, name: str | None) -> str:
        """Return what the legend says of the map."""
        return format_legend_label(name, self.error, self.estimates)

    def _draw_histogram(self, below: "Axes", style: dict[str, Any], *, first: bool) -> None:
        """Draw the scores on the axes below the main ones."""
        self.counts_ = draw_counts(below, self.counts, self.cells, self.scale, style, fill=first)
        format_counts_axis(below, "y", self.counts)

    def _draw_map(self, main: "Axes", style: dict[str, Any], base: Color, label: str, filled: bool) -> None:
        shape, single = self.shape, self.single
        edge = get_foreground(main) if filled else style["color"]
        self.means_ = self.knots_ = self.atoms_ = self.scores_ = self.whiskers_ = self.note_ = self.extension_ = None
        self.fill_ = self.gap_ = self.stems_ = self.veil_ = self.outline_ = None
        self.members_, self.cuts_ = [], []
        if self.has_one_bin:
            (self.line_,) = main.plot([], [], label=label, **style | {"linestyle": "none"})  # there is no map to see
            self.gap_ = draw_difference_of_means(main, shape) if filled else None
            self.note_ = annotate_one_bin(main, shape) if filled else None  # over other maps the legend says it
        elif single is not None and not shape.jumps:
            self.line_ = draw_map_at_scores(main, single, self.y_scale, style, label)
            self.gap_ = draw_gaps_at_scores(main, single, self.y_scale) if filled else None
        else:
            self.line_, self.extension_ = draw_map(main, shape, style, label, varies=not self.error.shifts_by_gap)
            self.members_ = draw_members(main, self.members, style["color"])
            self.cuts_ = draw_cuts(main, tabulate_cuts(shape, *self.y_scale.visible), self.y_scale, style["color"])
            if filled:
                self.fill_, self.gap_, self.stems_, self.veil_, self.outline_ = draw_areas(
                    main, shape, self.scale, base
                )
        if single is not None:
            self.scores_, self.whiskers_ = draw_single_scores(main, single, (self.scale, self.y_scale), style["color"])
        if shape.jumps and (single is None or self.has_one_bin):
            self.means_ = draw_means(main, shape, edge)
        elif shape.knots.x.size:
            self.knots_ = draw_knots(main, shape, edge)
        if shape.atoms.x.size and single is None:
            self.atoms_ = draw_atoms(main, shape, (self.scale, self.y_scale), edge)
