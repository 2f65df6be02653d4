"""The test-based reliability diagram: the predictions that the test rejects, per bin."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import Display, check_measured
from fitontest.displays.canvas import AxesOrFigure, get_axes, style_axes
from fitontest.displays.companions import (
    PREDICTIONS,
    SIZES,
    add_companion,
    draw_bars,
    find_companions,
    format_counts_axis,
)
from fitontest.displays.palette import NEUTRAL, blend_with_background, get_opaque_background
from fitontest.displays.scales import Scale, ScaleName, choose_scale, make_scale, name_scale
from fitontest.displays.titles import name_axes, write_title
from fitontest.displays.violins import (
    MANY_BINS,
    close_paths,
    compute_violins,
    tabulate_spans,
    tabulate_violin,
    trace_outline,
)
from fitontest.measures.binned import Bins
from fitontest.measures.estimate import Estimate
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records, records
from fitontest.results.text import percent, short
from fitontest.results.typing import ArrayInput, FloatArray, Label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BARS = 40  # of the histogram
HALF_LINE = 0.46  # half the length of the red lines, in bins; a little more than the violins
RED = "#C0392B"  # of the empirical probability and of rejected predictions, as in the paper; dark in grey print


class TCEDisplay(Display):
    """Test-based reliability diagram: three panels that show what the test-based calibration error (TCE) counts.

    * The main panel has a violin of the predictions of each bin. A red line across it shows the share of positives in
      the bin, its **empirical probability**. The predictions that the test rejects are hatched in red. The hatching
      ends where the test accepts a prediction for the labels of the bin. The column of a bin that is wholly rejected
      is shaded.
    * Bars below it show the sizes of the bins, with the rejected part in red. The TCE is the red share of all bars.
    * The histogram of all predictions is on the right, on the same axis.

    Made by ``tce(...).plot()``, which takes `scale`, `limits`, `name` and `pos_label`.

    Parameters
    ----------
    error : Estimate
        A result of `tce`, measured on the sample.
    sample : ScoreSample
        The scores, labels and weights that the error was measured on.
    scale : {"auto", "probability", "logit"}, default="auto"
        Scale of the axis of predictions. "logit" shows rare events; it ends where the predictions end. "auto" is logit
        where most predictions are within 0.05 of an end.
    limits : (float, float), optional
        Ends of the axis of predictions.
    name : str, optional
        Name of the scores in the title.
    pos_label : label, optional
        The positive class, for the axis label.

    Attributes
    ----------
    error : Estimate
        As given.
    partition_ : Partition
        Its bins.
    violins : list of Violin
        One per bin with predictions.
    ax_, sizes_ax_, histogram_ax_ : matplotlib Axes
        Set by `plot`, as are all of the following.
    axes_ : tuple
        These three.
    figure_ : matplotlib Figure or SubFigure
        The figure of the axes.
    violins_, rejected_ : PathCollection
        The violins, and their rejected parts. Those of more than 60 bins are one path.
    columns_ : PolyCollection
        The columns of the bins that are wholly rejected.
    lines_ : Line2D
        The empirical probability of each bin, interrupted between them.
    sizes_, rejected_sizes_ : StepPatch
        The bars. Every other step has height 0.
    counts_ : StepPatch
        The histogram.

    References
    ----------
    Matsubara, Tax, Mudd, Guy (2023), TCE: A test-based approach to measuring calibration error, UAI, Figure 1.
    https://doi.org/10.48550/arXiv.2306.14343 The hatching of the violins is an addition.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from matplotlib.figure import Figure
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p**1.5
    >>> display = fot.tce(y, p, partition="equal_mass", n_bins=4).plot(Figure())
    >>> bins = display.to_frame(part="bins")
    >>> print(bins[["bin", "n", "rejected", "empirical_probability"]].round(3).to_string(index=False))
     bin   n  rejected  empirical_probability
       1 250       198                  0.064
       2 250       194                  0.280
       3 250       143                  0.568
       4 250       143                  0.836
    >>> float(bins["rejected"].sum()) / 1000, round(float(display.error), 12)
    (0.678, 0.678)
    """

    error: Estimate
    size = (6.4, 6.0)

    def __init__(
        self,
        error: Estimate,
        sample: ScoreSample,
        *,
        scale: ScaleName = "auto",
        limits: ArrayInput = None,
        name: str | None = None,
        pos_label: Label | None = None,
    ) -> None:
        check_measured(error, sample)
        bins = error.evidence
        if not isinstance(bins, Bins) or bins.bin_loss.significance is None or error.norm != "l1":
            raise ValueError(f"error must be one that tce returns, a share of the predictions; got {error!r}")
        self.error, self.partition_ = error, bins.bins_of_scores()
        self.name, self.pos_label = name, pos_label
        named = name_scale(scale, [sample], limits)
        self.scale = choose_scale(named, sample) if limits is None else make_scale(named, limits)
        self.violins = compute_violins(bins, sample, self.scale)
        self.cells = self.scale.cells(BARS)
        self.counts = self.cells.summarise(sample).w
        self.beyond = _shares_beyond(sample, self.scale)

    def _summarise(self) -> str:
        return repr(self.error)

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the three panels.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram. By default a new pyplot figure is made.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Axes that hold a diagram already.
        """
        main = get_axes(ax, self.size)
        if find_companions(main):
            raise ValueError("ax must be axes that hold no diagram yet: test-based diagrams are not laid over others")
        below = add_companion(main, SIZES, "below", size=0.28, gap=0.05)
        beside = add_companion(main, PREDICTIONS, "right", size=0.22, gap=0.04)
        self.ax_, self.sizes_ax_, self.histogram_ax_ = self.axes_ = (main, below, beside)
        self.figure_ = main.figure
        self._draw_main(main)
        self._draw_sizes(below)
        self.counts_ = beside.stairs(
            self.counts, self.scale.ends(self.cells), orientation="horizontal", fill=True, color=NEUTRAL
        )
        format_counts_axis(beside, "x", self.counts)
        beside.set_xlabel("Count")
        value, second = describe_measure(self.error), _describe(self.error)
        beyond = zip(("below", "above"), self.beyond, strict=True)
        second += "".join(f", {percent(share)} of the rows {where} the axis" for where, share in beyond if share > 0)
        title = value if self.name is None else f"{self.name}: {value}"
        self.title_, self.second_ = write_title(main, title, second)
        return self

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn.

        ``bins`` holds the table of `tce`. ``violins`` holds the weight, the rejected weight and the width of each
        violin per cell. ``rejected`` holds the intervals of each violin that the test rejects. ``histogram`` holds the
        weight of the predictions per bar.
        """
        cells = [tabulate_violin(violin) for violin in self.violins]
        parts = {
            "bins": [{"bin": b + 1, **row} for b, row in enumerate(self.error.rows())],
            "violins": [record for rows in cells for record in rows],
            "rejected": [record for violin in self.violins for record in tabulate_spans(violin)],
            **_tabulate_histogram(self.cells, self.counts, self.beyond),
        }
        return {part: rows for part, rows in parts.items() if rows}

    def _draw_main(self, main: "Axes") -> None:
        from matplotlib.collections import PathCollection, PolyCollection
        from matplotlib.patches import Patch
        from matplotlib.patheffects import withStroke
        from matplotlib.transforms import ScaledTranslation

        style_axes(main)
        self.scale.apply(main, "y")
        bins = self.partition_.n_bins
        main.set_xlim(0.4, bins + 0.6)
        outlines = [trace_outline(violin) for violin in self.violins]
        self.violins_ = PathCollection(close_paths(outlines), facecolor=NEUTRAL, alpha=0.55, linewidth=0)
        rejected_outlines = [trace_outline(violin, *span) for violin in self.violins for span in violin.spans.tolist()]
        pale = blend_with_background(main, RED, 0.3)
        # An outline would make a violin of tied predictions look like a red line.
        hatched: dict[str, Any] = {"facecolor": pale, "edgecolor": RED, "hatch": "//////", "linewidth": 0}
        self.rejected_ = PathCollection(close_paths(rejected_outlines), **hatched)
        occupied = np.flatnonzero(self.error.table.occupied)
        heights = self.error.table.mean_y[occupied]
        x = (occupied + 1.0)[:, None] + np.array([-HALF_LINE, HALF_LINE, np.nan])  # NaN interrupts the line
        edge = [withStroke(linewidth=3.6, foreground=get_opaque_background(main))] if bins <= MANY_BINS else []
        (self.lines_,) = main.plot(
            x.ravel(), heights.repeat(3), color=RED, linewidth=1.8, solid_capstyle="butt", path_effects=edge, zorder=3
        )
        shade = blend_with_background(main, RED, 0.12)
        whole = np.array([violin.bin + 1.0 for violin in self.violins if violin.wholly_rejected])
        self.columns_ = PolyCollection(
            [[(x - 0.5, 0.0), (x - 0.5, 1.0), (x + 0.5, 1.0), (x + 0.5, 0.0)] for x in whole.tolist()],
            transform=main.get_xaxis_transform(),  # the full height
            facecolor=shade,
            linewidth=0,
            zorder=0.4,  # behind the grid
        )
        for collection in (self.columns_, self.violins_, self.rejected_):
            main.add_collection(collection, autolim=False)
        main.set_ylabel(name_axes(self.pos_label, self.error.reduction)[0])
        figure: Any = main.get_figure(root=True)
        entries = {"empirical\nprobability": self.lines_, "rejected": Patch(**hatched)}
        if whole.size:
            entries["bin wholly\nrejected"] = Patch(facecolor=shade)
        main.legend(  # in the corner between the other two panels
            [*entries.values()],
            [*entries],
            loc="upper left",
            bbox_to_anchor=(1.01, 0.0),
            bbox_transform=main.transAxes + ScaledTranslation(0.0, -0.5, figure.dpi_scale_trans),
            fontsize="small",
            frameon=False,
        )

    def _draw_sizes(self, below: "Axes") -> None:
        from matplotlib.ticker import MaxNLocator

        rows = self.error.rows()
        sizes = np.array([row["weight"] for row in rows])
        rejected = np.array([row["rejected"] for row in rows])
        self.sizes_ = draw_bars(below, sizes, color=NEUTRAL, alpha=0.55)
        self.rejected_sizes_ = draw_bars(below, rejected, color=RED)
        format_counts_axis(below, "y", sizes)
        below.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True))
        below.set(xlabel="Bin", ylabel="Count")


def describe_measure(estimate: Estimate) -> str:
    """Return the title of a measure and its value."""
    return f"{estimate.measure.title} {estimate.measure.printed(estimate.value)}"


def _describe(error: Estimate) -> str:
    """Return the error of calibrated scores, the test, and the rows, in a line."""
    rows = f"n = {error.n:,}"
    test, null = f"{error.test} test at {error.alpha:g}", error.null
    if error.groups is not None and not error.groups.sizes.are_single:
        test += " as of independent rows"
        rows += f" in {error.groups.sizes.groups:,} groups"
    expected = f"if calibrated {error.measure.printed(null.mean)} (p = {short(null.p_value, 2)})" if null else ""
    return ", ".join(fact for fact in (expected, test, rows) if fact)


def _shares_beyond(sample: ScoreSample, scale: Scale) -> tuple[float, float]:
    """Return the shares of the data below and above the axis."""
    below, above = (float(sample.w @ outside) for outside in (sample.p < scale.lower, sample.p > scale.upper))
    return below / sample.total, above / sample.total


def _tabulate_histogram(cells: Partition, counts: FloatArray, beyond: tuple[float, float]) -> dict[str, Records]:
    """Return the histogram, and the shares of the data beyond its axis, if any."""
    parts = {"histogram": records(lower=cells.borders[:-1], upper=cells.borders[1:], weight=counts)}
    return parts | ({"beyond": records(below=beyond[:1], above=beyond[1:])} if any(beyond) else {})
