"""Whether cross-validation means on counted rows what it means on the rows themselves.

Run ``python benchmarks/counted_folds.py`` (three minutes on one core), or with ``--seeds N``. The same rows are held
once one by one and once as counts of each score and label. Folds are drawn anew for every seed. The distributions over
the seeds are compared by the test of Kolmogorov and Smirnov: of the number of bins that slope1 chooses, and of the
spread of its scores over the folds, and of the errors under pl and pl3. Two wrong rules for cutting counts into folds
show what the test would see.
"""

import argparse
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ks_2samp

import fitontest as fot
from fitontest.data.counted_sample import sample_of_rows
from fitontest.data.ordering import Rows
from fitontest.data.parts import countable, cut
from fitontest.families.bin_count import bin_count_scores
from fitontest.families.tuning import CVScores
from fitontest.numerics.random import CountedFolds, held_out_rows
from report import machine_facts, markdown

Array = NDArray[np.float64]
In = Callable[[fot.ScoreSample, int, int], tuple[fot.ScoreSample, list[NDArray[np.intp]]]]
LEVEL = 0.01
ROWS, SCORES = 50_000, 1000


def drawn(n: int, scores: int, seed: int = 0) -> tuple[Array, Array]:
    """Return labels and scores, of which there are few different ones; the true map is p ** 1.4."""
    rng = np.random.default_rng(seed)
    p = np.round(rng.random(n) * scores) / scores
    return (rng.random(n) < p**1.4).astype(float), p


def counted(y: Array, p: Array) -> fot.ScoreSample:
    """Return the rows as counts of each score and label."""
    (pairs, n) = np.unique(np.column_stack((p, y)), axis=0, return_counts=True)
    w = n.astype(float)
    return sample_of_rows(Rows(pairs[:, 0].copy(), pairs[:, 1].copy(), w, n, w), whole=True)


def by_law(sample: fot.ScoreSample, cv: int, seed: int) -> tuple[fot.ScoreSample, list[NDArray[np.intp]]]:
    """Return the folds of the package."""
    return sample.in_folds(cv, seed)


def equal_parts(sample: fot.ScoreSample, cv: int, seed: int) -> tuple[fot.ScoreSample, list[NDArray[np.intp]]]:
    """Return folds, by a wrong rule, that hold out the same share of every entry, up to one row."""
    rows, rng = sample.rows, np.random.default_rng(seed)
    parts = np.repeat(rows.n[:, None] // cv, cv, axis=1)
    parts += rng.permuted(np.arange(cv) < (rows.n % cv)[:, None], axis=1)
    kind, fold = np.nonzero(parts)
    folds = CountedFolds(kind, parts[kind, fold], fold[None])
    pieces, of, _ = cut(rows, countable(rows, whole=True), folds, whole=True)
    return sample_of_rows(pieces, whole=True), [np.flatnonzero(of[0] == number) for number in range(cv)]


def whole_entries(sample: fot.ScoreSample, cv: int, seed: int) -> tuple[fot.ScoreSample, list[NDArray[np.intp]]]:
    """Return folds, by another wrong rule, that hold out all rows of an entry together."""
    return sample, held_out_rows(len(sample.rows), cv, seed)


def scores(sample: fot.ScoreSample, folds_of: In, cv: int, seed: int, most: int = 40) -> CVScores:
    """Return the scores of slope1 with 1 to `most` bins."""
    parts, folds = folds_of(sample, cv, seed)
    return bin_count_scores(fot.partitions.EqualMass(1), 1.0, np.arange(1, most + 1), parts, folds, "brier")


def facts(sample: fot.ScoreSample, folds_of: In, cv: int, seeds: Iterable[int], most: int = 40) -> Array:
    """Return for each seed the bins at the default tolerance, those of the smallest score, and the folds' spread."""
    found = []
    for seed in seeds:
        each = scores(sample, folds_of, cv, seed, most)
        spread = each.folds[:, each.candidates.index(min(4, most))].std(ddof=1)
        found.append((each.choose(1e-3), each.choose(0.0), spread))
    return np.array(found, dtype=float)


def errors(sample: fot.ScoreSample, name: str, seeds: Iterable[int]) -> Array:
    """Return the error under a family for each seed of its folds."""
    return np.array(
        [fot.measures.PlugIn(fot.families.make(name, random_state=seed)).estimate(sample).value for seed in seeds]
    )


def mean_and_spread(values: Array) -> str:
    """Return both."""
    return f"{values.mean():.5g} +- {values.std(ddof=1):.2g}"


def choices_part(seeds: int) -> None:
    """Print what slope1 chooses, by rows, by counts, and by the wrong rules."""
    y, p = drawn(ROWS, SCORES)
    single, cells = fot.ScoreSample(y, p), counted(y, p)
    by_rows = facts(single, by_law, 10, range(seeds))
    rows = [("rows, KFold", *map(mean_and_spread, by_rows.T), "", "", "")]
    rules = {"counts": by_law, "equal parts (wrong)": equal_parts, "whole entries (wrong)": whole_entries}
    for name, rule in rules.items():
        found = facts(cells, rule, 10, range(seeds, 2 * seeds))
        p_values = [float(ks_2samp(a, b).pvalue) for a, b in zip(by_rows.T, found.T, strict=True)]
        rows.append((name, *map(mean_and_spread, found.T), *(f"{value:.2g}" for value in p_values)))
        good = min(p_values) > LEVEL
        assert good == (rule is by_law), f"{name}: p-values {p_values}"
    header = ("folds", "bins, tolerance .001", "bins, tolerance 0", "s.d. of folds", "KS p", "KS p", "KS p")
    print(f"slope1, {ROWS:,} rows of {len(cells.distinct):,} scores, {seeds} seeds of the folds\n")
    print(markdown(header, rows) + "\n")


def piecewise_part(seeds: int) -> None:
    """Print the errors under pl and pl3."""
    y, p = drawn(ROWS, SCORES, 1)
    rows = []
    for name in ("pl", "pl3"):
        by_rows = errors(fot.ScoreSample(y, p), name, range(seeds))
        found = errors(counted(y, p), name, range(seeds, 2 * seeds))
        p_value = float(ks_2samp(by_rows, found).pvalue)
        rows.append((name, mean_and_spread(by_rows), mean_and_spread(found), f"{p_value:.2g}"))
        assert p_value > LEVEL, f"{name}: p-value {p_value}"
    print(f"Errors, {ROWS:,} rows, {seeds} seeds of the folds\n")
    print(markdown(("family", "rows", "counts", "KS p"), rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=300)
    parser.add_argument("--piecewise-seeds", type=int, default=20)
    arguments = parser.parse_args()
    print(machine_facts() + "\n")
    choices_part(arguments.seeds)
    piecewise_part(arguments.piecewise_seeds)


if __name__ == "__main__":
    main()
