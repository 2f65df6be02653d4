"""Cross-validating one hyper-parameter of a family: scores per candidate, and the rule that picks one.

The score of a candidate is the unweighted mean over the folds of each fold's weighted loss. The rule prefers the
simplest: the first candidate whose score is at most (1 + tolerance) times the best. With tolerance 0 it is the
plain argmin, the first of equals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family
from fitontest.numerics.losses import find_loss
from fitontest.results.typing import FloatArray, IntArray

RESAMPLINGS = 200  # of the folds, each with weights of its own
EQUAL_SCORES = 1e-12  # relative difference below which two scores are the same number computed twice


@dataclass(frozen=True, eq=False)
class CVScores:
    """Cross-validation scores of the candidates, in the order in which they are preferred.

    Attributes
    ----------
    candidates : tuple of length C
    folds : array of shape (F, C)
        Mean held-out loss of each fold.
    mean, standard_error : arrays of shape (C,)
        Over the folds; the standard error is NaN for a single fold.
    """

    candidates: tuple[Any, ...]
    folds: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Mean over the folds."""
        return np.asarray(self.folds.mean(axis=0))

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of that mean, from the spread between the folds."""
        n_folds = self.folds.shape[0]
        if n_folds < 2:
            return np.full(self.folds.shape[1], np.nan)
        return np.asarray(self.folds.std(axis=0, ddof=1) / np.sqrt(n_folds))

    def choose(self, tolerance: float) -> Any:
        """Return the first candidate within the tolerance of the best score."""
        return self.candidates[int(first_within(self.mean, tolerance))]

    def choices(self, tolerance: float) -> tuple[Any, ...]:
        """Return a candidate for each fold, in proportion to how often resampled folds would choose it.

        The mean over the folds is taken `RESAMPLINGS` times with random weights of the folds (Dirichlet(1, ..., 1), the
        Bayesian bootstrap; always the same ones, with one version of numpy), and the rule of `choose` is applied to
        each. The F places are shared out by largest remainder and filled in the order of the candidates.
        """
        n_folds, n_candidates = self.folds.shape
        weights = np.random.default_rng(0).dirichlet(np.ones(n_folds), size=RESAMPLINGS)
        chosen = np.bincount(first_within(weights @ self.folds, tolerance), minlength=n_candidates)
        places, remainder = np.divmod(chosen * n_folds, RESAMPLINGS)
        places[np.argsort(-remainder, kind="stable")[: n_folds - places.sum()]] += 1
        return tuple(self.candidates[j] for j in np.repeat(np.arange(n_candidates), places))


def first_within(scores: FloatArray, tolerance: float) -> IntArray:
    """Return the position of the first score within the tolerance of the best, along the last axis."""
    limit = scores.min(axis=-1, keepdims=True) * (1.0 + tolerance) * (1.0 + EQUAL_SCORES)
    return np.asarray(np.argmax(scores <= limit, axis=-1))


def held_out_scores(
    family: Family, parameter: str, candidates: Sequence[Any], sample: ScoreSample, folds: list[IntArray], scoring: str
) -> CVScores:
    """Return the scores of the candidates by fitting the family once per fold and candidate.

    Parameters
    ----------
    family : Family
        Cloned for each fit; `parameter` is set to each candidate in turn.
    folds : list of int arrays
        Sorted rows of the sample that each fold holds out (`Sample.in_folds`).
    scoring : {"brier", "log_loss"}
    """
    loss = find_loss(scoring)
    scores = np.empty((len(folds), len(candidates)))
    for fold, chosen in enumerate(folds):
        kept = np.ones(len(sample.rows), dtype=bool)
        kept[chosen] = False
        train, held_out = sample.take(kept).merged, sample.take(chosen)
        for j, candidate in enumerate(candidates):
            fitted = clone(family).set_params(**{parameter: candidate}).fit_map(train)
            rows = loss(held_out.y, fitted.evaluate(held_out.p))
            scores[fold, j] = float(held_out.w @ rows) / held_out.total
    return CVScores(tuple(candidates), scores)
