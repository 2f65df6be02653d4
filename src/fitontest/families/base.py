"""A family of calibration maps: the plug-in unit of the package, and a scikit-learn estimator.

A family holds hyper-parameters and has one task: to make a `CalibrationMap` of a `ScoreSample` (``fit_map``, which
changes nothing). Everything else is inherited, so that a new family is one class with one method.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin, TransformerMixin, clone
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from fitontest.data.arrays import (
    as_column,
    as_scores,
    count_columns,
    hint_of_scores,
)
from fitontest.data.columns import Columns, Names
from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.argument_names import takes_names_of_metrics
from fitontest.families.fits import Fits
from fitontest.families.registry import FamilyBase, names, registry, seeded
from fitontest.maps.base import CalibrationMap
from fitontest.partitions.partition import Partition
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import ArrayInput, FloatArray, IntArray, Label, RandomState

NAMES = Names(y_true="y", y_prob="p")  # what the estimators call labels and scores


@dataclass(frozen=True)
class Solution:
    """The result of fitting a calibration map: the map, its bins where there are any, and other fitted attributes.

    Attributes
    ----------
    map : CalibrationMap or MulticlassMap
        The fitted map.
    partition : Partition or None
        Its bins.
    attributes : mapping of str to object
        Further results by the names of the attributes that a fitted family gives them; none by default.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.families.Solution(fot.maps.MulticlassIdentityMap(), attributes={"n_iter_": 0}).map
    MulticlassIdentityMap()
    """

    map: Any
    partition: Partition | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


class Family(RegressorMixin, TransformerMixin, FamilyBase):
    """Base class of the families of calibration maps: estimators that learn to turn scores into probabilities.

    A subclass stores its hyper-parameters unchanged in ``__init__`` and defines ``fit_map(sample)``, or, where it
    has more results than the map, ``solve(sample)``. It may also set `n_parameters_` and the four attributes of the
    class below, and where that saves time `fit_many`, `solve_and_hold_out` and `stand_in`; all else is inherited.

    Attributes
    ----------
    map_ : CalibrationMap
        The fitted map.
    partition_ : Partition
        The bins, where the family has bins.
    n_bins_ : int
        Number of bins of `partition_`.
    has_partition : bool
        Of the class: whether a fit makes a `partition_`, so that messages can list the families that do.
    has_knots : bool
        Of the class: whether the map is continuous and bends at the edges of `partition_`, so that diagrams mark them.
    calibrator : bool
        Of the class: whether it is a default candidate of `compare_calibrators`, and so of the mixture that it chooses.
        Its maps stay in [0, 1], and a fit takes a moment; they need not be monotone. False unless a class sets it.
    evaluator : bool
        Of the class: whether its plug-in error is one of those that `evaluate` reports with ``families="all"``.
        True unless a class sets it.
    n_parameters_ : float
        How many free numbers the map has, inf where that is not known: what "the simplest" means when families are
        compared. One for each level or parameter of a curve, and one for each edge or knot that the fit itself places;
        edges at quantiles of the scores are not placed by the fit.
    pos_label_ : label or None
        The positive label given to ``fit``.

    Notes
    -----
    ``fit`` takes the scores first, as every estimator takes its inputs first; the metrics of this package take
    the labels first, as scikit-learn's metrics do. By name it takes them as these do: ``fit(y_true=y, y_prob=p)``.

    Examples
    --------
    >>> import fitontest as fot
    >>> class Halfway(fot.Family):
    ...     "Moves every score half-way to the base rate."
    ...     def fit_map(self, sample):
    ...         return fot.maps.KnotsMap([0, 1], [sample.base_rate / 2, (1 + sample.base_rate) / 2])
    >>> Halfway().fit([0.2, 0.8], [1, 1]).predict([0.2])
    array([0.6])
    """

    map_: CalibrationMap
    partition_: Partition
    n_bins_: int
    takes_column: ClassVar[bool] = True
    has_partition: ClassVar[bool] = False
    has_knots: ClassVar[bool] = False
    evaluator: ClassVar[bool] = True

    def fit_map(self, sample: ScoreSample) -> CalibrationMap:
        """Return the calibration map that fits the data best, and leave the estimator as it is.

        Parameters
        ----------
        sample : ScoreSample
            Checked scores in [0, 1], labels in {0, 1} and weights.

        Returns
        -------
        CalibrationMap
            The fitted map.
        """
        if type(self).solve is Family.solve:
            raise TypeError(f"{type(self).__name__} must define fit_map or solve")
        fitted: CalibrationMap = self.solve(sample).map
        return fitted

    def solve(self, sample: ScoreSample) -> Solution:
        """Return the calibration map with the other results of the fit, and leave the estimator as it is.

        Parameters
        ----------
        sample : ScoreSample
            As for `fit_map`.

        Returns
        -------
        Solution
            The ``map``, the ``partition`` or None, and ``attributes``, further results by their names, which end in an
            underscore.
        """
        fitted = self.fit_map(sample)
        return Solution(fitted, getattr(fitted, "partition", None))

    @takes_names_of_metrics("p")
    def fit(
        self,
        p: ArrayInput,
        y: ArrayInput,
        sample_weight: ArrayInput = None,
        groups: ArrayInput = None,
        *,
        pos_label: Label | None = None,
    ) -> Self:
        """Fit the calibration map to scores and labels.

        Parameters
        ----------
        p : array-like of shape (n,) or (n, 1)
            Scores of the positive class, in [0, 1].
        y : array-like of shape (n,)
            Labels of two classes.
        sample_weight : array-like of shape (n,), optional
            Counts where all are whole numbers of at most 10 on average, weight 2 being the row twice; else importances,
            whose scale means nothing. A row of weight 0 is absent.
        groups : array-like of shape (n,), optional
            Which rows belong together, such as those of one patient, user or site: ids of any hashable type. Families
            that choose something by cross-validation hold out whole groups; others pass them over.
        pos_label : label, optional
            The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}. Of more than two labels it is
            held against all others.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found.
        """
        if (count_columns(p) or 1) > 1:
            _refuse_matrix(p, type(self).__name__)
        columns = Columns.read(y, p, sample_weight, groups=groups, names=NAMES)
        self.fit_sample(ScoreSample.of_columns(columns, p, pos_label))
        self.pos_label_ = pos_label
        return self

    def fit_sample(self, sample: ScoreSample) -> Self:
        """Fit the calibration map to data that have been checked already.

        Parameters
        ----------
        sample : ScoreSample
            As for `fit_map`.

        Returns
        -------
        self
            The fitted estimator.
        """
        return self.adopt(self.solve(sample))

    def adopt(self, solution: Solution) -> Self:
        """Store the results of a fit on the estimator.

        Parameters
        ----------
        solution : Solution
            What `solve` returned.

        Returns
        -------
        self
            The fitted estimator.

        Raises
        ------
        TypeError
            A subclass whose ``fit_map`` returns no `CalibrationMap`.
        """
        self._check_made(solution.map, CalibrationMap)
        bins: dict[str, Any] = {}
        if solution.partition is not None:
            bins = {"partition_": solution.partition, "n_bins_": solution.partition.n_bins}
        return self.replace_results({"map_": solution.map, **bins, **solution.attributes})

    def solve_and_hold_out(self, sample: ScoreSample, folds: Sequence[IntArray]) -> tuple[Solution, FloatArray]:
        """Return the fit to all rows, and for each row the value of a map that was fitted without its fold.

        The rows are sorted.

        A family that averages maps of the same folds overrides this: it has them already.

        Parameters
        ----------
        sample : ScoreSample
            As for `fit_map`.
        folds : sequence of int arrays
            Positions of the sorted rows that are held out together; all rows together, or none if there are no folds.
        """
        return self.solve(sample.merged), self.hold_out(sample, folds)

    def hold_out(self, sample: ScoreSample, folds: Sequence[IntArray]) -> FloatArray:
        """Return out-of-fold calibrated values: for each row that of a map fitted without its fold.

        The rows are sorted; rows of no fold have NaN.

        Warnings of these fits are suppressed: the fit to all rows warns of the same data.

        Parameters
        ----------
        sample : ScoreSample
            As for `fit_map`.
        folds : sequence of int arrays
            Positions of the sorted rows that are held out together.

        Returns
        -------
        values : array of shape (n,)
            In the order of the sorted rows.
        """
        rows = sample.rows
        values = np.full(len(rows), np.nan)
        with without_warnings():
            for held_out in folds:
                fitted = np.ones(len(rows), dtype=bool)
                fitted[held_out] = False
                c_hat = self.fit_map(sample.take(fitted).merged)
                values[held_out] = _checked_values(self, c_hat, rows.p[held_out])
        return values

    def stand_in(self) -> "Family | None":
        """Return a faster estimator of nearly the same errors, for fits to hundreds of sets of simulated labels."""
        return None

    def for_redraws(self) -> "Family":
        """Return the estimator that is fitted to simulated labels: a faster approximation, or this one."""
        return self.stand_in() or self

    def prepare(self, pool: Executor) -> None:
        """Begin, in a thread of the pool, what a fit needs before there are data, such as compiling a program.

        Parameters
        ----------
        pool : Executor
            Of threads.
        """

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the calibration maps fitted to each of many sets of labels of the same scores.

        They are computed when they are asked for.

        A family that can share work between labellings overrides this; the values must be those of `fit_map`.

        Parameters
        ----------
        entries : Entries
            Sorted scores.
        positives : int array of shape (m, B)
            How many of the rows behind each entry are positive, in each labelling.
        """
        return Fits(self.fit_map, entries, positives)

    def predict(self, p: ArrayInput, *, clip: bool = False) -> FloatArray:
        """Return the calibrated probability of each score.

        Maps of `Slope1`, `Lowess` and `Loess` may leave [0, 1] unless `clip` is set.

        Parameters
        ----------
        p : array-like of shape (n,) or (n, 1)
            Scores in [0, 1].
        clip : bool, default=False
            Clip to [0, 1]. Unclipped, the plug-in error of `Slope1` is the binned ECE, and those of `Lowess` and
            `Loess` are the numbers that R gives.

        Returns
        -------
        c_hat : array of shape (n,)
        """
        check_is_fitted(self, "map_")
        values = self.map_.evaluate(as_scores(p, "p"))
        return np.clip(values, 0.0, 1.0) if clip else values

    def score(self, p: ArrayInput, y: ArrayInput, sample_weight: ArrayInput = None) -> float:
        """Return the Brier skill score: 1 less the Brier score over that of predicting the base rate.

        It is the coefficient of determination.

        The labels are read as in `fit`, with the same `pos_label`.

        Parameters
        ----------
        p : array-like of shape (n,) or (n, 1)
            Scores in [0, 1].
        y : array-like of shape (n,)
            Labels.
        sample_weight : array-like of shape (n,), optional
            As for `fit`.
        """
        sample = ScoreSample(y, p, sample_weight, pos_label=getattr(self, "pos_label_", None), names=NAMES)
        return float(r2_score(sample.y, self.predict(sample.p), sample_weight=sample.w))

    def predict_proba(self, p: ArrayInput) -> FloatArray:
        """Return the probabilities of the negative and the positive class, shape (n, 2), always in [0, 1].

        The columns are always in this order, whatever the labels are called.

        Parameters
        ----------
        p : array-like of shape (n,) or (n, 1)
            Scores in [0, 1].
        """
        positive = self.transform(p)
        return np.stack([1.0 - positive, positive], axis=-1)

    def transform(self, p: ArrayInput) -> FloatArray:
        """Return the calibrated probabilities of the positive class, always in [0, 1].

        Parameters
        ----------
        p : array-like of shape (n,) or (n, 1)
            Scores in [0, 1].
        """
        return self.predict(p, clip=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.one_d_labels = True
        return tags


def read_family(family: object, random_state: RandomState | Literal["own"] = "own", *, maps: bool = False) -> Family:
    """Return an unfitted family of one's own for what a user passed: a name, of which it is made, or a family.

    Parameters
    ----------
    family : object
        A `Family` is cloned.
    random_state : int, RandomState, None or "own"
        Seed for a family given by name that draws anything; an instance keeps its own.
    maps : bool
        Whether the caller takes maps too, for the message.
    """
    if isinstance(family, str):
        return seeded(family_class(family)(), random_state)
    check_family(family, maps=maps)
    return clone(family)  # type: ignore[no-any-return]


def check_family(family: object, *, maps: bool = False) -> None:
    """Raise ValueError unless `family` is the name of a family or a `Family`, or with `maps` a `CalibrationMap`."""
    if isinstance(family, str):
        family_class(family)
    elif not isinstance(family, (Family, CalibrationMap) if maps else Family):
        _refuse(family, maps)


def _checked_values(family: Family, c_hat: CalibrationMap, p: FloatArray) -> FloatArray:
    """Return the values of a map, or name the family if one is missing: it may be one of the user's own."""
    values = np.asarray(c_hat.evaluate(p))
    if values.shape != p.shape:
        raise ValueError(f"{family}: its map must give {p.size} values for {p.size} scores, got shape {values.shape}")
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"{family}: its map must have a finite value at every score, got {values[at]} at {p[at]:g}")
    return values


def _refuse_matrix(p: ArrayInput, name: str) -> None:
    """Raise ValueError for several columns, and say which families take them."""
    try:
        as_column(p, "p", hint_of_scores)
    except ValueError as error:
        several = ", ".join(names("any"))
        raise ValueError(
            f"{error}; a column for each class is taken by {several}, and one_vs_rest fits {name} to each of them"
        ) from None


def _refuse(family: object, maps: bool) -> None:
    hint = "; a class must be called, to make an instance" if isinstance(family, type) else ""
    rule = "a name, a Family or a CalibrationMap" if maps else "the name of a family or a Family"
    raise ValueError(f"family must be {rule}, got {family!r}{hint}")


def family_class(name: str) -> type[Family]:
    """Return the class of the family of two classes called `name`."""
    cls = registry.find(name, "family")
    if not issubclass(cls, Family):
        by_class = "a column for each class: where there is a reduction it must be 'canonical' for that"
        taken = "the features of the rows" if cls.takes_features else by_class
        known = ", ".join(names("two"))
        raise ValueError(
            f"family must be one that takes a column of scores, {known}; got {name!r}, which takes {taken}"
        )
    return cls


def shares_fits(family: Family) -> bool:
    """Return whether one computation fits a family to many labellings.

    Parameters
    ----------
    family : Family
        The family, not yet fitted.
    """
    if type(family).fit_many is Family.fit_many:
        return False
    ones = np.ones(2, dtype=np.intp)
    rows = Entries(np.array([0.25, 0.75]), ones.astype(np.float64), ones, whole=True)
    return family.fit_many(rows, np.array([[0], [1]])).shared
