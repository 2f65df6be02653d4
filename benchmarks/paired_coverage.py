"""How often the interval of `compare_errors` covers the true difference of two squared calibration errors.

Usage: ``python benchmarks/paired_coverage.py [--families slope1_15 isotonic platt] [--n 1000] [--sets 200]
[--first-seed 0]``; the defaults take about two minutes.

Pairs that know the same: a data set has uniform true probabilities c, labels drawn from them, and two columns of
scores, each a distortion of c by a shape of the fit-on-test paper (`fitontest.datasets.Derivate`). Both distortions are
strictly increasing, that by stairs too, since it is mixed with the identity; so c is the true probability given either
score. The true difference is that of the squared errors E (p1 - c)^2 - E (p2 - c)^2, by quadrature.

Calibrated pairs: p2 is uniform and calibrated, and c = p1 is p2 moved up or down, by a uniform number of [-1, 1] times
min(p2, 1 - p2), or by a tenth of that. Both models are calibrated, and the first knows more; every rejection of
equality is a false alarm.

Pairs that know as much: u1 and u2 are uniform and independent, a label is 1 with probability (f(u1) + f(u2)) / 2, and
model j sees u_j alone. Its true probabilities are (f(u_j) + E f) / 2, so that both models have the same error, whatever
f and the scores are: every rejection is a false alarm. The scores are those true probabilities ("calibrated"), or u_j
where f has teeth, or levels, or where half of the rows have one of four scores whose labels have rates of their own.

Each pair has seeds of its own: data sets of one seed share c and the noise of the labels, and an unlucky few would show
in all pairs at once. Families meet the same data sets, and so do not differ by chance.

True difference, bias and width are in thousandths, coverage and rejections in percent. Platt scaling cannot follow
stairs. It measures the error that it can see, of which the true difference says nothing: there it has no target.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

import fitontest as fot
from fitontest.datasets import Derivate
from report import machine_facts, markdown, tell

Draw: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]  # labels and the scores of two models

FAMILIES = {"slope1_15": fot.Slope1(15), "isotonic": fot.Isotonic(), "platt": fot.Platt(), "spline": fot.Spline()}
GRID = (np.arange(1_000_000) + 0.5) / 1_000_000  # of true probabilities, for the quadrature
ATOMS = np.array([0.1, 0.4, 0.6, 0.9])  # scores that half of the rows have
LEAST_COVERAGE, MOST_ALARMS = 0.88, 0.10
UNSEEN = {"platt": "stairs"}  # shapes that a family cannot follow
HEADER = ("family", "pair", "true", "coverage", "bias", "width", "rejected", "target", "verdict")


@dataclass(frozen=True)
class Pair:
    """Two models of the same rows, and the true difference of their squared errors."""

    name: str
    draw: Callable[[int, np.random.Generator], Draw]
    truth: float

    @property
    def calibrated(self) -> bool:
        """Whether both models are calibrated, so that a rejection is a false alarm."""
        return self.name.startswith("calibrated, knows")

    @property
    def alike(self) -> bool:
        """Whether both models have the same error, so that a rejection is a false alarm."""
        return self.calibrated or self.name.startswith("alike")


def distorted(one: Derivate, other: Derivate) -> Pair:
    """Return the pair of two distortions of the same true probabilities."""

    def draw(n: int, rng: np.random.Generator) -> Draw:
        c = rng.random(n)
        return rng.random(n) < c, one.scores(c), other.scores(c)

    errors = (np.mean((each.scores(GRID) - GRID) ** 2) for each in (one, other))
    names = (f"{each.shape} {each.error:g}" if each.error else "calibrated" for each in (one, other))
    return Pair(" / ".join(names), draw, float(np.subtract(*errors)))


def both_calibrated(more: float, n: int, rng: np.random.Generator) -> Draw:
    """Draw two calibrated models of which the first knows more, the least where `more` is 0 and the most where 1."""
    p2 = rng.random(n)
    p1 = p2 + more * rng.uniform(-1, 1, n) * np.minimum(p2, 1 - p2)
    return rng.random(n) < p1, p1, p2


def teeth(u: np.ndarray) -> np.ndarray:
    """Return u moved up and down by .25 in sixteen strips of equal width."""
    return np.clip(u + 0.25 * np.where(np.floor(16 * u) % 2 == 0, 1.0, -1.0), 0.0, 1.0)


def levels(u: np.ndarray) -> np.ndarray:
    """Return three levels with wide steps between them."""
    return np.where(u < 0.3, 0.05, np.where(u < 0.7, 0.5, 0.95))


def piled(u: np.ndarray) -> np.ndarray:
    """Return scores of which half have one of four values, and the others are uniform."""
    strip = np.floor(8 * u).astype(int)
    return np.where(strip % 2 == 0, ATOMS[strip // 2], u)


def alike(
    f: Callable[[np.ndarray], np.ndarray], score: Callable[[np.ndarray], np.ndarray], n: int, rng: np.random.Generator
) -> Draw:
    """Draw two models that know as much, each of its own half of what decides the label."""
    u = rng.random((2, n))
    return rng.random(n) < f(u).mean(axis=0), *score(u)


def same(u: np.ndarray) -> np.ndarray:
    """Return the numbers themselves."""
    return u


def calibrated(u: np.ndarray) -> np.ndarray:
    """Return the true probabilities where f is the identity."""
    return (u + 0.5) / 2


def pairs() -> list[Pair]:
    """Return the pairs of the study."""
    return [
        distorted(Derivate("square", 0.05), Derivate("sqrt", 0.05)),
        distorted(Derivate("square", 0.1), Derivate("stairs", 0.05)),
        distorted(Derivate("square", 0.05), Derivate("square", 0.03)),
        distorted(Derivate("square", 0.0), Derivate("stairs", 0.03)),
        Pair("calibrated, knows more / less", partial(both_calibrated, 1.0), 0.0),
        Pair("calibrated, knows a little more / less", partial(both_calibrated, 0.1), 0.0),
        Pair("calibrated, knows as much", partial(alike, same, calibrated), 0.0),
        Pair("alike, teeth", partial(alike, teeth, same), 0.0),
        Pair("alike, levels", partial(alike, levels, same), 0.0),
        Pair("alike, atoms", partial(alike, levels, piled), 0.0),
        Pair("alike, atoms of a calibrated score", partial(alike, same, piled), 0.0),
    ]


def study(pair: Pair, number: int, families: list[str], n: int, seeds: range) -> list[list[str]]:
    """Return a row per family."""
    found: dict[str, list[fot.evaluation.ErrorComparison]] = {name: [] for name in families}
    for seed in seeds:
        tell(f"{pair.name}, data set {seed}")
        y, p1, p2 = pair.draw(n, np.random.default_rng((number, seed)))
        for name in families:
            found[name].append(fot.compare_errors(y, p1, p2, family=FAMILIES[name], random_state=seed))
    return [row(name, pair, comparisons) for name, comparisons in found.items()]


def row(name: str, pair: Pair, comparisons: list[fot.evaluation.ErrorComparison]) -> list[str]:
    """Return one line of the table."""
    covered = np.array([one.interval.low <= pair.truth <= one.interval.high for one in comparisons])
    rejected = np.array([one.better is not None for one in comparisons])
    bias = 1e3 * np.array([one.difference - pair.truth for one in comparisons])
    width = 1e3 * np.mean([one.interval.high - one.interval.low for one in comparisons])
    error = bias.std(ddof=1) / np.sqrt(bias.size)
    target, verdict = f"coverage >= {LEAST_COVERAGE:.0%}", covered.mean() >= LEAST_COVERAGE
    if pair.alike:
        target, verdict = f"rejected <= {MOST_ALARMS:.0%}", rejected.mean() <= MOST_ALARMS
    seen = name not in UNSEEN or UNSEEN[name] not in pair.name
    return [
        name,
        pair.name,
        f"{1e3 * pair.truth:+.2f}",
        share(covered),
        f"{bias.mean():+.2f} +- {error:.2f}",
        f"{width:.1f}",
        share(rejected),
        target if seen else "-",
        "-" if not seen else "met" if verdict else "NOT MET",
    ]


def share(events: np.ndarray) -> str:
    """Return a share in percent with its standard error."""
    rate = events.mean()
    return f"{100 * rate:.1f} +- {100 * np.sqrt(rate * (1 - rate) / events.size):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--n", type=int, default=1000, help="rows of a data set")
    parser.add_argument("--sets", type=int, default=200, help="data sets of a pair")
    parser.add_argument("--first-seed", type=int, default=0)
    given = parser.parse_args()
    seeds = range(given.first_seed, given.first_seed + given.sets)
    rows = [line for k, pair in enumerate(pairs()) for line in study(pair, k, given.families, given.n, seeds)]
    tell("")
    print(machine_facts(), "\n")
    print(f"95 % intervals of compare_errors, Brier score, n = {given.n:,}, {given.sets} data sets of each pair\n")
    print(markdown(HEADER, sorted(rows, key=lambda line: given.families.index(line[0]))))


if __name__ == "__main__":
    main()
