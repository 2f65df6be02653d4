"""The direction in which truths lie, chosen so that it fits: a spline, else an isotonic map, else levels of near rows.

An interval of the true error holds for the truths of its chain. If the map is rougher than a spline can follow, in
waves or with an error of its own for each value, truths on the way to a spline know nothing of most of the error, and
the interval lies below it. Whether a map g fits is tested by the pair statistic of the labels less g
(`fitontest.measures.pair_windows`), with g refitted to each labelling drawn from it. Where it does not, the next rung
of the ladder is taken, unless the interval would stay where it is: of many rows the test sees what no interval does.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.error_limits import ErrorLimits
from fitontest.measures.interval import Roughness
from fitontest.measures.pairs import EntryPairs
from fitontest.measures.plug_in import SCORES, PlugIn
from fitontest.numerics.distances import farthest
from fitontest.numerics.norms import L1, Norm, is_order_statistic
from fitontest.results.typing import FloatArray
from fitontest.uncertainty.beside_atoms import direction_beside_atoms
from fitontest.uncertainty.chain import DRAWS, DebiasedInterval, Redrawn
from fitontest.uncertainty.dependence import score_redraws
from fitontest.uncertainty.goodness_of_fit import LEVEL, FitTest, fit_at_entries, run_fit_test
from fitontest.uncertainty.levels import Levels
from fitontest.uncertainty.local_error import LocalError, RedrawnPairs

Rung: TypeAlias = Literal["spline", "isotonic", "levels"]

LIMITS = 5  # the stream of random numbers of the limits of rows that belong together
LIMIT_DRAWS = 100  # labellings that tell how much a statistic varies there
MOVED = 0.1  # of the width of the interval of the spline, by which that of another rung has to differ
FINE = 100  # parts of the rows that the limit of the interval of levels tells apart


def ladder_key(seed: int) -> str:
    """Return under which key samples remember their ladder."""
    return f"ladder {seed}"


@dataclass(frozen=True, eq=False)
class Ladder:
    """The direction of the truths of one sample, and the interval of the error where a spline is not enough.

    Parameters
    ----------
    redraws : ScoreRedraws
    seed : int
    intervals : dict
        What was computed already, by rung, norm, draws and level.
    """

    redraws: ScoreRedraws
    seed: int
    intervals: dict[tuple[Rung, Norm, int, float], DebiasedInterval | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, sample: ScoreSample, seed: int) -> "Ladder":
        """Return the ladder of a sample, which remembers it for the next measure."""
        key = ladder_key(seed)
        if key not in sample.memory:
            sample.memory[key] = cls(score_redraws(sample), seed)
        ladder: Ladder = sample.memory[key]
        return ladder

    @property
    def is_climbed(self) -> bool:
        """Whether the rung was found already."""
        return "rung" in self.__dict__

    @property
    def entries(self) -> Entries:
        """The scores."""
        return self.redraws.entries

    @cached_property
    def pairs(self) -> EntryPairs:
        """The pair statistic of the scores, whose windows are of rows."""
        return EntryPairs.of(self.entries)

    @cached_property
    def pairs_by_events(self) -> EntryPairs:
        """The pair statistic whose windows hold as many events each: that of the levels and of the fit tests."""
        return EntryPairs.by_events(self.entries, (self.smooth + self.entries.p) / 2.0)

    @cached_property
    def smooth(self) -> FloatArray:
        """The spline at the entries."""
        return fit_at_entries(SCORES, self.redraws)

    @cached_property
    def smooth_fit(self) -> FitTest | None:
        """Whether the spline fits; None where there are too few rows or scores to ask."""
        return run_fit_test(SCORES, self.smooth, self.pairs_by_events, self.redraws, self.seed)

    @cached_property
    def isotonic(self) -> FloatArray:
        """The isotonic map at the entries."""
        return fit_at_entries("isotonic", self.redraws)

    @cached_property
    def rung(self) -> Rung:
        """The first of spline, isotonic map and levels that fits; nothing is asked of levels.

        It is the spline, too, where the interval of the other one has its ends at the same places.
        """
        if self.smooth_fit is None or self.smooth_fit.p_value > LEVEL:
            return "spline"
        isotonic_fit = run_fit_test("isotonic", self.isotonic, self.pairs_by_events, self.redraws, self.seed)
        rung: Rung = "isotonic" if isotonic_fit is not None and isotonic_fit.p_value > LEVEL else "levels"
        return rung if self._moves_ends(rung) else "spline"

    def _moves_ends(self, rung: Rung) -> bool:
        """Return whether the interval of another rung has an end elsewhere than that of the spline."""
        spline, other = (self._interval(each, L1, DRAWS, 1.0 - LEVEL) for each in ("spline", rung))
        if spline is None or other is None:
            return True
        least = MOVED * (spline.high - spline.low)
        return abs(other.low - spline.low) > least or abs(other.high - spline.high) > least

    @cached_property
    def roughness(self) -> Roughness | None:
        """What is rougher than a spline can follow, or None."""
        if self.rung == "spline" or self.smooth_fit is None:
            return None
        near = self.pairs_by_events.near_rows(self.levels.scale)
        if self.rung == "isotonic":
            return Roughness(self.smooth_fit.p_value, self.rung, near)
        levels = self.levels
        return Roughness(self.smooth_fit.p_value, self.rung, near, levels.few_rows, levels.are_of_single_groups)

    @cached_property
    def levels(self) -> Levels:
        """The means of neighbouring rows, where the spline was tested."""
        assert self.smooth_fit is not None
        return Levels.of(self.redraws, self.smooth, self.pairs_by_events, self.smooth_fit.scale)

    @cached_property
    def direction(self) -> FloatArray:
        """What truths go towards, at the entries: the map of the rung, shrunk and moved where it has to be."""
        return self._towards(self.rung)

    def _towards(self, rung: Rung) -> FloatArray:
        if rung != "spline":
            return self.isotonic if rung == "isotonic" else self.levels.at_entries
        if self.redraws.is_dependent:
            return self.redraws.moved(self.smooth)  # shrunk by the noise of groups hardly more than atoms would be left
        return self.redraws.moved(direction_beside_atoms(self.smooth, self.redraws, self.seed))

    @property
    def limits(self) -> ErrorLimits:
        """The squares of the error at each scale, with their spread under the direction."""
        return self._limits(self.rung)

    def _limits(self, rung: Rung) -> ErrorLimits:
        if rung not in self._known_limits:
            self._known_limits[rung] = self._find_limits(self._towards(rung))
        return self._known_limits[rung]

    @cached_property
    def _known_limits(self) -> dict[Rung, ErrorLimits]:
        return {}

    def _find_limits(self, direction: FloatArray) -> ErrorLimits:
        labels, pairs = self.pairs.of_units(self.redraws.observed[1]), self.pairs
        c, p, w = pairs.from_entries(direction), self.entries.p, self.entries.w
        squares = pairs.windows.statistics(labels, pairs.p)[:, 0]
        if self.redraws.is_dependent:
            excess, spreads = self._under_dependence(direction)
            squares = squares - excess
        else:
            spreads = pairs.windows.deviations(c, c - pairs.p)
        return ErrorLimits(
            reach=tuple(pairs.windows.scales.tolist()),
            squares=tuple(squares.tolist()),
            spreads=tuple(np.where(pairs.windows.paired, spreads, np.inf).tolist()),
            rows=pairs.windows.rows,
            largest=float(np.sqrt(w @ (farthest(p) - p) ** 2 / w.sum())),
            degrees=self.redraws.degrees,
        )

    def _under_dependence(self, direction: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return at each scale what pairs of one group add to the statistic on average, and its standard deviation."""
        pairs, drawn = self.pairs, []
        for block in self.redraws.blocks(LIMIT_DRAWS):
            (labels,) = self.redraws.draw([direction], block, (self.seed, LIMITS))
            drawn.append(pairs.windows.statistics(pairs.of_units(labels), pairs.p))
        values, d = np.concatenate(drawn, axis=1), pairs.from_entries(direction) - pairs.p
        return values.mean(axis=1) - pairs.windows.means(d), values.std(axis=1, ddof=1)

    def interval(self, norm: Norm, draws: int, level: float) -> DebiasedInterval | None:
        """Return debiased error and interval of the rung, or None where labels do not vary.

        They are the same for all families of a table, and computed once.
        """
        return self._interval(self.rung, norm, draws, level)

    def _interval(self, rung: Rung, norm: Norm, draws: int, level: float) -> DebiasedInterval | None:
        key = rung, norm, draws, level
        if key not in self.intervals:
            self.intervals[key] = self._invert(rung, norm, draws, level)
        return self.intervals[key]

    def _invert(self, rung: Rung, norm: Norm, draws: int, level: float) -> DebiasedInterval | None:
        if rung == SCORES:
            return Redrawn(PlugIn(norm=norm), self.redraws, self.seed).chain(self._towards(rung), draws, level)
        error = LocalError(norm, self.levels.scale, self.pairs_by_events, self.levels.few_rows is not None)
        levels = RedrawnPairs(error, self.redraws, self.seed).chain(self.levels.at_entries, draws, level)
        if rung == "levels":
            return self._capped(levels, self._limits(rung), norm, level)
        isotonic = Redrawn(PlugIn("isotonic", norm=norm), self.redraws, self.seed).chain(self.isotonic, draws, level)
        if isotonic is not None and levels is not None:
            # the fit test of isotonic maps is weak, so that its interval alone would be too sure of jumps
            low, high = min(isotonic.low, levels.low), max(isotonic.high, levels.high)
            isotonic = DebiasedInterval(isotonic.value, low, high, misread=False)
        return self._capped(isotonic or levels, self._limits(rung), norm, level)

    @staticmethod
    def _capped(
        found: DebiasedInterval | None, limits: ErrorLimits, norm: Norm, level: float
    ) -> DebiasedInterval | None:
        """Return value and ends no larger than the limit at a fine resolution, which holds whatever the direction is.

        Levels of wide windows may be of noise alone, along which a small statistic stands for a large error. Where even
        the low end is above the limit, rows are not independent, and neither is to be trusted: nothing is cut off.
        """
        if found is None or is_order_statistic(norm):  # which may be larger than the root mean square
            return found
        limit = limits.at(FINE, (1.0 + level) / 2.0).value
        most = limit**2 if norm.name == "squared" else limit
        if most <= found.low:
            return found
        return DebiasedInterval(min(found.value, most), found.low, min(found.high, most), found.misread)
