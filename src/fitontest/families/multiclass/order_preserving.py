"""Maps that keep the order within a row, with slopes that a network makes of the row: OP and OI."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fitontest.families.multiclass.intra_order import IntraOrderFamily
from fitontest.families.multiclass.ranked_rows import RankedRows
from fitontest.families.registry import register
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.multiclass.order_preserving import OrderPreservingMap
from fitontest.numerics.network import draw_weights, layers
from fitontest.numerics.random import one_seed
from fitontest.results.checks import brief, is_whole
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import FloatArray

GAIN = 1e-5  # share of the loss that a last step gains; float32 shows no less than 1e-7
STEPS = 50  # more of them, and smaller gains, change held-out losses by no more than the choice of the folds does


@register("order_preserving", aliases=("OP",))
@take_descriptions(IntraOrderFamily, "Attributes", "Raises", "References")
@dataclass(eq=False, repr=False)
class OrderPreserving(IntraOrderFamily):
    """Fit a network that rescales the gaps between the scores of a row and never changes their order (OP).

    The map is softmax(f); with the scores sorted, y_1 >= ... >= y_K, f of the k-th largest one is

        f_(k) = sum_{j >= k} (y_j - y_(j+1)) m_j,    m_j = ln(1 + (e - 1) exp N_j(x)) >= 0,    f_(K) = 0

    where N is a network of the row x, in the order of the classes. The scores are x = ln q, where q is p scaled by the
    best temperature and then mixed with the uniform distribution by 1 / (n + 1). The numbers theta of N minimise

        mean(-ln g_y(p)) + penalty / n |theta - theta_0|^2

    from theta_0, where N is 0, so that a strong penalty gives temperature scaling. The class that is predicted stays.

    Parameters
    ----------
    widths : tuple of int, default=(50,)
        Units of the hidden layers, hyperbolic tangents.

    Attributes
    ----------
    map_ : OrderPreservingMap
        It holds the network.

    Notes
    -----
    By name alone, in no default: a fit takes a second where `Matrix` takes a tenth, and `Matrix` mends classes that are
    taken for one another. This map can learn which classes are overrated, though not by so much that another one wins,
    as it sees which class has which score; `OrderInvariant` cannot.

    Time grows with n K times the units. The first fit in a process imports jax, and each number of classes and each
    further eighth of rows compile anew, about half a second. The arithmetic is float32, on the CPU, and leaves jax's
    configuration alone.

    *Deviations from the authors' program.* It has two layers of 150 rectified units, and Adam with batches and a weight
    decay of 5e-4 for 40 epochs, and averages the maps of five folds. Here units are smooth and the loss of all rows is
    minimised by L-BFGS, so that the result depends on nothing but the rows and the seed; the penalty is drawn to the
    start and not to 0, since from 0 all units stay alike; one map is fitted to all rows. The scores are scaled by a
    temperature before, and theirs are the logits as they are. The gap of the last score is their free constant, which a
    softmax does not see.

    *Order of rows and classes.* That of the rows does not matter, and a weight of 2 is the row twice: equal rows are
    put together and get an order of their own. That of the classes matters as far as it changes the last digit of a
    probability, as dividing by the sum of a row does: fifty steps in float32 enlarge it, to some hundredths where the
    penalty is weak.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 500)
    >>> y = (rng.random((500, 1)) > (P**2 / (P**2).sum(1, keepdims=True)).cumsum(1)).sum(1)
    >>> family = fot.families.make("order_preserving", penalty=10.0).fit(P, y)
    >>> bool((family.predict_proba(P).argsort(1) == P.argsort(1)).all())
    True
    """

    noun: ClassVar[str] = "order_preserving"
    by_rank: ClassVar[bool] = False

    widths: tuple[int, ...] = (50,)

    def _count_parameters(self) -> float:
        """Return the numbers of the network, and the temperature."""
        network: Any = self.map_
        return float(network.weights.size + 1)

    def _check(self) -> None:
        given = self.widths
        if not (isinstance(given, tuple | list) and given and all(is_whole(one) and one >= 1 for one in given)):
            raise ValueError(
                f"widths must be whole numbers of units of hidden layers, at least one; got {brief(given)}"
            )

    def _path(
        self,
        rows: RankedRows,
        penalties: Sequence[float],
        *,
        held_out: bool,  # noqa: ARG002 - they end at the same gain, as the end is a part of the fit
    ) -> list[tuple[MulticlassMap, dict[str, Any]]]:
        from fitontest.families.multiclass.intra_order_program import Stop, fit_networks

        K = rows.x.shape[1]
        sizes = [K, *map(int, self.widths), K - 1]
        inputs = rows.x - rows.x.mean(axis=1, keepdims=True)
        scale = float(np.sqrt((inputs * inputs).mean())) or 1.0
        start = draw_weights(sizes, np.random.default_rng(one_seed(self.random_state)))
        strengths = [one / rows.n for one in penalties]
        found = fit_networks(rows, inputs / scale, sizes, start, strengths, Stop(GAIN, STEPS))
        return [
            (self._map(descent.theta, rows, sizes, scale), {"objective_": descent.value, "n_iter_": descent.n_iter})
            for descent in found
        ]

    def _map(self, theta: FloatArray, rows: RankedRows, sizes: list[int], scale: float) -> OrderPreservingMap:
        """Return the map of scores that are not scaled, and stand in the order of the classes."""
        weights = theta.copy()
        W, _ = next(layers(weights, sizes))
        W[rows.columns] = W / scale
        return OrderPreservingMap(weights, np.array(sizes), self.by_rank, rows.beta, rows.mix, rows.eps)


@register("order_invariant", aliases=("OI",))
@take_descriptions(OrderPreserving, "Parameters", "Attributes", "Raises", "References")
class OrderInvariant(OrderPreserving):
    """Fit a network that rescales the gaps between the sorted scores of a row, of all classes alike (OI).

    The map is that of `OrderPreserving`, but the network sees the sorted scores y in place of x:

        f_(k) = sum_{j >= k} (y_j - y_(j+1)) m_j,    m_j = ln(1 + (e - 1) exp N_j(y)) >= 0,    f_(K) = 0

    So it does not know which class has which score. In the paper it is the best of the three kinds.

    Attributes
    ----------
    map_ : OrderPreservingMap
        Its ``invariant`` is True.

    Notes
    -----
    By name alone, in no default. Deviations from the authors' program are those of `OrderPreserving`.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 500)
    >>> y = (rng.random((500, 1)) > (P**2 / (P**2).sum(1, keepdims=True)).cumsum(1)).sum(1)
    >>> family = fot.families.make("order_invariant", penalty=10.0).fit(P, y)
    >>> q = family.predict_proba([[0.6, 0.3, 0.1], [0.1, 0.6, 0.3]])
    >>> bool(np.array_equal(q[0], q[1, [1, 2, 0]]))
    True
    """

    noun: ClassVar[str] = "order_invariant"
    by_rank: ClassVar[bool] = True
