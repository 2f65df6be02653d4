r"""Errors of whole distributions: how far predictions of K classes are from E[y | p], without a reduction.

Canonical calibration asks for E[y | p] = p of the whole vector p. Calibration of the confidence and of each class
follow from it, not the reverse. Measures of it take `SimplexSample` in place of a sample of two classes, and redrawn
labels of many rows at a time.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fitontest.data.simplex_sample import Labelling, SimplexSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure
from fitontest.typing import FloatArray, IntArray


class CanonicalMeasure(Measure):
    """Base of the measures of predictions of any number of classes.

    A subclass defines ``estimate(data)`` of checked `SimplexSample`. It may define ``target(data, c)``, what it would
    be if the rows of c, of shape (n, K), were the true probabilities, and ``values_of(data, labellings)`` where several
    labellings of the same predictions can share work, and ``values_of_entries(data, labellings)`` for entries of
    several rows each.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np, fitontest as fot
    >>> @dataclass(frozen=True)
    ... class Misses(fot.measures.CanonicalMeasure):
    ...     "Share of rows whose label is not the class of the largest probability, less what they themselves expect."
    ...     def estimate(self, sample):
    ...         wrong = sample.codes != sample.p.argmax(axis=1)
    ...         expected = 1 - sample.p.max(axis=1)
    ...         return fot.Estimate.of(self, sample, sample.w @ (wrong - expected) / sample.total)
    >>> P = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3]]
    >>> evaluation = fot.evaluate([0, 2], P, measures=[Misses()], labels=[0, 1, 2], reduction="canonical")
    >>> round(float(evaluation["Misses"]), 12)
    0.05
    """

    classes: ClassVar[Literal["two", "any"]] = "any"

    @abstractmethod
    def estimate(self, sample: SimplexSample) -> Estimate:
        """Return the estimate of checked predictions."""

    def target(self, sample: SimplexSample, c: FloatArray) -> float | None:  # noqa: ARG002 - the signature of all
        """Return what the measure would be if c were the true probabilities, or None where that is not defined."""
        return None

    def values_of(self, data: SimplexSample, labellings: IntArray) -> FloatArray:
        """Return the values for several labellings of the same predictions, shape (B,), of columns of shape (B, n).

        Parameters
        ----------
        data : SimplexSample
            Checked predictions of n rows.
        labellings : int array of shape (B, n)
            The column of the class of each row's label, in each labelling.
        """
        return np.array([self.estimate(data.with_codes(codes)).value for codes in labellings])

    def values_of_entries(self, data: SimplexSample, labellings: Sequence[Labelling]) -> FloatArray:
        """Return the values for several labellings of entries of whole weights, the rows of which have labels apart.

        Parameters
        ----------
        data : SimplexSample
            Checked predictions; an entry of whole weight stands for so many rows.
        labellings : sequence of Labelling
            For each labelling how many rows of which entry have which label.
        """
        return np.array([self.estimate(data.labelled(labelling)).value for labelling in labellings])


@dataclass(frozen=True, kw_only=True, eq=False)
class CanonicalEvidence(Evidence):
    """What a canonical estimate was computed from.

    Attributes
    ----------
    map : MulticlassMap or None
        The map whose distance from the predictions was measured.
    estimator : MulticlassFamily or None
        The fitted family.
    n_classes : int
        K.
    """

    map: Any = None
    estimator: Any = None
    n_classes: int

    def record(self) -> dict[str, Any]:
        """Return the number of classes."""
        return {"n_classes": self.n_classes}

    def to_dict(self) -> dict[str, Any]:
        """Return these facts, with the map where there is one."""
        return self.record() if self.map is None else {**self.record(), "map": self.map.to_dict()}
