"""How often the monitor's limits of a reference hold its true rates, and what is found beyond them.

Usage: ``python benchmarks/monitor_reference.py [--sets 200] [--runs 40] [--first 0]``.

First table: of references of 1,000 and 10,000 rows, with uniform scores or the rare ones of `monitor_streams.py`, how
often the limits at the level .8 hold the true rates at 400 other scores, at all of them at once, in percent, and their
mean half width in thousandths. At .8 the limits could leave out one set in five; rates that fall somewhere break what
they assume. For 30 sets the same of the simultaneous band of `ReliabilityDisplay` (spline, 100 draws), from the 5 % to
the 95 % quantile of the scores, where it is made at all.

Second table: a model whose rates are off from the start, monitored against a reference of them of 20,000 rows: how
often there is an alarm within 24 batches of 2,000 rows, at alpha .05, if nothing changes, and if the logits of the
rates move from batch 13 on, with the median delay in batches (1: in the batch that drifts).
"""

import argparse
from collections.abc import Iterator
from zlib import crc32

import numpy as np
from scipy.special import expit, logit

import fitontest as fot
from fitontest.monitor.nulls.hypothesis import read_band_of
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.bands import confidence_bands
from monitor_streams import BATCHES, CENTRE, FIRST_DRIFT, ROWS, Truth, level, slope, stairs
from report import markdown, tell

SERIES = 7_302_026
LEVEL = 0.8
SPLINE_SETS, SPLINE_DRAWS = 30, 100
REFERENCE = 20_000
SCORES = {"uniform": lambda rng, n: rng.random(n), "rare": lambda rng, n: expit(rng.normal(CENTRE, 1.0, n))}
TRUTHS: dict[str, Truth] = {
    "calibrated": lambda p: p,
    "square": lambda p: p**2,
    "stairs": stairs,
    "jump at the median": lambda p: np.where(p < np.median(p), 0.5, 1.5) * np.median(p),
    "constant": lambda p: np.full_like(p, 0.1),
    "waves, which fall": lambda p: expit(logit(p) + 0.6 * np.sin(6.0 * logit(p))),
}
MODELS: dict[str, Truth] = {"slope .8": slope(0.8), "stairs": stairs}
SHIFTS = (0.0, 0.4, 0.8, -0.8)


def random_numbers(*names: object) -> np.random.Generator:
    """Return random numbers of their own for each set of names and numbers."""
    return np.random.default_rng([SERIES, *(crc32(str(name).encode()) for name in names)])


def coverage(sets: int) -> Iterator[list[str]]:
    """Yield a line for each kind of scores, number of rows and truth."""
    for scores, draw in SCORES.items():
        for n in (1000, 10_000):
            for truth, rate in TRUTHS.items():
                tell(f"{scores} {n} {truth}")
                held, widths, crossed, spline = [], [], 0, []
                for k in range(sets):
                    rng = random_numbers(scores, n, truth, k)
                    p, x = draw(rng, n), np.sort(draw(rng, 400))
                    c = rate(np.concatenate((p, x)))
                    y, at_x = rng.random(n) < c[:n], c[n:]
                    try:
                        band = read_band_of((y, p), 1.0 - LEVEL)
                    except ValueError:
                        crossed += 1
                        continue
                    low, high = band.lower(x), band.upper(x)
                    held.append(bool(((low <= at_x) & (at_x <= high)).all()))
                    widths.append(500.0 * (high - low).mean())
                    if k < SPLINE_SETS and n == 1000:
                        spline.append(spline_holds(y, p, np.unique(x), dict(zip(x, at_x, strict=True)), k))
                other = "" if not spline else f"{100 * np.mean([h for h, _ in spline]):.0f}"
                width = "" if not spline else f"{np.mean([w for _, w in spline]):.0f}"
                kept = [f"{100 * np.mean(held):.0f}", f"{np.mean(widths):.0f}"] if held else ["-", "-"]
                yield [scores, f"{n:,}", truth, str(sets), *kept, f"{100 * crossed / sets:.0f}", other, width]


def spline_holds(y: np.ndarray, p: np.ndarray, x: np.ndarray, truth: dict[float, float], k: int) -> tuple[bool, float]:
    """Return whether the simultaneous band of the spline holds the truth in the middle, and its half width."""
    first, last = np.quantile(p, [0.05, 0.95])
    x = x[(x > first) & (x < last)]
    with without_warnings():
        sample = fot.read(y, p)
        error = fot.calibration_error(sample, family="spline")
        _, band = confidence_bands(error, sample, x, SPLINE_DRAWS, LEVEL, k, tested=False)
    known = np.isin(band.x, x)
    c = np.array([truth[each] for each in band.x[known]])
    low, high = band.lower[known], band.upper[known]
    return bool(((low <= c) & (c <= high)).all()), float(500.0 * (high - low).mean())


def alarms(runs: int, first: int) -> Iterator[list[str]]:
    """Yield a line for each model and drift."""
    for model, rate in MODELS.items():
        for shift in SHIFTS:
            found = []
            for run in range(first, first + runs):
                tell(f"{model} {shift:+g}, run {run}")
                found.append(alarm_of(rate, level(shift), f"{model} {shift}", run))
            since = [place for place in found if place is not None]
            delays = [place - FIRST_DRIFT + 1 for place in since if place >= FIRST_DRIFT]
            delay = f"{np.median(delays):.0f}" if shift and delays else ""
            yield [model, f"{shift:+g}" if shift else "none", str(runs), f"{len(since) / runs:.2f}", delay]


def alarm_of(rate: Truth, drift: Truth, name: str, run: int) -> int | None:
    """Return the place of the first alarm of a run."""
    rng = random_numbers(name, run)

    def batch(n: int, truth: Truth) -> tuple[np.ndarray, np.ndarray]:
        p = expit(rng.normal(CENTRE, 1.0, n))
        return rng.random(n) < truth(p), p

    monitor = fot.monitor.Monitor(reference=batch(REFERENCE, rate))
    for place in range(BATCHES):
        monitor.update(*batch(ROWS, rate if place < FIRST_DRIFT else lambda p: drift(rate(p))))
        if monitor.alarm:
            return place
    return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    given = parser.parse_args()
    header = ("scores", "rows", "truth", "S", "held %", "half width", "refused %", "spline held %", "half width")
    lines = [*coverage(given.sets)]
    tell("")
    print(markdown(header, lines))
    lines = [*alarms(given.runs, given.first)]
    tell("")
    print(markdown(("model", "drift, logits", "runs", "alarm", "delay"), lines))


if __name__ == "__main__":
    main()
