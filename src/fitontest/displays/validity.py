"""The validity diagram: for which share of the rows the scores are no further than eps from what they stand for."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np

from fitontest.data.labels_of_scores import redrawn
from fitontest.data.reading.options import reading_of
from fitontest.data.reading.read import read
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import BinaryDisplay, check_shows
from fitontest.displays.canvas import AxesOrFigure, get_axes, style_axes
from fitontest.displays.options import DrawingOptions
from fitontest.displays.palette import Color, get_line_color, get_series_style
from fitontest.measures.estimate import Estimate
from fitontest.measures.validity import DEFAULT_K, ValidityArea, ValidityCurve
from fitontest.numerics.random import generator
from fitontest.results.checks import is_real
from fitontest.results.frames import Records, records
from fitontest.results.options import spell_out
from fitontest.results.typing import ArrayInput, FloatArray, RandomState
from fitontest.uncertainty.dependence import dependence_of, reason_of_groups
from fitontest.uncertainty.null import check_draws

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (5.2, 4.4)  # inches
MOST_STEPS = 2000  # of a curve that is drawn: more are closer than a pixel
LABELS = "Distance |score \N{MINUS SIGN} mean label of its neighbours|, eps", "Share of rows within eps, V(eps)"
LIMIT = "_fitontest_limit"  # of axes on which the largest eps was chosen
ROOM = 1.04  # of the longest distance, the end of the axis
NULL_DRAWS = 20  # labellings of calibrated scores
MOST_REDRAWN = 2_000_000  # rows of all labellings together: there are fewer of very many rows, for less noise
LEAST_DRAWS = 2
NULL_POINTS = 101  # distances at which they are read
NULL_LEVEL = 0.9  # of the band of calibrated scores
NULL_OPACITY = 0.18
NULL_LABEL = "if calibrated"


@dataclass(frozen=True, eq=False)
class ValidityIfCalibrated:
    """The validity curves that the scores would have if they were calibrated.

    Attributes
    ----------
    eps : array of shape (M,)
        Distances.
    mean, lower, upper : arrays of shape (M,)
        The mean of the curves of labels drawn from the scores, and between which values 90 % of them are.
    draws : int
        Labellings.
    """

    eps: FloatArray
    mean: FloatArray
    lower: FloatArray
    upper: FloatArray
    draws: int

    @classmethod
    def of(cls, sample: ScoreSample, k: int, draws: int, random_state: RandomState = 0) -> Self:
        """Return the curves of labels that are drawn from the scores of a sample."""
        rng, dependence = generator(random_state), dependence_of(sample)
        curves = [ValidityCurve.of(redrawn(sample, rng, dependence), k) for _ in range(draws)]
        eps = np.linspace(0.0, max(float(curve.eps[-1]) for curve in curves), NULL_POINTS)
        shares = np.array([curve.at(eps) for curve in curves])
        tail = (1.0 - NULL_LEVEL) / 2.0
        lower, upper = np.quantile(shares, (tail, 1.0 - tail), axis=0)
        return cls(eps, shares.mean(axis=0), lower, upper, draws)

    def rows(self) -> Records:
        """Return one record for each distance."""
        return records(eps=self.eps, share_if_calibrated=self.mean, lower=self.lower, upper=self.upper)


class ValidityDisplay(BinaryDisplay):
    """Validity curve: the share of rows whose score is within eps of its true probability, for each eps.

    The share is V(eps).

    The probability that a score stands for is estimated by the mean label of the k rows with the nearest scores. The
    legend shows the area under the curve, AUC_V. The area over it is the mean distance, which is the plug-in l1 error
    of the k nearest neighbours: the curve also says whether a few scores are far off, or all of them a little. Curves
    of several models, or of one model before and after its calibration, are drawn on the same axes by ``ax=``.

    Few neighbours make distances of their own, as labels scatter: of perfectly calibrated scores around 0.5 they are
    about 0.4 / sqrt(k). So compare curves of the same k, and each with the thin line beside it: the curve that the
    scores would have if they were calibrated, with the band that holds 90 % of such curves.

    Made by `from_predictions` or `from_estimator`. `plot` draws it again on other axes.

    Parameters
    ----------
    error : Estimate
        Of the measure ``auc_v`` (`ValidityArea`).
    name : str, optional
        Name of the scores in the legend.
    if_calibrated : ValidityIfCalibrated, optional
        The curves that the scores would have if they were calibrated.

    Attributes
    ----------
    error : Estimate
        ``error.value`` is the area.
    curve : ValidityCurve
        The table of the diagram.
    ax_, figure_ : matplotlib Axes, and Figure or SubFigure
        Set by `plot`, as are the following.
    line_, reference_, legend_ : artists
        The curve, that of calibrated scores, and the legend, which is None with ``legend=False``.

    References
    ----------
    Gupta, Ramdas (2021), Distribution-free calibration guarantees for histogram binning without sample splitting,
    ICML. https://doi.org/10.48550/arXiv.2105.04656
    Torabian, Urner (2024), Calibration through the lens of interpretability.
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p**1.5
    >>> display = fot.displays.ValidityDisplay.from_predictions(y, p, k=50, name="raw", ax=Figure())
    >>> calibrated = fot.families.make("beta").fit(p, y).predict(p)
    >>> display = fot.displays.ValidityDisplay.from_predictions(y, calibrated, k=50, name="beta", ax=display.ax_)
    >>> [text.get_text() for text in display.legend_.get_texts()]
    ['raw: AUC_V 0.914', 'beta: AUC_V 0.958', 'if calibrated (band: 90 %)']
    """

    error: Estimate

    def __init__(
        self, error: Estimate, *, name: str | None = None, if_calibrated: ValidityIfCalibrated | None = None
    ) -> None:
        check_shows(error, ValidityCurve, "an Estimate of auc_v of two classes", "curve")
        self.error, self.curve, self.name, self.if_calibrated = error, error.curve, name, if_calibrated

    @classmethod
    @spell_out("interval", "level", "draws", "scale", "limits", "ref_line", null_draws=None)
    def from_predictions(
        cls,
        y_true: ArrayInput,
        y_prob: ArrayInput = None,
        *,
        k: int = DEFAULT_K,
        **options: Unpack[DrawingOptions],
    ) -> Self:
        """Draw the validity curve of labels and scores.

        Parameters
        ----------
        y_true, y_prob : array-like of shape (n,)
            Labels of two classes, and predicted probabilities of the positive class; or as given by `reduction`; or
            what `read` returns in place of both.
        k : int, default=10
            Number of neighbours, see `KNN`.
        null_draws : int, optional
            Labellings drawn from the scores, for the curve of calibrated scores; 0 for none. By default 20, of more
            than 100,000 rows fewer, and none where rows belong to groups.
        reduction : {"confidence", "binary"}, optional
            How a matrix of scores is reduced, see `calibration_error`. Of several classes draw each on the same axes.
        ax : matplotlib Axes, Figure or SubFigure, optional
            Axes that hold a validity diagram get another curve. By default a new pyplot figure is made.

        Raises
        ------
        ValueError
            The message names the argument, the rule and the value.
        """
        measure = ValidityArea(k)
        data = read(y_true, y_prob, **reading_of(options))
        if data.base_rate is None:
            rule = "reduction must be 'confidence' or 'binary' for a validity diagram"
            raise ValueError(f"{rule}; draw the curve of each class on the same axes, got {data.reduction!r}")
        drawn: dict[str, Any] = {name: options[name] for name in ("name", "null_draws", "random_state")}
        shown = cls.of_sample(data, measure, **drawn)
        return shown.plot(options["ax"], color=options["color"], legend=options["legend"])

    @classmethod
    def of_sample(
        cls,
        sample: ScoreSample,
        measure: ValidityArea,
        *,
        name: str | None = None,
        null_draws: int | None = None,
        random_state: RandomState = 0,
    ) -> Self:
        """Return the diagram of checked data, which is yet to be drawn.

        Parameters
        ----------
        sample : ScoreSample
            Checked scores, labels and weights.
        measure : ValidityArea
            With the number of neighbours.
        name : str, optional
            Name of the scores in the legend.
        null_draws, random_state
            See `from_predictions`.
        """
        if null_draws is None:
            null_draws = max(LEAST_DRAWS, min(NULL_DRAWS, MOST_REDRAWN // sample.n))
            null_draws = 0 if reason_of_groups(dependence_of(sample)) else null_draws
        check_draws(null_draws, "null_draws", 0)
        drawn = ValidityIfCalibrated.of(sample, measure.k, null_draws, random_state) if null_draws else None
        return cls(measure.estimate(sample), name=name, if_calibrated=drawn)

    def plot(
        self,
        ax: AxesOrFigure = None,
        *,
        name: str | None = None,
        color: Color | None = None,
        legend: bool = True,
        limit: float | None = None,
    ) -> Self:
        """Draw the curve on new axes, or beside those of other models.

        Parameters
        ----------
        ax, name
            See `from_predictions`.
        color : matplotlib colour, optional
            By default each curve on the axes has its own, from a palette for colour-blind readers.
        legend : bool, default=True
            Whether a legend is drawn.
        limit : float in (0, 1], optional
            The largest eps shown, also when further curves are drawn on the axes. By default the largest distance of
            all curves on the axes.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A limit outside (0, 1].
        """
        if limit is not None and (not is_real(limit) or not 0 < limit <= 1):
            raise ValueError(f"limit must be a number in (0, 1] or None, got {limit!r}")
        main = get_axes(ax, SIZE)
        drawn = [line for line in main.lines if line.get_gid() == self._mark]
        default, dashes = get_series_style(len(drawn))
        if not drawn:
            _prepare(main)
        chosen = get_line_color(main, default) if color is None else color
        self.reference_ = None if self.if_calibrated is None else _draw_if_calibrated(main, self.if_calibrated, chosen)
        eps, share = self._course()
        end = _end_of(main, drawn, float(self.curve.eps[-1])) if limit is None else limit
        (self.line_,) = main.plot(
            np.append(eps, 1.0), np.append(share, 1.0), drawstyle="steps-post", linestyle=dashes, linewidth=1.8,
            color=chosen, gid=self._mark,
            label=self._describe(self.name if name is None else name),
        )  # fmt: skip
        main.set_xlim(0.0, end)
        if limit is not None:
            setattr(main, LIMIT, limit)
        self.ax_, self.figure_ = main, main.figure
        self.legend_ = _draw_legend(main, self._mark) if legend else None
        return self

    _mark = "validity curve"  # by which curves of other models on the same axes are found

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn: the steps of the curve, and what calibrated scores would have."""
        drawn = {} if self.if_calibrated is None else {"if_calibrated": self.if_calibrated.rows()}
        return {"curve": self.curve.rows(), **drawn}

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return SIZE

    def _course(self) -> tuple[Any, Any]:
        """Return the corners of the steps, from eps = 0; of very many steps some."""
        eps, share = self.curve.eps, self.curve.share
        if eps.size > MOST_STEPS:
            kept = np.unique(np.linspace(0, eps.size - 1, MOST_STEPS).astype(int))
            eps, share = eps[kept], share[kept]
        return np.append(0.0, eps), np.append(self.curve.at(0.0), share)

    def _describe(self, name: str | None) -> str:
        """Return the name and the area."""
        area = f"{self.error.measure.title} {self.error.measure.printed(self.error.value)}"
        return area if name is None else f"{name}: {area}"


def _prepare(main: "Axes") -> None:
    """Set scales and labels of empty axes."""
    style_axes(main)
    main.set_ylim(0.0, 1.01)
    main.set_xlabel(LABELS[0])
    main.set_ylabel(LABELS[1])


def _draw_if_calibrated(main: "Axes", drawn: ValidityIfCalibrated, color: Color) -> Any:
    """Draw the band of the curves of calibrated scores, and their mean as a thin line, which is returned."""
    eps = np.append(drawn.eps, 1.0)
    lower, upper, mean = (np.append(values, 1.0) for values in (drawn.lower, drawn.upper, drawn.mean))
    main.fill_between(eps, lower, upper, color=color, alpha=NULL_OPACITY, linewidth=0, zorder=1.5)
    (line,) = main.plot(eps, mean, color=color, linewidth=0.9, linestyle=":", zorder=1.6, gid=NULL_LABEL)
    return line


def _end_of(main: "Axes", drawn: list[Any], longest: float) -> float:
    """Return the end of the axis of distances, which shows the longest of all curves, or as far as was asked for."""
    if drawn and (asked := getattr(main, LIMIT, None)) is not None:
        return float(asked)
    end = min(1.0, ROOM * longest) or 1.0  # all scores are exact
    return max(main.get_xlim()[1], end) if drawn else end


def _draw_legend(main: "Axes", mark: str) -> Any:
    """Draw the legend in the corner that a rising curve leaves free."""
    lines = [line for line in main.lines if line.get_gid() == mark]
    texts = [str(line.get_label()) for line in lines]
    references = [line for line in main.lines if line.get_gid() == NULL_LABEL]
    if references:
        lines, texts = [*lines, references[0]], [*texts, f"{NULL_LABEL} (band: {100 * NULL_LEVEL:g} %)"]
    legend = main.legend(
        lines, ["?"] * len(lines), loc="lower right", fontsize="small", framealpha=0.85, edgecolor="none"
    )
    for entry, text in zip(legend.get_texts(), texts, strict=True):  # matplotlib ignores labels that begin with _
        entry.set_text(text)
    return legend
