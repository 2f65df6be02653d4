"""The result of measuring a calibration error: the number, and everything needed to judge it."""

from dataclasses import dataclass
from typing import Any

from fitontest.maps.base import CalibrationMap
from fitontest.partitions.partition import Partition


@dataclass(frozen=True)
class CalibrationError:
    """A calibration error; ``float(e)`` is its value.

    Attributes
    ----------
    value : float
        A fraction. Debiased errors can be negative.
    family : str
        Name of the family, or the kind of the map where a map was given.
    norm : {"l1", "l2", "squared", "max"}
    debiased : bool
    n : int
        Rows of positive weight.
    base_rate : float
        Weighted share of positives.
    map : CalibrationMap
        The map whose distance from the scores was measured.
    partition : Partition or None
        Its bins, where there are any.
    n_bins : int or None
        Their number.
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

    value: float
    family: str
    norm: str
    debiased: bool
    n: int
    base_rate: float
    map: CalibrationMap
    partition: Partition | None
    fitted_on_these_rows: bool
    se_map_fixed: float | None
    se_reason: str

    @property
    def n_bins(self) -> int | None:
        """Number of bins of the partition."""
        return None if self.partition is None else self.partition.n_bins

    def __float__(self) -> float:
        return self.value

    def __format__(self, spec: str) -> str:
        """Format the value where a number format is given, as in ``f"{error:.3f}"``."""
        return format(self.value, spec) if spec else repr(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values, with the map and the inner edges of the partition."""
        return {
            "family": self.family,
            "norm": self.norm,
            "debiased": self.debiased,
            "value": self.value,
            "se_map_fixed": self.se_map_fixed,
            "se_reason": self.se_reason,
            "n": self.n,
            "base_rate": self.base_rate,
            "n_bins": self.n_bins,
            "fitted_on_these_rows": self.fitted_on_these_rows,
            "edges": None if self.partition is None else self.partition.edges.tolist(),
            "closed": None if self.partition is None else self.partition.closed,
            "map": self.map.to_dict(),
        }

    def __repr__(self) -> str:
        bins = "" if self.n_bins is None else f", n_bins={self.n_bins}"
        debiased = ", debiased=True" if self.debiased else ""
        how = f"family={self.family!r}, norm={self.norm!r}{debiased}{bins}"
        return f"CalibrationError({self.value:.6g}, {how}, n={self.n})"
