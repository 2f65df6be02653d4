"""Boosted trees on the features and the score: stages of trees, as many as held-out rows ask for."""

from dataclasses import dataclass

from fitontest.families.base import Solution
from fitontest.families.registry import register
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import FloatArray
from fitontest.segments.features.folds import DealtRows, dealt_rows
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.repair.boosted_stages import BoostedStages, Stage
from fitontest.segments.repair.feature_family import FeatureFamily
from fitontest.segments.repair.nested_folds import sets_left_out
from fitontest.segments.repair.settings import check_at_least, check_positive


@register("boosted")
@take_descriptions(FeatureFamily, "Attributes", "Notes")
@dataclass(eq=False, repr=False)
class Boosted(FeatureFamily):
    """Correct scores by boosted decision trees on the features and on the scores themselves.

    logit q_0 = logit p, and every tree adds to it what fits the Newton targets (y - q) / v with the weights
    v = q (1 - q) best: in a leaf rate * sum (y - q) / (sum v + 1). A tree has up to 8 leaves.

    Trees come in stages. Those of a stage may also split on logit q as it was when the stage began, so that they see
    what earlier stages changed. Their number is chosen by the log loss of held-out rows; there may be none.

    Parameters
    ----------
    max_stages : int, default=20
        Stages at most. No more are tried once a stage does not lower the loss of held-out rows.
    trees_per_stage : int, default=20
        Trees of a stage.
    learning_rate : float, default=0.08
        Share of a tree's correction that is taken.
    min_samples_leaf : int or float, default=40
        A leaf must have as much information, sum of v, as so many rows have on average.
    folds : int, default=5
        Folds by which the number of stages is chosen. Rows of one group share a fold, and so do copies of a row.

    Attributes
    ----------
    map_ : BoostedMap
        The trees.
    n_stages_ : int
        The chosen number of stages.
    held_out_losses_ : array
        Mean log loss of held-out rows after 0, 1, 2, ... stages.

    Notes
    -----
    Numbers are put into 30 bins by quantiles, once; what is missing has a bin of its own, and goes with the small
    numbers. Of a category the 30 levels of the most weight are told apart, in the order of their mean targets at each
    split; all others, and levels that were not seen in the fit, are one, which moves scores as any level does. Levels
    of which a split has no row, and missing values likewise, go to its side of more information, sum of v. Trees are
    grown level by level, to three splits one below the other.

    The map cannot be written as SQL; it has JSON of its trees.

    MCGrad has the same stages with trees of LightGBM, and multiplies the logit after each.

    References
    ----------
    Tax, Perini, Linder, Haimovich, Karamshuk, Okati, Vojnovic, Apostolopoulos (2026), MCGrad: Multicalibration at web
    scale, KDD. https://doi.org/10.48550/arXiv.2509.19884
    Friedman (2001), Greedy function approximation: a gradient boosting machine, Annals of Statistics 29(5).
    https://doi.org/10.1214/aos/1013203451

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> X, p = {"age": rng.integers(20, 80, 4000), "hour": rng.integers(0, 24, 4000)}, rng.random(4000)
    >>> y = rng.random(4000) < np.where((X["age"] > 50) & (X["hour"] < 12), p**0.5, p)
    >>> calibrator = fot.segments.Boosted().fit(X, y, scores=p)
    >>> calibrator.n_stages_
    1
    >>> calibrator.predict_proba({"age": [70, 70], "hour": [6, 18]}, scores=[0.5, 0.5])[:, 1].round(1)
    array([0.7, 0.5])
    """

    max_stages: int = 20
    trees_per_stage: int = 20
    learning_rate: float = 0.08
    min_samples_leaf: int | float = 40
    folds: int = 5

    def check_settings(self) -> None:
        """Raise ValueError for a parameter that cannot be used."""
        super().check_settings()
        check_at_least(self.max_stages, "max_stages", 0)
        check_at_least(self.trees_per_stage, "trees_per_stage", 1)
        check_positive(self.learning_rate, "learning_rate")
        check_positive(self.min_samples_leaf, "min_samples_leaf")
        check_at_least(self.folds, "folds", 2)

    def solve(self, rows: FeatureRows) -> Solution:
        """Return the trees, and how many stages they have.

        Parameters
        ----------
        rows : FeatureRows
            Checked rows in an order of their own.
        """
        return self._stages(dealt_rows(rows, self.folds, self.random_state), nested=False).solution()

    def solve_and_hold_out(self, dealt: DealtRows) -> tuple[Solution, FloatArray]:
        """Return the fit to all rows, and the probability of each row by a fit without its fold, of stages of its own.

        Parameters
        ----------
        dealt : DealtRows
            Rows in folds, which serve for the choice of stages too.
        """
        stages = self._stages(dealt, nested=True)
        return stages.solution(), stages.held_out()

    def _stages(self, dealt: DealtRows, *, nested: bool) -> BoostedStages:
        stage = Stage(self.trees_per_stage, float(self.learning_rate), float(self.min_samples_leaf))
        stages = BoostedStages(dealt, sets_left_out(dealt, nested=nested), stage)
        while stages.count < self.max_stages and stages.may_gain:
            stages.add()
        return stages
