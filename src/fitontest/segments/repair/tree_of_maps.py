"""A tree of maps: regions of the features with a logistic line in the logit of the score each."""

from dataclasses import dataclass

import numpy as np

from fitontest.families.base import Solution
from fitontest.families.registry import register
from fitontest.numerics.links import sigmoid
from fitontest.numerics.losses import log_loss
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import BoolArray, FloatArray
from fitontest.segments.features.folds import DealtRows, dealt_rows
from fitontest.segments.features.grown_tree import LEAST_VARIANCE, GrownTree, TreeSplits, grow
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.maps.by_segment import SegmentLinesMap
from fitontest.segments.maps.reach import cut_logits
from fitontest.segments.repair.feature_family import FeatureFamily
from fitontest.segments.repair.logits import reach_of
from fitontest.segments.repair.nested_folds import LeftOut, loss_of_choice, seen, sets_left_out
from fitontest.segments.repair.node_lines import NodeLines, fit_lines
from fitontest.segments.repair.settings import check_at_least, check_positive

TAUS = (0.0, 0.1, 0.3, 1.0)
SLACK = 1e-12  # relative, of losses that are equal to rounding


@register("tree_of_maps")
@take_descriptions(FeatureFamily, "Attributes", "Notes")
@dataclass(eq=False, repr=False)
class TreeOfMaps(FeatureFamily):
    """Give regions of the features a calibration map each, near that of all rows where they have few rows.

    A tree is grown so that its nodes differ in how wrong the scores are: with the targets (y - p) / v and the weights
    v = p (1 - p), a split of a node gains r1^2 / V1 + r2^2 / V2 - (r1 + r2)^2 / (V1 + V2), with r the sums of y - p and
    V those of v. Its conditions are thresholds of numbers, single levels of categories, and missing values.

    Every node has a map sigmoid(a + b logit p), and a row has that of the deepest node that it reaches. That of all
    rows is the logistic line of the largest likelihood; below it a line maximises the likelihood of the rows of its
    node less ((a - a')^2 + s^2 (b - b')^2) / (2 tau^2), with (a', b') of the node above, and with logit p centred, of
    variance s^2. tau is chosen among 0, 0.1, 0.3 and 1 by the log loss of held-out rows; with 0 there is one map
    for all.

    Parameters
    ----------
    max_depth : int, default=3
        Splits one below the other.
    least_variance : float, default=10.0
        Sum of v that each child must have: of 40 rows whose scores are 0.5.
    folds : int, default=5
        Folds by which tau is chosen. Rows of one group share a fold, and so do copies of a row.

    Attributes
    ----------
    map_ : SegmentLinesMap
        The line of each node.
    tau_ : float
        The chosen one.

    Notes
    -----
    A row whose value at a split is missing, or is a level that was not seen, stays at the node above, unless the split
    is on whether there is a value.

    Probability calibration trees, `ProbabilityCalibrationTree`, are grown by the labels instead, are pruned, and have
    lines of the largest likelihood in their leaves.

    References
    ----------
    Leathart, Frank, Holmes, Pfahringer (2017), Probability calibration trees, ACML.
    https://doi.org/10.48550/arXiv.1808.00111
    Hebert-Johnson, Kim, Reingold, Rothblum (2018), Multicalibration: calibration for the computationally-identifiable
    masses, ICML. https://doi.org/10.48550/arXiv.1711.08513

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> X, p = {"age": rng.integers(20, 80, 4000)}, rng.random(4000)
    >>> y = rng.random(4000) < np.where(X["age"] > 62, p**0.5, p)
    >>> calibrator = fot.segments.TreeOfMaps(max_depth=1).fit(X, y, scores=p)
    >>> [str(rule) for rule in calibrator.map_.rules], calibrator.map_.intercepts.round(1)
    (['all rows', 'age <= 62', 'age > 62'], array([0.3, 0. , 0.9]))
    """

    max_depth: int = 3
    least_variance: float = LEAST_VARIANCE
    folds: int = 5

    def check_settings(self) -> None:
        """Raise ValueError for a parameter that cannot be used."""
        super().check_settings()
        check_at_least(self.max_depth, "max_depth", 1)
        check_positive(self.least_variance, "least_variance")
        check_at_least(self.folds, "folds", 2)

    def solve(self, rows: FeatureRows) -> Solution:
        """Return the lines of the nodes, and tau.

        Parameters
        ----------
        rows : FeatureRows
            Checked rows in an order of their own.
        """
        return self._run(dealt_rows(rows, self.folds, self.random_state), nested=False)[0]

    def solve_and_hold_out(self, dealt: DealtRows) -> tuple[Solution, FloatArray]:
        """Return the fit to all rows, and the probability of each row by a fit without its fold, with a tau of its own.

        Parameters
        ----------
        dealt : DealtRows
            Rows in folds, which serve for the choice of tau too.
        """
        return self._run(dealt, nested=True)

    def _run(self, dealt: DealtRows, *, nested: bool) -> tuple[Solution, FloatArray]:
        reach = reach_of(dealt.rows.logits)
        rows = dealt.rows.at(cut_logits(dealt.rows.logits, reach))
        splits = TreeSplits.of(rows)
        losses: dict[tuple[LeftOut, int], FloatArray] = {}
        kept: dict[int, list[FloatArray]] = {}
        for left_out in sets_left_out(dealt, nested=nested):
            trained = self._train(rows, splits, seen(dealt, left_out))
            for fold in left_out:
                at = dealt.fold == fold
                q = trained.predict(rows.take(at))
                losses[left_out, fold] = np.array([rows.w[at] @ log_loss(rows.y[at], each) for each in q])
                if nested and left_out == (fold,):
                    kept[fold] = q
            if not left_out:
                of_all = trained
        place = _best(loss_of_choice(losses, dealt))
        held_out = rows.q.copy()
        for fold, q in kept.items():
            held_out[dealt.fold == fold] = q[_best(loss_of_choice(losses, dealt, fold))]
        return Solution(of_all.map(place, reach), None, {"tau_": TAUS[place]}), held_out

    def _train(self, rows: FeatureRows, splits: TreeSplits, kept: BoolArray) -> "_Trained":
        """Return a tree of some rows with lines for each tau."""
        train = rows if kept.all() else rows.take(kept)
        tree = grow(train, self.max_depth, self.least_variance, splits if kept.all() else splits.take(kept))
        at = tree.nodes(train.columns)
        return _Trained(tree, [fit_lines(tree, at, train.y, train.logits, train.w, tau) for tau in TAUS])


@dataclass(frozen=True, eq=False)
class _Trained:
    """A tree with the lines of its nodes for each tau."""

    tree: GrownTree
    lines: list[NodeLines]

    def predict(self, rows: FeatureRows) -> list[FloatArray]:
        """Return the probabilities of other rows for each tau."""
        at = self.tree.nodes(rows.columns)
        return [sigmoid(lines.logits(at, rows.logits)) for lines in self.lines]

    def map(self, place: int, reach: float | None) -> SegmentLinesMap:
        """Return the map for one of the taus; without a tree where all nodes have one line."""
        lines, size = self.lines[place], len(self.tree) if TAUS[place] > 0.0 else 1
        return SegmentLinesMap(self.tree.rules[:size], lines.intercepts[:size], lines.slopes[:size], reach)


def _best(losses: FloatArray | None) -> int:
    """Return the place of the least loss, the first of equals; the first where nothing was held out."""
    return 0 if losses is None else int(np.flatnonzero(losses <= losses.min() * (1.0 + SLACK))[0])
