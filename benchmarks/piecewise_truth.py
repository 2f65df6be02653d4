"""How close PL and PL3 come to known true maps: beside other families, and beside the training recipe of the paper.

Run ``python benchmarks/piecewise_truth.py`` (an hour on two cores, half of it for the recipe), or with ``families``,
``settings``, ``choices`` or ``recipe`` for one of the parts. ``--seeds N`` sets how many data sets of each kind are
drawn.
"""

import argparse
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

import adam_recipe
import fitontest as fot
from fitontest.truth import map_error as mean_distance
from fitontest.truth import true_error
from report import machine_facts, markdown
from truth_sets import SHAPES, SIX, draw

Array = NDArray[np.float64]
FRESH = 10**6  # points on which a map is compared with the truth
SIZES = (1_000, 10_000, 100_000, 1_000_000)
FAMILIES = ("pl", "pl3", "isotonic", "beta", "platt")
RECIPE_SIZES = (1_000, 3_000, 10_000)
SLACK = 1e-4  # of training log loss


@cache
def fresh(name: str) -> tuple[Array, Array]:
    """Return scores and true probabilities that no map has been fitted to."""
    _, p, c = draw(name, FRESH, 0 if " " in name else 99)
    return p, c


def map_error(predict: object, name: str) -> float:
    """Return the mean of |c_hat - c| over fresh points."""
    p, c = fresh(name)
    return float(np.abs(predict(p) - c).mean())  # type: ignore[operator]


def mean_error(family: fot.Family, n: int, seeds: int) -> tuple[float, list[float]]:
    """Return the mean map error of a family over the six sets, and the mean of each."""
    each = []
    for name in SIX:
        drawn = (draw(name, n, seed) for seed in range(1, seeds + 1))
        each.append(float(np.mean([map_error(family.fit(p, y).predict, name) for y, p, _ in drawn])))
    return float(np.mean(each)), each


def families_part(seeds: int) -> None:
    """Print the map error of five families on six sets."""
    rows = []
    for n in SIZES:
        repeats = max(2, seeds if n <= 10_000 else seeds // 4)
        for name in FAMILIES:
            mean, each = mean_error(fot.families.make(name), n, repeats)
            rows.append((f"{n:,}", str(repeats), name, f"{mean:.4f}", *(f"{e:.4f}" for e in each)))
    print("Mean |c_hat - c| over fresh points, defaults of every family\n")
    print(markdown(("n", "data sets", "family", "mean", *SIX), rows) + "\n")


def settings_part(seeds: int) -> None:
    """Print the map error under other choices than the defaults."""
    choices = {
        "log loss, tolerance auto": {"scoring": "log_loss", "tolerance": "auto"},
        "log loss, tolerance .001": {"scoring": "log_loss", "tolerance": 1e-3},
        "log loss, tolerance 0": {"scoring": "log_loss", "tolerance": 0.0},
        "Brier, tolerance auto": {"scoring": "brier", "tolerance": "auto"},
        "Brier, tolerance .001": {"scoring": "brier", "tolerance": 1e-3},
        "log loss, auto, no priors": {"alpha": 0.0, "kappa": 0.0},
        "log loss, auto, refit": {"ensemble": False},
        "Brier throughout, auto": {"loss": "brier", "scoring": "brier"},
    }
    rows = []
    for n in SIZES:
        repeats = max(2, seeds if n <= 10_000 else seeds // 4)
        for kind in ("pl", "pl3"):
            for label, settings in choices.items():
                mean, each = mean_error(fot.families.make(kind, **settings), n, repeats)
                rows.append((f"{n:,}", kind, label, f"{mean:.4f}", *(f"{e:.4f}" for e in each)))
    print("The same under other settings\n")
    print(markdown(("n", "family", "setting", "mean", *SIX), rows) + "\n")


def choices_part(seeds: int) -> None:
    """Print what it gains to average maps of several numbers of segments, on sets that no other part draws."""
    ways = {
        "one number, tolerance .001": {"vary_bins": False, "tolerance": 1e-3},
        "one number": {"vary_bins": False},
        "several numbers (default)": {},
    }
    sets = (*SIX, "sqrt .05", "beta2 .10")
    rows = []
    for n, kind in product((1_000, 10_000), ("pl", "pl3")):
        repeats = max(2, seeds if n == 1_000 else seeds // 3)
        found = {  # the paper's sets share their labels within a seed: a seed's mean over the kinds is one observation
            way: np.array(
                [
                    np.mean([judged(fot.families.make(kind, **settings), name, n, 200 + seed) for name in sets], axis=0)
                    for seed in range(repeats)
                ]
            )
            for way, settings in ways.items()
        }
        base = found["one number, tolerance .001"]
        for way, errors in found.items():
            gain = errors - base
            spread = gain.std(axis=0, ddof=1) / repeats**0.5
            columns = zip(errors.mean(axis=0), gain.mean(axis=0), spread, strict=True)
            cells = (f"{mean:.4f} ({more:+.4f} +- {s:.4f})" for mean, more, s in columns)
            rows.append((f"{n:,}", str(repeats * len(sets)), kind, way, *cells))
    print("Means over eight kinds of data, in brackets against the first way, paired\n")
    head = ("mean |c_hat - c|", "|estimate - expected CE|", "log loss above the true map's")
    print(markdown(("n", "data sets", "family", "numbers of segments", *head), rows) + "\n")


def judged(family: fot.Family, name: str, n: int, seed: int) -> tuple[float, float, float]:
    """Return the map error, the error of the estimate and the excess of expected log loss of one fit."""
    y, p, _ = draw(name, n, seed)
    fresh_p, fresh_c = fresh(name)
    c_hat = family.fit(p, y).predict(fresh_p)
    estimate = mean_distance(c_hat, fresh_p)
    return (
        mean_distance(c_hat, fresh_c),
        abs(estimate - true_error(fresh_p, fresh_c)),
        mean_distance(c_hat, fresh_c, distance="log_loss"),
    )


def fold_maps(family: fot.PL | fot.PL3) -> list[fot.CalibrationMap]:
    """Return the map of each fold, of which the family's map is the mean."""
    if isinstance(family, fot.PL3):
        return [fot.maps.LogitKnotsMap([x], [z]) for x, z in zip(family.map_.x, family.map_.z, strict=True)]
    return [fot.maps.KnotsMap(x, c) for x, c in zip(family.knots_, family.values_, strict=True)]


def log_loss(c_hat: Array, y: Array) -> float:
    c_hat = np.clip(c_hat, 1e-16, 1 - 1e-16)
    return float(-np.mean(np.where(y == 1, np.log(c_hat), np.log1p(-c_hat))))


def training_losses(kind: str, p: Array, y: Array, candidates: tuple[int, ...]) -> Array:
    """Return the mean log loss of each of our fold maps over its training rows, shape (folds, candidates)."""
    order = np.lexsort((y, p))
    p, y = p[order], y[order]  # our folds are drawn over sorted rows
    losses = np.empty((10, len(candidates)))
    for j, n_bins in enumerate(candidates):
        family = fot.families.make(kind, n_bins=n_bins).fit(p, y)
        for i, ((train, _), fitted) in enumerate(zip(adam_recipe.folds(p.size, 0), fold_maps(family), strict=True)):
            losses[i, j] = log_loss(fitted(p[train]), y[train])
    return losses


def recipe_part(seeds: int) -> None:
    """Print our fits beside those of the recipe: training loss per fold fit, and error of the chosen map."""
    gaps: dict[tuple[str, int], list[Array]] = {}
    errors: dict[tuple[str, str, int], list[tuple[float, float]]] = {}
    for kind, n, shape, error, seed in product(("pl", "pl3"), RECIPE_SIZES, SHAPES, (0.05, 0.10), range(seeds)):
        name = f"{shape} {error:.2f}"
        y, p, _ = draw(name, n, seed)
        theirs = adam_recipe.cross_validate(p, y, kind)  # type: ignore[arg-type]
        ours = fot.families.make(kind).fit(p, y)
        errors.setdefault((kind, shape, seed), []).append((map_error(ours.predict, name), map_error(theirs, name)))
        if seed == 0:
            gap = training_losses(kind, p, y, theirs.candidates) - theirs.training_log_loss
            gaps.setdefault((kind, n), []).append(gap.ravel())
    print("Training log loss of every fold fit (seed 0, ten sets per line), ours minus the recipe's\n")
    rows = []
    for (kind, n), parts in gaps.items():
        gap = np.concatenate(parts)
        cells = f"{np.mean(gap <= SLACK):.3f}", f"{gap.mean():.1e}", f"{gap.max():.1e}"
        rows.append((kind, f"{n:,}", str(gap.size), *cells))
    print(markdown(("family", "n", "fits", "share <= theirs + 1e-4", "mean gap", "largest gap"), rows) + "\n")
    print(f"Error of the chosen map: means over three sizes and two expected errors, seed 0 and {seeds} seeds\n")
    rows = []
    for kind, shape in product(("pl", "pl3"), SHAPES):
        first, every = (
            np.mean([e for s in chosen for e in errors[kind, shape, s]], axis=0) for chosen in ([0], range(seeds))
        )
        each = np.array([np.mean(errors[kind, shape, s], axis=0) for s in range(seeds)])
        spread = f"{np.std(each[:, 0] - each[:, 1], ddof=1) / seeds**0.5:.4f}" if seeds > 1 else "-"
        rows.append((kind, shape, *(f"{e:.4f}" for e in (*first, *every)), spread))
    head = ("ours, seed 0", "recipe, seed 0", "ours, all", "recipe, all", "s.e. of the difference")
    print(markdown(("family", "shape", *head), rows) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", choices=("families", "settings", "choices", "recipe"))
    parser.add_argument("--seeds", type=int, default=12)
    given = parser.parse_args()
    print(machine_facts() + "\n")
    if given.part in (None, "families"):
        families_part(given.seeds)
    if given.part in (None, "settings"):
        settings_part(given.seeds)
    if given.part in (None, "choices"):
        choices_part(given.seeds)
    if given.part in (None, "recipe"):
        recipe_part(max(1, given.seeds // 2))


if __name__ == "__main__":
    main()
