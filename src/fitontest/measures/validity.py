"""The validity curve: for which share of the rows a score is no further than eps from the probability it stands for.

V(eps) is the share of rows with |p - c(p)| <= eps, where c(p) is the mean label of the k rows whose scores are nearest
to p. The area under the curve over [0, 1] is one less the mean of |p - c(p)|: 1 - AUC_V is the plug-in l1 error of the
k nearest neighbours.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

import numpy as np

from fitontest.data.places import BadValueError
from fitontest.data.score_sample import ScoreSample
from fitontest.families.knn import KNN, check_k
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, register
from fitontest.measures.words import Words
from fitontest.results.frames import Records, records
from fitontest.results.table import Section, Table
from fitontest.results.text import count, short
from fitontest.results.typing import ArrayInput, FloatArray, Label

DEFAULT_K = 10
ROUNDING = 1e-12  # of distances that are the same: |.7 - .8| is larger than .1
SHOWN = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)  # deviations at which a printed curve is read


@register("auc_v")
@dataclass(frozen=True)
class ValidityArea(Measure):
    """The area under the validity curve, in [0, 1], by the nearest neighbours of each score; greater is better.

    AUC_V = 1 - (1/W) sum_i w_i |p_i - c(p_i)|, c(p) the mean label of the k rows nearest to p (`KNN`). So ``1 - auc_v``
    is the plug-in l1 error of that family, and has its bias: labels scatter, and k of them are few.

    The curve itself is ``estimate.curve``; ``estimate.plot()`` and `validity_curves` draw it. For an interval take that
    of the plug-in error, ``calibration_error(y, p, family=KNN(k), interval="always")``.

    Parameters
    ----------
    k : int, default=10
        Number of neighbours, see `KNN`.

    Raises
    ------
    ValueError
        A `k` that is no whole number or below 1.

    References
    ----------
    Gupta, Ramdas (2021), Distribution-free calibration guarantees for histogram binning without sample splitting,
    ICML. https://doi.org/10.48550/arXiv.2105.04656
    Torabian, Urner (2024), Calibration through the lens of interpretability.
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    >>> import fitontest as fot
    >>> sample = fot.ScoreSample([0, 0, 1, 1], [0.0, 0.25, 0.5, 1.0])
    >>> area = fot.measures.ValidityArea(k=2).estimate(sample)
    >>> round(area.value, 6), area.curve.at([0.0, 0.1, 0.5]).tolist()
    (0.979167, [0.75, 1.0, 1.0])
    """

    k: int = DEFAULT_K

    greater_is_better = True

    def __post_init__(self) -> None:
        check_k(self.k)

    @property
    def words(self) -> Words:
        """Its abbreviation in the papers, and the number of neighbours."""
        return Words(title="AUC_V", settings_in_words=_neighbours(self.k))

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the area, with the curve."""
        distances = _Distances.of(sample, self.k)
        return Estimate.of(self, sample, distances.area, Validity(distances=distances))


@dataclass(frozen=True, eq=False, repr=False)
class ValidityCurve(Table):
    """The validity curve V(eps), a step function that rises from the share of exact scores to 1.

    Attributes
    ----------
    eps : array of shape (M,)
        The distances |p - c(p)| that occur, strictly increasing; those that differ by at most 1e-12 are one.
    share : array of shape (M,)
        V at each of them: the weighted share of the rows that are no further off. The last one is 1.
    area : float
        Over eps in [0, 1].
    k : int
        Number of neighbours.
    n : int
        Rows of positive weight.

    Examples
    --------
    >>> import fitontest as fot
    >>> curve = fot.measures.ValidityCurve.from_predictions([0, 0, 1, 1], [0.0, 0.25, 0.5, 1.0], k=2)
    >>> curve.eps.round(4).tolist(), curve.share.tolist(), round(curve.area, 6)
    ([0.0, 0.0833], [0.75, 1.0], 0.979167)
    """

    eps: FloatArray
    share: FloatArray
    area: float
    k: int
    n: int

    @classmethod
    def of(cls, sample: ScoreSample, k: int = DEFAULT_K) -> Self:
        """Return the curve of a checked sample.

        Parameters
        ----------
        sample : ScoreSample
            Checked scores, labels and weights.
        k : int, default=10
            Number of neighbours, at least 1.
        """
        return cls._of_distances(_Distances.of(sample, k))

    @classmethod
    def _of_distances(cls, distances: "_Distances") -> Self:
        eps, share = _steps(distances.off, distances.w, alike=distances.alike)
        for column in (eps, share):
            column.flags.writeable = False
        return cls(eps, share, distances.area, distances.k, distances.n)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayInput,
        y_prob: ArrayInput,
        *,
        k: int = DEFAULT_K,
        sample_weight: ArrayInput = None,
        pos_label: Label | None = None,
    ) -> Self:
        """Return the curve of labels (of {0, 1}, {-1, 1}, booleans, or any two with `pos_label`) and scores.

        Parameters
        ----------
        y_true : array-like of shape (n,)
            Labels of two classes.
        y_prob : array-like of shape (n,)
            Scores of the positive class, in [0, 1].
        k : int, default=10
            Number of neighbours, at least 1; see `KNN`.
        sample_weight : array-like of shape (n,), optional
            Counts where all are whole numbers of at most 10 on average, weight 2 being the row twice; else importances,
            whose scale means nothing. A row of weight 0 is absent.
        pos_label : label, optional
            The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}. Of more than two labels it is
            held against all others.

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found.
        """
        check_k(k)
        return cls.of(ScoreSample(y_true, y_prob, sample_weight, pos_label=pos_label), k)

    def at(self, eps: ArrayInput) -> FloatArray:
        """Return V(eps), the share of the rows whose scores are no further than eps from their probability.

        A distance that is larger than eps by rounding alone, 1e-12 at most, is within it.

        Parameters
        ----------
        eps : float or array-like
            Distances. Below -1e-12 the share is 0, from 1 on it is 1.

        Returns
        -------
        share : float or array of the shape of `eps`
            In [0, 1].

        Raises
        ------
        ValueError
            A distance that is NaN.
        """
        asked = np.asarray(eps, dtype=np.float64)
        if np.isnan(asked).any():
            raise BadValueError("eps", "not be NaN", "nan", int(np.argmax(np.isnan(asked))), asked.shape)
        before = np.searchsorted(self.eps, asked + ROUNDING, side="right")
        return np.concatenate(([0.0], self.share))[before]

    def rows(self) -> Records:
        """Return one record for each step."""
        return records(eps=self.eps, share=self.share)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as JSON-ready values."""
        facts = {"area": self.area, "k": self.k, "n": self.n}
        return {**facts, "eps": self.eps.tolist(), "share": self.share.tolist()}

    def sections(self) -> list[Section]:
        """Return the area, and the curve at a few deviations."""
        title = f"validity curve: area {short(self.area)}, {_neighbours(self.k)}, n = {count(self.n)}"
        body = [[f"{eps:g}", short(float(share))] for eps, share in zip(SHOWN, self.at(SHOWN), strict=True)]
        return [Section(title, ["eps", "share within eps"], body)]

    def __repr__(self) -> str:
        return f"ValidityCurve(area={self.area:.6g}, k={self.k}, n={self.n})"


@dataclass(frozen=True, eq=False)
class _Distances:
    """How far each distinct score is from the mean label of its neighbours.

    Attributes
    ----------
    off, w : arrays of shape (G,)
        The distances |p - c(p)|, and the weights of the scores.
    alike : bool
        Whether every weight is 1.
    area : float
        Under the curve of the distances.
    k, n : int
        Number of neighbours, and of rows of positive weight.
    """

    off: FloatArray
    w: FloatArray
    alike: bool
    area: float
    k: int
    n: int

    @classmethod
    def of(cls, sample: ScoreSample, k: int) -> Self:
        distinct = sample.distinct
        off = distinct.p - KNN(k).group_means(sample)
        np.abs(off, out=off)
        area = 1.0 - float(distinct.w @ off) / float(distinct.w.sum())
        return cls(off, distinct.w, sample.unit and len(distinct) == sample.n, area, k, sample.n)


def _neighbours(k: int) -> str:
    """Return the number of neighbours in words."""
    return f"{k} nearest neighbour{'s' if k > 1 else ''}"


def _steps(off: FloatArray, w: FloatArray, *, alike: bool) -> tuple[FloatArray, FloatArray]:
    """Return the distances that occur, and the share of the weight up to each; `alike` says that all weights are 1.

    Of distances that differ by rounding the largest stands for all.
    """
    order = None if alike else np.argsort(off)
    eps = np.sort(off) if order is None else off[order]
    rises = eps[1:] - eps[:-1] > ROUNDING
    if order is None and rises.all():
        return eps, np.arange(1, eps.size + 1) / eps.size
    last = np.append(np.flatnonzero(rises), eps.size - 1)  # of rows that are equally far off
    share = last + 1.0 if order is None else np.cumsum(w[order])[last]
    share /= share[-1]
    return eps[last], share


@dataclass(frozen=True, kw_only=True, eq=False)
class Validity(Evidence):
    """The curve whose area was measured, which is made when it is first asked for: the area needs no sorting."""

    distances: _Distances = field(repr=False)

    @cached_property
    def curve(self) -> ValidityCurve:
        """The validity curve."""
        return ValidityCurve._of_distances(self.distances)
