"""The two binned families, and how their bins and the number of these are chosen.

The plug-in error of `Slope1` is the expected calibration error (ECE), that of `Flat`, which is histogram binning, the
probability deviation error (PDE).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, TypeAlias, TypeGuard

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, Solution
from fitontest.families.bin_count import BATCH, bin_count_scores
from fitontest.families.bin_count_many import FoldBins, RowLabels, applies, chosen_counts
from fitontest.families.block_means import block_means, mean_labels
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.registry import register
from fitontest.families.tuning import CVScores, held_out_scores
from fitontest.maps.binned import BinnedMap, levelled, shifted
from fitontest.numerics.losses import find_loss
from fitontest.numerics.random import check_cv
from fitontest.partitions.equal_bins import EqualBins, EqualMass, EqualWidth
from fitontest.partitions.monotone_sweep import MonotoneSweep
from fitontest.partitions.partition import Closed, Partition, check_closed, checked_partition
from fitontest.partitions.partitioner import Partitioner, check_n_bins, counts_bins, make_partitioner, with_bins
from fitontest.results.checks import check_not_negative, is_whole
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import ArrayInput, FloatArray, IntArray, RandomState

ScoreBins: TypeAlias = EqualBins | Partition  # rules that do not look at the labels


@dataclass(eq=False, repr=False)
class BinnedFamily(Family):
    """Base of `Slope1` and `Flat`: straight pieces of one slope over bins whose number may be chosen from data.

    Parameters
    ----------
    n_bins : int, {"cv", "sweep", "cube_root"} or array-like of edges, default="cv"
        Number of bins. "cv" chooses among 1..max_bins by cross-validation, "sweep" takes bins while their mean
        labels stay in order (`MonotoneSweep`, at most 1000 bins), "cube_root" is max(1, round(n^(1/3))) with n
        the number of rows of positive weight; edges make the bins directly (see `Partition`).
    scheme : {"equal_mass", "equal_width"}, another registered name, or Partitioner, default="equal_mass"
        Rule that makes the bins. A partitioner with an ``n_bins`` parameter gets the number; one without, such as
        ``"pava"``, makes its bins alone and goes with the default n_bins="cv".
    closed : {"left", "right"}, default="left"
        Whether a score on an edge belongs to the bin above it or below it. (A Partitioner brings its own rule.)
    scoring : {"brier", "log_loss"}, default="brier"
        Held-out loss for "cv". The log loss clips predictions to [1e-6, 1 - 1e-6]; it visits the held-out rows once
        per candidate and takes several times as long.
    cv : int, default=10
        Folds for "cv": KFold, shuffled, over the rows sorted by (p, y, w); at most n.
    max_bins : int, default=40
        Largest candidate for "cv".
    tolerance : float, default=1e-3
        "cv" takes the fewest bins whose score is at most (1 + tolerance) times the best; 0 is the plain argmin.
    random_state : int, RandomState or None, default=0
        Seed of the folds.

    Attributes
    ----------
    partition_ : Partition
        The bins.
    n_bins_ : int
        Bins really used: fewer than requested where scores are tied.
    bin_table_ : BinTable
        n, w, sum p and sum y per bin.
    cv_scores_ : CVScores
        Mean and standard error of the held-out loss per candidate (only for "cv").
    """

    has_partition = True
    _slope: ClassVar[float]

    n_bins: int | ArrayInput | Literal["cv", "sweep", "cube_root"] = "cv"
    scheme: str | Partitioner = "equal_mass"
    closed: Closed = "left"
    scoring: Literal["brier", "log_loss"] = "brier"
    cv: int = 10
    max_bins: int = 40
    tolerance: float = 1e-3
    random_state: RandomState = 0

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the binned calibration map with its bins.

        The table of the bins comes with it and, where their number was chosen, the scores of the choice.
        """
        check_closed(self.closed)
        partition, scores = self._bins(sample)
        partition = checked_partition(partition, self.scheme)
        table = partition.summarise(sample)
        fitted: BinnedMap = (shifted if self._slope == 1.0 else levelled)(partition, table)
        attributes: dict[str, Any] = {"bin_table_": table}
        if scores is not None:
            attributes["cv_scores_"] = scores
        return Solution(fitted, partition, attributes)

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the binned calibration maps of many sets of labels.

        Bins that depend on the scores alone are made once.
        """
        check_closed(self.closed)
        rules = self._rules(entries, positives)
        if rules is None:  # the log loss and schemes of one's own visit each labelling
            return super().fit_many(entries, positives)
        return SharedFits(self.fit_map, entries, positives, partial(self._values, rules))

    def _values(self, rules: Sequence[ScoreBins], entries: Entries, positives: IntArray) -> FloatArray:
        """Return the values at the distinct scores of the maps over the bins of each labelling's rule."""
        wy = entries.distinct_wy(positives)
        distinct = set(rules)
        if len(distinct) == 1:
            return self._values_of_rule(rules[0], entries, wy)
        values = np.empty(wy.shape)
        for rule in distinct:
            alike = np.array([other == rule for other in rules])
            values[:, alike] = self._values_of_rule(rule, entries, wy[:, alike])
        return values

    def _values_of_rule(self, rule: ScoreBins, entries: Entries, wy: FloatArray) -> FloatArray:
        """Return the values of the maps over the bins of the rule, where the positives of each score weigh `wy`."""
        name = "starts of bins", rule
        if name not in entries.memory:
            starts = rule.partition(entries.unlabelled).starts(entries.distinct_p)
            entries.memory[name] = starts[:-1][np.diff(starts) > 0]  # of the bins that hold a score
        starts, p, w = entries.memory[name], entries.distinct_p, entries.distinct_w
        values = mean_labels(wy, w, starts)
        if self._slope == 1.0:
            values += (p - block_means(w * p, w, starts))[:, None]
        return values

    def _rules(self, entries: Entries, positives: IntArray) -> Sequence[ScoreBins] | None:
        """Return what makes the bins of each labelling, or None unless it is known without visiting each by itself."""
        scheme = self._scheme()
        if self._chooses(scheme):
            if not (_bins_scores(scheme) and self._chooses_at_once(entries)):
                return None
            return [with_bins(scheme, n_bins) for n_bins in self._chosen_counts(scheme, entries, positives)]
        if isinstance(self.n_bins, str) and self.n_bins == "cube_root" and entries.rows is None:
            return None  # how many rows an entry makes depends on its labels
        rule = self._rule(scheme, entries.rows or len(entries))
        if type(rule) is MonotoneSweep:
            wy = entries.distinct_wy(positives)
            counts = rule.counts(entries.distinct_p, entries.distinct_w, wy, whole=entries.whole)
            return [rule.bins(n_bins) for n_bins in counts.tolist()]
        return [rule] * positives.shape[1] if type(rule) is Partition or _bins_scores(rule) else None

    def _chooses_at_once(self, entries: Entries) -> bool:
        """Return whether `bin_count_many` gives the scores; it needs the same folds for every labelling."""
        if not applies(entries):
            return False
        self._check_choice()
        return is_whole(self.random_state) and self.scoring == "brier" and self.max_bins <= BATCH

    def _chosen_counts(self, scheme: EqualBins, entries: Entries, positives: IntArray) -> list[int]:
        """Return the number of bins that cross-validation chooses for each labelling."""
        if len(entries) == 1:
            return [1] * positives.shape[1]
        candidates = self._candidates()
        name = "bins of folds", scheme, self._slope, self.cv, self.max_bins, self.random_state
        if name not in entries.memory:
            held_out = entries.hold_out(self.cv, self.random_state)
            entries.memory[name] = [FoldBins.of(scheme, self._slope, candidates, entries, rows) for rows in held_out]
        labels = RowLabels.of(entries, positives, self._slope)
        chosen: list[int] = chosen_counts(candidates, entries.memory[name], labels, self.tolerance).tolist()
        return chosen

    def _bins(self, sample: ScoreSample) -> tuple[Partition, CVScores | None]:
        scheme = self._scheme()
        if not self._chooses(scheme):
            return self._rule(scheme, sample.n).partition(sample), None
        scores = self._cross_validate(sample, scheme)
        n_bins = 1 if scores is None else scores.choose(self.tolerance)
        return with_bins(scheme, n_bins).partition(sample), scores

    def _chooses(self, scheme: Partitioner) -> bool:
        """Return whether the number of bins is chosen by cross-validation; a scheme such as Pava() has none."""
        return isinstance(self.n_bins, str) and self.n_bins == "cv" and counts_bins(scheme)

    def _rule(self, scheme: Partitioner, n: int) -> Partitioner | Partition:
        """Return what makes the bins of n rows, unless their number is chosen by cross-validation."""
        if isinstance(self.n_bins, str):
            return _named_rule(scheme, self.n_bins, n)
        if np.ndim(self.n_bins) == 0:
            check_n_bins(self.n_bins)
            return with_bins(scheme, int(self.n_bins))
        if not isinstance(self.scheme, str):
            raise ValueError(f"n_bins must not be edges when scheme makes the bins, got scheme={self.scheme!r}")
        return Partition(self.n_bins, self.closed)

    def _scheme(self) -> Partitioner:
        """Return the partitioner that the scheme names or is."""
        if isinstance(self.scheme, str):
            return make_partitioner(self.scheme, "scheme", closed=self.closed)
        if not isinstance(self.scheme, Partitioner):
            raise ValueError(f"scheme must be the name of a partition or a Partitioner, got {self.scheme!r}")
        if self.closed != "left" and getattr(self.scheme, "closed", self.closed) != self.closed:
            raise ValueError(f"closed must not contradict the scheme {self.scheme!r}, got {self.closed!r}")
        return self.scheme

    def _check_choice(self) -> None:
        """Raise ValueError unless the parameters of the cross-validation are in order."""
        check_cv(self.cv)
        check_n_bins(self.max_bins, "max_bins")
        check_not_negative(self.tolerance, "tolerance")
        find_loss(self.scoring)

    def _candidates(self) -> IntArray:
        return np.arange(1, int(self.max_bins) + 1)

    def _cross_validate(self, sample: ScoreSample, scheme: Partitioner) -> CVScores | None:
        """Return the scores of 1..max_bins, or None for a single row, which leaves nothing to hold out."""
        self._check_choice()
        if sample.n == 1:
            return None
        sample, folds = sample.in_folds(self.cv, self.random_state)
        candidates = self._candidates()
        if _bins_scores(scheme):
            return bin_count_scores(scheme, self._slope, candidates, sample, folds, self.scoring)
        return held_out_scores(self, "n_bins", candidates.tolist(), sample, folds, self.scoring)


def _bins_scores(scheme: Partitioner | Partition) -> TypeGuard[EqualBins]:
    """Return whether the rule looks at the scores alone, in a way that is known here; a subclass may differ."""
    return type(scheme) in (EqualMass, EqualWidth)  # a rule derived from them may make other bins


def _named_rule(scheme: Partitioner, name: str, n: int) -> Partitioner:
    """Return what makes the bins of n rows where `name` says how many."""
    if name == "cv":
        return scheme
    if name == "cube_root":
        return with_bins(scheme, max(1, round(float(np.cbrt(n)))))
    if name != "sweep":
        raise ValueError(f"n_bins must be a whole number, edges, 'cv', 'sweep' or 'cube_root'; got {name!r}")
    if isinstance(scheme, EqualBins):
        return MonotoneSweep(scheme=scheme.name, closed=scheme.closed)
    raise ValueError(f"n_bins must not be 'sweep' unless scheme is equal_mass or equal_width, got {scheme!r}")


@register("flat", aliases=("histogram",))
@take_descriptions(BinnedFamily, "Attributes")
class Flat(BinnedFamily):
    """Fit histogram binning: the mean label of each bin replaces its scores.

    That is c_hat(p) = ybar_b for p in bin b.

    This is histogram binning, and ``"histogram"`` another name of the family. Its plug-in error is
    PDE_1 = sum_b (w_b / W) mean_{i in b} |p_i - ybar_b|. In a bin without data the map is the identity.

    Attributes
    ----------
    map_ : BinnedMap
        The mean label of each bin.

    References
    ----------
    Zadrozny, Elkan (2001), Obtaining calibrated probability estimates from decision trees and naive Bayesian
    classifiers, ICML (no doi).
    Torabian, Urner (2024), Calibration through the lens of interpretability (the probability deviation error).
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    >>> import fitontest as fot
    >>> p, y = [0.1, 0.2, 0.7, 0.8], [0, 1, 1, 1]
    >>> fot.families.make("flat", n_bins=2).fit(p, y).predict([0.1, 0.8])
    array([0.5, 1. ])
    """

    _slope: ClassVar[float] = 0.0


@register("slope1")
@take_descriptions(BinnedFamily, "Attributes")
class Slope1(BinnedFamily):
    """Fit the calibration map behind the ECE: each bin shifts its scores by mean label less mean score.

    That is c_hat(p) = p + ybar_b - pbar_b for p in bin b.

    The plug-in error mean_i |c_hat(p_i) - p_i| of this map is the binned ECE, sum_b (w_b / W) |ybar_b - pbar_b|,
    on every data set (Theorem 2 of the paper). The map leaves [0, 1] near its ends, and must not be clipped for
    that identity to hold; ``predict(p, clip=True)``, ``predict_proba`` and ``transform`` clip it.

    Attributes
    ----------
    map_ : BinnedMap
        p plus the gap of its bin; it may leave [0, 1].

    Notes
    -----
    Deviations from the authors' code: tied scores are never split over bins, an empty bin is left as it is
    (c_hat(p) = p, not 0), and index and map use the same edges. Without these the identity fails on ties.
    With one bin, which cross-validation may choose for calibrated scores and for rare events, the error is just the
    difference between the mean label and the mean score; look at another family too.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of
    classifiers, Machine Learning 114. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import fitontest as fot
    >>> p, y = [0.1, 0.2, 0.7, 0.8], [0, 1, 1, 1]
    >>> slope1 = fot.families.make("slope1", n_bins=2).fit(p, y)
    >>> slope1.predict([0.1, 0.8]).round(12), slope1.predict([0.8], clip=True).round(12)
    (array([0.45, 1.05]), array([1.]))
    """

    _slope: ClassVar[float] = 1.0
