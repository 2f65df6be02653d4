"""The direction in which truths lie, chosen so that it fits: a spline, else an isotonic map, else levels of near rows.

An interval of the true error holds for the truths of its chain. If the map is rougher than a spline can follow, in
waves or with an error of its own for each value, truths on the way to a spline know nothing of most of the error, and
the interval lies below it. Whether a map g fits is tested by the pair statistic of the labels less g
(`fitontest.measures.pair_windows`), with g refitted to each labelling drawn from it. Where it does not, the next rung
of the ladder is taken.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.redraws import Labels, Redraws
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.data.score_sample import ScoreSample
from fitontest.exceptions import without_warnings
from fitontest.families.atoms import Atoms
from fitontest.families.base import Family, read_family
from fitontest.families.reading import fit_map_to
from fitontest.measures.error_limits import ErrorLimits
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import Roughness
from fitontest.measures.measure import Measure
from fitontest.measures.pairs import EntryPairs
from fitontest.measures.plug_in import SCORES, PlugIn
from fitontest.numerics.links import signed_root
from fitontest.numerics.norms import Norm
from fitontest.typing import BoolArray, FloatArray, IntArray
from fitontest.uncertainty.chain import Found, Redrawn

Rung: TypeAlias = Literal["spline", "isotonic", "levels"]

FIT, SHRINK = 3, 4  # streams of random numbers, beside those of intervals and bands
FIT_DRAWS = 80  # labellings of a fit test
SHRINK_DRAWS = 50  # labellings that tell how much of a direction is noise
LEVEL = 0.05  # of the fit tests
FEWEST = 100  # rows, below which no fit is tested
FEW = 0.1  # share of the rows, below which an error is taken for one of few rows
CLEAR = 3.5  # standard errors by which the mean label of near rows is clear of the scores, of any of many windows
FINE = 100  # parts of the rows that the limit of the interval of levels tells apart
LEAST_SIGNAL = 1.0 / 20.0  # share of the squares of local means that is taken for error, at least


@dataclass(frozen=True)
class FitTest:
    """Whether a map fits the labels, and the place of the scale at which it fits worst."""

    p_value: float
    scale: int


@dataclass(frozen=True, eq=False)
class Ladder:
    """The direction of the truths of one sample, and the interval of the error where a spline is not enough.

    Parameters
    ----------
    redraws : ScoreRedraws
    seed : int
    """

    redraws: ScoreRedraws
    seed: int

    @classmethod
    def of(cls, sample: ScoreSample, seed: int) -> "Ladder":
        """Return the ladder of a sample, which remembers it for the next measure."""
        key = f"ladder {seed}"
        known = sample.memory.get(key)
        if not isinstance(known, Ladder):
            known = sample.memory[key] = cls(ScoreRedraws.of(sample), seed)
        return known

    @property
    def entries(self) -> Entries:
        """The scores."""
        return self.redraws.entries

    @cached_property
    def pairs(self) -> EntryPairs:
        """The pair statistic of the scores."""
        return EntryPairs.of(self.entries)

    @cached_property
    def smooth(self) -> FloatArray:
        """The spline at the entries."""
        return fitted(SCORES, self.redraws)

    @cached_property
    def smooth_fit(self) -> FitTest | None:
        """Whether the spline fits; None where there are too few rows or scores to ask."""
        return self._fit_test(SCORES, self.smooth)

    @cached_property
    def isotonic(self) -> FloatArray:
        """The isotonic map at the entries."""
        return fitted("isotonic", self.redraws)

    @cached_property
    def rung(self) -> Rung:
        """The first of spline, isotonic map and levels that fits; nothing is asked of levels."""
        if self.smooth_fit is None or self.smooth_fit.p_value > LEVEL:
            return "spline"
        isotonic_fit = self._fit_test("isotonic", self.isotonic)
        return "isotonic" if isotonic_fit is not None and isotonic_fit.p_value > LEVEL else "levels"

    @cached_property
    def roughness(self) -> Roughness | None:
        """What is rougher than a spline can follow, or None."""
        if self.rung == "spline" or self.smooth_fit is None:
            return None
        few = self.few_rows if self.rung == "levels" else None
        return Roughness(self.smooth_fit.p_value, self.rung, self.pairs.near_rows(self.smooth_fit.scale), few)

    @cached_property
    def levels(self) -> FloatArray:
        """The means of neighbouring rows as far as they are no noise, at the entries: about the spline, or the scores.

        Where a few rows hold all of the error, it is of the scores, and of the rows whose mean is clear of them alone:
        the noise of all other rows would pass for error.
        """
        windows, p = self.pairs.windows, self.pairs.p
        if self.few_rows is not None:
            h, noise = self._local_residuals(p)
            return self._at_entries(np.where(_clear(h, noise), np.clip(p + h, 0.0, 1.0), p))
        g = self._at_units(self.smooth)
        h, noise = self._local_residuals(g)
        w = windows.n * windows.each
        squares = float(w @ h**2 / w.sum())
        signal = max(float(w @ (h**2 - noise) / w.sum()), LEAST_SIGNAL * squares)
        total = signal + noise
        levels = g + h * np.divide(signal, total, out=np.zeros_like(total), where=total > 0)
        return self._at_entries(np.clip(levels, 0.0, 1.0))

    @cached_property
    def few_rows(self) -> float | None:
        """The share of the rows that are clear of their scores, where the error is theirs alone; None elsewhere.

        With the variance v of the local mean h, the means of h^2 - v and h^4 - 6 h^2 v + 3 v^2 estimate those of d^2
        and d^4. The square of the one by the other is the share of the rows of an error that is level where it is
        not 0.
        """
        windows = self.pairs.windows
        w = windows.n * windows.each / float((windows.n * windows.each).sum())
        h, noise = self._local_residuals(self.pairs.p)
        second, fourth = float(w @ (h**2 - noise)), float(w @ (h**4 - 6.0 * h**2 * noise + 3.0 * noise**2))
        if not (second > 0 and fourth > 0 and second**2 < FEW * fourth):
            return None
        return float(w @ _clear(h, noise)) or None

    def _local_residuals(self, g: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean label less g near each unit, at the scale where the spline fits worst, and its variance."""
        assert self.smooth_fit is not None
        windows = self.pairs.windows
        mean_label = self.pairs.of_units(self.redraws.observed[1])[:, 0] / windows.n
        return windows.local_means(mean_label - g, g * (1.0 - g), self.smooth_fit.scale)

    @cached_property
    def direction(self) -> FloatArray:
        """What truths go towards, at the entries: the map of the rung, shrunk and moved where it has to be."""
        if self.rung != "spline":
            return self.isotonic if self.rung == "isotonic" else self.levels
        return self.redraws.moved(self._shrunk(self.smooth))

    @cached_property
    def limits(self) -> ErrorLimits:
        """The squares of the error at each scale, with their spread under the direction."""
        labels, pairs = self.pairs.of_units(self.redraws.observed[1]), self.pairs
        c = self._at_units(self.direction)
        return ErrorLimits(
            reach=tuple(pairs.windows.scales.tolist()),
            squares=tuple(pairs.windows.statistics(labels, pairs.p)[:, 0].tolist()),
            spreads=tuple(np.where(pairs.windows.paired, pairs.windows.deviations(c, c - pairs.p), np.inf).tolist()),
            rows=pairs.windows.rows,
            largest=self._largest,
        )

    @property
    def _largest(self) -> float:
        p, w = self.entries.p, self.entries.w
        return float(np.sqrt(w @ np.maximum(p, 1.0 - p) ** 2 / w.sum()))

    def found(self, norm: Norm, draws: int, level: float) -> Found | None:
        """Return debiased error and interval where the spline does not fit, or None where labels do not vary.

        They are the same for all families of a table, and computed once.
        """
        key = norm, draws, level
        if key not in self._known:
            self._known[key] = self._found(norm, draws, level)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[Norm, int, float], Found | None]:
        return {}

    def _found(self, norm: Norm, draws: int, level: float) -> Found | None:
        assert self.smooth_fit is not None
        levels = _RedrawnPairs(_LocalError(norm, self.smooth_fit.scale), self.redraws, self.seed).chain(
            self.levels, draws, level
        )
        if self.rung == "levels":
            return self._capped(levels, norm, level)
        isotonic = Redrawn(PlugIn("isotonic", norm=norm), self.redraws, self.seed).chain(self.isotonic, draws, level)
        if isotonic is not None and levels is not None:
            # the fit test of isotonic maps is weak, so that its interval alone would be too sure of jumps
            low, high = min(isotonic.low, levels.low), max(isotonic.high, levels.high)
            isotonic = Found(isotonic.value, low, high, misread=False)
        return self._capped(isotonic or levels, norm, level)

    def _capped(self, found: Found | None, norm: Norm, level: float) -> Found | None:
        """Return value and ends no larger than the limit at a fine resolution, which holds whatever the direction is.

        Levels of wide windows may be of noise alone, along which a small statistic stands for a large error. Where even
        the low end is above the limit, rows are not independent, and neither is to be trusted: nothing is cut off.
        """
        if found is None:
            return None
        limit = self.limits.at(FINE, (1.0 + level) / 2.0).value
        most = limit**2 if norm.name == "squared" else limit
        if most <= found.low:
            return found
        return Found(min(found.value, most), found.low, min(found.high, most), found.misread)

    def _at_units(self, values: FloatArray) -> FloatArray:
        """Return values at the units of the pair statistic, from those at the entries."""
        return np.asarray(values[self.entries.first]) if self.entries.whole else values

    def _at_entries(self, values: FloatArray) -> FloatArray:
        """Return values at the entries, from those at the units of the pair statistic."""
        return np.asarray(values[self.entries.group]) if self.entries.whole else values

    def _fit_test(self, family: str, g: FloatArray) -> FitTest | None:
        """Return whether a map fits the labels, with the family refitted to labels that are drawn from the map."""
        pairs, entries = self.pairs, self.entries
        if pairs.windows.rows < FEWEST or entries.first.size == 1:
            return None
        observed = pairs.windows.statistics(pairs.of_units(self.redraws.observed[1]), self._at_units(g))
        drawn = []
        for block in self.redraws.blocks(FIT_DRAWS):
            (labels,) = self.redraws.draw([g], block, (self.seed, FIT))
            with without_warnings():
                refitted = np.clip(read_family(family).fit_many(entries, labels).at(), 0.0, 1.0)
            drawn.append(pairs.windows.statistics(pairs.of_units(labels), pairs.at_units(refitted)))
        values = np.concatenate(drawn, axis=1)
        spread = values.std(axis=1, ddof=1)
        if not spread.max() > 0:
            return None
        mean, spread = values.mean(axis=1)[:, None], np.where(spread > 0, spread, np.inf)[:, None]
        worst = (observed - mean) / spread
        as_bad = int(np.count_nonzero(((values - mean) / spread).max(axis=0) >= worst.max()))
        return FitTest((1 + as_bad) / (1 + FIT_DRAWS), int(np.argmax(worst)))

    def _shrunk(self, g: FloatArray) -> FloatArray:
        """Return the spline with less noise where atoms have levels of their own.

        Beside levels the spline is of the other rows alone, and its noise would pass for error: it is drawn towards the
        scores by the share of its squared distance that calibrated scores would have.
        """
        entries = self.entries
        atoms = Atoms.of_entries(entries)
        if len(atoms) == 0 or atoms.rest.all():
            return g
        p, w = entries.group_p[atoms.rest], entries.group_w[atoms.rest]
        squares = float(w @ (g[entries.first][atoms.rest] - p) ** 2)
        if not squares > 0:
            return g
        noise = []
        for block in self.redraws.blocks(SHRINK_DRAWS):
            (labels,) = self.redraws.draw([entries.p], block, (self.seed, SHRINK))
            with without_warnings():
                refitted = read_family(SCORES).fit_many(entries, labels).at()[atoms.rest]
            noise.append(w @ (refitted - p[:, None]) ** 2)
        share = np.sqrt(max(0.0, 1.0 - float(np.concatenate(noise).mean()) / squares))
        rest = atoms.rest[entries.group]
        return np.where(rest, entries.p + share * (g - entries.p), g)


def fitted(family: str | Family, redraws: Redraws) -> FloatArray:
    """Return a family's map of the real labels at the points, within [0, 1]."""
    sample = redraws.observed_sample()
    with without_warnings():
        g = fit_map_to(sample, family).evaluate(redraws.points)
    return np.asarray(np.clip(g, 0.0, 1.0))


def _clear(h: FloatArray, noise: FloatArray) -> BoolArray:
    return np.asarray((h != 0.0) & (h**2 > CLEAR**2 * noise))


@dataclass(frozen=True)
class _LocalError(Measure):
    """The signed root of the pair statistic at one scale, which is inverted for an error under a norm."""

    norm: Norm
    scale: int

    @property
    def squared(self) -> bool:
        """Whether the error is a square, as the statistic itself is then."""
        return self.norm.name == "squared"

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the value of a sample."""
        return Estimate.of(self, sample, float(self._values(*Entries.labelled(sample))[0]))

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the values for several labellings."""
        return self._values(redraws.entries, labels)  # type: ignore[attr-defined]

    def _values(self, entries: Entries, positives: IntArray) -> FloatArray:
        pairs = EntryPairs.of(entries)
        values = pairs.windows.statistic(pairs.of_units(positives), pairs.p, self.scale)
        return values if self.squared else signed_root(values)

    def target(self, sample: ScoreSample, c: FloatArray) -> float | None:
        """Return the norm of c - p."""
        return self.norm(np.abs(c - sample.p), sample.w)


@dataclass(frozen=True, eq=False)
class _RedrawnPairs(Redrawn):
    """The pair statistic under redrawn labels, whose root is a root mean square whatever norm the error has."""

    def _scale(self, g: FloatArray, observed: float, at_calibration: FloatArray, whole_way: float) -> float:  # noqa: ARG002
        """Return the unit of the errors of the chain."""
        entries = self.redraws.entries  # type: ignore[attr-defined]
        w, p = entries.w, entries.p
        root = float(np.sqrt(w @ (g - p) ** 2 / w.sum()))
        return max(observed / root, 1.0) * whole_way if root > 0 else 0.0
