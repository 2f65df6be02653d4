"""The plug-in calibration error of whole distributions: the mean distance of predictions from a map of K classes."""

from dataclasses import dataclass, field
from typing import Any

from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.base import Family
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.multiclass.one_vs_rest import class_family_name, read_for_classes
from fitontest.families.registry import registered_class
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.measures.canonical import CanonicalEvidence, CanonicalMeasure
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import register
from fitontest.numerics.distances import Distances
from fitontest.numerics.norms import Norm, find_norm
from fitontest.numerics.simplex_distances import Distance, find_distance
from fitontest.numerics.standard_error import map_fixed
from fitontest.typing import FloatArray, RandomState


@register("canonical")
@dataclass(frozen=True, eq=False)
class CanonicalPlugIn(CanonicalMeasure):
    """The norm of the distances d(g(p_i), p_i) between predictions and the map g of a family, which is fitted to them.

    Of two classes, with the total variation distance, it is the plug-in error ``|c_hat(p) - p|`` of the map c_hat of
    the second column. That is the map of a two-class family only without penalty and mixture:
    ``Temperature(mix=False)`` is temperature scaling, ``BiasCorrected(penalty=None)`` Platt scaling, and
    ``Vector(penalty=None)`` beta calibration with free signs of the slopes. By default ``temperature`` mixes the map of
    several columns with the uniform distribution, so that its error differs from the two-class one a little.

    Parameters
    ----------
    family : str, Family, MulticlassFamily or MulticlassMap, default="vector"
        A family is cloned and fitted to the rows, one of two classes to each class against the rest (then it is called
        one_vs_rest(...)); a map is used as it is.
    distance : str, Distance or callable, default="total_variation"
        Between the predictions and the map, see `calibration_error`.
    norm : str, Norm or callable, default="l1"
        Of the distances: "l1" is their weighted mean; see `calibration_error`.
    label : str, optional
        What tables call the family; by default its name.

    Examples
    --------
    >>> import fitontest as fot
    >>> P = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25], [0.1, 0.1, 0.8]] * 10
    >>> y = [0, 1, 1, 2] * 10
    >>> fot.measures.CanonicalPlugIn("temperature").name
    'temperature'
    >>> float(fot.calibration_error(y, P, family="identity", reduction="canonical"))
    0.0
    """

    family: Any = "vector"
    distance: Any = "total_variation"
    norm: str | Norm | Any = "l1"
    label: str | None = None
    between: Distance = field(init=False, repr=False)
    total: Norm = field(init=False, repr=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "between", find_distance(self.distance))
        put(self, "total", find_norm(self.norm))
        if isinstance(self.family, str):
            registered_class(self.family)  # refuses what is none
        elif not isinstance(self.family, Family | MulticlassFamily | MulticlassMap):
            raise ValueError(f"family must be the name of a family, a family or a MulticlassMap, got {self.family!r}")

    @property
    def title(self) -> str:
        """Canonical calibration error."""
        return "canonical calibration error"

    @property
    def name(self) -> str:
        """The name of the family."""
        return str(self.settings()["family"])

    @property
    def held_fixed(self) -> str:
        """The map, where one is given."""
        return "map" if isinstance(self.family, MulticlassMap) else ""

    @property
    def squared(self) -> bool:
        """Whether the value is a mean of squares."""
        return (self.between.name == "squared_euclidean") != (self.total.name == "squared") and self.total.name != "l2"

    def settings(self) -> dict[str, Any]:
        """Return family, distance and norm."""
        named = self.family.kind if isinstance(self.family, MulticlassMap) else class_family_name(self.family)
        return {"family": self.label or named, "distance": self.between.name, "norm": self.total.name}

    def brief(self) -> dict[str, Any]:
        """Return the settings but the norm where it is l1."""
        return {name: value for name, value in self.settings().items() if (name, value) != ("norm", "l1")}

    def longer_names(self) -> tuple[str, ...]:
        """Return the family with its settings; and that with distance and norm."""
        family = str(self.family) if self.label is None else self.label
        return family, f"{family}, {self.between.name}, {self.total.name}"

    def labelled(self, name: str) -> "CanonicalPlugIn":
        """Return the measure with another label."""
        return self if name == self.name else self.changed(label=name)

    def seeded(self, random_state: RandomState) -> "CanonicalPlugIn":
        """Return the measure with that seed for a family given by name."""
        if not isinstance(self.family, str):
            return self
        label = self.label or (self.family if registered_class(self.family).takes_classes else self.name)
        return self.changed(family=read_for_classes(self.family, random_state), label=label)

    def estimate(self, sample: SimplexSample) -> Estimate:
        """Return the norm of d(g(p), p) over the rows."""
        fitted = None
        if isinstance(self.family, MulticlassMap):
            g = self.family
            g.check_columns(sample.p, sample.names.y_prob)
            g.check_classes(sample.classes, f"the classes of {sample.names.y_prob}")
        else:
            fitted = read_for_classes(self.family).fit_rows(sample.present)
            g = fitted.map_
        distances = self.between(g.evaluate(sample.p), sample.p)
        se, reason = map_fixed(Distances(distances, sample.w, sample.w2), self.total, fitted_here=fitted is not None)
        evidence = FittedClassMap(
            map=g, estimator=fitted, n_classes=sample.n_classes, se_map_fixed=se, se_reason=reason
        )
        return Estimate.of(self, sample, self.total(distances, sample.w), evidence)

    def target(self, sample: SimplexSample, c: FloatArray) -> float | None:
        """Return the norm of d(c, p); a maximum is no mean over rows and has no target."""
        return None if self.total.influence is None else self.total(self.between(c, sample.p), sample.w)


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedClassMap(CanonicalEvidence):
    """The map of K classes whose distance from the predictions was measured.

    Attributes
    ----------
    map : MulticlassMap
    estimator : MulticlassFamily or None
        The fitted family; None where a map was given.
    se_map_fixed : float or None
        Standard error **with the map held fixed**; of a map that was fitted on these rows a lower bound.
    se_reason : str
        Why there is none, or "".
    """

    se_map_fixed: float | None
    se_reason: str

    @property
    def fitted_on_these_rows(self) -> bool:
        """Whether the family was fitted on the very rows on which the error is measured (fit-on-test)."""
        return self.estimator is not None

    def record(self) -> dict[str, Any]:
        """Return the standard error, or why there is none, and whether the map was fitted here."""
        return {
            **super().record(),
            "se_map_fixed": self.se_map_fixed,
            "se_reason": self.se_reason,
            "fitted_on_these_rows": self.fitted_on_these_rows,
        }
