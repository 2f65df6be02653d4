"""The test of calibration that the verdict rests on: four fixed statistics with one p-value.

A spline sees smooth errors best, an isotonic map jumps, the pair statistic errors of any shape that persist over some
rows, and the line in logits scores that are shifted or too extreme. All are computed for the same redrawn labels of
calibrated scores, so that the largest of them, each in standard deviations of its own null, has a null of its own.
Whatever families are listed beside them changes nothing.

A verdict must not hang on the seed. The folds of the spline are the same whatever the seed is, and while the draws do
not tell the p-value from the limit that decides, more labels are drawn, by numbers that do not depend on the seed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fitontest.data.redraws import NULL, Labels, Redraws
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.line_statistic import LineStatistic
from fitontest.measures.measure import Measure
from fitontest.measures.pairs import PairStatistic
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.significance.drawn_p_value import DrawnPValue
from fitontest.numerics.threads import one_blas_thread
from fitontest.results.typing import FloatArray
from fitontest.uncertainty.certain_scores import certain_scores
from fitontest.uncertainty.chain import Redrawn
from fitontest.uncertainty.dependence import score_redraws

FAMILIES = ("spline", "isotonic")
PAIRS, LINE = "pairs", "line"
UNLIKELY = 0.05
FEWEST_DRAWS = 39  # of which the smallest p-value is well below that
MOST_DRAWS = 3200  # beyond which a p-value is near enough to what it would be of any number of draws
SEED = 0  # of the folds, and of the labels that are drawn on
ROUNDING = 1e-12  # relative difference of values that are the same


@dataclass(frozen=True, eq=False)
class JointTest:
    """Test of calibration: whether calibrated scores could look as these do.

    It joins the errors under a spline and an isotonic map, the pair statistic and that of a line in logits.

    Attributes
    ----------
    nulls : dict of IfCalibrated
        By the names "spline", "isotonic", "pairs" and "line", all of the same redrawn labels.
    impossible : bool
        Whether a label contradicts a score of exactly 0 or 1.

    Notes
    -----
    The statistic is the largest of (T - m) / s over the four, with m and s the mean and the standard deviation of T
    over the redrawn labels; its p-value is its rank among those of the redrawn labels. No correction for four tests is
    needed. A positive row with a score of 0, or a negative one with a score of 1, is impossible if the scores are
    calibrated: then the p-value is the smallest, unless the scores lie on a grid, as rounded ones do, and rounding to 0
    or 1 could have brought it about (`CertainScores.beyond_rounding`).

    While the 99 % interval of the p-value holds .05, the number of draws is doubled, up to 3,200: of calibrated scores
    in one set of twelve. The first draws are by the seed, the others the same for every seed, and so are the folds.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> from fitontest.uncertainty.joint import joint_test
    >>> rng = np.random.default_rng(3)
    >>> p = rng.random(2000)
    >>> test = joint_test(fot.ScoreSample(rng.random(2000) < p + 0.4 * p * (1 - p) * np.sin(16 * np.pi * p), p), 99)
    >>> test.p_value <= 0.05 < test.p_values["spline"], test.smallest
    (True, 0.01)
    """

    nulls: Mapping[str, IfCalibrated]
    impossible: bool = False

    @property
    def p_values(self) -> dict[str, float]:
        """The p-value of each statistic by itself."""
        return {name: null.p_value for name, null in self.nulls.items()}

    @property
    def p_value(self) -> float:
        """How often the largest of the statistics would be as large if the scores were calibrated."""
        return self.smallest if self.impossible else self.drawn.value

    @property
    def drawn(self) -> DrawnPValue:
        """The p-value of the draws, whether or not a label is impossible."""
        observed, drawn = zip(*(self._standardised(null) for null in self.nulls.values()), strict=True)
        return DrawnPValue(int(np.count_nonzero(np.max(drawn, axis=0) >= max(observed))), self.draws)

    def leaves_open(self, alarms: float) -> bool:
        """Return whether the draws do not tell on which side of a share of false alarms the p-value lies.

        Parameters
        ----------
        alarms : float
            That the p-value is compared with.
        """
        return not self.impossible and self.drawn.leaves_open(alarms)

    @property
    def shown(self) -> bool:
        """Whether miscalibration is shown: a p-value of at most .05."""
        return self.p_value <= UNLIKELY

    @property
    def draws(self) -> int:
        """How often labels were simulated."""
        return next(iter(self.nulls.values())).values.size

    @property
    def smallest(self) -> float:
        """The smallest p-value that so many simulations can give."""
        return 1.0 / (1 + self.draws)

    @staticmethod
    def _standardised(null: IfCalibrated) -> tuple[float, FloatArray]:
        """Return (T - m) / s of the real labels and of the redrawn ones; 0 where T does not vary."""
        rounding = ROUNDING * max(abs(null.observed), float(np.abs(null.values).max()))
        spread = null.sd if null.values.size > 1 else 0.0
        if spread <= 10.0 * rounding:
            above = null.observed - null.mean > 10.0 * rounding
            return (np.inf if above else 0.0), np.zeros(null.values.size)
        return (null.observed - null.mean) / spread, (null.values - null.mean + rounding) / spread

    def to_dict(self) -> dict[str, Any]:
        """Return the p-values as JSON-ready values."""
        return {"p_value": self.p_value, "p_values": self.p_values, "draws": self.draws, "smallest": self.smallest}


def joint_test(
    sample: ScoreSample, draws: int, seed: int = 0, known: Iterable[Estimate] = (), alarms: float = UNLIKELY
) -> JointTest:
    """Return the joint test of a sample.

    Parameters
    ----------
    sample : ScoreSample
    draws : int
        How often labels are redrawn from the scores, at least; 39 are the fewest that can show anything at .05.
    seed : int, default=0
        Of these labels.
    known : iterable of Estimate, optional
        Estimates of the sample, whose nulls are of these labels: they are not drawn again.
    alarms : float, default=.05
        What the p-value will be compared with.
    """
    draws = max(draws, FEWEST_DRAWS)
    key = f"joint test {draws} {seed} {alarms}"
    if key not in sample.memory:
        at_hand = {_settings(one.measure): one.null for one in known if one.null is not None}
        measures, redraws = _measures(), score_redraws(sample)
        impossible = any(kind.beyond_rounding for kind in certain_scores(sample))
        with one_blas_thread():
            test = JointTest(
                {name: _null(measure, redraws, draws, seed, at_hand) for name, measure in measures.items()}, impossible
            )
            while test.draws < MOST_DRAWS and test.leaves_open(alarms):
                test = _drawn_on(test, [*measures.values()], redraws)
        sample.memory[key] = test
    known_test: JointTest = sample.memory[key]
    return known_test


def _measures() -> dict[str, Measure]:
    fitted: dict[str, Measure] = {family: PlugIn(family).seeded(SEED) for family in FAMILIES}
    return {**fitted, PAIRS: PairStatistic(), LINE: LineStatistic()}


def _null(
    measure: Measure, redraws: Redraws, draws: int, seed: int, known: Mapping[str, IfCalibrated | None]
) -> IfCalibrated:
    null = known.get(_settings(measure))
    if null is not None and null.values.size == draws:
        return null
    return Redrawn(measure, redraws, seed).compare_with_calibrated(draws)


def _drawn_on(test: JointTest, measures: Sequence[Measure], redraws: Redraws) -> JointTest:
    """Return the test of twice as many draws, `MOST_DRAWS` at most."""
    draws = range(test.draws, min(2 * test.draws, MOST_DRAWS))
    (values,) = redraws.values(_Statistics(tuple(measures)), [redraws.points], draws, (SEED, NULL))
    nulls = {
        name: replace(null, values=np.append(null.values, more))
        for (name, null), more in zip(test.nulls.items(), values.T, strict=True)
    }
    return replace(test, nulls=nulls)


@dataclass(frozen=True, eq=False)
class _Statistics:
    """Several measures of the same labels, whose values are the columns of an array."""

    measures: tuple[Measure, ...]

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the values of each measure, shape (B, M)."""
        return np.stack([measure.values(redraws, labels) for measure in self.measures], axis=1)

    def estimate(self, sample: Any) -> Any:
        """Return the estimate of the first."""
        return self.measures[0].estimate(sample)


def _settings(measure: Measure) -> str:
    """Return what tells measures of other values apart."""
    settings = (getattr(measure, name, None) for name in ("family", "total", "debias"))
    return " ".join(map(str, (type(measure).__name__, *settings)))
