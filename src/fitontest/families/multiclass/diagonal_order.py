"""Maps that keep the order within a row: one increasing polygon for the scores of all classes (DIAG)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fitontest.families.multiclass.intra_order import IntraOrderFamily
from fitontest.families.multiclass.ranked_rows import RankedRows
from fitontest.families.registry import register
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.multiclass.diagonal_order import DiagonalOrderMap
from fitontest.results.checks import brief, is_whole
from fitontest.results.docstrings import take_descriptions

GAIN = 1e-14  # share of the loss that a last step gains: the optimum is one and is found to rounding
HELD_OUT_GAIN = 1e-9  # in fits that only compare penalties
STEPS = 1000
LEAST = 0.01  # slope: f increases everywhere


@register("diagonal_order", aliases=("DIAG",))
@take_descriptions(IntraOrderFamily, "Parameters", "Attributes", "Raises", "References")
@dataclass(eq=False, repr=False)
class DiagonalOrder(IntraOrderFamily):
    """Fit one increasing polygon that is applied to the score of every class (DIAG).

    The map is softmax(f(x_1), ..., f(x_K)), with f straight on B pieces and slopes s_1, ..., s_B of at least .01.

    The scores are x = ln q, where q is p scaled by the best temperature and then mixed with the uniform distribution by
    1 / (n + 1). The slopes minimise

        mean(-ln g_y(p)) + penalty / n sum_b (s_b - 1)^2

    which is convex and has one optimum. A strong penalty gives temperature scaling. The knots cut the range of the
    scores, from the smallest one to 0, into B equal pieces; the outer ones go on beyond it.

    Parameters
    ----------
    pieces : int, default=12
        B, at least 2.

    Attributes
    ----------
    map_ : DiagonalOrderMap
        It holds knots and slopes.

    Notes
    -----
    By name alone, in no default.

    *Deviations from the authors' program.* Its increasing function is the integral of a positive network of two layers
    of ten units, from which L-BFGS finds a local optimum without a penalty. A polygon comes as near to any increasing
    function as it has pieces, its fit is convex, and the map can be written as SQL.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 500)
    >>> y = (rng.random((500, 1)) > (P**2 / (P**2).sum(1, keepdims=True)).cumsum(1)).sum(1)
    >>> family = fot.families.make("diagonal_order", pieces=4, penalty=10.0).fit(P, y)
    >>> family.map_.slopes.size, family.predict([[0.6, 0.3, 0.1]])
    (4, array([0]))
    """

    noun: ClassVar[str] = "diagonal_order"
    by_rank: ClassVar[bool] = True

    pieces: int = 12

    def _count_parameters(self) -> float:
        """Return the slopes; a temperature more would be a multiple of all of them."""
        polygon: Any = self.map_
        return float(polygon.slopes.size)

    def _check(self) -> None:
        if not (is_whole(self.pieces) and self.pieces >= 2):
            raise ValueError(f"pieces must be a whole number, at least 2; got {brief(self.pieces)}")

    def _path(
        self, rows: RankedRows, penalties: Sequence[float], *, held_out: bool
    ) -> list[tuple[MulticlassMap, dict[str, Any]]]:
        from fitontest.families.multiclass.intra_order_program import Stop, fit_slopes

        lowest = min(float(rows.y.min()), -1e-6)
        knots = np.linspace(lowest, 0.0, int(self.pieces) + 1)[1:-1]
        stop = Stop(HELD_OUT_GAIN if held_out else GAIN, STEPS)
        found = fit_slopes(rows, knots, np.ones(knots.size + 1), LEAST, [one / rows.n for one in penalties], stop)
        return [
            (
                DiagonalOrderMap(knots, descent.theta, rows.beta, rows.mix, rows.eps),
                {"objective_": descent.value, "n_iter_": descent.n_iter},
            )
            for descent in found
        ]
