"""How often the gate passes and fails by limits of the slope and the decision loss, whose true values are known.

Usage: ``python benchmarks/gate_limits.py [--what slope loss together] [--n 500 2000] [--sets 400] [--losses 100]``.

Labels are drawn from truths whose calibration slope, decision loss at a threshold and calibration error are known for
the very scores. A limit stands at the true value, inside and outside of it. A pass is wrong where the true value is not
accepted, a fail where it is; at the limit itself both are counted. "together" holds three limits at their true values
at once, of which each is both kept and broken, so that every pass and every fail counts. Shares have standard errors.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import fitontest as fot
from fitontest.apps.reporting.criterion import Levels
from fitontest.apps.reporting.max_decision_loss import MaxDecisionLoss
from fitontest.apps.reporting.slope_range import SlopeRange
from fitontest.numerics.links import logit, sigmoid
from fitontest.results.exceptions import without_warnings
from fitontest.risk.loss_bounds import LossBounds
from report import markdown, tell

Array = NDArray[np.float64]
SEED = 37_2026
ALONE = Levels.of(0.95, 1, 1)


def uniform(rng: np.random.Generator, n: int) -> Array:
    return rng.random(n)


def rare(rng: np.random.Generator, n: int) -> Array:
    return rng.beta(0.5, 10.0, n).clip(1e-6)


def line(slope: float, shift: float = 0.0) -> Callable[[Array], Array]:
    return lambda p: sigmoid(shift + slope * logit(p, 1e-12))


def wave(p: Array) -> Array:
    return np.clip(p + 0.1 * np.sin(4 * np.pi * p), 0.0, 1.0)


def stairs(p: Array) -> Array:
    return (np.floor(5 * p) + 0.5) / 5


SLOPES: dict[str, tuple[Callable[..., Array], Callable[[Array], Array]]] = {
    "slope .8": (uniform, line(0.8)),
    "slope 1.25": (uniform, line(1.25)),
    "slope .8, rare events": (rare, line(0.8)),
    "wave": (uniform, wave),
    "stairs": (uniform, stairs),
}
LOSSES: dict[str, tuple[Callable[..., Array], Callable[[Array], Array], float]] = {
    "slope .6 at .2": (uniform, line(0.6), 0.2),
    "scores too low at .3": (uniform, line(1.0, 0.7), 0.3),
    "scores too high at .5": (uniform, line(1.0, -0.7), 0.5),
    "rare events, too low at .1": (rare, line(1.0, 0.8), 0.1),
    "stairs at .25": (uniform, stairs, 0.25),
    "wave at .3": (uniform, wave, 0.3),
}


def slope_of(p: Array, c: Array) -> float:
    """Return the slope of the line that is nearest to the truth in mean log loss."""
    x = logit(p, 1e-12)

    def loss(line: Array) -> float:
        z = line[0] + line[1] * x
        return float(np.mean(np.logaddexp(0.0, z) - c * z))

    return float(minimize(loss, np.array([0.0, 1.0]), tol=1e-10).x[1])


def loss_of(p: Array, c: Array, t: float) -> float:
    """Return the true decision loss."""
    return float(np.mean(np.abs(c - t) * ((c >= t) != (p >= t)))) / (1.0 - t)


def draws(name: str, n: int, scores: Callable[..., Array], truth: Callable[[Array], Array], sets: int) -> Iterator:
    """Yield labels, scores and true probabilities."""
    for number in range(sets):
        rng = np.random.default_rng([SEED, n, number, *name.encode()])
        p = scores(rng, n)
        c = truth(p)
        yield rng.random(n) < c, p, c


def share(found: Counter, outcome: str) -> str:
    """Return a share in percent with its standard error."""
    total = found.total()
    rate = found[outcome] / total
    return f"{100 * rate:.1f} ± {100 * np.sqrt(max(rate * (1 - rate), 0.25 / total) / total):.1f}"


def of_slopes(sizes: list[int], sets: int) -> str:
    """Return how often limits of the slope pass and fail: at the true one, .15 of it inside and outside."""
    rows = []
    for name, (scores, truth) in SLOPES.items():
        for n in sizes:
            found: dict[str, Counter] = {place: Counter() for place in ("at", "inside", "outside")}
            held = 0
            for y, p, c in draws(name, n, scores, truth, sets):
                true, sample = slope_of(p, c), fot.ScoreSample(y, p)
                above = true > 1.0
                places = {"at": 1.0, "inside": 1.15 if above else 0.85, "outside": 0.85 if above else 1.15}
                for place, factor in places.items():
                    end = true * factor
                    limits = SlopeRange(min(0.2, end / 2), end) if above else SlopeRange(end, max(4.0, 2 * end))
                    criterion = limits.criterion(sample, ALONE, 0)
                    found[place][criterion.outcome] += 1
                    if place == "at" and criterion.interval is not None:
                        held += criterion.interval.low <= true <= criterion.interval.high
            rows.append([name, f"{n:,}", str(sets), f"{100 * held / sets:.1f}", *_cells(found)])
            tell(f"{name} {n}")
    return markdown(_header("truth"), rows)


def of_losses(sizes: list[int], sets: int) -> str:
    """Return how often limits of the decision loss pass and fail: at the true one, twice it and half of it."""
    rows = []
    for name, (scores, truth, t) in LOSSES.items():
        for n in sizes:
            found: dict[str, Counter] = {place: Counter() for place in ("at", "inside", "outside")}
            held, above = 0, 0
            for y, p, c in draws(name, n, scores, truth, sets):
                true, sample = loss_of(p, c, t), fot.ScoreSample(y, p)
                (limit,) = MaxDecisionLoss.several({t: true}, "isotonic")
                with without_warnings():
                    interval = limit.criterion(sample, ALONE, 0).interval
                assert interval is not None
                for place, value in (("at", true), ("inside", 2 * true), ("outside", true / 2)):
                    outcome = "pass" if interval.high <= value else "fail" if interval.low > value else "undecided"
                    found[place][outcome] += 1
                held += interval.low <= true <= interval.high
                above += LossBounds.of(sample, t, 0.95).most >= true
            coverage = f"{100 * held / sets:.0f} ({100 * above / sets:.0f})"
            rows.append([name, f"{n:,}", str(sets), coverage, *_cells(found)])
            tell(f"{name} {n}")
    return markdown(_header("truth and threshold"), rows)


def together(sizes: list[int], sets: int) -> str:
    """Return how often three limits at their true values pass or fail together."""
    rows = []
    truth = line(0.6, 0.3)
    for n in sizes:
        found: Counter = Counter()
        for number, (y, p, c) in enumerate(draws("together", n, uniform, truth, sets)):
            with without_warnings():
                check = fot.check_calibration(
                    y,
                    p,
                    max_error=float(np.mean(np.abs(c - p))),
                    slope=(slope_of(p, c), 3.0),
                    max_decision_loss={0.2: loss_of(p, c, 0.2)},
                    resolution=None,
                    random_state=number,
                )
            found[check.outcome] += 1
        rows.append(
            ["three limits at their true values", f"{n:,}", str(sets), share(found, "pass"), share(found, "fail")]
        )
        tell(f"together {n}")
    return markdown(("limits", "n", "sets", "pass %", "fail %"), rows)


def _header(first: str) -> tuple[str, ...]:
    return (
        first,
        "n",
        "sets",
        "held %",
        "at: pass %",
        "at: fail %",
        "inside: fail %",
        "inside: pass %",
        "outside: pass %",
    )


def _cells(found: dict[str, Counter]) -> list[str]:
    places = (("at", "pass"), ("at", "fail"), ("inside", "fail"), ("inside", "pass"), ("outside", "pass"))
    return [share(found[place], outcome) for place, outcome in places]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--what", nargs="+", choices=("slope", "loss", "together"), default=["slope", "loss", "together"]
    )
    parser.add_argument("--n", nargs="+", type=int, default=[500, 2000])
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--losses", type=int, default=100)
    given = parser.parse_args()
    if "slope" in given.what:
        print(f"\n{of_slopes(given.n, given.sets)}")
    if "loss" in given.what:
        print(f"\n{of_losses(given.n, given.losses)}")
    if "together" in given.what:
        print(f"\n{together(given.n, given.losses)}")


if __name__ == "__main__":
    main()
