"""The error of a map at the rows that it was fitted to: how far it is from the true one, which nobody has seen.

With c the map of all rows and m the true one, the error is E = mean |c(p) - m(p)|. Held-out predictions do not tell it:
they are those of several maps, which make several neighbouring scores of one score, in an order that is chance. Nor do
the rows themselves, whose labels c has followed. Truths are therefore taken on the way from c to a flexible map of the
labels, and beyond; from each of them labels are redrawn, to which the family *and* a second, evaluating family are
fitted again. Of every redrawn set both are known: the error of its map, and the distance T of its two maps. Along the
truths T grows, with the same random numbers. Where T is that of the real labels, the set looks as the real one does,
and the error of its map is one that the real map may have. Of the errors that are found in this way the median is the
estimate, and their mean and their spread give the interval. As long as T is ordinary where c is the truth, the low end
reaches down to that of the errors found there.

The error of a map is as random as the labels that it was fitted to. A map that follows the mean label of each score has
T = 0 under all truths, and its error is the noise of these means, which the redrawn labels show.

References
----------
Efron (1983), Estimating the error rate of a prediction rule: improvement on cross-validation, JASA 78(382).
https://doi.org/10.1080/01621459.1983.10477973
Hansen (1999), The grid bootstrap and the autoregressive model, Review of Economics and Statistics 81(4).
https://doi.org/10.1162/003465399558463
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import t as student

from fitontest.data.entries import Entries
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, shares_fits
from fitontest.families.registry import family_name
from fitontest.measures.interval import ErrorInterval
from fitontest.measures.uncertainty import Uncertainty
from fitontest.numerics.threads import one_blas_thread
from fitontest.results.exceptions import without_warnings
from fitontest.results.text import short
from fitontest.results.typing import FloatArray, IntArray
from fitontest.uncertainty.dependence import dependence_of, reason_of_groups, score_redraws
from fitontest.uncertainty.inversion import STEPS
from fitontest.uncertainty.ladder import Ladder

DRAWS = 30  # labellings from each of the truths
SLOW_DRAWS = 20  # from one truth, of a family of which each fit takes its time
ROWS_OF_A_SCORE = 20  # on average, from which the mean labels of the scores are compared with
NEAR = 0.02  # of T: a way that is so short leads to nothing but noise
LEAST_WEIGHT = 0.005  # of a member of a mixture that is refitted
SLOW = "hundreds of refits of {family} take long"
FEWEST = 50  # rows of a class: with some 40 the interval held the error in 73 to 82 % of sets, with 60 in 92 to 100 %
FEW = "only {rows} rows are of the smaller class"
ROUGH = "a spline does not fit (p = {p}), so that the error may be larger"


@dataclass(frozen=True, eq=False)
class Refits:
    """A family fitted again to redrawn labels, a mixture by its members with the weights that it has.

    Parameters
    ----------
    family : Family
        Fitted to the real labels.
    """

    family: Any

    @cached_property
    def members(self) -> list[tuple[float, Family]]:
        """The families that are fitted, each with its weight, or those that stand in for them."""
        parts = [(1.0, self.family)]
        if self.family.mixes:
            weights = (weight if weight >= LEAST_WEIGHT else 0.0 for weight in self.family.weights_)
            parts = [pair for pair in zip(weights, self.family.members_.values(), strict=True) if pair[0] > 0.0]
        total = sum(weight for weight, _ in parts)
        return [(weight / total, member.for_redraws()) for weight, member in parts]

    @property
    def are_quick(self) -> bool:
        """Whether hundreds of labellings are fitted at once."""
        return all(shares_fits(member) for _, member in self.members)

    def at(self, entries: Entries, labels: IntArray) -> FloatArray:
        """Return the maps of several labellings at the distinct scores, shape (G, B)."""
        values = np.zeros((entries.distinct_p.size, labels.shape[1]))
        for weight, member in self.members:
            values += weight * np.clip(member.fit_many(entries, labels).at(), 0.0, 1.0)
        return values


@dataclass(frozen=True, eq=False)
class FittedMap:
    """The map of a family that was fitted to a sample, whose error is asked for.

    Parameters
    ----------
    sample : ScoreSample
    family : Family
        Fitted to the sample.
    evaluator : Family
        What is fitted beside it. Where the scores are few, so that each has many rows, the mean label of each score
        takes its place: it misses no error.
    seed : int
        Of the redrawn labels.
    """

    sample: ScoreSample
    family: Any
    evaluator: Family
    seed: int

    def uncertainty(self, level: float) -> Uncertainty:
        """Return the error and its interval, or why there is none.

        Parameters
        ----------
        level : float in (0, 1)
        """
        dependence = dependence_of(self.sample)
        if reason := reason_of_groups(dependence):
            return Uncertainty(interval_reason=reason, dependence=dependence)
        with one_blas_thread(), without_warnings():  # of the real labels the user has been warned
            if not (self.refits.are_quick and shares_fits(self._beside)):
                slow = SLOW.format(family=family_name(self.family))
                return Uncertainty(debiased=self._corrected(), interval_reason=slow, dependence=dependence)
            found = self._redraw_chain()
        errors = errors_where(*found)
        value, doubt = float(np.median(errors)), self._doubt
        if doubt:
            return Uncertainty(debiased=value, interval_reason=doubt, dependence=dependence)
        t = student.ppf((1.0 + level) / 2.0, min(DRAWS - 1.0, self.redraws.degrees))
        q = float(t * np.sqrt(1.0 + 1.0 / DRAWS))
        low, high = _ends(errors, q)
        observed, seen, of_truths = found
        if observed <= _ends(seen[0], q)[1]:
            low = min(low, _ends(of_truths[0], q)[0])
        low, high = max(0.0, min(low, value)), min(1.0, max(high, value))
        interval = ErrorInterval(low, high, level, target="true error", draws=DRAWS, seed=self.seed)
        return Uncertainty(debiased=value, interval=interval, dependence=dependence)

    @cached_property
    def redraws(self) -> ScoreRedraws:
        """The scores, whose labels are drawn again."""
        return score_redraws(self.sample)

    @cached_property
    def refits(self) -> Refits:
        """The family under redrawn labels."""
        return Refits(self.family)

    @cached_property
    def _beside(self) -> Family:
        """The evaluating family, or what stands in for it."""
        return self.evaluator.for_redraws()

    @cached_property
    def _c_hat(self) -> FloatArray:
        """The map at the distinct scores."""
        return np.asarray(np.clip(self.family.map_.evaluate(self.redraws.entries.distinct_p), 0.0, 1.0))

    @property
    def _scores_are_few(self) -> bool:
        return self.redraws.entries.distinct_p.size * ROWS_OF_A_SCORE <= self.sample.n

    @property
    def _doubt(self) -> str:
        """Why the interval would not hold the error as often as it should, or ""."""
        rows = self.sample.rows
        fewest = int(min(rows.n @ (rows.y > 0), rows.n @ (rows.y <= 0)))
        if fewest < FEWEST:
            return FEW.format(rows=fewest)
        fit = None if self._scores_are_few else self._ladder.smooth_fit
        return "" if fit is None or self._ladder.rung == "spline" else ROUGH.format(p=short(fit.p_value, 2))

    @property
    def _ladder(self) -> Ladder:
        return Ladder.of(self.sample, self.seed)

    def _mean(self, distances: FloatArray) -> FloatArray:
        w = self.redraws.entries.distinct_w
        return np.asarray(w @ distances / w.sum())

    def _seen(self, labels: IntArray, c_hat: FloatArray) -> FloatArray:
        """Return T, the mean distance of maps from what the evaluator makes of the same labels."""
        entries = self.redraws.entries
        if self._scores_are_few:
            g = entries.distinct_wy(labels) / entries.distinct_w[:, None]
        else:
            g = np.clip(self._beside.fit_many(entries, labels).at(), 0.0, 1.0)
        return self._mean(np.abs(g - c_hat))

    def _redrawn(self, truths: Sequence[FloatArray], draws: int, known: int = 0) -> tuple[FloatArray, FloatArray]:
        """Return T and the error of the map of each labelling, both of shape (truths, draws), of all but the known."""
        entries = self.redraws.entries
        seen, errors = (np.empty((len(truths) - known, draws)) for _ in range(2))
        for block in self.redraws.blocks(draws):
            at_entries = [truth[entries.place] for truth in truths]
            labelled = self.redraws.draw(at_entries, block, (self.seed, *self.redraws.chain_stream), known)
            for k, (truth, labels) in enumerate(zip(truths[known:], labelled, strict=True)):
                c_hat, columns = self.refits.at(entries, labels), slice(block.start, block.stop)
                seen[k, columns] = self._seen(labels, c_hat)
                errors[k, columns] = self._mean(np.abs(c_hat - truth[:, None]))
        return seen, errors

    def _observed(self) -> float:
        """Return T of the real labels."""
        return float(self._seen(self.redraws.observed[1], self._c_hat[:, None])[0])

    def _corrected(self) -> float:
        """Return T, and how much more the error is than T where the map is the truth: labels are used twice in T."""
        seen, errors = self._redrawn([self._c_hat], SLOW_DRAWS)
        return max(0.0, self._observed() + float((errors - seen).mean()))

    def _redraw_chain(self) -> tuple[float, FloatArray, FloatArray]:
        """Return T of the real labels, and of labels redrawn from each truth T and the error of the map."""
        c_hat, observed = self._c_hat, self._observed()
        seen, errors = self._redrawn([c_hat], DRAWS)
        g = self._ladder.direction[self.redraws.entries.first]
        way = float(self._mean(np.abs(g - c_hat)))
        scale = max(observed, float(np.median(seen)), way)
        if way <= NEAR * scale:
            return observed, seen, errors
        lengths = [step * scale / way for step in STEPS[1:]]
        truths = [c_hat, *(np.clip(c_hat + length * (g - c_hat), 0.0, 1.0) for length in lengths)]
        others = self._redrawn(truths, DRAWS, known=1)
        seen, errors = (np.concatenate(pair) for pair in zip((seen, errors), others, strict=True))
        return observed, seen, errors


def _ends(values: FloatArray, q: float) -> tuple[float, float]:
    """Return the mean of redrawn values -+ q standard deviations."""
    half = q * float(values.std(ddof=1))
    return float(values.mean()) - half, float(values.mean()) + half


def errors_where(observed: float, seen: FloatArray, errors: FloatArray) -> FloatArray:
    """Return of each column the error at which the values that are seen reach the observed one, as truths go on.

    That is the first one where they are larger from the start, and the last where they do not reach it.

    Parameters
    ----------
    observed : float
    seen, errors : arrays of shape (truths, draws)

    Examples
    --------
    >>> seen, errors = np.array([[0.0, 3.0], [2.0, 4.0]]), np.array([[0.1, 0.1], [0.3, 0.4]])
    >>> errors_where(1.0, seen, errors).round(12)
    array([0.2, 0.1])
    """
    pairs = zip(np.maximum.accumulate(seen).T, errors.T, strict=True)
    return np.array([np.interp(observed, values, of_truths) for values, of_truths in pairs])
