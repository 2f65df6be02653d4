"""One map of two classes for each class against the rest: rows are divided by their sums, or left as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.data.arrays import as_matrix
from fitontest.data.predictions import check_order
from fitontest.maps.base import CalibrationMap
from fitontest.maps.expressions import Expression, Guarded, divided_by_sum, score_limits, shared
from fitontest.maps.mixture import read_parts
from fitontest.maps.multiclass.base import NAMES, MulticlassMap, divided
from fitontest.maps.stored import register
from fitontest.results.typing import ArrayInput, FloatArray

TIE_BREAK = 1e-9  # of p, added before dividing


@register
@dataclass(frozen=True, eq=False)
class OneVsRestMap(MulticlassMap):
    """Calibration maps of several classes, one for each class, rescaled so that the probabilities add up to 1.

    g_k(p) = q_k / sum_l q_l, where q_k = c_k(p_k) + 1e-9 p_k and c_k is a map of two classes, clipped to [0, 1].

    The small share of p decides between classes to which the maps give the same, and returns p itself for a row to
    which all of them give 0.

    Parameters
    ----------
    parts : sequence of K calibration maps
        c_1, ..., c_K.
    classes : sequence of K labels, optional
        The class of each column, by keyword; see `MulticlassMap`.

    Raises
    ------
    ValueError
        Fewer than two parts, or one that is no `CalibrationMap`.

    References
    ----------
    Zadrozny, Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates, KDD.
    https://doi.org/10.1145/775047.775151
    Zhang, Kailkhura, Han (2020), Mix-n-match: ensemble and compositional methods for uncertainty calibration in deep
    learning, ICML (the share of p). https://doi.org/10.48550/arXiv.2003.07329

    Examples
    --------
    >>> from fitontest.maps import IdentityMap, KnotsMap
    >>> halved = KnotsMap([0, 1], [0, 0.5])
    >>> OneVsRestMap([IdentityMap(), IdentityMap(), halved])([[0.2, 0.3, 0.5]]).round(3)
    array([[0.267, 0.4  , 0.333]])
    """

    kind: ClassVar[str] = "one_vs_rest"

    parts: tuple[CalibrationMap, ...]

    def __post_init__(self) -> None:
        parts = read_parts(self.parts, CalibrationMap, "calibration maps of two classes")  # type: ignore[type-abstract]
        if len(parts) < 2:
            raise ValueError(f"parts must hold a map for each of two classes or more, got {len(parts)}")
        object.__setattr__(self, "parts", parts)
        super().__post_init__()

    @property
    def n_classes(self) -> int:
        """The number of maps."""
        return len(self.parts)

    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the values of the maps, divided by their sums."""
        q = np.empty(P.shape)
        for k, part in enumerate(self.parts):
            p = np.ascontiguousarray(P[:, k])
            q[:, k] = np.clip(part.evaluate(p), 0.0, 1.0) + TIE_BREAK * p
        return divided(q)

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:
        """Return the formula of `evaluate`."""
        pairs = zip(self.parts, p, strict=True)
        return divided_by_sum(shared([part.expression(one).clip(0.0, 1.0) + TIE_BREAK * one for part, one in pairs]))


@register
@dataclass(frozen=True, eq=False)
class ByClassMap(OneVsRestMap):
    """Calibration maps of several classes, one for each class, without rescaling.

    g_k(p) = c_k(p_k), clipped to [0, 1], where c_k is a map of two classes for class k against the rest.

    Neither the scores nor the values of a row need add up to 1; `OneVsRestMap` divides the values by their sum.

    Parameters
    ----------
    parts : sequence of K calibration maps
        c_1, ..., c_K.
    classes : sequence of K labels, optional
        The class of each column, by keyword; see `MulticlassMap`.

    Raises
    ------
    ValueError
        Fewer than two parts, or one that is no `CalibrationMap`.

    Examples
    --------
    >>> from fitontest.maps import ByClassMap, IdentityMap, KnotsMap
    >>> ByClassMap([IdentityMap(), KnotsMap([0, 1], [0, 0.5])])([[0.3, 0.9]])
    array([[0.3 , 0.45]])
    """

    kind: ClassVar[str] = "by_class"

    def __call__(self, P: ArrayInput) -> FloatArray:
        """Return the calibrated score of each class, shape (n, K)."""
        scores, headers = as_matrix(P, "P")
        self.check_columns(scores, "P")
        if self.classes:
            check_order(headers, list(self.classes), NAMES, fitted=True)
        return self.evaluate(scores)

    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the values of the maps."""
        columns = [part.evaluate(np.ascontiguousarray(P[:, k])) for k, part in enumerate(self.parts)]
        return np.clip(np.stack(columns, axis=1), 0.0, 1.0)

    def guarded(self, probs: Sequence[str]) -> list[Guarded]:
        """Return the expressions of columns, and NULL where a score is missing or invalid."""
        columns = self.read_columns(probs)
        limits = tuple(map(score_limits, columns))
        return [Guarded(limits, value.clip(0.0, 1.0)) for value in self.expressions(columns)]

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:
        """Return the formula of `evaluate`."""
        return [part.expression_near(one).clip(0.0, 1.0) for part, one in zip(self.parts, p, strict=True)]
