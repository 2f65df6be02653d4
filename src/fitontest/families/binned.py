"""What the two binned families share: how the bins and their number are chosen."""

from inspect import signature
from typing import Any, ClassVar, Literal, TypeGuard

import numpy as np

from fitontest.families.base import Family, Solution
from fitontest.families.bin_count import BinRule, bin_count_scores
from fitontest.families.tuning import CVScores, check_tolerance, held_out_scores
from fitontest.folds import check_cv, held_out_rows
from fitontest.losses import find_loss
from fitontest.maps.base import CalibrationMap
from fitontest.maps.binned import BinnedMap, levelled, shifted
from fitontest.partitions.equal_mass import EqualMass
from fitontest.partitions.equal_width import EqualWidth
from fitontest.partitions.monotone_sweep import MonotoneSweep
from fitontest.partitions.partition import Closed, Partition, check_closed
from fitontest.partitions.partitioner import Partitioner, check_n_bins
from fitontest.sample import Sample
from fitontest.typing import ArrayInput, RandomState

_SCHEMES: dict[str, type[EqualMass] | type[EqualWidth]] = {"equal_mass": EqualMass, "equal_width": EqualWidth}


class BinnedFamily(Family):
    """Base of `Slope1` and `Flat`: straight pieces of one slope over bins whose number may be chosen from data."""

    _slope: ClassVar[float]

    def __init__(
        self,
        n_bins: int | ArrayInput | Literal["cv", "sweep", "cube_root"] = "cv",
        scheme: Literal["equal_mass", "equal_width"] | Partitioner = "equal_mass",
        closed: Closed = "left",
        scoring: Literal["brier", "log_loss"] = "brier",
        cv: int = 10,
        max_bins: int = 40,
        tolerance: float = 1e-3,
        random_state: RandomState = 0,
    ) -> None:
        self.n_bins = n_bins
        self.scheme = scheme
        self.closed = closed
        self.scoring = scoring
        self.cv = cv
        self.max_bins = max_bins
        self.tolerance = tolerance
        self.random_state = random_state

    def fit_map(self, sample: Sample) -> CalibrationMap:
        """Return the binned map of the sample."""
        return self.solve(sample).map

    def solve(self, sample: Sample) -> Solution:
        """Return the binned map, its bins, their table and, where the number was chosen, the scores."""
        check_closed(self.closed)
        partition, scores = self._bins(sample)
        table = partition.summarise(sample)
        fitted: BinnedMap = (shifted if self._slope == 1.0 else levelled)(partition, table)
        found: dict[str, Any] = {"bin_table_": table}
        if scores is not None:
            found["cv_scores_"] = scores
        return Solution(fitted, partition, found)

    def _bins(self, sample: Sample) -> tuple[Partition, CVScores | None]:
        if isinstance(self.n_bins, str):
            return self._named_count(sample, self.n_bins)
        if np.ndim(self.n_bins) == 0:
            check_n_bins(self.n_bins)
            return self._partitioner(int(self.n_bins)).partition(sample), None
        if not _is_named(self.scheme):
            raise ValueError(f"n_bins must not be edges when scheme makes the bins, got scheme={self.scheme!r}")
        return Partition(self.n_bins, self.closed), None

    def _named_count(self, sample: Sample, rule: str) -> tuple[Partition, CVScores | None]:
        if rule not in ("cv", "sweep", "cube_root"):
            raise ValueError(f"n_bins must be a whole number, edges, 'cv', 'sweep' or 'cube_root'; got {rule!r}")
        if rule == "cv" and isinstance(self.scheme, Partitioner) and not _counts_bins(self.scheme):
            return self.scheme.partition(sample), None  # such as Pava(): it has no number to choose
        if rule == "cv":
            scores = self._cross_validate(sample)
            n_bins = 1 if scores is None else scores.choose(self.tolerance)
            return self._partitioner(n_bins).partition(sample), scores
        if rule == "cube_root":
            return self._partitioner(max(1, round(float(np.cbrt(sample.n))))).partition(sample), None
        if not _is_named(self.scheme):
            raise ValueError(f"n_bins='sweep' must have one of the schemes {list(_SCHEMES)}, got {self.scheme!r}")
        return MonotoneSweep(scheme=self.scheme, closed=self.closed).partition(sample), None

    def _partitioner(self, n_bins: int) -> Partitioner:
        """Return the scheme with this number of bins."""
        if _is_named(self.scheme):
            return _SCHEMES[self.scheme](n_bins, self.closed)
        if not isinstance(self.scheme, Partitioner):
            names = ", ".join(map(repr, _SCHEMES))
            raise ValueError(f"scheme must be one of {names} or a Partitioner; got {self.scheme!r}")
        if not _counts_bins(self.scheme):
            raise ValueError(f"n_bins must be 'cv', its default, for {self.scheme!r}, which has no number of bins")
        params = {name: getattr(self.scheme, name) for name in signature(type(self.scheme)).parameters}
        return type(self.scheme)(**{**params, "n_bins": n_bins})

    def _cross_validate(self, sample: Sample) -> CVScores | None:
        """Return the scores of 1..max_bins, or None for a single row, which leaves nothing to hold out."""
        self._partitioner(1)  # refuses an unknown scheme before any work
        check_cv(self.cv)
        check_n_bins(self.max_bins, "max_bins")
        check_tolerance(self.tolerance)
        find_loss(self.scoring)
        if sample.n == 1:
            return None
        folds = held_out_rows(sample.n, self.cv, self.random_state)
        candidates = np.arange(1, int(self.max_bins) + 1)
        if isinstance(self.scheme, str):
            rule = BinRule(self.scheme, self.closed, self._slope)
            return bin_count_scores(rule, candidates, sample, folds, self.scoring)
        return held_out_scores(self, "n_bins", candidates.tolist(), sample, folds, self.scoring)


def _is_named(scheme: object) -> TypeGuard[Literal["equal_mass", "equal_width"]]:
    """Tell whether the scheme is one of those known by name."""
    return isinstance(scheme, str) and scheme in _SCHEMES


def _counts_bins(scheme: Partitioner) -> bool:
    """Tell whether the partitioner is told the number of bins."""
    return "n_bins" in signature(type(scheme)).parameters
