"""Comparisons of calibrators that see features: what `fitontest.evaluation.comparison` asks for.

The features of rows that are compared: calibrators that see them are fitted to them, and segments are made of them.

Rows of a comparison stand in an order of their own, and each knows which row of the features it is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from fitontest.data.arrays import check_same_length
from fitontest.data.row_groups import GROUP
from fitontest.data.sample import Sample
from fitontest.data.score_sample import ScoreSample
from fitontest.evaluation.comparison.candidates import list_feature_calibrators
from fitontest.evaluation.comparison.kinds import Families, FamilyKind
from fitontest.families.base import read_family
from fitontest.families.listed import read_listed
from fitontest.families.registry import FamilyBase, registered_class, seeded
from fitontest.families.registry import names as family_names
from fitontest.families.stacking import Stacking
from fitontest.maps.rules.columns import CategoricalFeatures, Columns
from fitontest.numerics.links import LOGIT_EPS, logit
from fitontest.results.typing import FloatArray, IntArray, RandomState
from fitontest.segments.features.given import columns_of
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.repair.feature_family import FeatureFamily
from fitontest.segments.uncertainty.worst_segment import WorstSegment, worst_if_calibrated, worst_segment

DRAWS = 100  # of labels, for a mean of maxima, which vary by a tenth
ROW = "row"  # the fact of a row: which row of the features it is


@dataclass(frozen=True, eq=False)
class Features:
    """The features of all rows of a sample.

    Attributes
    ----------
    given : Any
        As a user passed them.
    sample : ScoreSample
        The rows as they were passed.
    categorical_features
        Which columns are categories, where segments are looked at.
    """

    given: Any
    sample: ScoreSample
    categorical_features: CategoricalFeatures
    _columns: dict[str, Columns] = field(default_factory=dict)

    @classmethod
    def of(cls, X: Any, sample: Any, categorical_features: CategoricalFeatures, name: str = "X") -> Self:
        """Return the features of rows, or refuse those of others.

        Parameters
        ----------
        X : data frame, dict of columns, or array of shape (n, d)
        sample : ScoreSample
        categorical_features
            As for `read_columns`.
        name : str
            What the caller calls `X`.
        """
        features = cls(X, sample, categorical_features)
        features._columns[repr(categorical_features)] = columns_of(X, sample, categorical_features, name)
        return features

    def columns(self, categorical_features: CategoricalFeatures) -> Columns:
        """Return the columns, of which the named ones are categories."""
        key = repr(categorical_features)
        if key not in self._columns:
            self._columns[key] = columns_of(self.given, self.sample, categorical_features)
        return self._columns[key]

    @cached_property
    def order(self) -> IntArray:
        """The rows in an order of their own, whatever the one in which they were passed."""
        rows = self._rows(self.sample, np.arange(self.sample.p.size), self.sample.p, self.categorical_features)
        return rows.order

    @property
    def ordered(self) -> ScoreSample:
        """The rows in that order, each with its place among the features."""
        order = self.order
        return self.sample.select(order).with_facts(**{ROW: order})

    def sorted(self, values: Any) -> Any:
        """Return what belongs to the rows as they were passed in that order; what is no array stays as it is."""
        if values is None or callable(values):
            return values
        array = np.asarray(values)
        check_same_length(truth=array, scores=self.sample.p)
        return array[self.order]

    def rows(self, sample: Sample, categorical_features: CategoricalFeatures | None = None) -> FeatureRows:
        """Return the rows of a sample with their features and the logits of what they predict.

        Parameters
        ----------
        sample : Sample
            Rows of `ordered`.
        categorical_features : optional
            By default those of the comparison.
        """
        present = sample.present
        chosen = self.categorical_features if categorical_features is None else categorical_features
        return self._rows(present, present.facts[ROW], present.p, chosen)

    def _rows(self, sample: Any, at: IntArray, p: FloatArray, categorical_features: CategoricalFeatures) -> FeatureRows:
        groups = sample.facts.get(GROUP) if sample.groups is not None else None
        columns = self.columns(categorical_features).take(at)
        return FeatureRows(columns, sample.y, logit(p, LOGIT_EPS), sample.w, sample.whole, groups)

    def fit(self, family: FeatureFamily) -> None:
        """Fit a calibrator to all rows, as a user would, with the positive class as 1."""
        sample = self.sample
        groups = sample.facts.get(GROUP)
        logits = logit(sample.p, LOGIT_EPS)[:, None]
        family.fit_coded(self.given, sample.y.astype(np.intp), np.array([0, 1]), sample.weights, logits, groups)

    def hold_out(self, family: FeatureFamily, sample: Sample, folds: Sequence[IntArray]) -> FloatArray:
        """Return for each row of a sample the probability by a calibrator that was fitted without its fold.

        Parameters
        ----------
        family : FeatureFamily
            Unfitted.
        sample : Sample
            Rows of `ordered`.
        folds : sequence of int arrays
            Positions of the rows that are held out together.
        """
        rows = self.rows(sample, family.categorical_features)
        values = np.empty(len(rows))
        for held_out in folds:
            others = np.ones(len(rows), dtype=bool)
            others[held_out] = False
            c_hat, predicted = family.fit_map(rows.take(others).canonical()), rows.take(held_out)
            values[held_out] = c_hat.evaluate(predicted.columns, predicted.logits)
        return values

    def predict(self, family: FeatureFamily, sample: Sample) -> FloatArray:
        """Return what the map of a fitted calibrator makes of the rows of a sample."""
        rows = self.rows(sample, family.categorical_features)
        c_hat: Any = family.map_
        values: FloatArray = np.clip(c_hat.evaluate(rows.columns, rows.logits), 0.0, 1.0)
        return values

    def worst_segment(self, sample: Sample, seed: int) -> WorstSegment | None:
        """Return the segment in which the predictions of a sample are most wrong."""
        return worst_segment(self.rows(sample), seed)

    def worst_if_calibrated(self, sample: Sample, seed: int) -> tuple[float, float] | None:
        """Return what the worst segment and the multicalibration error of calibrated predictions are, on average."""
        return worst_if_calibrated(self.rows(sample), DRAWS, seed)


def kind_with_features(categorical_features: CategoricalFeatures) -> FamilyKind:
    """Return how families are read for rows with features: those of scores, and those that see the features.

    Parameters
    ----------
    categorical_features
        Of families given by name.
    """

    def read(families: Iterable[Any], argument: str, random_state: RandomState) -> Families:
        return read_listed(families, argument, random_state, read_either, FamilyBase)

    def read_either(family: Any, random_state: RandomState) -> Any:
        if isinstance(family, FeatureFamily):
            return clone(family)
        if isinstance(family, str) and family in family_names("features"):
            made = registered_class(family)()
            if isinstance(made, FeatureFamily):  # has a map of features and scores
                return seeded(made.set_params(categorical_features=categorical_features), random_state)
        return read_family(family, random_state)

    return FamilyKind(read, list_feature_calibrators, Stacking.make_members, "isotonic")
