"""The numbers of a reliability diagram: the map of one sample where rows bear it, points with intervals, histogram."""

from functools import cached_property
from typing import Literal

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import check_measured
from fitontest.displays.curves import Curve, Values, bin_records, curve_of, strokes_of
from fitontest.displays.planes import FARTHEST, Plane, choose_plane, has_few_scores, turn
from fitontest.displays.points import Points, points_of_bins, points_of_scores
from fitontest.displays.titles import name_axes, name_error, name_family, rows_in_words, value_in_words
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import quote_with
from fitontest.measures.observed_expected import ObservedExpected
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records, records
from fitontest.results.text import count, short
from fitontest.results.typing import ArrayInput, FloatArray, Label, RandomState
from fitontest.uncertainty.bands import BAND_DRAWS, BAND_LEVEL, POINTS, Band, BandKind, band_of, quick_band
from fitontest.uncertainty.new_group import NEW_GROUP, new_group_bands
from fitontest.uncertainty.verdict import FAMILY, Verdict

BARS = 50  # of the histogram
MOST_BINS = 200  # a map of more bins is drawn as a curve, because no screen resolves them
LEVEL = 0.95


class Diagram:
    """The numbers of one panel.

    Parameters
    ----------
    error : Estimate
        With the map that is drawn.
    sample : ScoreSample
        The rows that it was measured on.
    scale : {"auto", "probability", "logit", "ratio"} or Plane, default="auto"
    limits : (float, float), optional
        Ends of both axes.
    name, pos_label : optional
        Of the scores.
    verdict : Verdict, optional
        Whose headline is the title.

    Attributes
    ----------
    form : {"curve", "points", "bins", "polygon"}
    plane : Plane
        What the axes mean.
    curve : Curve or None
    points : Points or None
    strokes : Strokes or None
    knots : array
        Scores at which the map bends.
    band, new_group : Band or None
        Where the true map lies, and the map of a new group.
    """

    def __init__(
        self,
        error: Estimate,
        sample: ScoreSample,
        *,
        scale: str | Plane = "auto",
        limits: ArrayInput = None,
        name: str | None = None,
        pos_label: Label | None = None,
        verdict: Verdict | None = None,
    ) -> None:
        check_measured(error, sample)
        if error.map is None:
            raise ValueError(f"error must be one that calibration_error returns, with a map to draw; got {error!r}")
        self.error, self.given, self.name, self.pos_label, self.verdict = error, sample, name, pos_label, verdict
        self.band: Band | None = None
        self.new_group: Band | None = None
        self.knots = _find_knots(error)
        self.form = find_form(error, sample)
        if isinstance(scale, Plane):
            self.lay_out(scale)
            return
        asked = "probability" if scale == "auto" and self.form != "curve" else scale
        self.lay_out(choose_plane(asked, sample, limits))
        if limits is None:
            wider = self.plane.showing(*self._to_show())
            if wider != self.plane:
                self.lay_out(wider)

    def lay_out(self, plane: Plane) -> None:
        """Compute what is drawn on axes, such as those of several panels.

        Parameters
        ----------
        plane : Plane
        """
        self.plane = plane
        if plane.is_ratio and self.form != "points":
            self.form = "curve"
        self.sample = turn(self.given) if plane.of_non_events else self.given
        fitted = self.error.map
        assert fitted is not None
        self.values = Values(fitted, plane.of_non_events)
        knots = self.knots if self.form == "polygon" else np.empty(0)
        self.curve = curve_of(self.values, self.sample, plane, knots) if self.form in ("curve", "polygon") else None
        self.strokes = strokes_of(self.error, self.sample, plane) if self.form == "bins" else None
        self.points: Points | None = None
        if self.form == "points":
            self.points = points_of_scores(self.sample)
        elif self.form == "curve":
            self.points = points_of_bins(self.sample, plane)
        self.bars = self._count_bars()

    def _to_show(self) -> tuple[FloatArray, FloatArray]:
        """Return the heights that the axes must show, and at which scores."""
        found = [(np.empty(0), np.empty(0))]
        if self.curve is not None:
            at = self.curve.drawn
            found.append((self.heights(self.curve.x, self.curve.y)[at], self.curve.x[at]))
        if self.points is not None:
            points = self.points
            found.append((self.heights(points.p, points.share), points.p))
            if self.plane.is_ratio:
                ends = (self.heights(points.p, end) for end in (points.low, points.high))
                found += [(np.clip(end, *FARTHEST), points.p) for end in ends]
        if self.strokes is not None:
            found.append((self.strokes.share, self.strokes.p))
        heights, scores = (np.concatenate(each) for each in zip(*found, strict=True))
        if self.plane.is_ratio:  # of no events at all the interval is shown alone
            heights = np.maximum(heights, FARTHEST[0])
        return heights, scores

    def heights(self, p: FloatArray, c: FloatArray) -> FloatArray:
        """Return how high frequencies are drawn at scores.

        Parameters
        ----------
        p, c : arrays
        """
        return self.plane.height(p, c)

    def _count_bars(self) -> FloatArray:
        distinct = self.sample.distinct
        return np.asarray(np.histogram(distinct.p, self.plane.edges(BARS), weights=distinct.w)[0], dtype=np.float64)

    @property
    def beyond(self) -> float:
        """The weight of the rows beyond the axis of scores."""
        distinct, ends = self.sample.distinct, self.plane.edges(1)
        return float(distinct.w[(distinct.p < ends[0]) | (distinct.p > ends[-1])].sum())

    def add_band(
        self,
        kind: BandKind | Literal["auto"] | None = "auto",
        *,
        draws: int = BAND_DRAWS,
        level: float = BAND_LEVEL,
        random_state: RandomState = 0,
    ) -> None:
        """Compute a band for the diagram; "auto" is one of the curve alone, where it is made in a moment.

        Parameters
        ----------
        kind : {"auto", "consistency", "confidence", "simultaneous", "new group"} or None
        draws : int, default=200
        level : float, default=0.95
        random_state : int, RandomState or None, default=0
        """
        self.band = self.new_group = None
        if kind is None or (kind == "auto" and self.form != "curve"):
            return
        x = self.plane.edges(POINTS - 1) if self.curve is None else self.curve.x
        x = np.unique(np.clip(1.0 - x if self.plane.of_non_events else x, 0.0, 1.0))
        error, sample = self.error, self.given
        if kind == NEW_GROUP:
            self.band, self.new_group = (
                self._turned(one) for one in new_group_bands(error, sample, x, draws, level, random_state)
            )
        elif kind == "auto":
            self.band = self._turned(quick_band(error, sample, x, random_state, level=LEVEL))
        else:
            found = band_of(error, sample, x, kind=kind, draws=draws, level=level, random_state=random_state)
            self.band = self._turned(found)

    def _turned(self, band: Band | None) -> Band | None:
        """Return the band of non-events, where these are drawn."""
        if band is None or not self.plane.of_non_events:
            return band
        lower, upper = 1.0 - band.upper[::-1], 1.0 - band.lower[::-1]
        return Band(
            1.0 - band.x[::-1], lower, upper, band.level, band.draws, band.kind, band.stand_in, band.misfit,
            band.dependence,
        )  # fmt: skip

    def banded(self, band: Band) -> Curve:
        """Return the curve with a band about it; of bins the band over the scores.

        Parameters
        ----------
        band : Band
        """
        if self.curve is not None:
            return self.curve.banded(band, self.values)
        some = np.ones(band.x.size, dtype=bool)
        return Curve(band.x, self.values.at(band.x), np.ones(band.x.size), some, band.lower, band.upper)

    @property
    def labels(self) -> tuple[str, str]:
        """The labels of the axes."""
        x, y = name_axes(self.pos_label, self.error.reduction)
        if self.plane.of_non_events:
            x = x.replace("probability", "probability of no event")
        if self.plane.is_ratio:
            return f"{x} (log axis)", "Observed / expected (log axis)"
        return (x, y) if self.plane.name == "probability" else (f"{x} (logit axis)", f"{y} (logit axis)")

    @property
    def title(self) -> str:
        """The name of the scores, and the verdict or the family that is drawn."""
        if self.form in ("bins", "polygon") or self.verdict is None:
            said = "" if self.form == "curve" and self.error.measure.name == FAMILY else name_family(self.error)
        else:
            said = self.verdict.headline
        if self.name is None or self.name == self.error.measure.name:
            return said or self.name or "Calibration"
        return f"{self.name}: {said[:1].lower()}{said[1:]}" if said else self.name

    @cached_property
    def second(self) -> str:
        """The line below the title: the error, or O:E, with its interval, and the rows."""
        rows = rows_in_words(self.error)
        if not self.plane.is_ratio:
            family = "" if self.error.measure.name in (FAMILY, *self.title.split()) or self.form != "curve" else (
                f" ({self.error.measure.name})"
            )  # fmt: skip
            return f"{name_error(self.error)}{family} {value_in_words(self.error)}, {rows}"
        ratio = ObservedExpected().estimate(self.sample)
        events = f", {count(round(self.sample.total * self.sample.base_rate))} events" if self.sample.whole else ""
        events = events.replace("events", "non-events") if self.plane.of_non_events else events
        value = quote_with(ratio.evidence.interval_at(LEVEL), ratio.value, "ratio")
        return f"O:E {value}, {rows}{events}"

    @property
    def key(self) -> list[str]:
        """What the marks mean, in a few lines."""
        gap = "orange: gap between scores and map,\ndarker where more rows are"
        lines = {
            "curve": ["line: fitted curve, thicker where more rows are"],
            "points": ["circles: share at each score, 95 % CI; larger: more rows"],
            "bins": [gap, "circles: means of bins"],
            "polygon": [gap, *(["diamonds: knots"] if self.knots.size else [])],
        }[self.form]
        lines += [] if self.band is None else self._describe_band(self.band)
        if self.new_group is not None:
            lines.append(f"dashed: {100 * self.new_group.level:g} % of the maps of new groups")
        if self.form == "curve":
            each = "of as many expected events each" if self.plane.is_ratio else "of equal width"
            lines.append(f"circles: bins {each}, {100 * LEVEL:g} % CI")
        return lines

    def _describe_band(self, band: Band) -> list[str]:
        level = f"{100 * band.level:g} %"
        if band.kind == "consistency":
            return [f"band: {level} of maps of calibrated scores"]
        where = "all scores at once" if band.kind == "simultaneous" else "each score"
        lines = [f"band: {level} CI at {where}"]
        if band.stand_in is not None:
            lines[0] += f", of a {band.stand_in}"
        if band.misfit is not None:
            lines.append(f"curve and band too smooth in places (p = {short(band.misfit, 2)})")
        return lines

    @property
    def notes(self) -> list[str]:
        """What must be known of the picture, whether there is a key or not."""
        notes = [] if self.strokes is None or not self.strokes.note else self.strokes.note.split("\n")
        scale, beyond = self.plane.x, self.beyond
        if self.plane.name == "probability" and (scale.lower, scale.upper) != (0.0, 1.0):
            rows = f"{count(round(beyond))} row{'' if round(beyond) == 1 else 's'}" if self.sample.whole else (
                f"{100 * beyond / self.sample.total:.2g} % of the weight"
            )  # fmt: skip
            notes.append(f"axes end at {scale.upper:.2g}" + (f"; {rows} beyond" if beyond > 0.0 else ""))
        elif beyond > 0.01 * self.sample.total:
            notes.append(f"{100 * beyond / self.sample.total:.2g} % of the rows are beyond the axis")
        return notes

    def parts(self) -> dict[str, Records]:
        """Return every number that is drawn.

        ``curve`` holds the points of the map, whether it is drawn there, the width of the line and the band.
        ``points`` holds the shares of positives with their intervals. ``bins`` holds the bins of a map that has them:
        rows, weight and share, means, and the mean gap, whose mean over the rows is the error. ``knots`` holds the
        knots, ``histogram`` the weight per bar, ``band`` the ends of a band of bins, ``new_group`` those of new groups.
        """
        parts: dict[str, Records] = {}
        if self.curve is not None:
            drawn = self.curve if self.band is None else self.banded(self.band)
            parts["curve"] = drawn.to_records()
        if self.points is not None:
            parts["points"] = self.points.to_records()
        fitted = self.error.map
        if self.form == "bins" and fitted is not None and fitted.partition is not None:
            parts["bins"] = bin_records(fitted, fitted.partition, self.given)
        if self.form == "polygon":
            parts["knots"] = records(x=self.knots, y=self.values.at(self.knots))
        edges = self.plane.edges(BARS)
        parts["histogram"] = records(lower=edges[:-1], upper=edges[1:], weight=self.bars)
        for name, band in (("band", self.band), ("new_group", self.new_group)):
            if band is not None:
                parts[name] = records(x=band.x, lower=band.lower, upper=band.upper)
        return {part: rows for part, rows in parts.items() if rows}


def _find_knots(error: Estimate) -> FloatArray:
    """Return the scores at which the map bends. Only some families mark them."""
    if error.estimator is None or not error.estimator.has_knots or not isinstance(error.partition, Partition):
        return np.empty(0)
    return np.asarray(error.partition.edges)


def find_form(error: Estimate, sample: ScoreSample) -> str:
    """Return how a map is drawn: as "bins", as "polygon", as "points" at few scores, or as "curve"."""
    pieces = None if error.map is None else error.map.partition
    if pieces is not None and pieces.n_bins <= MOST_BINS:
        return "bins"
    if error.estimator is not None and error.estimator.has_knots:
        return "polygon"
    return "points" if has_few_scores(sample) else "curve"
