"""How often the intervals by formula of O:E, level, slope, AUC and Brier scores hold the value in the population.

Usage: ``python benchmarks/statistics_coverage.py [--sets 2000] [--only SIZE]``; a size takes two minutes.

Scores are logistic of normal numbers, with the mean logit 0 and the standard deviation 1.5, or of rare events 1 about a
mean that expects 30 positives of 3,000 rows; few rows are 26, and 112 that the scores tell apart (standard deviation
3). Weights are log-normal, so that 400 rows tell as much as 147, 58 or 26 on average, or 30 of one row in twenty and 1
of the others. True maps: the scores themselves; slope .75 in logits; a wave of .6 in the
logits; four stairs. Rows and labels are drawn anew for each set; the value in the population is that of the map at
200,000 quantiles of the scores, each with the share c of a positive and 1 - c of a negative row (for a line, slope and
intercept are those of the largest expected likelihood). "usual" are the intervals that R reports: O:E with the standard
error sqrt((1 - O/n) / O), level and slope with that of glm. Coverage is in percent with its standard error; sets
without a value are left out and counted.
"""

import argparse
from collections.abc import Callable
from zlib import crc32

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, ndtri

import fitontest as fot
from fitontest.results.exceptions import NoValueError
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from report import machine_facts, markdown, tell

SEED = 38_2026
POINTS = 200_000  # of the population
Z = float(ndtri(0.975))
HEAVY_FROM = float(ndtri(0.95))  # the normal number of one row in twenty
HEAVY = -1.0  # in place of a spread: weights of 30 and of 1
MEASURES = (
    "observed_expected",
    "calibration_in_the_large",
    "calibration_slope",
    "calibration_intercept",
    "auc",
    "brier",
    "scaled_brier",
    "net_benefit",
)
SETTINGS = {"net_benefit": {"threshold": 0.3}}
SIZES = {  # rows, mean and s.d. of the logits, expected events, spread of the logarithm of the weights
    "n = 1,000": (1000, 0.0, 1.5, 0.0, 0.0),
    "30 of 3,000": (3000, -5.0, 1.0, 30.0, 0.0),
    "n = 26": (26, 0.0, 1.5, 0.0, 0.0),
    "112 well apart": (112, 1.5, 3.0, 0.0, 0.0),
    "400, weights 1": (400, 0.0, 1.5, 0.0, 1.0),
    "400, weights 1.5": (400, 0.0, 1.5, 0.0, 1.5),
    "400, weights 2": (400, 0.0, 1.5, 0.0, 2.0),
    "400, some 30": (400, 0.0, 1.5, 0.0, HEAVY),
}
HEADER = ("rows", "truth", "measure", "true", "sets", "coverage", "below", "above", "mean width", "usual: coverage")


def stairs(x: np.ndarray) -> np.ndarray:
    """Return four steps of the logit, that of the middle of each."""
    edges = np.array([-1.0, 0.0, 1.0])
    return np.array([-1.5, -0.5, 0.5, 1.5])[np.searchsorted(edges, x)]


TRUTHS: dict[str, Callable[[np.ndarray], np.ndarray]] = {  # of the standardised logit, the true one
    "calibrated": lambda x: x,
    "slope .75": lambda x: 0.75 * x,
    "wave": lambda x: x + 0.6 * np.sin(2.0 * x),
    "stairs": stairs,
}


class Population:
    """Scores and true probabilities of one size and truth."""

    def __init__(self, size: str, truth: str) -> None:
        self.n, mean, spread, events, self.uneven = SIZES[size]
        self.spread, self.truth = spread, truth
        normal = ndtri((np.arange(POINTS) + 0.5) / POINTS)
        self.mean = mean
        if events:
            self.mean = brentq(lambda m: float(self._map(m, normal).mean()) - events / self.n, -9.0, 0.0)
        p, c = expit(self.mean + spread * normal), self._map(self.mean, normal)
        sample = fot.ScoreSample(
            np.repeat([0, 1], POINTS), np.tile(p, 2), np.concatenate((1.0 - c, c)), weights="importances"
        )
        self.true = {name: measure.estimate(sample).value for name, measure in measures().items()}

    def _map(self, mean: float, normal: np.ndarray) -> np.ndarray:
        return expit(mean + self.spread * TRUTHS[self.truth](normal))

    def draw(self, rng: np.random.Generator) -> fot.ScoreSample:
        """Return rows with labels."""
        normal = rng.standard_normal(self.n)
        labels = rng.random(self.n) < self._map(self.mean, normal)
        p = expit(self.mean + self.spread * normal)
        if not self.uneven:
            return fot.ScoreSample(labels, p)
        drawn = rng.standard_normal(self.n)
        heavy = drawn > HEAVY_FROM
        w = np.where(heavy, 30.0, 1.0) if self.uneven == HEAVY else np.exp(self.uneven * drawn)
        return fot.ScoreSample(labels, p, w, weights="importances")


def measures() -> dict[str, fot.Measure]:
    """Return the measures by name."""
    return {name: fot.measures.make(name, **SETTINGS.get(name, {})) for name in MEASURES}


def usual(estimate: fot.measures.Estimate) -> tuple[float, float] | None:
    """Return the interval that R reports, where it is another one."""
    evidence = estimate.evidence
    if estimate.measure.name == "observed_expected":
        return evidence.label_interval()
    error = getattr(evidence, "model_error", None)
    return None if error is None else (estimate.value - Z * error, estimate.value + Z * error)


def percent(share: float, sets: int) -> str:
    return f"{100 * share:.1f} +- {100 * np.sqrt(share * (1 - share) / sets):.1f}"


def lines(size: str, truth: str, sets: int) -> list[list[str]]:
    """Return the lines of a size and a truth."""
    population = Population(size, truth)
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in MEASURES}
    for number in range(sets):
        if number % 100 == 0:
            tell(f"{size}, {truth}: set {number}")
        sample = population.draw(np.random.default_rng([SEED, crc32(f"{size} {truth}".encode()), number]))
        for name, measure in measures().items():
            true = population.true[name]
            try:
                estimate = estimate_of(measure, sample, redrawing=Redrawing(interval="always"))
            except NoValueError:
                continue
            if (interval := estimate.interval) is None:
                continue
            other = usual(estimate)
            found[name].append(
                (
                    interval.high < true,
                    interval.low > true,
                    interval.high - interval.low,
                    np.nan if other is None else other[0] <= true <= other[1],
                )
            )
    told = []
    for name, values in found.items():
        if not values:
            continue
        below, above, width, by_usual = np.mean(values, axis=0)
        told.append(
            [
                size,
                truth,
                name,
                f"{population.true[name]:.4g}",
                str(len(values)),
                percent(1.0 - below - above, len(values)),
                f"{100 * below:.1f}",
                f"{100 * above:.1f}",
                f"{width:.3g}",
                "" if np.isnan(by_usual) else percent(by_usual, len(values)),
            ]
        )
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=2000, help="data sets of a size and truth")
    parser.add_argument("--only", choices=SIZES, nargs="+", default=[*SIZES], help="sizes")
    given = parser.parse_args()
    told = [line for size in given.only for truth in TRUTHS for line in lines(size, truth, given.sets)]
    tell("")
    print(machine_facts(), "\n")
    print(markdown(HEADER, told))


if __name__ == "__main__":
    main()
