"""What a comparison asks of rows with features, and of calibrators that see them; a companion answers."""

from collections.abc import Sequence
from typing import Any, Protocol

from fitontest.data.sample import Sample
from fitontest.data.score_sample import ScoreSample
from fitontest.evaluation.comparison.kinds import FamilyKind
from fitontest.maps.rules.columns import CategoricalFeatures
from fitontest.results.companions import brought
from fitontest.results.typing import FloatArray, IntArray


class WorstSegment(Protocol):
    """The segment whose residuals stand out most, and the multicalibration error."""

    @property
    def rule(self) -> object:
        """Which rows are in it."""

    @property
    def n(self) -> int:
        """Its rows."""

    @property
    def residual(self) -> float:
        """Share of positives less mean score; that of a winner, larger than the truth."""

    @property
    def standardised(self) -> float:
        """The sum of its residuals in standard errors."""

    @property
    def multicalibration_error(self) -> float:
        """Of all segments, the largest statistic in units of all rows."""


class ComparedRows(Protocol):
    """The features of all rows of a sample, which stand in an order of their own."""

    @property
    def ordered(self) -> ScoreSample:
        """The rows in that order."""

    def sorted(self, values: Any) -> Any:
        """Return what belongs to the rows as they were passed in that order."""

    def fit(self, family: Any) -> None:
        """Fit a calibrator to all rows."""

    def hold_out(self, family: Any, sample: Sample, folds: Sequence[IntArray]) -> FloatArray:
        """Return for each row the probability by a calibrator that was fitted without its fold."""

    def predict(self, family: Any, sample: Sample) -> FloatArray:
        """Return what the map of a fitted calibrator makes of the rows of a sample."""

    def worst_segment(self, sample: Sample, seed: int) -> WorstSegment | None:
        """Return the segment in which the predictions of a sample are most wrong."""

    def worst_if_calibrated(self, sample: Sample, seed: int) -> tuple[float, float] | None:
        """Return what the worst segment and the multicalibration error of calibrated predictions are, on average."""


def compared_rows(X: Any, sample: Any, categorical_features: CategoricalFeatures, name: str = "X") -> ComparedRows:
    """Return the features of rows, or refuse those of others."""
    rows: ComparedRows = brought("compared rows").of(X, sample, categorical_features, name)
    return rows


def kind_with_features(categorical_features: CategoricalFeatures) -> FamilyKind:
    """Return how families are read for rows with features: those of scores, and those that see the features."""
    kind: FamilyKind = brought("families of compared rows")(categorical_features)
    return kind
