"""The result of a plug-in error: the number, the map it was measured with, and how far it may be trusted."""

from dataclasses import dataclass, field
from typing import Any

from fitontest.families.base import Family
from fitontest.maps.base import CalibrationMap
from fitontest.measures.result import BinaryError


@dataclass(frozen=True, kw_only=True, repr=False)
class PlugInError(BinaryError):
    """A plug-in calibration error: a norm of |c_hat(p) - p|, as `calibration_error` returns it.

    Attributes
    ----------
    value : float
        A fraction. Debiased errors can be negative.
    norm : {"l1", "l2", "squared", "max"}
    n : int
        Rows of positive weight.
    base_rate : float
        Weighted share of positives.
    partition : Partition or None
        The bins of the map, where there are any.
    n_bins : int or None
        Their number.
    reduction : str or None
        How the sample was made of several classes: "confidence" (then the base rate is the accuracy), "binary", or
        "classwise" for one class against the rest. None where nothing was reduced.
    family : str
        Name of the family, or the kind of the map where a map was given.
    debiased : bool
    map : CalibrationMap
        The map whose distance from the scores was measured.
    estimator : Family or None
        The fitted family, with all that its fit tells; None where a map was given.
    fitted_on_these_rows : bool
        True where the family was fitted on the very rows on which the error is measured (fit-on-test); False
        where a map was given, which is used as it is.
    se_map_fixed : float or None
        Standard error **with the map held fixed**: from the influence w_i (g_i - e) / W of single rows on the
        mean distance, g_i = |c_hat(p_i) - p_i|. It tells how the error would vary over fresh scores under this
        very map. If the map was fitted on these rows it leaves out the uncertainty of the map itself, which is
        usually the larger part: then read it as a lower bound.
        Whole weights count rows (weight 2 is the row twice); other weights are taken as sampling weights of rows that
        were each drawn once.
    se_reason : str
        Why there is no such standard error, or "".
    """

    family: str
    debiased: bool
    map: CalibrationMap
    estimator: Family | None = field(compare=False)
    fitted_on_these_rows: bool
    se_map_fixed: float | None
    se_reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values, with the map and the inner edges of the partition."""
        return {
            "family": self.family,
            "debiased": self.debiased,
            "se_map_fixed": self.se_map_fixed,
            "se_reason": self.se_reason,
            "fitted_on_these_rows": self.fitted_on_these_rows,
            **super().to_dict(),
            "map": self.map.to_dict(),
        }

    def __repr__(self) -> str:
        bins = "" if self.n_bins is None else f", n_bins={self.n_bins}"
        debiased = ", debiased=True" if self.debiased else ""
        reduction = "" if self.reduction is None else f", reduction={self.reduction!r}"
        how = f"family={self.family!r}, norm={self.norm!r}{debiased}{reduction}{bins}"
        return f"PlugInError({self.value:.6g}, {how}, n={self.n})"
