"""The diagram of a tree of calibrated probabilities: its splits, and beside each leaf how reliable its values are."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import check_same_length
from fitontest.data.indices import check_same_order
from fitontest.data.labels import as_labels, listed
from fitontest.data.places import BadValueError, such
from fitontest.data.row_groups import GROUP
from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import read_weights
from fitontest.displays.base import Display
from fitontest.displays.canvas import AxesOrFigure, get_axes, style_axes
from fitontest.displays.palette import FILL, GAP, NEUTRAL, get_foreground
from fitontest.families.feature_calibrator import read_groups_of
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.results.checks import is_whole
from fitontest.results.frames import Records
from fitontest.results.text import short
from fitontest.results.typing import ArrayInput, FloatArray, IntArray, Label
from fitontest.segments.repair.trees.base import PrunedTree
from fitontest.segments.repair.trees.node_models import LogisticModels
from fitontest.segments.repair.trees.structure import NONE, TreeStructure
from fitontest.uncertainty.effective_rows import effective_rows, nothing_learnt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DEEPEST = 3  # levels drawn unless more are asked for
COLUMN, SHARE, CURVE, PANEL = 2.15, 0.7, 0.62, 2.9  # widths in inches: of a level, of the shares, of a curve, of values
ROW, ABOVE = 0.46, 1.0  # heights in inches: of a leaf, of what is above and below them
LONGEST = 29  # letters of a condition that fit into a level; longer names are cut
LEVEL = 0.95  # of intervals
VALUES = ("observed", "low", "high", "predicted", "q05", "q95")  # of a leaf
LIFT = 0.14  # of the observed shares over the middle of a row, and of the predictions under it
QUANTILES = (0.05, 0.95)  # ends of the line through the predictions of a leaf


@dataclass(frozen=True)
class TreeConditions:
    """The conditions of a tree in words.

    Attributes
    ----------
    tree : TreeStructure
    names : list of str
        Of the features.
    missing : bool array of shape (d,)
        Which features are missing in some rows.
    """

    tree: TreeStructure
    names: list[str]
    missing: NDArray[np.bool_]

    def at(self, node: int, side: str, longest: int | None = None) -> str:
        """Return the condition by which rows go to one side of a split."""
        feature = int(self.tree.feature[node])
        name, threshold = self.names[feature], float(self.tree.threshold[node])
        if np.isinf(threshold):  # all rows that have the feature go to the left
            rule = " not missing" if side == "left" else " missing"
        else:
            goes = self.missing[feature] and self._takes_missing(node, side) and self._missing_reach(node)
            rule = f" {'<=' if side == 'left' else '>'} {short(threshold)}{' or missing' if goes else ''}"
        if longest is not None and len(name) + len(rule) > longest:
            name = f"{name[: max(longest - len(rule) - 1, 3)]}…"
        return f"{name}{rule}"

    def path(self, node: int) -> str:
        """Return the conditions that lead to a node."""
        conditions = [self.at(above, side) for above, side in self._splits_above(node)]
        if len(conditions) > 1:
            conditions = [f"({one})" if one.endswith(" or missing") else one for one in conditions]
        return " and ".join(conditions) or "all rows"

    def _splits_above(self, node: int) -> list[tuple[int, str]]:
        """Return the splits that lead to a node, from the root on, with the side that it is on."""
        splits = []
        while (above := int(self.tree.parent[node])) != NONE:
            splits.append((above, "left" if self.tree.left[above] == node else "right"))
            node = above
        return splits[::-1]

    def _takes_missing(self, node: int, side: str) -> bool:
        """Return whether rows that miss the feature of a split go to a side of it."""
        return bool(self.tree.missing_left[node]) == (side == "left")

    def _missing_reach(self, node: int) -> bool:
        """Return whether rows that miss the feature of a split come as far as that."""
        feature = self.tree.feature[node]
        above = [split for split in self._splits_above(node) if self.tree.feature[split[0]] == feature]
        return all(self._takes_missing(split, side) for split, side in above)


class TreeDisplay(Display):
    """Drawing of a decision tree that calibrates by the features, with the reliability of each leaf.

    The splits are read from left to right; each leaf is a row. Beside it stand the share of the rows that reach it, and
    on one scale the share of the positive class among them (dot, with its exact 95 % interval) and the mean predicted
    probability (diamond, with a line from the 5 % to the 95 % quantile where the leaf has more than one value). A leaf
    with a logistic regression shows its curve in a small square, from base scores to probabilities. Where the tree is
    deeper than `max_depth`, the leaves below a node are shown as one row, with their number.

    Made by `from_estimator`. `plot` draws it again on other axes; they should be about as large as `size`, or texts
    touch one another.

    Parameters
    ----------
    calibrator : TreeCalibrator or ProbabilityCalibrationTree
        Fitted.
    leaf : int array of shape (n,)
        The leaf of each row, as `apply` gives it.
    t, p, w : array of shape (n,)
        Whether each row is of the positive class, its predicted probability, its weight.
    label : label
        The positive class.
    max_depth : int
        Down to which depth the tree is drawn.
    missing : bool array of shape (d,)
        Which features are missing in some rows.
    groups : array of shape (n,), optional
        The group of each row, of those that belong together: the intervals are then of as many rows as tell as much,
        and there are none of fewer than 10 groups.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Of the tree; after `plot`, as are the following.
    values_ax_ : matplotlib Axes
        Of the reliability of the leaves.
    observed_, predicted_ : Line2D
        The dots and the diamonds.
    figure_ : matplotlib Figure or SubFigure
        The figure of the axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_breast_cancer
    >>> import fitontest as fot
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> calibrator = fot.segments.TreeCalibrator(max_depth=2).fit(X[:300], y[:300])
    >>> display = fot.segments.TreeDisplay.from_estimator(calibrator, X[300:], y[300:], ax=Figure())
    >>> display
    TreeDisplay(tree with 3 leaves, n = 269, class 1)
    >>> display.to_frame(part="leaves")[["path", "share", "observed", "predicted"]].round(3).values.tolist()
    [['worst perimeter <= 106 and worst smoothness <= 0.175', 0.677, 0.989, 0.954],
     ['worst perimeter <= 106 and worst smoothness > 0.175', 0.026, 0.714, 0.0],
     ['worst perimeter > 106', 0.297, 0.225, 0.07]]
    """

    ax_: "Axes"
    values_ax_: "Axes"

    def __init__(
        self,
        calibrator: PrunedTree,
        leaf: IntArray,
        t: FloatArray,
        p: FloatArray,
        w: FloatArray,
        *,
        label: Label,
        max_depth: int = DEEPEST,
        missing: NDArray[np.bool_] | None = None,
        groups: NDArray[Any] | None = None,
    ) -> None:
        if not is_whole(max_depth) or max_depth < 0:
            raise ValueError(f"max_depth must be a whole number, at least 0; got {max_depth!r}")
        self.calibrator, self.label, self.max_depth = calibrator, label, max_depth
        whole = calibrator.structure_
        self.tree, number = whole.cut(whole.depth >= max_depth)
        self.n = int((w > 0).sum())
        names = getattr(calibrator, "feature_names_in_", [f"x{j}" for j in range(calibrator.n_features_in_)])
        missing = np.zeros(len(names), dtype=bool) if missing is None else missing
        self.conditions = TreeConditions(self.tree, [str(name) for name in names], missing)
        below = np.bincount(number[whole.leaves], minlength=self.tree.size)
        sample = ScoreSample(t, p, w)
        if groups is not None:
            sample = sample.with_facts(**{GROUP: groups})
        self._rows = _tabulate(self.tree, number[leaf], sample)
        too_few = ": too few for intervals" if nothing_learnt(sample) else ""
        self._size = f"n = {self.n:,}{f', {len(sample.groups):,} groups{too_few}' if sample.groups else ''}"
        for row in self._rows:
            node = row["node"]
            row["path"] = self.conditions.path(node)
            row["leaves"] = int(below[node])
            row["intercept"], row["slope"] = self._regression(whole, number, node)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayInput,
        *,
        sample_weight: ArrayInput = None,
        groups: ArrayInput = None,
        scores: ArrayInput = None,
        pos_label: Label | None = None,
        max_depth: int = DEEPEST,
        ax: AxesOrFigure = None,
    ) -> Self:
        """Draw the tree of a fitted calibrator, with its reliability on the rows given.

        Parameters
        ----------
        estimator : TreeCalibrator, ProbabilityCalibrationTree or CalibratedClassifier
            A `CalibratedClassifier` must have one tree: of a frozen classifier, or fitted with ``ensemble=False``. One
            of its ``calibrated_classifiers_`` can be given too.
        X : array-like of shape (n, d)
            Features. Rows that the calibrator was not fitted to show how reliable it is; others how it was fitted.
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            Counts where all are whole numbers of at most 10 on average, weight 2 being the row twice; else importances,
            whose scale means nothing. A row of weight 0 is absent.
        groups : array-like of shape (n,), optional
            Which rows belong together, such as those of one patient, user or site: ids of any hashable type. The
            intervals of the leaves then take groups, not rows, for independent; of fewer than 10 groups there are none.
        scores : array-like of shape (n,) or (n, K), optional
            Base scores, for a `ProbabilityCalibrationTree` that was fitted with scores on its own.
        pos_label : label, optional
            The class whose probability is shown, by default the second of two.
        max_depth : int, default=3
            Levels of the tree that are drawn.
        ax : matplotlib Axes, Figure or SubFigure, optional
            Where to draw; by default a new pyplot figure.

        Returns
        -------
        TreeDisplay

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found.
        """
        check_same_order(X=X, y=y, sample_weight=sample_weight, groups=groups, scores=scores)
        calibrator, proba, classes = _predict(estimator, X, scores)
        labels = as_labels(y, "y")
        w = np.ones(labels.size) if sample_weight is None else read_weights(sample_weight, "sample_weight").w
        check_same_length(X=proba, y=labels, sample_weight=w)
        known = classes.tolist()
        if pos_label is None and len(known) != 2:
            raise ValueError(f"pos_label must be given of {len(known)} classes, one of {listed(known)}")
        label = known[1] if pos_label is None else pos_label
        if label not in known:
            raise ValueError(f"pos_label must be one of the classes {listed(known)}, got {label!r}")
        _check_labels(labels, w, known)
        t = (labels == label).astype(np.float64)
        p = proba[:, known.index(label)]
        leaf = calibrator.apply(X)
        ids = read_groups_of(groups, labels)
        options: dict[str, Any] = {"label": label, "max_depth": max_depth, "missing": _missing_in(X), "groups": ids}
        return cls(calibrator, leaf, t, p, w, **options).plot(ax)

    def _summarise(self) -> str:
        return f"tree with {self.calibrator.n_leaves_} leaves, {self._size}, class {self.label}"

    def parts(self) -> dict[str, Records]:
        """Return the numbers drawn: the splits of the tree, and the reliability of its leaves."""
        tree = self.tree
        splits = [
            {
                "node": node,
                "depth": int(tree.depth[node]),
                "feature": self.conditions.names[tree.feature[node]],
                "threshold": float(tree.threshold[node]),
                "left": int(tree.left[node]),
                "right": int(tree.right[node]),
            }
            for node in np.flatnonzero(~tree.is_leaf).tolist()
        ]
        return {"leaves": self._rows, "splits": splits}

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the figure, in inches."""
        return sum(self._widths()), ABOVE + ROW * len(self._rows)

    def plot(self, ax: AxesOrFigure = None) -> Self:
        """Draw the diagram.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Axes, or an empty figure. By default a new pyplot figure is made.

        Returns
        -------
        self
        """
        self.ax_ = get_axes(ax, self.size)
        self.figure_ = self.ax_.figure
        tree, share, curve, panel = (width / sum(self._widths()) for width in self._widths())
        self.ax_.set(xlim=(0.0, 1.0), ylim=(len(self._rows) - 0.5, -0.5))
        self.ax_.set_axis_off()
        self._draw_tree(tree)
        self._draw_shares(tree + share / 2)
        if curve:
            self._draw_curves(tree + share, curve)
        self.values_ax_ = self.ax_.inset_axes((1.0 - panel, 0.0, panel, 1.0))
        self._draw_values(self.values_ax_)
        hidden = self.calibrator.n_leaves_ - len(self._rows)
        cut = f", drawn to depth {self.max_depth}" if hidden else ""
        self.ax_.set_title(
            f"{type(self.calibrator).__name__}: {self.calibrator.n_leaves_} leaves{cut}, {self._size}",
            loc="left",
            fontsize="medium",
            pad=26,
        )
        return self

    def _widths(self) -> tuple[float, float, float, float]:
        depth = max(int(self.tree.depth.max()), 1)
        curves = any(row["slope"] is not None for row in self._rows)
        return COLUMN * depth, SHARE, CURVE if curves else 0.0, PANEL

    def _regression(self, whole: TreeStructure, number: IntArray, node: int) -> tuple[float | None, float | None]:
        """Return intercept and slope of a leaf's logistic regression on the logit of the score of the class shown.

        None of several leaves, or without a regression.
        """
        models = self.calibrator.models_
        below = whole.leaves[number[whole.leaves] == node]
        if not isinstance(models, LogisticModels) or below.size > 1:
            return None, None
        if models.shares.shape[1] > 2:
            return None, None  # its probabilities depend on the scores of all classes
        # of the first class, 1 - sigmoid(a + b z) = sigmoid(-a + b (-z)), where -z is the logit of its own score
        sign = 1.0 if self.label == self.calibrator.classes_.tolist()[1] else -1.0
        return sign * float(models.intercepts[below[0], 0]), float(models.slopes[below[0], 0])

    def _draw_tree(self, width: float) -> None:
        """Draw the splits from left to right: a line to each child, with the condition above it."""
        tree, color = self.tree, get_foreground(self.ax_)
        levels = max(int(tree.depth.max()), 1)
        height = np.zeros(tree.size)
        height[[row["node"] for row in self._rows]] = np.arange(len(self._rows))
        for node in np.flatnonzero(~tree.is_leaf)[::-1]:
            height[node] = (height[tree.left[node]] + height[tree.right[node]]) / 2
        for node in np.flatnonzero(~tree.is_leaf).tolist():
            x = tree.depth[node] / levels * width
            sides = {"left": int(tree.left[node]), "right": int(tree.right[node])}
            ends = [height[child] for child in sides.values()]
            self.ax_.plot([x, x], ends, color=color, linewidth=1.0)
            for side, child in sides.items():
                y, end = height[child], (tree.depth[node] + 1) / levels * width
                self.ax_.plot([x, end], [y, y], color=color, linewidth=1.0)
                self.ax_.annotate(
                    self.conditions.at(node, side, LONGEST), (x, y), (3.0, 2.0), textcoords="offset points",
                    fontsize="small", va="bottom",
                )  # fmt: skip
                if tree.left[child] == NONE and end < width:
                    self.ax_.plot([end, width], [y, y], color=NEUTRAL, linewidth=0.8, linestyle=":")
        for row, y in zip(self._rows, range(len(self._rows)), strict=True):
            if row["leaves"] > 1:
                self.ax_.annotate(
                    f"{row['leaves']} leaves", (width, y), (-3.0, -2.0), textcoords="offset points",
                    fontsize="x-small", ha="right", va="top", color=NEUTRAL,
                )  # fmt: skip

    def _draw_shares(self, x: float) -> None:
        """Write the share of the rows that reach each leaf."""
        self.ax_.annotate(
            "rows", (x, 1.0), (0.0, 4.0), xycoords="axes fraction", textcoords="offset points", ha="center",
            fontsize="small",
        )  # fmt: skip
        for y, row in enumerate(self._rows):
            self.ax_.text(x, y, f"{100 * row['share']:.3g} %", ha="center", va="center", fontsize="small")

    def _draw_curves(self, x: float, width: float) -> None:
        """Draw the logistic curve of each leaf in a small square, from scores to probabilities, with the diagonal."""
        self.ax_.annotate(
            "map", (x + width / 2, 1.0), (0.0, 4.0), xycoords="axes fraction", textcoords="offset points",
            ha="center", fontsize="small",
        )  # fmt: skip
        scores = np.linspace(0.001, 0.999, 101)
        for y, row in enumerate(self._rows):
            if row["slope"] is None:
                continue
            side = 0.86 * width
            square = self.ax_.inset_axes((x + width / 2 - side / 2, y - 0.42, side, 0.84), transform=self.ax_.transData)
            square.plot([0, 1], [0, 1], color=NEUTRAL, linewidth=0.6)
            values = sigmoid(row["intercept"] + row["slope"] * logit(scores, 0.0))
            square.plot(scores, values, color=GAP, linewidth=1.3)
            square.set(xlim=(0, 1), ylim=(-0.05, 1.05), xticks=[], yticks=[])
            square.set_facecolor("none")

    def _draw_values(self, ax: "Axes") -> None:
        """Draw the observed shares and the predicted probabilities of the leaves on one scale."""
        style_axes(ax)
        ax.set(xlim=(-0.03, 1.03), ylim=(len(self._rows) - 0.5, -0.5), yticks=[])
        ax.spines["left"].set_visible(False)
        ax.set_facecolor("none")
        ax.tick_params(labelsize="small")
        ax.set_xlabel(f"probability of class {self.label}", fontsize="small", parse_math=False)
        heights = np.arange(len(self._rows))
        for y, row in zip(heights, self._rows, strict=True):  # of a leaf without rows they are NaN: nothing is drawn
            ax.plot([row["low"], row["high"]], [y - LIFT] * 2, color=FILL, linewidth=1.4)
            if row["q95"] > row["q05"]:
                ax.plot([row["q05"], row["q95"]], [y + LIFT] * 2, color=GAP, linewidth=1.0)
        observed, predicted = ([row[key] for row in self._rows] for key in ("observed", "predicted"))
        self.observed_ = ax.plot(observed, heights - LIFT, "o", color=FILL, label="observed")[0]
        self.predicted_ = ax.plot(predicted, heights + LIFT, "D", color=GAP, markersize=4.5, label="predicted")[0]
        ax.legend(
            loc="lower left", bbox_to_anchor=(-0.02, 1.0), ncols=2, frameon=False, fontsize="small", borderaxespad=0.0,
            handletextpad=0.2, columnspacing=1.0,
        )  # fmt: skip


def _predict(estimator: Any, X: Any, scores: ArrayInput) -> tuple[PrunedTree, FloatArray, NDArray[Any]]:
    """Return the tree, the probabilities of the rows, and the classes of their columns."""
    if isinstance(estimator, PrunedTree):
        given = {} if scores is None else {"scores": scores}
        return estimator, estimator.predict_proba(X, **given), estimator.classes_
    pairs = getattr(estimator, "calibrated_classifiers_", [estimator])
    if len(pairs) > 1:
        raise ValueError(
            f"estimator must have one tree, got {len(pairs)} of them; fit it with ensemble=False, or give one of "
            "estimator.calibrated_classifiers_"
        )
    calibrator = getattr(pairs[0], "family_", None)
    if not isinstance(calibrator, PrunedTree):
        raise ValueError(f"estimator must be a fitted tree or a CalibratedClassifier with one, got {estimator!r}")
    if scores is not None:
        raise ValueError("scores must be left out with a CalibratedClassifier, which computes them")
    return calibrator, pairs[0].predict_proba(X), pairs[0].classes_


def _check_labels(labels: NDArray[Any], w: FloatArray, known: list[Any]) -> None:
    """Raise ValueError for a label that the calibrator has no probability of; rows of weight 0 are absent."""
    bad = np.array([label not in known for label in labels.tolist()], dtype=bool) & (w > 0)
    if bad.any():
        at = int(np.argmax(bad))
        rule = f"be one of the classes {listed(known)}"
        raise BadValueError("y", rule, repr(labels[at].item()), at, labels.shape, such(int(bad.sum())))


def _missing_in(X: Any) -> NDArray[np.bool_]:
    """Return which features are missing in some rows."""
    if hasattr(X, "tocoo"):
        entries = X.tocoo()
        return np.bincount(entries.col[np.isnan(entries.data)], minlength=X.shape[1]) > 0
    return np.asarray(np.isnan(np.asarray(X, dtype=np.float64)).any(axis=0))


def _tabulate(tree: TreeStructure, leaf: IntArray, sample: ScoreSample) -> Records:
    """Return the reliability of each leaf, from left to right; of one without rows there is none."""
    rows: Records = []
    for node in tree.leaves.tolist():
        here = np.flatnonzero((leaf == node) & (sample.w > 0))
        own = {"node": node, "n": here.size, "share": float(sample.w[here].sum()) / sample.total}
        rows.append(own | (_values(sample.select(here)) if here.size else dict.fromkeys(VALUES, np.nan)))
    return rows


def _values(part: ScoreSample) -> dict[str, float]:
    """Return the share of positives of one leaf with its exact interval, and the predictions."""
    observed, n = part.base_rate, np.nan if nothing_learnt(part) else effective_rows(part)
    low, high = (np.nan, np.nan) if np.isnan(n) else share_interval(observed * n, n, LEVEL)
    q05, q95 = np.quantile(part.p, QUANTILES, weights=part.w, method="inverted_cdf").tolist()
    predicted = float(part.w @ part.p) / part.total
    return dict(zip(VALUES, (observed, float(low), float(high), predicted, q05, q95), strict=True))
