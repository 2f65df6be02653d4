"""The plug-in calibration error: the mean distance between the predictions and a calibration map.

One formula for every family, e = || c_hat(p) - p ||. Fitted on the test data itself (fit-on-test), the slope-1
family gives the ECE, the flat family the probability deviation error, beta calibration ECE-beta, and so on.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from fitontest.data.dependence import are_too_few
from fitontest.data.known_groups import NOT_LEARNT
from fitontest.data.redraws import Labels, Redraws
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, check_family, read_family, shares_fits
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.multiclass.one_vs_rest import class_family_name, read_for_classes
from fitontest.families.reading import fit_to
from fitontest.families.registry import FamilyBase, family_name, registered_class
from fitontest.maps.base import CalibrationMap
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.stored import is_map
from fitontest.measures.debiased import debiased
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, register
from fitontest.measures.notes import beyond_note, noise_of_groups_note, one_bin_note
from fitontest.measures.words import Words
from fitontest.numerics.distances import Distances, absolute_difference, farthest
from fitontest.numerics.norms import L1, Norm, find_norm, is_order_statistic
from fitontest.numerics.simplex_distances import DEFAULT_DISTANCE, find_distance
from fitontest.numerics.standard_error import map_fixed
from fitontest.partitions.bin_table import BinTable
from fitontest.results.typing import FloatArray, RandomState

SCORES = "spline"  # the family by default, of scores
DISTRIBUTIONS = "vector"  # that of whole distributions
DEBIASED_NORMS = ("l1", "l2", "squared")


@register("canonical", distance=DEFAULT_DISTANCE)
@register("plug_in")
@dataclass(frozen=True, eq=False)
class PlugIn(Measure):
    """The calibration error: the mean distance between the scores and a calibration map fitted to these data.

    The norm of the distances between the predictions and the map of a family, which is fitted to them.

    Of whole distributions it is the norm of the distances d(g(p_i), p_i) from the map g of K classes. Of two classes,
    with the total variation distance, that is the error ``|c_hat(p) - p|`` of the map c_hat of the second column. It is
    the map of a two-class family only without penalty and mixture: ``Temperature(mix=False)`` is temperature scaling,
    ``BiasCorrected(penalty=None)`` Platt scaling, and ``Vector(penalty=None)`` beta calibration with free signs of the
    slopes. By default ``temperature`` mixes the map of several columns with the uniform distribution, so that its error
    differs from the two-class one a little.

    Parameters
    ----------
    family : str, Family, MulticlassFamily, CalibrationMap or MulticlassMap, optional
        A family is cloned and fitted to the sample; a map is used as it is. By default "spline" for scores and "vector"
        for whole distributions, of which a family of two classes is fitted to each class against the rest (then it is
        called one_vs_rest(...)).
    norm : str, Norm or callable, default="l1"
        Of the distances: "l1" is their weighted mean, "q90" their .9 quantile, "max" the largest; see
        `calibration_error`.
    debias : bool, default=False
        Of scores; see `calibration_error`.
    label : str, optional
        What tables call the family; by default its name.
    distance : str, Distance or callable, optional
        Between distributions and the map, see `calibration_error`. By default the sample says: "total_variation" for
        whole distributions, and none for scores.

    Examples
    --------
    >>> import fitontest as fot
    >>> sample = fot.ScoreSample([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8])
    >>> fot.measures.PlugIn("isotonic").estimate(sample)
    Estimate(0.35, family='isotonic', norm='l1', n_bins=2, n=4)
    >>> P = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25], [0.1, 0.1, 0.8]] * 10
    >>> float(fot.calibration_error([0, 1, 1, 2] * 10, P, family="identity", reduction="canonical"))
    0.0
    """

    family: Any = None
    norm: str | Norm | Any = "l1"
    debias: bool = False
    label: str | None = None
    distance: Any = None
    total: Norm = field(init=False, repr=False)
    between: Callable[[FloatArray, FloatArray], FloatArray] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        if self.distance is None and takes_classes_alone(self.family):
            put(self, "distance", DEFAULT_DISTANCE)
        put(self, "between", absolute_difference if self.distance is None else find_distance(self.distance))
        put(self, "total", find_norm(self.norm))
        _check_family(self.family, of_classes=self.distance is not None)
        if not isinstance(self.debias, bool | np.bool_):
            raise ValueError(f"debias must be True or False, got {self.debias!r}")
        if self.debias and self.total.name not in DEBIASED_NORMS:
            raise ValueError(f"debias must be False unless norm is one of {DEBIASED_NORMS}, got norm={self.norm!r}")
        if self.debias and self.distance is not None:
            raise ValueError("debias must be False for the probabilities of all classes, got True")

    @property
    def classes(self) -> Literal["two", "any"]:  # type: ignore[override]
        """Of any number where there is a distance between distributions."""
        return "two" if self.distance is None else "any"

    @property
    def words(self) -> Words:
        """How it is called: by its family of calibration maps.

        The norm is said, of scores always, of distributions where it is not l1.
        """
        name_of = family_name if self.distance is None else class_family_name
        family: Any = self.label or name_of(self._family)
        if self.distance is not None:
            settings = {"family": family, "distance": str(self.between), "norm": self.total.name}
            brief = {name: value for name, value in settings.items() if (name, value) != ("norm", "l1")}
            title, said = "canonical calibration error", brief
        else:
            said = {"family": family, "norm": self.total.name}
            settings = {**said, "debias": bool(self.debias)}
            brief = settings if self.debias else said
            title = "debiased calibration error" if self.debias else "calibration error"
        in_words = ", ".join(f"{name} {value}" for name, value in said.items())
        return Words(
            title=title,
            name=str(family),
            longer_names=self._longer_names,
            settings=settings,
            brief=brief,
            settings_in_words=in_words,
        )

    @property
    def held_fixed(self) -> str:
        """The calibration map, where one is given."""
        return "map" if is_map(self.family) else ""

    @property
    def _family(self) -> Any:
        """The family or map, or the default of the kind of data."""
        return self.family if self.family is not None else SCORES if self.distance is None else DISTRIBUTIONS

    def _longer_names(self) -> tuple[str, ...]:
        """Return the family with its settings; and that with distance and norm, or with the norm where it is not l1."""
        family = str(self._family) if self.label is None else self.label
        if self.distance is not None:
            return family, f"{family}, {self.between}, {self.total.name}"
        norm = "" if self.total.name == "l1" else f", norm {self.total.name}"
        return family, f"{family}{norm}{', debiased' if self.debias else ''}"

    def seeded(self, random_state: RandomState) -> "PlugIn":
        """Return the measure with a seed for what its calibration map draws at random.

        The seed is of a family given by name.
        """
        family = self._family
        if not isinstance(family, str):
            return self
        if self.distance is None:
            return self.changed(family=read_family(family, random_state), label=self.label or family)
        label = self.label or (family if registered_class(family).takes_classes else self.name)
        return self.changed(family=read_for_classes(family, random_state), label=label)

    def for_sample(self, sample: Any) -> "PlugIn":
        """Return the measure with a distance between distributions where the sample holds these."""
        if sample.has_one_score or self.distance is not None:
            return self
        return self.changed(distance=DEFAULT_DISTANCE)

    def estimate(self, sample: Any) -> Estimate:
        """Return the calibration error, by the distances of the scores from the map."""
        if self.for_sample(sample) is not self:
            return self.for_sample(sample).estimate(sample)
        fitted = None if self.held_fixed else fit_to(sample, self._family)
        c_hat = self.family if fitted is None else fitted.map_
        distances = sample.distances(c_hat, self.between)
        of_scores = self.distance is None
        shifted = _shifted_bins(c_hat, sample, distances) if of_scores and fitted is not None else None
        se: float | None
        if self.debias:
            value = _debiased(self, sample, shifted)
            se, reason = None, "a debiased error corrects for the fit of the map"
        else:
            value = self.total(distances.g, distances.w, counts=sample.whole)
            se, reason = _standard_error(self, sample, c_hat, distances, fitted_here=fitted is not None)
        evidence = FittedMap(
            map=c_hat,
            estimator=fitted,
            partition=_partition(c_hat, fitted) if of_scores else None,
            se_map_fixed=se,
            se_reason=reason,
            shifts_by_gap=shifted is not None,
            note=self._note(sample, c_hat, fitted, distances),
        )
        return Estimate.of(self, sample, value, evidence).with_uncertainty(debiased=value if self.debias else None)

    def _note(self, sample: Any, c_hat: Any, fitted: Any, distances: Distances) -> str:
        """Return what must be known of the map, and of rows whose label noise is taken off, to read the value."""
        if self.distance is not None:
            return ""
        of_groups = noise_of_groups_note(sample) if self.debias else ""
        beyond = beyond_note(distances.g) if self.between is absolute_difference else ""
        notes = (one_bin_note(c_hat, fitted, self.total.name, debias=self.debias), beyond, of_groups)
        return "; ".join(filter(None, notes))

    def target(self, sample: Any, c: FloatArray) -> float | None:
        """Return what the error would be if the true probabilities were known.

        That is the norm of the distances between c and p; a norm of one's own has a target if it has an influence.
        """
        if self.total.influence is None and not is_order_statistic(self.total):
            return None
        return self.total(self.between(c, sample.p), sample.w, counts=sample.whole)

    def ceiling(self, sample: Any) -> float:
        """Return the error of the truths that are farthest from the predictions, since a norm grows with distances."""
        most = self.target(sample, farthest(sample.p))
        return np.inf if most is None else most

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the values for several sets of labels of the same predictions.

        Of scores it takes one call of the family for all of them.
        """
        if self.held_fixed or self.debias or self.for_sample(redraws.sample).distance is not None:
            return super().values(redraws, labels)
        return self.values_of_fits(redraws, self.fitting.at(redraws, labels))

    def values_of_fits(self, redraws: Redraws, c_hat: FloatArray) -> FloatArray:
        """Return the values of maps that are fitted already."""
        w, entries = redraws.entries.distinct_w, redraws.entries  # type: ignore[attr-defined]
        g = c_hat - entries.distinct_p[:, None]
        np.abs(g, out=g)
        if self.total is L1:
            return np.asarray(w @ g / w.sum())
        return self.total.of_columns(g, w, counts=entries.whole)

    @property
    def takes_fits(self) -> bool:
        """Whether the value is computed from the calibration map alone: of scores, where one is fitted."""
        return self.distance is None and not self.held_fixed and not self.debias

    @property
    def chain_measure(self) -> "PlugIn | None":
        """The mean distance from the same map, of a quantile of the distances or their maximum."""
        return self.changed(norm="l1") if is_order_statistic(self.total) else None

    @property
    def fitting(self) -> "Fitting":
        """How the calibration map is fitted to hundreds of sets of simulated labels."""
        return Fitting(None if self.held_fixed else self._family, of_scores=self.distance is None)

    @property
    def is_family_error(self) -> bool:
        """It is the distance of the predictions from a calibration map."""
        return True

    @property
    def is_raw(self) -> bool:
        """Whether label noise adds to the distance, and nothing was taken off."""
        return not self.debias

    @property
    def squared(self) -> bool:
        """Whether the value is a mean of squares."""
        of_squares = str(self.between) == "squared_euclidean"
        return of_squares != (self.total.name == "squared") and not (of_squares and self.total.name == "l2")


@dataclass(frozen=True)
class Fitting:
    """How the family of a plug-in error is fitted to hundreds of labellings.

    Parameters
    ----------
    family : str, Family or MulticlassFamily, or None
        None where a map is given, and nothing is fitted.
    of_scores : bool
        Whether it is a family of scores, and not of whole distributions.
    """

    family: Any
    of_scores: bool

    @property
    def stand_in(self) -> Family | None:
        """The family of scores that is refitted in place of the measure's own, which is slow."""
        return None if self.family is None or not self.of_scores else read_family(self.family).stand_in()

    def at(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the maps fitted to several labellings of scores, at the distinct scores, shape (G, B).

        Parameters
        ----------
        redraws : Redraws
            Of scores.
        labels : int array of shape (m, B)
            How many of the rows behind each entry are positive.
        """
        maps: FloatArray = read_family(self.family).fit_many(redraws.entries, labels).at()  # type: ignore[attr-defined]
        return maps

    @property
    def is_quick(self) -> bool:
        """Whether the family, or one that stands in for it, is fitted to hundreds of labellings in no time."""
        if self.family is None or not self.of_scores:
            return False
        return shares_fits(self.stand_in or read_family(self.family))

    @property
    def is_default(self) -> bool:
        """Whether the family is that of the kind of data, whatever its seed."""
        if self.family is None:
            return False
        read, default = (read_family, SCORES) if self.of_scores else (read_for_classes, DISTRIBUTIONS)
        return _but_for_seed(read(self.family)) == _but_for_seed(read(default))


def _standard_error(
    measure: PlugIn, sample: Any, c_hat: Any, distances: Distances, *, fitted_here: bool
) -> tuple[float | None, str]:
    """Return the standard error with the map held fixed and "", or None and the reason why there is none."""
    groups = sample.groups
    if groups is None:
        return map_fixed(distances, measure.total, fitted_here=fitted_here)
    if are_too_few(groups):
        return None, NOT_LEARNT
    rows = sample.present  # whose groups are known, where all rows of a bin may share one distance
    of_rows = Distances(measure.between(c_hat.evaluate(rows.p), rows.p), rows.w, rows.w2)
    return map_fixed(of_rows, measure.total, fitted_here=fitted_here, groups=groups.code)


def _debiased(measure: PlugIn, sample: ScoreSample, shifted: BinTable | None) -> float:
    """Return the debiased error of the bins, if the map shifts each by its gap."""
    if shifted is None:
        raise ValueError(
            "debias must be False unless family is slope1, or another that shifts bins by their gaps; got "
            f"family={measure.family!r}"
        )
    if not sample.whole:
        raise ValueError(
            f"debias must be False unless weights are counts: it counts rows per bin, and {sample.why_not_whole}"
        )
    return debiased(shifted, measure.total.name)


def _but_for_seed(family: FamilyBase) -> tuple[type, dict[str, object]]:
    """Return the settings of a family that change more than its folds."""
    settings = family.get_params()
    settings.pop("random_state", None)
    return type(family), settings


def takes_classes_alone(family: Any) -> bool:
    """Return whether a family or map is of whole distributions and not of scores."""
    kind = registered_class(family) if isinstance(family, str) else family
    return bool(getattr(kind, "takes_classes", False) and not kind.takes_column)


def _check_family(family: Any, *, of_classes: bool) -> None:
    """Raise ValueError unless this is a family or a map that there may be for the kind of data."""
    if of_classes:
        if isinstance(family, str):
            registered_class(family)
        elif not isinstance(family, Family | MulticlassFamily | MulticlassMap | None):
            raise ValueError(f"family must be the name of a family, a family or a MulticlassMap, got {family!r}")
    elif family is not None:
        check_family(family, maps=True)


def _partition(c_hat: Any, fitted: Any) -> Any:
    """Return the bins of a map of scores, where there are any."""
    return c_hat.partition if fitted is None else getattr(fitted, "partition_", None)


def _shifted_bins(c_hat: CalibrationMap, sample: ScoreSample, distances: Distances) -> BinTable | None:
    """Return the bins if the map shifts each by the gap of its means, so that its distances are those of the ECE."""
    if not c_hat.shifts_bins or c_hat.partition is None:
        return None
    table = c_hat.partition.summarise(sample)
    gaps = np.abs(table.gap[table.occupied])
    same = distances.g.shape == gaps.shape and np.allclose(distances.g, gaps, rtol=1e-9, atol=1e-12)
    return table if same else None


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedMap(Evidence):
    """The map whose distance from the predictions was measured, and how far the number may be trusted.

    Attributes
    ----------
    map : CalibrationMap or MulticlassMap
    estimator : Family, MulticlassFamily or None
        The fitted family; None where a map was given.
    partition : Partition or None
        The bins of the map, where there are any.
    se_map_fixed : float or None
        Standard error **with the map held fixed**: from the influence of single rows on the norm of the distances
        (`fitontest.numerics.norms`). It tells how the error would vary over fresh scores under this very map. If the
        map was fitted on these rows it leaves out the uncertainty of the map itself, which is usually the larger part:
        then read it as a lower bound. Whole weights count rows (weight 2 is the row twice); other weights are taken as
        sampling weights of rows that were each drawn once. Where rows belong to groups, it is that of fresh groups
        (`fitontest.numerics.standard_error`), from at least 10 effective ones on.
    se_reason : str
        Why there is no such standard error, or "".
    shifts_by_gap : bool
        Whether the map was fitted here and shifts each bin by the gap of its means: its l1 error is an ECE.
    """

    recorded = ("se_map_fixed", "se_reason", "fitted_on_these_rows")

    se_map_fixed: float | None
    se_reason: str
    shifts_by_gap: bool

    @property
    def fitted_on_these_rows(self) -> bool:
        """Whether the family was fitted on the very rows on which the error is measured (fit-on-test)."""
        return self.estimator is not None

    def to_dict(self) -> dict[str, Any]:
        """Return these facts and the map."""
        return {**self.record(), "map": None if self.map is None else self.map.to_dict()}
