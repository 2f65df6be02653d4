"""The default in the place of a family: what `compare_calibrators` chooses for the scores at hand."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from fitontest.data.score_sample import ScoreSample
from fitontest.evaluation.comparison.compare import compare_calibrators
from fitontest.families.identity import Identity
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import RandomState

AUTO = "auto"
LEAST_GROUPS = 3  # one to hold out, and two for families that choose something by folds of the others


@dataclass(frozen=True)
class Chosen:
    """What the default rule of `compare_calibrators` chooses for a sample.

    Attributes
    ----------
    random_state : int, RandomState or None
        Of its folds.
    """

    takes_features: ClassVar[bool] = False
    takes_classes: ClassVar[bool] = False
    random_state: RandomState = 0

    def __sklearn_clone__(self) -> Self:
        return self

    def fit_sample(self, sample: ScoreSample) -> Any:
        """Return the chosen family, fitted; scores of one class, or of fewer than three groups, stay as they are.

        Parameters
        ----------
        sample : ScoreSample
        """
        few = sample.groups is not None and len(sample.groups) < LEAST_GROUPS
        if few or sample.base_rate in (0.0, 1.0):
            return Identity().fit_sample(sample)
        with without_warnings():
            return compare_calibrators(sample, evaluators=(), random_state=self.random_state).chosen_
