"""The reliability diagram: what was observed at each score, of one sample, of several models, or of classes."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self, Unpack

from fitontest.data.estimators import probabilities
from fitontest.data.predictions import Reduction
from fitontest.data.read import one_sample
from fitontest.data.reading.models import by_model, is_of_models, read_models
from fitontest.data.reading.read import read
from fitontest.data.samples import Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, check_empty_figure, get_axes, get_figure
from fitontest.displays.class_choice import ClassChoice, choose_classes, describe_choice, join_title
from fitontest.displays.companions import HISTOGRAM, find_companions
from fitontest.displays.diagram import Diagram, find_form
from fitontest.displays.layout import MOST_PANELS, Style, draw_overlaid, draw_panels, draw_single, panels_size
from fitontest.displays.options import DrawingOptions
from fitontest.displays.palette import Color
from fitontest.displays.planes import Plane
from fitontest.displays.titles import name_error
from fitontest.families.base import Family
from fitontest.maps.base import CalibrationMap
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure
from fitontest.measures.plug_in import PlugIn
from fitontest.results.checks import brief
from fitontest.results.exceptions import without_warnings
from fitontest.results.frames import Records
from fitontest.results.options import spell_out
from fitontest.results.typing import ArrayInput, Label
from fitontest.uncertainty.bands import BAND_DRAWS, BAND_LEVEL, BandKind, read_band
from fitontest.uncertainty.options import split_options
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from fitontest.uncertainty.verdict import Verdict, verdict_of

SINGLE = (5.2, 6.2)  # inches
BESIDE = 4.6  # inches, of the errors beside models
MOST_OVERLAID = 4  # models on the same axes

Measured = tuple[str, Estimate, ScoreSample]


class ReliabilityDisplay(Display):
    """Reliability diagram: the frequency of the event at each score, against the diagonal.

    * The **curve** is the map of the family, as wide as the rows are many, and drawn only where there are rows; the
      **band** holds the true map with a confidence of 95 % at each score.
    * The **points** are the shares of positives in ten bins of equal width, with exact 95 % intervals, in which weights
      and groups count: they do not depend on the family. A bin of few rows is merged with a neighbour.
    * Of at most 20 **distinct scores** each is a point, as large as its rows are many, and there is no curve.
    * Where the event has a base rate below 5 % the diagram shows **observed over expected** events against the score,
      both on logarithmic axes; above 95 % the same of non-events. ``scale="probability"`` shows the square.
    * **Bins** (``slope1``, ``flat``, ``isotonic``) and **polygons** (``pl``, ``pl3``) have the gap between the diagonal
      and the map filled, the darker the more rows there are. Bins of slope 1 are filled up to the line of slope 1
      through their mean score and mean label, so that the gap, averaged over the rows, is the ECE.
    * The histogram below shows where the scores are. The title is the verdict, and the line below it the error.

    Both axes of probabilities end at 0.6 or less where 99.5 % of the scores do.

    Up to four models are overlaid, with their errors beside them; more models, classes, families and segments are
    panels with the same axes. Made by `from_predictions`, `from_estimate` and `from_estimator`, and by ``plot`` of
    results.

    Parameters
    ----------
    diagrams : mapping of str to Diagram
        By the titles of their panels.
    title : str, optional
        Of the figure with several diagrams.
    overlaid : bool, default=False
        Whether several diagrams are drawn on the same axes.

    Attributes
    ----------
    diagrams : dict of str to Diagram
        As given, with what is drawn as `Diagram.curve`, `Diagram.points` and so on.
    error : Estimate
        Of the first diagram.
    ax_, histogram_ax_ : matplotlib Axes
        Of the first diagram, after `plot`, as all of the following.
    axes_ : dict of str to matplotlib Axes
        By the titles of the panels.
    figure_ : matplotlib Figure or SubFigure
    artists_ : dict of str to dict
        By panel what was drawn: ``curve``, ``band``, ``points``, ``stems``, ``gap``, ``marks``, ``histogram``,
        ``reference``, ``title``, ``second`` and ``key``, as far as there is one.

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

    def __init__(self, diagrams: Mapping[str, Diagram], *, title: str | None = None, overlaid: bool = False) -> None:
        if not diagrams:
            raise ValueError("diagrams must hold at least one diagram, got none")
        self.diagrams, self.title, self.overlaid = dict(diagrams), title, overlaid and len(diagrams) > 1
        self.error = next(iter(self.diagrams.values())).error
        self.color: Color | None = None
        self.legend = self.ref_line = True

    @classmethod
    def from_estimate(
        cls, error: Estimate, sample: ScoreSample, *, band: dict[str, Any] | None = None, **options: Any
    ) -> Self:
        """Return the diagram of an error and the rows that it was measured on, not yet drawn.

        Parameters
        ----------
        error : Estimate
            A result of `calibration_error`.
        sample : ScoreSample
            Its rows.
        band : dict, optional
            Options of ``Diagram.add_band``, by default of a band that is made in a moment; with ``kind=None`` none.
        **options
            Of `Diagram`: `scale`, `limits`, `name`, `pos_label` and `verdict`.
        """
        diagram = Diagram(error, sample, **options)
        diagram.add_band(**({"kind": "auto"} if band is None else band))
        return cls({diagram.name or error.measure.name: diagram})

    @classmethod
    def side_by_side(
        cls,
        measured: Iterable[Measured],
        scale: str | Plane = "auto",
        limits: ArrayInput = None,
        *,
        title: str | None = None,
        band: dict[str, Any] | None = None,
        overlaid: bool = False,
        verdicts: Mapping[str, Verdict | None] | None = None,
        **options: Any,
    ) -> Self:
        """Return several diagrams with the same axes, not yet drawn.

        Parameters
        ----------
        measured : iterable of (str, Estimate, ScoreSample)
            Title, error and rows of each diagram.
        scale, limits
            Of all axes. Ratios are drawn where all diagrams are of rare events.
        title : str, optional
            Of the figure.
        band : dict, optional
            Options of ``Diagram.add_band``.
        overlaid : bool, default=False
            Whether they are drawn on the same axes.
        verdicts : mapping of str to Verdict, optional
            By title.
        **options
            Of the diagrams.
        """
        entries, known = list(measured), verdicts or {}
        diagrams = {
            name: Diagram(error, sample, scale=scale, limits=limits, name=name, verdict=known.get(name), **options)
            for name, error, sample in entries
        }
        kinds = {(one.plane.name, one.plane.of_non_events) for one in diagrams.values()}
        if len(kinds) > 1:  # events are rare in some panels alone
            return cls.side_by_side(
                entries, "probability", limits, title=title, band=band, overlaid=overlaid, verdicts=verdicts, **options
            )
        _share_axes(diagrams)
        for one in diagrams.values():
            one.add_band(**({"kind": "auto"} if band is None else band))
        return cls(diagrams, title=title, overlaid=overlaid)

    @classmethod
    def of_classes(
        cls,
        samples: Samples,
        measure: Measure,
        redrawing: Redrawing | None = None,
        *,
        classes: ClassChoice = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Return the diagrams of classes, not yet drawn.

        Parameters
        ----------
        samples : Samples
            By class: each against the rest, or the confidence of the rows in which it is predicted.
        measure : Measure
            Whose map is drawn.
        redrawing : Redrawing, optional
            Of the labels, for intervals.
        classes : int or array-like of labels, optional
            How many, or which, are drawn.
        name : str, optional
            Of the scores.
        **options
            Of `side_by_side`.
        """
        if redrawing is not None:
            redrawing = redrawing.of(measure, samples.size, len(samples.whole.classes))
        chosen, ranked = choose_classes(samples, measure, classes)
        measured = []
        for label in chosen:
            sample = samples[label]
            error = estimate_of(measure, sample, sample.reduction or "classwise", redrawing)
            measured.append((f"{samples.name} {label}", error, sample))
        facts = describe_choice(samples, len(chosen), name_error(measured[0][1]), ranked=ranked)
        return cls.side_by_side(measured, title=join_title(name, facts), verdicts=_verdicts_of(measured), **options)

    @classmethod
    @spell_out("null_draws")
    def from_predictions(
        cls,
        y_true: ArrayInput,
        y_prob: ArrayInput = None,
        *,
        family: str | Family | CalibrationMap = "spline",
        band: BandKind | Literal["auto"] | None = "auto",
        band_draws: int = 0,
        band_level: float = BAND_LEVEL,
        classes: ClassChoice = None,
        by_predicted: bool = False,
        **options: Unpack[DrawingOptions],
    ) -> Self:
        """Draw the reliability diagram of labels and scores.

        The legend shows the debiased error and its interval, where there is one. Of more than 20,000 rows "auto" makes
        none, since it takes seconds.

        Parameters
        ----------
        y_true, y_prob : array-like of shape (n,)
            Labels of two classes, and predicted probabilities of the positive class; or as given by `reduction`; or
            what `read` returns in place of both. The scores of several models are a dict: up to four are overlaid, and
            more are panels.
        family : str, Family or CalibrationMap, default="spline"
            As in `calibration_error`. A family is fitted to these rows, and a map is used unchanged.
        band : {"auto", "consistency", "confidence", "simultaneous", "new group"} or None, default="auto"
            Labels are redrawn and the family is fitted to each of them. None: no band. "auto": a confidence band of
            100 labellings, of curves that are refitted in a moment. More than 40,000 rows are pooled for it, and of
            more than 20,000 it is not tested whether the spline g below fits. With `band_draws` it is "confidence".

            * "consistency": labels are drawn from the scores. The band contains the middle `band_level` of these maps
              of calibrated scores: a map inside shows no more than noise does.
            * "confidence": labels are drawn from a smooth map g that is fitted to the real ones (`Spline`). How far the
              maps are from g tells how far the map drawn is from the true one: at each score the band holds the true
              map with a confidence of `band_level`.
            * "simultaneous": the same at all scores at once, wider.
            * "new group": the confidence band, and beside it, dashed, where the map of a new group lies, such as a
              hospital of which there are no labels yet: at each score `band_level` of all groups have a map inside. The
              rows must have `groups`. It reaches as far as groups differ, and does not shrink with more of them; where
              they do not differ (rho = 0) it is the confidence band. How surely rho is known it does not cover.

            The bands of the true map are too narrow where the family, or g, cannot follow it; where a test finds that,
            the key says so. For ``pl`` and ``pl3``, which take too long to be fitted hundreds of times, a spline is
            refitted, and the band lies about their own map; the key says so.
        band_draws : int, default=0
            Number of labellings for the band. 0 means 200 with a `band` that is named.
        band_level : float in [0.5, 1), default=0.95
            Level of the band.
        reduction : {"confidence", "classwise", "binary"}, optional
            How a matrix of scores is reduced, see `calibration_error`. "confidence" draws the accuracy against the
            confidence, "classwise" a panel for each class against the rest. `ax` is then a figure.
        classes : int or array-like of labels, optional
            Of several panels of classes, how many are drawn, by default 9, or which, in the order given. Of more
            classes than the number those with the largest errors are drawn, the worst first, and the title says so.
        by_predicted : bool, default=False
            With "confidence": whether each predicted class has a panel of its own, of the rows in which it is
            predicted. Of more than `classes` of them those are drawn that add most to the error, by error times share
            of the rows: the error of a few rows is mostly noise.
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram. The histogram is below the axes, inside the layout of the figure. By default a new
            pyplot figure is made.

        Raises
        ------
        ValueError
            The message names the argument, the rule and the value.
        """
        kind, wanted = read_band(band, band_draws, band_level)
        reading, redrawing = split_options(options)
        reduction, prob = reading["reduction"], reading["prob"]
        banded: dict[str, Any] = {
            "kind": kind, "draws": wanted or BAND_DRAWS, "level": band_level, "random_state": redrawing.random_state
        }  # fmt: skip
        if by_predicted and reduction != "confidence":
            raise ValueError(
                f"by_predicted must be False unless reduction is 'confidence', got reduction={reduction!r}"
            )
        measure = PlugIn(family)
        shared: dict[str, Any] = {
            "scale": options["scale"], "limits": options["limits"], "band": banded, "pos_label": reading["pos_label"]
        }  # fmt: skip
        y_prob = by_model(y_true, y_prob, reduction)
        if is_of_models(y_prob, prob):
            models = read_models(y_true, y_prob, **reading)
            return cls._of_models(models, measure, redrawing, options["name"], shared)._drawn(options)
        data = read(y_true, y_prob, **reading | {"reduction": "classwise" if by_predicted else reduction})
        if data.is_by_class:
            drawn = data.whole.by_predicted() if by_predicted else data
            del shared["pos_label"]
            display = cls.of_classes(drawn, measure, redrawing, classes=classes, name=options["name"], **shared)
            return display._drawn(options)
        if classes is not None:
            rule = "classes must be left out unless reduction is 'classwise' or by_predicted is True"
            raise ValueError(f"{rule}, got {brief(classes)}")
        sample = one_sample(data)
        error = estimate_of(measure, sample, sample.reduction, redrawing)
        display = cls.from_estimate(
            error, sample, name=options["name"], verdict=verdict_of([(measure.name, error)], sample), **shared
        )
        return display._drawn(options)

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
    ) -> Self:
        """Draw the diagram of a fitted classifier.

        Parameters
        ----------
        estimator : fitted classifier with predict_proba
            Whose scores are drawn.
        X : array-like of shape (n, n_features)
            The features of rows that the classifier has not seen.
        y : array-like of shape (n,)
            Their labels.
        reduction : {"confidence", "classwise", "binary"}, optional
            How the probabilities of several classes are reduced to two, see `from_predictions`. Without a reduction the
            classifier must have two classes.
        pos_label : label, optional
            The positive class, by default ``estimator.classes_[1]``. Not allowed with "confidence" and "classwise".
        name : str, optional
            Name of the scores in the diagram, by default the class name of the estimator.
        **options
            Other arguments of `from_predictions`, except `labels`, which are ``estimator.classes_``.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        ValueError
            The message names the argument, the rule and the value.
        sklearn.exceptions.NotFittedError
            If the estimator is not fitted.
        """
        score_name = type(estimator).__name__ if name is None else name
        if reduction is not None and "labels" in options:
            raise ValueError(f"labels must be left out: they are estimator.classes_, got {options['labels']!r}")
        scores, score_options = probabilities(estimator, X, reduction, pos_label)
        return cls.from_predictions(y, scores, name=score_name, **options, **score_options)

    @classmethod
    def _of_models(
        cls, models: Samples, measure: Measure, redrawing: Redrawing, name: str | None, shared: dict[str, Any]
    ) -> Self:
        samples = {str(model): one_sample(data) for model, data in models.items()}
        measured = [
            (model, estimate_of(measure, sample, sample.reduction, redrawing), sample)
            for model, sample in samples.items()
        ]
        return cls.of_models(measured, title=name, verdicts=_verdicts_of(measured), **shared)

    @classmethod
    def of_models(cls, measured: Iterable[Measured], **options: Any) -> Self:
        """Return the diagrams of several models, not yet drawn: up to four on the same axes, more as panels.

        Parameters
        ----------
        measured : iterable of (str, Estimate, ScoreSample)
            Name, error and rows of each model.
        **options
            Of `side_by_side`.
        """
        entries = list(measured)
        overlaid = len(entries) <= MOST_OVERLAID and all(find_form(*each[1:]) == "curve" for each in entries)
        if not overlaid:
            ranked = sorted(entries, key=lambda each: -each[1].quoted)
            entries = ranked[:MOST_PANELS] if len(entries) > MOST_PANELS else entries
        return cls.side_by_side(entries, overlaid=overlaid, **options)

    def _drawn(self, options: Mapping[str, Any]) -> Self:
        self.color, self.legend, self.ref_line = options["color"], options["legend"], options["ref_line"]
        return self.plot(options["ax"])

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        if self.overlaid:
            return SINGLE[0] + BESIDE, SINGLE[1]
        if not self._are_panels:
            return SINGLE
        return panels_size(len(self.diagrams), has_title=self.title is not None)

    @property
    def _are_panels(self) -> bool:
        return not self.overlaid and (len(self.diagrams) > 1 or self.title is not None)

    @property
    def text(self) -> str:
        """What the picture shows, for readers who do not see it."""
        each = [f"{one.title} ({one.second})" for one in self.diagrams.values()]
        first = next(iter(self.diagrams.values()))
        what = "observed over expected events" if first.plane.is_ratio else "observed frequency"
        return f"Reliability diagram, {what} against the score. {'; '.join(each)}."

    def plot(self, ax: AxesOrFigure = None, *, legend: bool | None = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; of panels an empty figure. By default a new pyplot figure is made.
        legend : bool, optional
            Whether the key is drawn, by default as the display was made.

        Returns
        -------
        self
        """
        style = Style(self.color, self.legend if legend is None else legend, self.ref_line)
        if self._are_panels:
            self.figure_ = get_figure(_as_figure(ax), self.size)
            self.axes_, self.artists_ = draw_panels(self.figure_, self.diagrams, style, self.title)
        elif self.overlaid:
            self.axes_, self.artists_ = draw_overlaid(ax, self.diagrams, style, self.title, self.size)
        else:
            ((name, diagram),) = self.diagrams.items()
            main = get_axes(ax, self.size)
            self.axes_, self.artists_ = {name: main}, {name: draw_single(main, diagram, style)}
        first = next(iter(self.axes_.values()))
        self.ax_, self.histogram_ax_ = first, find_companions(first).get(HISTOGRAM)
        self.figure_ = first.figure if len(self.axes_) == 1 else self.figure_
        return self

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn, see `Diagram.parts`; of several diagrams each record has its ``panel``."""
        if len(self.diagrams) == 1:
            return next(iter(self.diagrams.values())).parts()
        parts: dict[str, Records] = {}
        for name, diagram in self.diagrams.items():
            for part, rows in diagram.parts().items():
                parts.setdefault(part, []).extend({"panel": name, **row} for row in rows)
        return parts

    def _summarise(self) -> str:
        return repr(self.error) if len(self.diagrams) == 1 else repr([*self.diagrams])


def _as_figure(ax: Any) -> Any:
    """Return the figure of several panels, or refuse axes."""
    rule = "a Figure or a SubFigure of several diagrams, not axes,"
    return None if ax is None else check_empty_figure(ax, "ax", rule)


def _share_axes(diagrams: Mapping[str, Diagram]) -> None:
    """Lay several diagrams out on the same axes."""
    first, *others = (one.plane for one in diagrams.values())
    merged = first
    for plane in others:
        merged = merged.merged(plane)
    for one in diagrams.values():
        if one.plane != merged:
            one.lay_out(merged)


def _verdicts_of(measured: Iterable[Measured]) -> dict[str, Verdict | None]:
    """Return the verdicts on diagrams, where their errors have what a verdict needs."""
    with without_warnings():
        return {name: verdict_of([(error.measure.name, error)], sample) for name, error, sample in measured}
