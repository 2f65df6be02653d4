"""One map of two classes for each class against the rest, left as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.data.arrays import as_matrix
from fitontest.data.predictions import check_order
from fitontest.maps.expressions import Expression, Guarded, score_limits
from fitontest.maps.multiclass.base import NAMES
from fitontest.maps.multiclass.one_vs_rest import OneVsRestMap
from fitontest.maps.stored import register
from fitontest.results.typing import ArrayInput, FloatArray


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
