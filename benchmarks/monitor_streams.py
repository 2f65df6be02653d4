"""Streams of batches of known truth, for the studies of the monitor: calibrated ones, and ones that drift half-way.

Unless said, the logits of the scores have a normal distribution of mean -3.37 and standard deviation 1, so that the
mean score is .05, and the labels of each batch are independent, given the scores. Of 24 batches the 13th is the first
that drifts. Each batch has random numbers of its own, by the name of the stream, the number of the run and the place of
the batch: a run is the same however many there are. No default of the monitor was chosen on these streams.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple
from zlib import crc32

import numpy as np
from scipy.special import expit, logit, ndtr

BATCHES = 24
FIRST_DRIFT = 12  # the place, from 0, of the first batch that drifts
ROWS = 2000
CENTRE = -3.37
TURN = -3.0  # the logit about which slopes turn
RARE = -5.785  # mean logit of scores of mean .005
SEGMENTS = 8
GROUP = 10  # rows of a group
SERIES = 7301  # the first number of every seed

Truth = Callable[[np.ndarray], np.ndarray]


class Rows(NamedTuple):
    """A batch: labels, scores, and for some streams the segment or the group of each row."""

    y: np.ndarray
    p: np.ndarray
    segment: np.ndarray | None = None
    group: np.ndarray | None = None


def level(shift: float) -> Truth:
    """Return the truth of scores whose logits are all off by one number."""
    return lambda p: expit(logit(p) + shift)


def slope(b: float) -> Truth:
    """Return that of logits that turn about -3."""
    return lambda p: expit(TURN + b * (logit(p) - TURN))


def stairs(p: np.ndarray) -> np.ndarray:
    """Return rates that are constant between whole logits: those of the middle."""
    return expit(np.floor(logit(p)) + 0.5)


def bump(p: np.ndarray) -> np.ndarray:
    """Return rates that are .6 logits higher on .8 logits about -3."""
    z = logit(p)
    return expit(z + 0.6 * (np.abs(z - TURN) < 0.4))


def wiggle(p: np.ndarray) -> np.ndarray:
    """Return rates that are .5 logits higher on the .7 logits below -3, and lower on the .7 above."""
    z = logit(p)
    return expit(z + 0.5 * ((z >= TURN - 0.7) & (z < TURN)) - 0.5 * ((z >= TURN) & (z < TURN + 0.7)))


DRIFTS: dict[str, Truth] = {
    "level +.2": level(0.2),
    "level +.4": level(0.4),
    "slope .8": slope(0.8),
    "slope 1.25": slope(1.25),
    "stairs": stairs,
    "bump": bump,
    "wiggle": wiggle,
}


def generator(stream: str, run: int, place: int) -> np.random.Generator:
    """Return the random numbers of one batch of one run."""
    return np.random.default_rng([SERIES, crc32(stream.encode()), run, place])


def scores(rng: np.random.Generator, n: int, centre: float = CENTRE, spread: float = 1.0) -> np.ndarray:
    """Return scores whose logits have a normal distribution."""
    return expit(rng.normal(centre, spread, n))


def labelled(rng: np.random.Generator, p: np.ndarray, c: np.ndarray) -> Rows:
    """Return rows of scores p whose true rates are c, independent of each other."""
    return Rows((rng.random(p.size) < c).astype(np.int64), p)


def calibrated(rng: np.random.Generator, place: int, n: int = ROWS) -> Rows:  # noqa: ARG001 - all places are alike
    """Return a batch of calibrated scores."""
    p = scores(rng, n)
    return labelled(rng, p, p)


def small(rng: np.random.Generator, place: int) -> Rows:
    """Return a batch of 200 rows."""
    return calibrated(rng, place, 200)


def scores_drift(rng: np.random.Generator, place: int) -> Rows:
    """Return a batch whose scores rise and spread from batch to batch, and stay calibrated."""
    p = scores(rng, ROWS, CENTRE + 0.06 * place, 0.7 + 0.03 * place)
    return labelled(rng, p, p)


def two_digits(rng: np.random.Generator, place: int) -> Rows:  # noqa: ARG001
    """Return a batch of scores of two digits, those of 0 among them, calibrated as they are printed."""
    p = scores(rng, ROWS).round(2)
    return labelled(rng, p, p)


def grades(rng: np.random.Generator, place: int) -> Rows:  # noqa: ARG001
    """Return a batch whose scores have seven values."""
    p = expit(np.clip(np.round(rng.normal(CENTRE, 1.0, ROWS)), -6.0, 0.0))
    return labelled(rng, p, p)


def rare(rng: np.random.Generator, place: int) -> Rows:  # noqa: ARG001
    """Return a batch of events of .5 %."""
    p = scores(rng, ROWS, RARE)
    return labelled(rng, p, p)


def in_groups(rng: np.random.Generator, p: np.ndarray, correlation: float, shared: np.ndarray | None = None) -> Rows:
    """Return rows in groups of ten, whose latent normal variables have this correlation, and each row its own rate p.

    `shared` are the effects of the groups, where they stay the same from batch to batch.
    """
    number = p.size // GROUP
    effect = rng.standard_normal(number) if shared is None else shared
    latent = np.sqrt(correlation) * np.repeat(effect, GROUP) + np.sqrt(1.0 - correlation) * rng.standard_normal(p.size)
    return Rows((ndtr(latent) < p).astype(np.int64), p, group=np.repeat(np.arange(number), GROUP))


def grouped(correlation: float) -> Callable[[np.random.Generator, int], Rows]:
    """Return the maker of batches of new groups."""

    def batch(rng: np.random.Generator, place: int) -> Rows:
        rows = in_groups(rng, scores(rng, ROWS), correlation)
        return rows._replace(group=rows.group + place * (ROWS // GROUP))

    return batch


def late_negatives(rng: np.random.Generator, place: int) -> Rows:
    """Return what has arrived of a batch whose positives are known at once, and one negative in ten not yet."""
    rows = calibrated(rng, place)
    arrived = (rows.y == 1) | (rng.random(rows.y.size) < 0.9)
    return Rows(rows.y[arrived], rows.p[arrived])


def late_at_random(rng: np.random.Generator, place: int) -> Rows:
    """Return what has arrived of a batch of which one row in ten is late, whatever its label."""
    rows = calibrated(rng, place)
    arrived = rng.random(rows.y.size) < 0.9
    return Rows(rows.y[arrived], rows.p[arrived])


def shocked(deviation: float, n: int = ROWS) -> Callable[[np.random.Generator, int], Rows]:
    """Return the maker of batches whose logits are all off by one random number."""

    def batch(rng: np.random.Generator, place: int) -> Rows:  # noqa: ARG001
        p = scores(rng, n)
        return labelled(rng, p, expit(logit(p) + deviation * rng.standard_normal()))

    return batch


def off_by(shift: float, n: int) -> Callable[[np.random.Generator, int], Rows]:
    """Return the maker of batches whose logits are all off by one number, from the first batch on."""

    def batch(rng: np.random.Generator, place: int) -> Rows:  # noqa: ARG001
        p = scores(rng, n)
        return labelled(rng, p, level(shift)(p))

    return batch


NULLS: dict[str, Callable[[np.random.Generator, int], Rows]] = {
    "no drift": calibrated,
    "no drift, 200 rows": small,
    "only the scores drift": scores_drift,
    "scores of two digits": two_digits,
    "seven scores": grades,
    "rare events": rare,
}
TRIFLES = {
    "off by .02 logits, 20,000 rows": off_by(0.02, 20_000),
    "off by .02 logits, 200,000 rows": off_by(0.02, 200_000),
}
LONG = {"no drift, 240 batches": calibrated}
GROUPED_NULLS = {
    "groups, latent correlation .3": grouped(0.3),  # residuals of labels then correlate by .08, .21 and .52
    "groups, latent correlation .6": grouped(0.6),
    "groups, latent correlation 1": grouped(1.0),
}
BREAKS = {
    "late negatives": late_negatives,
    "late at random": late_at_random,
    "shock .05": shocked(0.05),
    "shock .1": shocked(0.1),
    "shock .2": shocked(0.2),
    "shock .05, 20,000 rows": shocked(0.05, 20_000),
}


def null_stream(name: str, run: int) -> Iterator[Rows]:
    """Return the batches of one run of a stream that does not drift: 24, or 240 where its name says so."""
    maker = (NULLS | LONG | GROUPED_NULLS | BREAKS | TRIFLES)[name]
    batches = 10 * BATCHES if name in LONG else BATCHES
    return (maker(generator(name, run, place), place) for place in range(batches))


def returning_groups(correlation: float, run: int, batches: int = BATCHES) -> Iterator[Rows]:
    """Return batches of the same 200 groups, whose effects on their labels stay the same."""
    name = f"returning groups {correlation}"
    shared = generator(name, run, batches).standard_normal(ROWS // GROUP)
    return (
        in_groups(rng, scores(rng, ROWS), correlation, shared)
        for rng in (generator(name, run, place) for place in range(batches))
    )


def drifting(name: str, run: int, n: int = ROWS) -> Iterator[Rows]:
    """Return 24 batches whose truth changes with the 13th."""
    for place in range(BATCHES):
        rng = generator(f"{name}, {n}", run, place)
        p = scores(rng, n)
        yield labelled(rng, p, DRIFTS[name](p) if place >= FIRST_DRIFT else p)


def segmented(run: int, shift: float = 0.7, n: int = ROWS) -> Iterator[Rows]:
    """Return 24 batches of eight segments; the logits of the first are off from the 13th on."""
    for place in range(BATCHES):
        rng = generator("one of 8 segments", run, place)
        p, segment = scores(rng, n), rng.integers(SEGMENTS, size=n)
        moved = np.where((segment == 0) & (place >= FIRST_DRIFT), shift, 0.0)
        yield labelled(rng, p, expit(logit(p) + moved))._replace(segment=segment)
