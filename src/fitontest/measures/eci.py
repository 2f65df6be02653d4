"""The estimated calibration index: the mean squared distance of the scores from a calibration map, times 100."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fitontest.data.redraws import Labels, Redraws
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import read_family
from fitontest.families.registry import family_name
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.plug_in import SCORES, Fitting, PlugIn
from fitontest.measures.words import Words
from fitontest.results.checks import check_flag
from fitontest.results.exceptions import NoValueError
from fitontest.results.typing import FloatArray, RandomState

PERCENT = 100.0  # the index is 100 times the mean


@register("eci")
@dataclass(frozen=True, eq=False)
class ECI(Measure):
    """The estimated calibration index: 100 times the mean squared distance of the scores from a calibration map.

    ECI = 100 mean (c_hat(p) - p)^2, in [0, 100], with the map of a family that is fitted to these rows: 100 times
    ``PlugIn(family, norm="squared")``, with its debiased value and interval. Normalised it is
    mean (c_hat(p) - p)^2 / mean (ybar - p)^2, with the share of positives ybar: 1 where the map is flat.

    Parameters
    ----------
    family : str, Family or CalibrationMap, optional
        By default "spline"; with "loess" it is the index as clinical reports in R compute it.
    normalised : bool, default=False
        Divide by the distance from the base rate.

    Raises
    ------
    NoValueError
        Normalised, where all scores are the share of positives.
    ValueError
        What is no family.

    References
    ----------
    Van Hoorde, Van Huffel, Timmerman, Bourne, Van Calster (2015), A spline-based tool to assess and visualize the
    calibration of multiclass risk predictions, Journal of Biomedical Informatics 54.
    https://doi.org/10.1016/j.jbi.2014.12.016

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> index = fot.measure(rng.random(1000) < p**1.5, p, "eci", family="platt")
    >>> bool(index.interval.low < 100 * np.mean((p**1.5 - p) ** 2) < index.interval.high)
    True
    """

    unit: ClassVar[Unit] = "ratio"

    family: Any = None
    normalised: bool = False

    def __post_init__(self) -> None:
        check_flag(self.normalised, "normalised")
        _ = self.plug_in  # refuses what is no family

    @property
    def plug_in(self) -> PlugIn:
        """The error that is scaled: the mean of the squares."""
        return PlugIn(self.family, norm="squared")

    @property
    def words(self) -> Words:
        """Its abbreviation, and what it is computed with."""
        default = self.family is None or self._label == SCORES
        settings: Mapping[str, Any] = {"family": self._label, "normalised": bool(self.normalised)}
        said = {name: value for name, value in settings.items() if (name == "normalised" and value) or not default}
        said = said if self.normalised else {name: value for name, value in said.items() if name == "family"}
        texts = ", ".join(f"{name}={value!r}" for name, value in said.items())
        return Words(
            title="normalised ECI" if self.normalised else "ECI",
            name=f"eci({texts})" if texts else "eci",
            settings=settings,
            brief={"family": self._label},
        )

    @property
    def _label(self) -> str:
        return family_name(SCORES if self.family is None else self.family)

    @property
    def held_fixed(self) -> str:
        """The calibration map, where one is given."""
        return self.plug_in.held_fixed

    @property
    def fitting(self) -> Fitting:
        """How the calibration map is fitted to hundreds of sets of simulated labels."""
        return self.plug_in.fitting

    @property
    def is_raw(self) -> bool:
        """Label noise adds to the distance."""
        return True

    @property
    def squared(self) -> bool:
        """The value is a mean of squares."""
        return True

    @property
    def takes_fits(self) -> bool:
        """Whether the value is computed from fitted maps alone; normalised it needs the labels too."""
        return not self.held_fixed and not self.normalised

    def seeded(self, random_state: RandomState) -> "ECI":
        """Return the measure with a seed for what its calibration map draws at random, of a family given by name.

        Parameters
        ----------
        random_state : int, RandomState or None
            The seed.
        """
        family = SCORES if self.family is None else self.family
        return self.changed(family=read_family(family, random_state)) if isinstance(family, str) else self

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the scaled mean of the squares, with the map."""
        error = self.plug_in.estimate(sample)
        scale = self._scale(sample.distinct.p, sample.distinct.w, sample.base_rate)
        if scale is None:
            raise NoValueError("y_prob must differ from the share of positives for a normalised ECI, got it alone")
        evidence: Any = error.evidence
        se, reason = evidence.se_map_fixed, evidence.se_reason
        if self.normalised:
            se, reason = None, "the labels that the index is normalised by vary too"
        evidence = replace(evidence, se_map_fixed=None if se is None else scale * se, se_reason=reason)
        return Estimate.of(self, sample, scale * error.value, evidence)

    def target(self, sample: ScoreSample, c: FloatArray) -> float:
        """Return what the index would be if the true probabilities were known.

        Parameters
        ----------
        sample : ScoreSample
        c : array of shape (n,)
            Probabilities in the order of the sample's rows.
        """
        squares = float(sample.w @ (c - sample.p) ** 2 / sample.w.sum())
        scale = self._scale(sample.p, sample.w, float(sample.w @ c / sample.w.sum()))
        return 0.0 if scale is None else scale * squares

    def ceiling(self, sample: ScoreSample) -> float:
        """Return the largest index; normalised a bound on it that many distinct scores nearly reach.

        Of all probabilities with one mean those have the largest squares that are 1 at the smallest scores and 0 at the
        others: so the squares are at most a polygon over the mean, by whose parts the index is bounded.
        """
        if not self.normalised:
            return PERCENT * self.plug_in.ceiling(sample)
        order = np.argsort(sample.p)
        p, w = sample.p[order], sample.w[order] / sample.w.sum()
        means, squares = (np.cumsum(np.append(0.0, steps)) for steps in (w, w * (1.0 - 2.0 * p)))
        squares += w @ p**2
        nearest = np.clip(w @ p, means[:-1], means[1:])
        away = w @ (p - w @ p) ** 2 + (nearest - w @ p) ** 2
        with np.errstate(divide="ignore"):  # of one score alone
            return float(np.max(np.maximum(squares[:-1], squares[1:]) / away))

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the values for several sets of labels of the same scores, whose maps are fitted together."""
        if self.held_fixed:
            return super().values(redraws, labels)
        c_hat = self.fitting.at(redraws, labels)
        values = self.plug_in.values_of_fits(redraws, c_hat)
        if not self.normalised:
            return PERCENT * values
        entries = redraws.entries  # type: ignore[attr-defined]
        shares = (entries.w / entries.n) @ labels / entries.w.sum()
        scales = [self._scale(entries.distinct_p, entries.distinct_w, share) for share in shares]
        return np.asarray(values * [np.nan if scale is None else scale for scale in scales])

    def values_of_fits(self, redraws: Redraws, c_hat: FloatArray) -> FloatArray:
        """Return the values of maps that are fitted already."""
        return PERCENT * self.plug_in.values_of_fits(redraws, c_hat)

    def _scale(self, p: FloatArray, w: FloatArray, share: float) -> float | None:
        """Return by what the mean of the squares is multiplied, None where it would be infinite."""
        if not self.normalised:
            return PERCENT
        away = float(w @ (share - p) ** 2)
        return float(w.sum()) / away if away > np.finfo(float).tiny else None
