"""The walk of cumulated residuals: where along the scores they add up, with the band of calibrated scores."""

from typing import Any

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import check_measured
from fitontest.displays.curve import CurveDisplay, Panel
from fitontest.displays.lines import Line
from fitontest.displays.palette import GAP, NEUTRAL
from fitontest.displays.scaling import Scaling
from fitontest.displays.titles import rows_in_words, value_in_words
from fitontest.measures.estimate import Estimate
from fitontest.results.checks import check_level
from fitontest.results.frames import records
from fitontest.results.text import short
from fitontest.results.typing import FloatArray, IntArray
from fitontest.uncertainty.redrawing import DEFAULT_LEVEL
from fitontest.uncertainty.seminorm import upper_point

POINTS = 2000  # of a line, beyond which the least and the largest of neighbours stand for them
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the rows, at which scores are written
ROOM = 1.18  # times the walk or the band, up to which the axis goes
BRACKET, END = 1.03, 1.05  # where the bracket stands beside the rows, and the axis ends


def walk_display(
    error: Estimate, sample: ScoreSample, *, level: float = DEFAULT_LEVEL, name: str | None = None
) -> CurveDisplay:
    """Return the line of residuals cumulated in the order of the scores, which shows where scores are wrong.

    The line is S_k, the sum of the weights times label less score up to the k-th distinct score, over the sum of all
    weights. Where it rises scores are too low, where it falls they are too high, and its slope is by how much. The
    bracket marks what is measured: from the lowest to the highest point, which is the ECCE, or the point farthest from
    0, which is KS. Labels drawn from the scores stay within the grey band, all along the line, in 95 % of draws or
    more; where there is no null there is no band.

    Parameters
    ----------
    error : Estimate
        Of the measure ``ecce`` or ``ks``, of the sample.
    sample : ScoreSample
    level : float in [0.5, 1), default=0.95
        Of the band.
    name : str, optional
        Of the scores, in the title.
    """
    check_measured(error, sample)
    check_level(level)
    reach = None if error.null is None else float(upper_point(error.null.values, 1.0 - level))
    share, walk = error.evidence.walk  # type: ignore[attr-defined] # of residuals that were cumulated
    scores = np.concatenate((sample.distinct.p[:1], sample.distinct.p))
    kept, marked = _thinned(walk), _marked(error, walk)
    x, y = share[marked], walk[marked]
    lines = [
        Line("", np.array([0.0, END]), np.zeros(2), is_reference=True),
        Line("", share[kept], walk[kept]),
        Line(error.measure.title, np.array([x[0], BRACKET, BRACKET, x[1]]), y.repeat(2), color=GAP, width=1.0),
        Line("", x, y, color=GAP, width=0.0, marker="o"),
    ]
    range_ = {"from_share": float(x.min()), "to_share": float(x.max()), "low": float(y.min()), "high": float(y.max())}
    parts = {"walk": records(share=share, score=scores, cumulated=walk), "range": [range_]}
    note = ""
    if reach is not None:
        ends = np.full(2, reach)
        lines.append(Line("", np.array([0.0, 1.0]), np.zeros(2), -ends, ends, NEUTRAL, width=0.0))
        parts["band"] = [{"low": -reach, "high": reach, "level": level}]
        note = f"; grey: {100 * level:g} % of walks of calibrated scores stay within"
    most = ROOM * (max(float(np.abs(walk).max()), reach or 0.0) or 1.0)
    at = scores[np.minimum(np.searchsorted(share, SHARES), share.size - 1)].tolist()
    ticks = {one: f"{100 * one:g} %\n{short(score, 2)}" for one, score in zip(SHARES, at, strict=True)}
    value = f"{error.measure.title} {value_in_words(error)}"
    return CurveDisplay(
        [Panel(lines, Scaling("Cumulated residuals (label less score)", (-most, most)))],
        Scaling("Share of the rows, by increasing score (below: the score)", (0.0, END), ticks), parts,
        title=value if name is None else f"{name}: {value}", second=f"{rows_in_words(error)}{note}",
        kind="Cumulated residuals by score",
    )  # fmt: skip


def _marked(error: Estimate, walk: FloatArray) -> list[int]:
    """Return the places of the two points of the bracket: the lowest and the highest, or 0 and the farthest."""
    evidence: Any = error.evidence
    if evidence.statistic == "range":
        return [int(walk.argmin()), int(walk.argmax())]
    return [0, int(np.abs(walk).argmax())]


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
