"""Cross-validation as a family: any hyper-parameter of any family, chosen on the data it is then fitted to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution, read_family
from fitontest.families.tuning import held_out_scores
from fitontest.numerics.losses import find_loss
from fitontest.numerics.random import check_cv
from fitontest.results.checks import check_not_negative
from fitontest.results.typing import RandomState


@dataclass(eq=False, repr=False)
class CrossValidated(Family):
    """Choose one hyper-parameter of a family of calibration maps by K-fold cross-validation, then fit all rows.

    The chosen value is the first candidate whose mean held-out loss is at most (1 + tolerance) times the best, so
    list the candidates from the simplest to the most complex. The folds are drawn over the rows sorted by
    (p, y, w): the choice depends on the data and the seed, not on the order of the rows.

    Parameters
    ----------
    family : str or Family, default="slope1"
        Family to tune; cloned.
    parameter : str, default="n_bins"
        Its hyper-parameter to choose.
    candidates : sequence, optional
        Values to try, simplest first; 1..40 by default.
    scoring : {"brier", "log_loss"}, default="brier"
        The held-out loss, a weighted mean. The log loss clips predictions to [1e-6, 1 - 1e-6].
    cv : int, default=10
        Number of folds, at most n.
    tolerance : float, default=1e-3
        0 is the plain argmin.
    random_state : int, RandomState or None, default=0
        Of the folds.

    Attributes
    ----------
    best_value_ : object
        The chosen candidate (the first one for a single row, which leaves nothing to hold out).
    best_family_ : Family
        The family, fitted with it.
    cv_scores_ : CVScores
        Mean and standard error of the held-out loss per candidate (absent for a single row).
    map_, partition_, n_bins_
        Those of `best_family_`.

    See Also
    --------
    make_family : ``make_family("slope1", n_bins="cv")`` makes the same choice of bins many times faster.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> p = np.linspace(0.01, 0.99, 200)
    >>> y = (np.arange(200) % 10) / 10 < p
    >>> tuned = fot.families.CrossValidated("flat", candidates=[1, 2, 4, 8], tolerance=0).fit(p, y)
    >>> tuned.best_value_, tuned.n_bins_
    (4, 4)
    """

    family: str | Family = "slope1"
    parameter: str = "n_bins"
    candidates: Sequence[Any] | None = None
    scoring: Literal["brier", "log_loss"] = "brier"
    cv: int = 10
    tolerance: float = 1e-3
    random_state: RandomState = 0

    def _count_parameters(self) -> float:
        """Return those of `best_family_`."""
        best: Family = self.best_family_
        return best.n_parameters_

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the calibration map with the choice and its cross-validation scores."""
        family = read_family(self.family)
        if not isinstance(self.candidates, Iterable | None) or isinstance(self.candidates, str):
            raise ValueError(f"candidates must be a sequence of values, got {self.candidates!r}")
        candidates = list(range(1, 41)) if self.candidates is None else list(self.candidates)
        self._check(family, candidates)
        chosen: dict[str, Any] = {"best_value_": candidates[0]}
        if sample.n > 1:
            parts, folds = sample.in_folds(self.cv, self.random_state)
            scores = held_out_scores(family, self.parameter, candidates, parts, folds, self.scoring)
            chosen = {"best_value_": scores.choose(self.tolerance), "cv_scores_": scores}
        best = family.set_params(**{self.parameter: chosen["best_value_"]}).fit_sample(sample)
        return Solution(best.map_, getattr(best, "partition_", None), {"best_family_": best, **chosen})

    def _check(self, family: Family, candidates: list[Any]) -> None:
        if self.parameter not in family.get_params():
            raise ValueError(f"parameter must be a parameter of {family!r}, got {self.parameter!r}")
        if not candidates:
            raise ValueError("candidates must not be empty, got []")
        check_cv(self.cv)
        check_not_negative(self.tolerance, "tolerance")
        find_loss(self.scoring)
