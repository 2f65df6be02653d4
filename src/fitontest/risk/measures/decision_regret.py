"""What the scores lose in decisions against a calibration map: the base of measures that take only rows of wrong sides.

Who decides by the score p where the probability is c loses something of each row on which the two decide differently.
The mean loss is 0 where the map of a family puts no row on another side. It grows with the square of the distance of c
from p, so that intervals are inverted on the scale of its root.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from fitontest.data.redraws import Labels, Redraws
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import read_family
from fitontest.families.reading import fit_to
from fitontest.families.registry import family_name
from fitontest.maps.base import CalibrationMap
from fitontest.maps.stored import is_map
from fitontest.measures.measure import Measure
from fitontest.measures.plug_in import Fitting
from fitontest.measures.words import Words
from fitontest.results.registry import changed_settings, plain_setting, settings_of
from fitontest.results.typing import FloatArray, RandomState

FAMILY = "isotonic"  # by default: what lies at one place is seen best by a map without a shape


class DecisionRegret(Measure):
    """Base of the mean over the rows of what deciding by the score loses against deciding by the map of a family.

    A subclass is a frozen dataclass with a setting `family`, and defines `losses`.
    """

    call: ClassVar[str]  # the registered name

    family: Any

    @abstractmethod
    def losses(self, p: FloatArray, c: FloatArray) -> FloatArray:
        """Return the loss of each row with the score p whose probability is c; arrays broadcast."""

    @property
    def words(self) -> Words:
        """How it is called: by its settings."""
        settings: Mapping[str, Any] = {
            name: self._family_label if name == "family" else plain_setting(value)
            for name, value in settings_of(self).items()
        }
        changed = changed_settings(self)
        said = ", ".join(f"{name}={settings[name]!r}" for name in settings if name in changed)
        return Words(
            title=self.call.replace("_", " "),
            name=f"{self.call}({said})" if said else self.call,
            settings=settings,
            brief=settings,
        )

    @property
    def _family_label(self) -> str:
        return family_name(self.family)

    @property
    def held_fixed(self) -> str:
        """The calibration map, where one is given."""
        return "map" if is_map(self.family) else ""

    @property
    def fitting(self) -> Fitting:
        """How the calibration map is fitted to hundreds of sets of simulated labels."""
        return Fitting(None if self.held_fixed else self.family, of_scores=True)

    @property
    def squared(self) -> bool:
        """The loss grows with the square of the distance of the map from the scores."""
        return True

    def seeded(self, random_state: RandomState) -> "DecisionRegret":
        """Return the measure with a seed for what its calibration map draws at random, of a family given by name.

        Parameters
        ----------
        random_state : int, RandomState or None
            The seed. A family that draws nothing stays as it is.
        """
        if not isinstance(self.family, str) or "random_state" not in read_family(self.family).get_params(deep=False):
            return self
        return self.changed(family=read_family(self.family, random_state))

    def target(self, sample: ScoreSample, c: FloatArray) -> float:
        """Return what deciding by the scores loses if c are the true probabilities of the rows."""
        return float(sample.w @ self.losses(sample.p, c) / sample.w.sum())

    def ceiling(self, sample: ScoreSample) -> float:
        """Return the mean over the rows of the larger of their losses at 0 and 1: losses grow away from the score."""
        p, w = sample.p, sample.w
        ends = np.maximum(self.losses(p, np.zeros_like(p)), self.losses(p, np.ones_like(p)))
        return float(w @ ends / w.sum())

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the values for several sets of labels of the same scores, whose maps are fitted together."""
        if self.held_fixed:
            return super().values(redraws, labels)
        return self.values_of_fits(redraws, self.fitting.at(redraws, labels))

    @property
    def takes_fits(self) -> bool:
        """Whether the value is computed from fitted calibration maps alone: where none is given."""
        return not self.held_fixed

    def values_of_fits(self, redraws: Redraws, c_hat: FloatArray) -> FloatArray:
        """Return the values of maps that are fitted already."""
        entries = redraws.entries  # type: ignore[attr-defined]
        c, w = np.clip(c_hat, 0.0, 1.0), entries.distinct_w
        return np.asarray(w @ self.losses(entries.distinct_p[:, None], c) / w.sum())

    def fitted_to(self, sample: ScoreSample) -> tuple[CalibrationMap, Any]:
        """Return the calibration map, and the estimator that was fitted; None where the map was given."""
        if self.held_fixed:
            return self.family, None
        fitted = fit_to(sample, self.family)
        return fitted.map_, fitted
