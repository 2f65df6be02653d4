"""Families refitted to redrawn labels once for all measures of their maps.

The error under l1, its quantiles and its maximum, or decision losses at several thresholds, are numbers of the same
map. Their nulls are of the same labels, and so are the intervals of measures whose chains have the same truths
(`Measure.chain_measure`). The values of all measures of a family are computed from one refit, and remembered: a number
for each measure, truth and labelling. They are exactly those of each measure by itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from fitontest.data.redraws import Labels, Redraws
from fitontest.families.base import Family
from fitontest.measures.measure import Measure
from fitontest.results.registry import are_among, settings_of
from fitontest.results.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Refit:
    """A measure, and that which is computed of redrawn labels: with another family where its own takes too long."""

    measure: Measure

    @cached_property
    def stand_in(self) -> Family | None:
        """The family that is refitted in place of the measure's own, or None."""
        fitting = self.measure.fitting
        return None if fitting is None else fitting.stand_in

    @cached_property
    def refitted(self) -> Measure:
        """The measure of redrawn labels."""
        return self.measure if self.stand_in is None else self.measure.changed(family=self.stand_in)

    def shares_fits_with(self, other: "Refit") -> bool:
        """Return whether the values of both come from the same maps."""
        if other is self:
            return True
        if not (self.refitted.takes_fits and other.refitted.takes_fits):
            return False
        return _same_family(self.refitted.fitting.family, other.refitted.fitting.family)


@dataclass(frozen=True, eq=False)
class SharedRefits:
    """Measures of one sample whose values under redrawn labels are computed together.

    Parameters
    ----------
    refits : tuple of Refit
        Of the measures, and of those that say how far the truths of their chains go.
    known : dict
        What was computed already: an array of shape (draws, M) for each truth, of the measures of a family.
    """

    refits: tuple[Refit, ...]
    known: dict[Any, list[FloatArray]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, measures: Iterable[Measure]) -> "SharedRefits":
        """Return the refits of measures."""
        listed = list(measures)
        for measure in tuple(listed):
            chosen = measure.chain_measure
            if chosen is not None and not any(_are_alike(known, chosen) for known in listed):
                listed.append(chosen)
        return cls(tuple(Refit(measure) for measure in listed))

    def refit(self, measure: Measure) -> Refit:
        """Return that of a measure, which is one of these."""
        return next(refit for refit in self.refits if refit.measure is measure)

    def holds(self, measure: Measure) -> bool:
        """Return whether a measure is one of these."""
        return any(refit.measure is measure for refit in self.refits)

    def chain_measure(self, measure: Measure) -> Measure:
        """Return the measure that says how far the truths of a chain go, as it stands here."""
        chosen = measure.chain_measure
        if chosen is None:
            return measure
        return next(refit.measure for refit in self.refits if _are_alike(refit.measure, chosen))

    def values(
        self,
        measure: Measure,
        redraws: Redraws,
        truths: Sequence[FloatArray],
        draws: int,
        seed: tuple[int, ...],
        known: int = 0,
    ) -> list[FloatArray]:
        """Return the values of a measure under each truth but the first `known`, as `Redraws.values` does.

        Parameters
        ----------
        measure : Measure
            One of these.
        redraws : Redraws
            Of the sample, the same for all measures.
        truths : sequence of arrays of the shape of the points
        draws : int
        seed : tuple of int
        known : int, default=0
        """
        own = self.refit(measure)
        together = [refit for refit in self.refits if own.shares_fits_with(refit)]
        digest = blake2b(b"".join(np.ascontiguousarray(truth).tobytes() for truth in truths)).digest()
        key = self.refits.index(together[0]), digest, draws, seed, known
        different: list[Measure] = []  # two families may have one stand-in
        places = [_place_among(different, refit.refitted) for refit in together]
        if key not in self.known:
            self.known[key] = redraws.values(_Together(tuple(different)), truths, draws, seed, known)
        place = places[together.index(own)]
        return [np.ascontiguousarray(values[:, place]) for values in self.known[key]]


@dataclass(frozen=True, eq=False)
class _Together:
    """Several measures of the maps of one family, whose values are the columns of an array; or a single measure."""

    measures: tuple[Measure, ...]

    def values(self, redraws: Any, labels: Labels) -> FloatArray:
        """Return the values of each measure, shape (B, M)."""
        first = self.measures[0]
        if len(self.measures) == 1:
            return np.asarray(first.values(redraws, labels))[:, None]
        c_hat = first.fitting.at(redraws, labels)
        return np.stack([measure.values_of_fits(redraws, c_hat) for measure in self.measures], axis=1)

    def estimate(self, sample: Any) -> Any:
        """Return the estimate of the first."""
        return self.measures[0].estimate(sample)


def _place_among(different: list[Measure], measure: Measure) -> int:
    """Return the place of a measure with the same values of the same maps, or of this one, which is put last."""
    settings = _but_for_family(measure)
    for place, other in enumerate(different):
        if other is measure or (type(other) is type(measure) and are_among(_but_for_family(other), settings)):
            return place
    different.append(measure)
    return len(different) - 1


def _but_for_family(measure: Measure) -> dict[str, Any]:
    return {name: value for name, value in settings_of(measure).items() if name not in ("family", "label")}


def _same_family(one: Any, other: Any) -> bool:
    """Return whether two families are fitted alike, whatever is drawn at random."""
    if isinstance(one, str) or isinstance(other, str):
        return isinstance(one, str) and one == other
    if type(one) is not type(other):
        return False
    settings, others = one.get_params(), other.get_params()
    seed = settings.get("random_state", 0)
    return isinstance(seed, int | np.integer) and are_among(settings, others)


def _are_alike(one: Measure, other: Measure) -> bool:
    """Return whether two measures of maps are of the same kind, norm and family."""
    if type(one) is not type(other) or one.total != other.total or one.takes_fits != other.takes_fits:
        return False
    family, another = one.fitting.family, other.fitting.family
    return family is another or _same_family(family, another)
