"""The validity diagram: for which share of the rows the scores are no further than eps from what they stand for."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fitontest.checks import is_real
from fitontest.data.predictions import Reduction
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import BinaryDisplay
from fitontest.displays.canvas import AxesOrFigure, get_axes, style_axes
from fitontest.displays.palette import Color, get_series_style
from fitontest.measures.estimate import Estimate
from fitontest.measures.validity import DEFAULT_K, ValidityArea, ValidityCurve
from fitontest.reading.read import read
from fitontest.results.frames import Records
from fitontest.typing import ArrayInput, Label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (5.2, 4.4)  # inches
MOST_STEPS = 2000  # of a curve that is drawn: more are closer than a pixel
LABELS = "Distance |score \N{MINUS SIGN} mean label of its neighbours|, eps", "Share of rows within eps, V(eps)"
LIMIT = "_fitontest_limit"  # of axes on which the largest eps was chosen
ROOM = 1.04  # of the longest distance, the end of the axis


class ValidityDisplay(BinaryDisplay):
    """Validity curve: the share of rows whose score is within eps of its true probability, for each eps.

    The share is V(eps).

    The probability that a score stands for is estimated by the mean label of the k rows with the nearest scores. The
    legend shows the area under the curve, AUC_V. The area over it is the mean distance, which is the plug-in l1 error
    of the k nearest neighbours: the curve also says whether a few scores are far off, or all of them a little. Curves
    of several models, or of one model before and after its calibration, are drawn on the same axes by ``ax=``.

    Few neighbours make distances of their own, as labels scatter: of perfectly calibrated scores around 0.5 they are
    about 0.4 / sqrt(k). So compare curves of the same k.

    Made by `from_predictions` or `from_estimator`. `plot` draws it again on other axes.

    Parameters
    ----------
    error : Estimate
        Of the measure ``auc_v`` (`ValidityArea`).
    name : str, optional
        Name of the scores in the legend.

    Attributes
    ----------
    error : Estimate
        ``error.value`` is the area.
    curve : ValidityCurve
        The table of the diagram.
    ax_, figure_ : matplotlib Axes, and Figure or SubFigure
        Set by `plot`, as are the following.
    line_, legend_ : artists
        The legend is None with ``legend=False``.

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
    >>> display = fot.ValidityDisplay.from_predictions(y, p, k=50, name="raw", ax=Figure())
    >>> calibrated = fot.families.make("beta").fit(p, y).predict(p)
    >>> display = fot.ValidityDisplay.from_predictions(y, calibrated, k=50, name="beta", ax=display.ax_)
    >>> [text.get_text() for text in display.legend_.get_texts()]
    ['raw: AUC_V 0.914', 'beta: AUC_V 0.958']
    """

    error: Estimate

    def __init__(self, error: Estimate, *, name: str | None = None) -> None:
        if not isinstance(error, Estimate) or not isinstance(getattr(error, "curve", None), ValidityCurve):
            raise ValueError(f"error must be an Estimate of auc_v of two classes, got {error!r}")
        self.error, self.curve, self.name = error, error.curve, name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayInput,
        y_prob: ArrayInput = None,
        *,
        k: int = DEFAULT_K,
        reduction: Reduction | None = None,
        labels: ArrayInput = None,
        sample_weight: ArrayInput = None,
        pos_label: Label | None = None,
        name: str | None = None,
        ax: AxesOrFigure = None,
        color: Color | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw the validity curve of labels and scores.

        Parameters
        ----------
        y_true, y_prob : array-like of shape (n,)
            Labels of two classes, and predicted probabilities of the positive class; or as given by `reduction`; or
            what `read` returns in place of both.
        k : int, default=10
            Number of neighbours, see `KNN`.
        reduction : {"confidence", "binary"}, optional
            How a matrix of scores is reduced, see `calibration_error`. Of several classes draw each on the same axes.
        labels, sample_weight, pos_label
            See `calibration_error`.
        name : str, optional
            Name of the scores in the legend.
        ax : matplotlib Axes, Figure or SubFigure, optional
            Axes that hold a validity diagram get another curve. By default a new pyplot figure is made.
        color, legend
            See `plot`.

        Raises
        ------
        ValueError
            The message names the argument, the rule and the value.
        """
        measure = ValidityArea(k)
        data = read(
            y_true, y_prob, sample_weight=sample_weight, reduction=reduction, labels=labels, pos_label=pos_label
        )
        if data.base_rate is None:
            rule = "reduction must be 'confidence' or 'binary' for a validity diagram"
            raise ValueError(f"{rule}; draw the curve of each class on the same axes, got {data.reduction!r}")
        return cls.of_sample(data, measure, name=name).plot(ax, color=color, legend=legend)

    @classmethod
    def of_sample(cls, sample: ScoreSample, measure: ValidityArea, *, name: str | None = None) -> Self:
        """Return the diagram of checked data, which is yet to be drawn.

        Parameters
        ----------
        sample : ScoreSample
            Checked scores, labels and weights.
        measure : ValidityArea
            With the number of neighbours.
        name : str, optional
            Name of the scores in the legend.
        """
        return cls(measure.estimate(sample), name=name)

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
        eps, share = self._course()
        end = _end_of(main, drawn, float(self.curve.eps[-1])) if limit is None else limit
        (self.line_,) = main.plot(
            np.append(eps, 1.0), np.append(share, 1.0), drawstyle="steps-post", linestyle=dashes, linewidth=1.8,
            color=default if color is None else color, gid=self._mark,
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
        """Return the numbers drawn: the steps of the curve."""
        return {"curve": self.curve.rows()}

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


def _end_of(main: "Axes", drawn: list[Any], longest: float) -> float:
    """Return the end of the axis of distances, which shows the longest of all curves, or as far as was asked for."""
    if drawn and (asked := getattr(main, LIMIT, None)) is not None:
        return float(asked)
    end = min(1.0, ROOM * longest) or 1.0  # all scores are exact
    return max(main.get_xlim()[1], end) if drawn else end


def _draw_legend(main: "Axes", mark: str) -> Any:
    """Draw the legend in the corner that a rising curve leaves free."""
    lines = [line for line in main.lines if line.get_gid() == mark]
    legend = main.legend(
        lines, ["?"] * len(lines), loc="lower right", fontsize="small", framealpha=0.85, edgecolor="none"
    )
    for entry, line in zip(legend.get_texts(), lines, strict=True):  # matplotlib ignores labels that begin with _
        entry.set_text(str(line.get_label()))
    return legend
