"""How often the right calibrator is chosen, where the right one is known.

Usage: ``python benchmarks/planted_choice.py [--draws 200] [--first-seed 0] [--families default|all|quick]
[--only identity ...] [--processes 2]``.

Calibrated scores, n = 300: how often is the identity chosen? Uniform scores whose true map is a logistic curve, a
beta map or a staircase, n = 5,000: how often is a family chosen whose expected log loss (by quadrature) is within 0.002
of that of the best fitted family of the draw? The families are the default candidates or all that are registered;
"quick" leaves pl and pl3, which take most of the time, out of all. The rules are those of `choosing.py`, and "stack",
the mixture of the candidates or the identity; "mixture" is without that exception. A mixture may have less loss than
the best family.
"""

import argparse
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from sklearn.base import clone

import fitontest as fot
from choosing import RULES, choose_by
from fitontest.evaluation.comparison.candidates import list_calibrators
from fitontest.numerics.losses import log_loss
from report import machine_facts, markdown, tell

NEAR = 2e-3
GRID = (np.arange(20_000) + 0.5) / 20_000


def platt(p: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(1.7 * np.log(p / (1 - p)) - 0.8)))


def beta(p: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(0.4 * np.log(p) - 2.0 * np.log(1 - p) - 0.6)))


def staircase(p: np.ndarray) -> np.ndarray:
    return np.array([0.05, 0.3, 0.4, 0.75, 0.9])[np.minimum((p * 5).astype(int), 4)]


def calibrated(p: np.ndarray) -> np.ndarray:
    return p


TRUTHS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], int]] = {
    "identity": (calibrated, 300),
    "platt": (platt, 5000),
    "beta": (beta, 5000),
    "staircase": (staircase, 5000),
}


def expected(family: fot.Family, true: Callable[[np.ndarray], np.ndarray]) -> float:
    """Return the expected log loss of a fitted family for uniform scores."""
    q, c = family.transform(GRID), true(GRID)
    losses = [log_loss(np.full(q.size, float(label)), q) for label in (0, 1)]
    return float(np.mean((1 - c) * losses[0] + c * losses[1]))


def one_draw(truth: str, seed: int, families: list[str]) -> dict[str, tuple[str, float]]:
    """Return what each rule chooses, and how much its expected loss is above the best."""
    true, n = TRUTHS[truth]
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    y = rng.random(n) < true(p)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = fot.compare_calibrators(y, p, families=families, rule="one_se", evaluators=[], random_state=seed)
        mixture = fot.families.Stacking([clone(one.family) for one in found], random_state=seed)
        mixed = fot.compare_calibrators(y, p, families=[mixture], rule="stack", evaluators=[], random_state=seed)
    losses = {one.name: expected(one.family, true) for one in found}
    chosen = {rule: choose_by(rule, found).name for rule in RULES}
    gaps = {rule: (name, losses[name] - min(losses.values())) for rule, name in chosen.items()}
    fitted = next(one.family for one in mixed if isinstance(one.family, fot.families.Stacking))
    name = "mixture" if isinstance(mixed.chosen_, fot.families.Stacking) else "identity"
    mixtures = {"stack": (name, mixed.chosen_), "mixture": ("mixture", fitted)}
    gaps |= {rule: (name, expected(family, true) - min(losses.values())) for rule, (name, family) in mixtures.items()}
    return gaps


def mean_and_error(gaps: np.ndarray) -> str:
    """Return the mean and its standard error, in thousandths."""
    return f"{1e3 * gaps.mean():.2f} +- {1e3 * gaps.std(ddof=1) / np.sqrt(gaps.size):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--families", choices=["default", "all", "quick"], default="default")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=list(TRUTHS), default=list(TRUTHS))
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    listed = list_calibrators() if given.families == "default" else fot.families.names("two")
    families = [name for name in listed if given.families != "quick" or name not in ("pl", "pl3")]
    seeds = range(given.first_seed, given.first_seed + given.draws)
    rows = []
    with ProcessPoolExecutor(given.processes, mp_context=get_context("spawn")) as pool:
        for truth, n in ((truth, TRUTHS[truth][1]) for truth in given.only):
            jobs = [pool.submit(one_draw, truth, seed, families) for seed in seeds]
            draws = []
            for job in jobs:
                draws.append(job.result())
                tell(f"{truth} {len(draws)} of {given.draws}")
            for rule in (*RULES, "stack", "mixture"):
                names, gaps = zip(*(draw[rule] for draw in draws), strict=True)
                near = np.mean(np.array(gaps) <= NEAR)
                common = ", ".join(f"{name} {count}" for name, count in Counter(names).most_common())
                rows.append([truth, f"{n:,}", rule, f"{near:.1%}", mean_and_error(np.array(gaps)), common])
    tell("")
    print(machine_facts(), f"\n\n{given.draws} draws of each, families: {', '.join(families)}\n")
    print(markdown(["right map", "n", "rule", "within .002 of the best", "mean gap / 1000", "chosen"], rows))


if __name__ == "__main__":
    main()
