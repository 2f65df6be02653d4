"""A verdict in words: whether rows show miscalibration, of which size and direction, and what they cannot rule out."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from fitontest.data.known_groups import rows_in_words
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.error_limits import RESOLUTION, ErrorLimit
from fitontest.measures.estimate import Estimate
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.interval import ErrorInterval
from fitontest.measures.plug_in import PlugIn
from fitontest.results.exceptions import without_warnings
from fitontest.results.quoting import in_decimals
from fitontest.results.text import capital, percent, sentence, short
from fitontest.uncertainty.agreement import agreement_of
from fitontest.uncertainty.intervals import with_interval
from fitontest.uncertainty.joint import FEWEST_DRAWS, UNLIKELY, JointTest, joint_test
from fitontest.uncertainty.resampled import ask_if_resampled
from fitontest.uncertainty.sizes import Sizes, sizes_of
from fitontest.uncertainty.tendency import TOO_HIGH, TOO_LOW, Tendency
from fitontest.uncertainty.tolerance import DEFAULT_TOLERANCE, Tolerance
from fitontest.uncertainty.wrong_part import WrongPart

FAMILY = "spline"  # whose error is quoted
NOT_SHOWN = "No miscalibration shown"
CLOSE = "Close to calibrated on the whole"
SHOWS_LITTLE = 10.0  # times the tolerated error, beyond which an upper limit says little
CERTAIN_WRONG = "Scores of exactly 0 or 1 are wrong"
NO_DIRECTION = "Miscalibrated, in no single direction"


@dataclass(frozen=True)
class Verdict:
    """What the data say about the calibration of the scores, in a headline and a few sentences.

    It rests on fixed statistics, whichever families are listed beside it.

    Attributes
    ----------
    estimate : Estimate
        The error (l1) under a spline, with its interval; where the map is rougher than a spline can follow, that of an
        isotonic map or of neighbouring rows.
    test : JointTest
        Whether calibrated scores could look so: the joint p-value of spline, isotonic map and pair statistic.
    sizes : Sizes
        O:E, slope, error and wrong parts, held against a tolerance.
    others : tuple of str
        Sentences on the other families that were measured.
    question : str
        What may have made the scores wrong, where that is shown and they are wrong by one factor of their odds; or "".

    Notes
    -----
    "Close to calibrated on the whole": the intervals of O:E of the rarer label and of the slope lie within the
    tolerance, the upper limit of the error is at most what it allows (`Tolerance.most_error`), there are at least 20
    events and 20 non-events, and no part of the simultaneous band with at least .5 % of the rows lies wholly farther
    than .05 from the diagonal. Scores are never called calibrated without such words.

    Else miscalibration is shown where the joint p-value is at most .05, or where such a part is found. A direction is
    named only then, and only where its own interval leaves out the ideal and reaches beyond the tolerance, the largest
    first. The last sentences say which errors these rows cannot rule out, the interval's those that a smooth map can
    follow, and the limit (`Estimate.limit`) all that persist over a share of the rows.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> verdict = fot.evaluate(rng.random(2000) < 0.25 + p / 2, p, families=["platt"]).verdict
    >>> verdict.headline, verdict.shown, verdict.p_value <= 0.005
    ('Overconfident', True, True)
    """

    estimate: Estimate
    test: JointTest
    sizes: Sizes
    others: tuple[str, ...] = ()
    question: str = ""

    @property
    def family(self) -> str:
        """The family of calibration maps whose error is quoted."""
        return FAMILY

    @property
    def p_value(self) -> float:
        """How often calibrated scores would look as bad, by the worst of four test statistics."""
        return self.test.p_value

    @property
    def p_values(self) -> dict[str, float]:
        """The p-value of each statistic by itself."""
        return self.test.p_values

    @property
    def tendency(self) -> Tendency:
        """In which direction the scores are wrong: the slope of Platt scaling and the difference of the means."""
        return self.sizes.tendency

    @property
    def shown(self) -> bool:
        """Whether miscalibration is shown: a joint p-value of at most .05, or a part that is surely wrong."""
        return self.test.shown or bool(self.sizes.parts)

    @property
    def close(self) -> bool:
        """Whether the scores are close to calibrated: what is wrong with them, if anything, is within the tolerance."""
        return self.sizes.is_close

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        if self.close:
            return CLOSE
        if not self.shown:
            return NOT_SHOWN
        words = [*self.directions, *([] if self._part is None else [f"wrong at {self._part.where}"])]
        return capital(", and ".join(words)) if words else CERTAIN_WRONG if self.test.impossible else NO_DIRECTION

    @property
    def directions(self) -> list[str]:
        """In which directions the scores are wrong, the largest first, where miscalibration is shown."""
        return self.sizes.words if self.test.shown and not self.close else []

    @property
    def _part(self) -> WrongPart | None:
        """The worst part that is surely wrong, unless the directions explain it."""
        parts = (part for part in self.sizes.parts if not (self.directions and part.by_line))
        return next(parts, None)

    @property
    def opening(self) -> str:
        """The verdict with the size that matters most, which a single line has room for, without a full stop."""
        if self.close:
            return f"{CLOSE}: {self.sizes.within}"
        if not self.shown:
            rows = rows_in_words(self.estimate.n, self.estimate.groups)
            return f"{NOT_SHOWN}, but {rows} can show little" if self._shows_little else NOT_SHOWN
        words, sizes = ", and ".join(self.directions), self._size_of_level
        if not self.directions and self._part is None:
            return self.headline
        named = f"{words}: {sizes}" if sizes else words
        return capital("; ".join(filter(None, (named, "" if self._part is None else str(self._part)))))

    @property
    def _size_of_level(self) -> str:
        """How many events there are against those predicted, where nothing else is wrong; else lines below have it."""
        alone = self.directions[0] if len(self.directions) == 1 else ""
        return self.sizes.of_word(alone) if alone in (TOO_HIGH, TOO_LOW) else ""

    @property
    def decision(self) -> str:
        """Whether calibration is rejected, with the joint p-value, and whether its draws tell it from .05."""
        is_or_not = "is" if self.shown else "is not"
        p = f"= {short(self.p_value, 2)}"
        if self.p_value < 1.5 * self.test.smallest:  # no draw looked as bad
            p = f"<= {self.p_value:.2g}"
        if self.test.leaves_open(UNLIKELY):
            p += f", too near {UNLIKELY} to tell from {self.test.draws:,} draws"
        return f"calibration {is_or_not} rejected (p {p})"

    @property
    def size(self) -> str:
        """The error with its interval."""
        return self.estimate.in_words

    @property
    def reasons(self) -> list[str]:
        """Sentences with the numbers behind the headline."""
        of = " of the confidences" if self.estimate.base_rate_name == "accuracy" else ""
        rough = self.interval.roughness
        note = [] if rough is None else [sentence(rough.in_words())]
        tendency = [self.tendency.slope_in_words, self.tendency.residual_in_words]
        return [
            f"{capital(self.decision)}; calibration error{of} {self.size}.",
            self.each_p_value,
            *self.beside_interval,
            *note,
            *[sentence(text) for text in tendency if text],
            *self.tendency.certain_words,
            *self.causes,
            *self.others,
            *self.not_ruled_out,
        ]

    @property
    def high(self) -> float:
        """The largest error that the interval leaves open."""
        return self.interval.high

    @property
    def interval(self) -> ErrorInterval:
        """The confidence interval of the calibration error."""
        assert self.estimate.interval is not None  # without one there is no verdict
        return self.estimate.interval

    @property
    def limit(self) -> ErrorLimit:
        """The largest calibration error that cannot be ruled out at this number of rows.

        It is that of errors which persist over a fortieth of the rows, or nearly.
        """
        return self.estimate.limit_at(RESOLUTION)

    @property
    def causes(self) -> list[str]:
        """What may have made the scores wrong, where something tells it: a sentence, or none."""
        return [self.question] if self.question else []

    @property
    def each_p_value(self) -> str:
        """The p-values of the four statistics by themselves, in a sentence."""
        each = ", ".join(f"{name} {short(value, 2)}" for name, value in self.p_values.items())
        impossible = "; labels of certain scores are impossible" if self.test.impossible else ""
        return f"P-value of each statistic by itself: {each}{impossible}."

    @property
    def beside_interval(self) -> list[str]:
        """Where the intervals, of the size or of the direction, and the test seem to say different things."""
        if self.shown and self.interval.low <= 0.0:
            return ["That there is an error is surer than its size: the interval by itself would not leave out 0."]
        if self.shown:
            return []
        texts = []
        if self.interval.low > 0.0:
            texts.append("The interval by itself leaves out 0; the statistics together are not clear of chance.")
        by_source = self.tendency.words_by_source
        if by_source:
            itself, says = ("itself the", "says") if len(by_source) == 1 else ("themselves", "say")
            words = ", ".join(by_source.values())
            texts.append(
                f"By {itself} {' and '.join(by_source)} {says}: {words}; the statistics together do not show it."
            )
        return texts

    @property
    def not_ruled_out(self) -> list[str]:
        """Which errors cannot be ruled out, a sentence; where nothing is shown also with how many rows they could."""
        limit, residual = self.limit, self.tendency.residual_interval
        of_means = 0.0 if residual is None else max(abs(residual.low), abs(residual.high))  # no error is smaller
        high, most = self.interval.high, max(limit.value, of_means)
        estimate = self.estimate
        likely, upper, largest = in_decimals([(estimate.quoted + high) / 2.0, high, most])
        rough = f"of any shape that persists over {percent(limit.share)} of the rows, up to {largest}"
        if self.shown:
            return [f"Errors {rough} cannot be ruled out."]
        text = f"Errors up to {upper} cannot be ruled out"
        if most > high:
            text += f" ({rough})"
        if self._shrinks:
            text += f"; with {rows_in_words(4 * estimate.n, estimate.groups)} about {likely} could"
        return [f"{text}."]

    @property
    def _shows_little(self) -> bool:
        """Whether the rows are too few to show an error that matters."""
        return self.sizes.has_few or self.interval.high > SHOWS_LITTLE * self.sizes.tolerance.error

    @property
    def left_open(self) -> list[str]:
        """Which errors cannot be ruled out, in a line, where nothing is shown; of few rows how many would tell."""
        if self.shown or self.close:
            return []
        high, estimate = self.interval.high, self.estimate
        if not self._shows_little or not self._shrinks:
            return [f"Errors up to {in_decimals([high])[0]} cannot be ruled out."]
        (likely,) = in_decimals([(estimate.quoted + high) / 2.0])
        return [f"With {rows_in_words(4 * estimate.n, estimate.groups)} errors above about {likely} would show."]

    @property
    def _shrinks(self) -> bool:
        """Whether the interval shrinks as one over the root of the rows."""
        return self.interval.roughness is None and self.estimate.weighting is None

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON-ready values."""
        rough = self.interval.roughness
        return {
            "headline": self.headline,
            "miscalibration_shown": self.shown,
            **self.test.to_dict(),
            **self.sizes.to_dict(),
            "family": self.family,
            "debiased": self.estimate.debiased,
            "interval": self.interval.to_dict(),
            "limit": self.limit.to_dict(),
            "rougher_than_a_spline": None if rough is None else rough.in_words(),
            "tendency": self.tendency.to_dict(),
            "text": str(self),
        }

    @property
    def sentences(self) -> list[str]:
        """The verdict with the numbers behind it, a sentence each."""
        return [f"{self.opening}.", *self.reasons]

    def __str__(self) -> str:
        return " ".join(self.sentences)


def verdict_of(
    named: Iterable[tuple[str, Estimate]],
    sample: ScoreSample,
    of: int = 1,
    tolerance: Tolerance = DEFAULT_TOLERANCE,
) -> Verdict | None:
    """Return the verdict on a sample, or None where no family of those measured has an interval and a null.

    What has been measured already is not measured again. `of` is the number of verdicts for which the p-value will be
    adjusted: labels are drawn so often that the smallest one can then still show something.
    """
    able = {
        name: one
        for name, one in named
        if one.measure.is_family_error and one.null is not None and one.interval is not None
    }
    if not able:
        return None
    first = next(iter(able.values()))
    estimate = next((one for one in able.values() if _is_quoted(one)), None) or _quoted(first, sample)
    if estimate.interval is None or estimate.null is None:
        return None
    draws = estimate.null.values.size if of == 1 else max(estimate.null.values.size, (FEWEST_DRAWS + 1) * of)
    test = joint_test(sample, draws, estimate.interval.seed, [estimate, *able.values()], UNLIKELY / of)
    sizes = sizes_of(estimate, sample, tolerance)
    question = ask_if_resampled(sample, sizes.tendency) if test.shown else ""
    return Verdict(estimate, test, sizes, tuple(_of_others(able, estimate, test)), question)


def _is_quoted(estimate: Estimate) -> bool:
    """Return whether an estimate is what a verdict quotes: of a spline with its default settings, under l1."""
    (interval, _), measure = _interval_and_null(estimate), estimate.measure
    quoted = PlugIn(FAMILY).seeded(interval.seed)
    settings = str(measure.family), measure.total  # type: ignore[attr-defined]
    return settings == (str(quoted.family), quoted.total) and interval.target == "true error"


def _quoted(beside: Estimate, sample: ScoreSample) -> Estimate:
    """Return the estimate that is quoted beside another, from as many draws."""
    interval, null = _interval_and_null(beside)
    with without_warnings():
        estimate = PlugIn(FAMILY).seeded(interval.seed).estimate(sample)
        draws = {"draws": interval.draws, "null_draws": null.values.size, "random_state": interval.seed}
        estimate = with_interval(estimate, sample, interval.level, **draws)  # type: ignore[arg-type]
    return replace(estimate, reduction=beside.reduction)


def _of_others(able: dict[str, Estimate], quoted: Estimate, test: JointTest) -> list[str]:
    """Return sentences on families that seem to say something else than the verdict."""
    agreement, small = agreement_of(able.items(), quoted), []
    texts = [str(agreement)] if agreement.apart else []
    for name, one in able.items():
        _, null = _interval_and_null(one)
        if null.p_value <= UNLIKELY and name not in test.nulls:
            small.append(f"{name} {short(null.p_value, 2)}")
    if small and not test.shown:
        several = "" if len(small) == 1 else ": of several families the smallest is small more often than it says"
        texts.append(f"By themselves other families have smaller p-values ({', '.join(small)}){several}.")
    return texts


def _interval_and_null(estimate: Estimate) -> tuple[ErrorInterval, IfCalibrated]:
    """Return both, which an estimate behind a verdict has."""
    assert estimate.interval is not None
    assert estimate.null is not None
    return estimate.interval, estimate.null
