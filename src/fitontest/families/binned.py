"""What the two binned families share: how the bins and their number are chosen."""

from typing import Any, ClassVar, Literal

import numpy as np

from fitontest.data.sample import Sample
from fitontest.families.base import Family, Solution
from fitontest.families.bin_count import bin_count_scores
from fitontest.families.tuning import CVScores, check_tolerance, held_out_scores
from fitontest.maps.base import CalibrationMap
from fitontest.maps.binned import BinnedMap, levelled, shifted
from fitontest.numerics.losses import find_loss
from fitontest.numerics.random import check_cv, held_out_rows
from fitontest.partitions.equal_mass import EqualMass
from fitontest.partitions.equal_width import EqualWidth
from fitontest.partitions.monotone_sweep import MonotoneSweep
from fitontest.partitions.partition import Closed, Partition, check_closed
from fitontest.partitions.partitioner import Partitioner, check_n_bins, counts_bins, make_partitioner, with_bins
from fitontest.typing import ArrayInput, RandomState


class BinnedFamily(Family):
    """Base of `Slope1` and `Flat`: straight pieces of one slope over bins whose number may be chosen from data."""

    has_partition = True
    _slope: ClassVar[float]

    def __init__(
        self,
        n_bins: int | ArrayInput | Literal["cv", "sweep", "cube_root"] = "cv",
        scheme: str | Partitioner = "equal_mass",
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
        if not isinstance(partition, Partition):
            raise TypeError(f"a Partitioner must return a Partition, got {partition!r} from {self.scheme!r}")
        table = partition.summarise(sample)
        fitted: BinnedMap = (shifted if self._slope == 1.0 else levelled)(partition, table)
        attributes: dict[str, Any] = {"bin_table_": table}
        if scores is not None:
            attributes["cv_scores_"] = scores
        return Solution(fitted, partition, attributes)

    def _bins(self, sample: Sample) -> tuple[Partition, CVScores | None]:
        scheme = self._scheme()
        if isinstance(self.n_bins, str):
            return self._named_count(sample, scheme, self.n_bins)
        if np.ndim(self.n_bins) == 0:
            check_n_bins(self.n_bins)
            return with_bins(scheme, int(self.n_bins)).partition(sample), None
        if not isinstance(self.scheme, str):
            raise ValueError(f"n_bins must not be edges when scheme makes the bins, got scheme={self.scheme!r}")
        return Partition(self.n_bins, self.closed), None

    def _scheme(self) -> Partitioner:
        """Return the partitioner that the scheme names or is."""
        if isinstance(self.scheme, str):
            return make_partitioner(self.scheme, "scheme", closed=self.closed)
        if not isinstance(self.scheme, Partitioner):
            raise ValueError(f"scheme must be the name of a partition or a Partitioner, got {self.scheme!r}")
        if self.closed != "left" and getattr(self.scheme, "closed", self.closed) != self.closed:
            raise ValueError(f"closed must not contradict the scheme {self.scheme!r}, got {self.closed!r}")
        return self.scheme

    def _named_count(self, sample: Sample, scheme: Partitioner, rule: str) -> tuple[Partition, CVScores | None]:
        if rule == "cv":
            if not counts_bins(scheme):
                return scheme.partition(sample), None  # such as Pava(): it has no number to choose
            scores = self._cross_validate(sample, scheme)
            n_bins = 1 if scores is None else scores.choose(self.tolerance)
            return with_bins(scheme, n_bins).partition(sample), scores
        if rule == "cube_root":
            return with_bins(scheme, max(1, round(float(np.cbrt(sample.n))))).partition(sample), None
        if rule != "sweep":
            raise ValueError(f"n_bins must be a whole number, edges, 'cv', 'sweep' or 'cube_root'; got {rule!r}")
        if isinstance(scheme, EqualMass):
            return MonotoneSweep(scheme="equal_mass", closed=scheme.closed).partition(sample), None
        if isinstance(scheme, EqualWidth):
            return MonotoneSweep(scheme="equal_width", closed=scheme.closed).partition(sample), None
        raise ValueError(f"n_bins must not be 'sweep' unless scheme is equal_mass or equal_width, got {scheme!r}")

    def _cross_validate(self, sample: Sample, scheme: Partitioner) -> CVScores | None:
        """Return the scores of 1..max_bins, or None for a single row, which leaves nothing to hold out."""
        check_cv(self.cv)
        check_n_bins(self.max_bins, "max_bins")
        check_tolerance(self.tolerance)
        find_loss(self.scoring)
        if sample.n == 1:
            return None
        folds = held_out_rows(sample.n, self.cv, self.random_state)
        candidates = np.arange(1, int(self.max_bins) + 1)
        if type(scheme) is EqualMass or type(scheme) is EqualWidth:  # a subclass may bin differently
            return bin_count_scores(scheme, self._slope, candidates, sample, folds, self.scoring)
        return held_out_scores(self, "n_bins", candidates.tolist(), sample, folds, self.scoring)
