"""The plug-in calibration error: the mean distance between the scores and a calibration map.

One formula for every family, e = || c_hat(p) - p ||. Fitted on the test data itself (fit-on-test), the slope-1
family gives the ECE, the flat family the probability deviation error, beta calibration ECE-beta, and so on.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import Family, check_family, read_family
from fitontest.families.registry import family_name
from fitontest.maps.base import CalibrationMap
from fitontest.measures.debiased import debiased
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, register
from fitontest.measures.notes import one_bin_note
from fitontest.numerics.distances import Distances
from fitontest.numerics.norms import L1, Norm, find_norm
from fitontest.numerics.standard_error import map_fixed
from fitontest.partitions.bin_table import BinTable
from fitontest.typing import FloatArray, IntArray, RandomState

DEBIASED_NORMS = ("l1", "l2", "squared")


@register("plug_in")
@dataclass(frozen=True, eq=False)
class PlugIn(Measure):
    """The norm of the distances between the scores and the map of a family, which is fitted to them.

    Parameters
    ----------
    family : str, Family or CalibrationMap, default="spline"
        A family is cloned and fitted to the sample; a map is used as it is.
    norm : str, Norm or callable, default="l1"
        Of the distances: "l1" is their weighted mean; see `calibration_error`.
    debias : bool, default=False
        See `calibration_error`.
    label : str, optional
        What tables call the family; by default its name.

    Examples
    --------
    >>> import fitontest as fot
    >>> sample = fot.ScoreSample([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8])
    >>> fot.measures.PlugIn("isotonic").estimate(sample)
    Estimate(0.35, family='isotonic', norm='l1', n_bins=2, n=4)
    """

    family: str | Family | CalibrationMap = "spline"
    norm: str | Norm | Any = "l1"
    debias: bool = False
    label: str | None = None
    total: Norm = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", find_norm(self.norm))
        if not isinstance(self.family, CalibrationMap):
            check_family(self.family, maps=True)
        if not isinstance(self.debias, bool | np.bool_):
            raise ValueError(f"debias must be True or False, got {self.debias!r}")
        if self.debias and self.total.name not in DEBIASED_NORMS:
            raise ValueError(f"debias must be False unless norm is one of {DEBIASED_NORMS}, got norm={self.norm!r}")

    @property
    def title(self) -> str:
        """Calibration error, debiased or not."""
        return "debiased calibration error" if self.debias else "calibration error"

    @property
    def name(self) -> str:
        """The name of the family."""
        return str(self.settings()["family"])

    @property
    def held_fixed(self) -> str:
        """The map, where one is given."""
        return "map" if isinstance(self.family, CalibrationMap) else ""

    def settings(self) -> dict[str, Any]:
        """Return family, norm, and whether the value is debiased."""
        named = self.family.kind if isinstance(self.family, CalibrationMap) else family_name(self.family)
        return {"family": self.label or named, "norm": self.total.name, "debias": bool(self.debias)}

    def brief(self) -> dict[str, Any]:
        """Return family and norm."""
        settings = self.settings()
        return settings if self.debias else {name: settings[name] for name in ("family", "norm")}

    def longer_names(self) -> tuple[str, ...]:
        """Return the family with its settings; and that with the norm, where it is not l1, or that it is debiased."""
        family = str(self.family) if self.label is None else self.label
        norm = "" if self.total.name == "l1" else f", norm {self.total.name}"
        return family, f"{family}{norm}{', debiased' if self.debias else ''}"

    def labelled(self, name: str) -> "PlugIn":
        """Return the measure with another label."""
        return self if name == self.name else self.changed(label=name)

    def seeded(self, random_state: RandomState) -> "PlugIn":
        """Return the measure with that seed for a family given by name."""
        if not isinstance(self.family, str):
            return self
        return self.changed(family=read_family(self.family, random_state), label=self.label or self.family)

    def in_words(self) -> str:
        """Return family and norm in words."""
        return f"family {self.name}, norm {self.total.name}"

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the norm of |c_hat(p) - p| over the sample."""
        fitted = None if isinstance(self.family, CalibrationMap) else read_family(self.family).fit_sample(sample)
        c_hat = self.family if isinstance(self.family, CalibrationMap) else fitted.map_  # type: ignore[union-attr]
        distances = c_hat.distances(sample)
        shifted = None if fitted is None else _bins_shifted_by_gap(c_hat, sample, distances)
        se: float | None
        if self.debias:
            value = self._debiased(sample, shifted)
            se, reason = None, "a debiased error corrects for the fit of the map"
        else:
            value = self.total(distances.g, distances.w)
            se, reason = map_fixed(distances, self.total, fitted_here=fitted is not None)
        evidence = FittedMap(
            map=c_hat,
            estimator=fitted,
            partition=c_hat.partition if fitted is None else getattr(fitted, "partition_", None),
            se_map_fixed=se,
            se_reason=reason,
            shifts_by_gap=shifted is not None,
            note=one_bin_note(c_hat, fitted, self.total.name, debias=self.debias),
        )
        return replace(Estimate.of(self, sample, value, evidence), debiased=value if self.debias else None)

    def target(self, sample: ScoreSample, c: FloatArray) -> float | None:
        """Return the norm of c - p; a maximum is no mean over rows and has no target."""
        return None if self.total.influence is None else self.total(np.abs(c - sample.p), sample.w)

    def estimates_of(self, entries: Entries, positives: IntArray) -> FloatArray:
        """Return the values for several labellings, with one call of the family for all of them."""
        if isinstance(self.family, CalibrationMap) or self.debias:
            return super().estimates_of(entries, positives)
        w = entries.group_w
        g = read_family(self.family).fit_many(entries, positives).at() - entries.group_p[:, None]
        np.abs(g, out=g)
        if self.total is L1:
            return np.asarray(w @ g / w.sum())
        return np.array([self.total(column, w) for column in np.ascontiguousarray(g.T)])

    @property
    def refits_quickly(self) -> bool:
        """Whether the family, or one that stands in for it, is fitted to hundreds of labellings in no time."""
        if isinstance(self.family, CalibrationMap):
            return False
        family = read_family(self.family)
        return (family.stand_in() or family).shares_fits

    @property
    def squared(self) -> bool:
        """Whether the norm is without the root."""
        return self.total.name == "squared"

    def _debiased(self, sample: ScoreSample, shifted: BinTable | None) -> float:
        """Return the debiased error of the bins, if the map shifts each by its gap."""
        if shifted is None:
            raise ValueError(
                "debias must be False unless family is slope1, or another that shifts bins by their gaps; got "
                f"family={self.family!r}"
            )
        if not sample.whole:
            raise ValueError("debias must be False unless weights are counts: it counts rows per bin")
        return debiased(shifted, self.total.name)


def _bins_shifted_by_gap(c_hat: CalibrationMap, sample: ScoreSample, distances: Distances) -> BinTable | None:
    """Return the bins if the map shifts each by the gap of its means, so that its distances are those of the ECE."""
    if not c_hat.shifts_bins or c_hat.partition is None:
        return None
    table = c_hat.partition.summarise(sample)
    gaps = np.abs(table.gap[table.occupied])
    same = distances.g.shape == gaps.shape and np.allclose(distances.g, gaps, rtol=1e-9, atol=1e-12)
    return table if same else None


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedMap(Evidence):
    """The map whose distance from the scores was measured, and how far the number may be trusted.

    Attributes
    ----------
    map : CalibrationMap
    estimator : Family or None
        The fitted family; None where a map was given.
    partition : Partition or None
        The bins of the map, where there are any.
    se_map_fixed : float or None
        Standard error **with the map held fixed**: from the influence of single rows on the norm of the distances
        (`fitontest.numerics.norms`). It tells how the error would vary over fresh scores under this very map. If the
        map was fitted on these rows it leaves out the uncertainty of the map itself, which is usually the larger part:
        then read it as a lower bound. Whole weights count rows (weight 2 is the row twice); other weights are taken as
        sampling weights of rows that were each drawn once.
    se_reason : str
        Why there is no such standard error, or "".
    shifts_by_gap : bool
        Whether the map was fitted here and shifts each bin by the gap of its means: its l1 error is an ECE.
    """

    se_map_fixed: float | None
    se_reason: str
    shifts_by_gap: bool

    @property
    def fitted_on_these_rows(self) -> bool:
        """Whether the family was fitted on the very rows on which the error is measured (fit-on-test)."""
        return self.estimator is not None

    def record(self) -> dict[str, Any]:
        """Return the standard error, or why there is none, and whether the map was fitted here."""
        return {
            "se_map_fixed": self.se_map_fixed,
            "se_reason": self.se_reason,
            "fitted_on_these_rows": self.fitted_on_these_rows,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return these facts and the map."""
        return {**self.record(), "map": None if self.map is None else self.map.to_dict()}
