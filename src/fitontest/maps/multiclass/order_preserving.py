"""Maps that never change the order within a row, whose slopes a network makes of all scores of the row."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fitontest.maps.base import frozen_array
from fitontest.maps.multiclass.in_order import InOrder, InOrderMap
from fitontest.maps.stored import register
from fitontest.numerics.network import count_weights, outputs
from fitontest.results.checks import as_list, brief, check_flag, is_whole
from fitontest.results.typing import FloatArray, IntArray

UNIT_SLOPE = float(np.log(np.expm1(1.0)))  # ln(1 + exp(UNIT_SLOPE)) = 1


@register
@dataclass(frozen=True, eq=False)
class OrderPreservingMap(InOrderMap):
    """A map that keeps the order within a row, with slopes that a network makes of the row.

    g(p) = softmax(f), where the k-th largest entry is f_(k) = sum_{j >= k} (y_j - y_(j+1)) m_j, f_(K) = 0.

    y_1 >= ... >= y_K are the sorted scores of the row, x = ln q with q = (1 - mix) softmax(beta ln max(p, eps)) +
    mix / K, and m_j = ln(1 + (e - 1) exp N_j) >= 0, where N are the K - 1 outputs of the network for the scores
    less their mean. If N is 0, all m_j are 1, and g(p) is q.

    Parameters
    ----------
    weights : array-like of shape (S,)
        The numbers of the network, layer by layer: the weights of each input to all units, then the units' offsets. The
        units are hyperbolic tangents, the outputs linear.
    sizes : sequence of int
        K inputs, the units of each hidden layer, K - 1 outputs.
    invariant : bool
        Whether the network sees the sorted scores, so that classes are treated alike, or those in the order of the
        classes.
    beta : float, default=1.0
        Inverse temperature of the first step, at least 0.
    mix : float, default=0.0
        Share of the uniform distribution, in [0, 1].
    eps : float, default=1e-16
        Smaller probabilities are taken for it; with 0 none of rows given as logarithms, and 2.2e-308 for others.
    classes : sequence of K labels, optional
        The class of each column, by keyword; see `MulticlassMap`.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> c_hat = OrderPreservingMap(weights=[0.0] * 12 + [0.9, 0.0], sizes=[3, 2, 2], invariant=True)
    >>> c_hat([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]]).round(3)
    array([[0.702, 0.223, 0.074],
           [0.074, 0.223, 0.702]])
    """

    kind: ClassVar[str] = "order_preserving"

    weights: FloatArray
    sizes: IntArray
    invariant: bool
    beta: float = 1.0
    mix: float = 0.0
    eps: float = 1e-16

    def __post_init__(self) -> None:
        sizes = _frozen_sizes(self.sizes)
        weights = frozen_array(self.weights, "weights")
        if weights.size != count_weights(sizes.tolist()):
            raise ValueError(
                f"weights must be the {count_weights(sizes.tolist())} numbers of a network of sizes {sizes.tolist()}, "
                f"got {weights.size}"
            )
        self._put(weights=weights, sizes=sizes, invariant=check_flag(self.invariant, "invariant"))
        super().__post_init__()

    @property
    def n_classes(self) -> int:
        """The number of inputs of the network."""
        return int(self.sizes[0])

    def _values(self, rows: InOrder) -> FloatArray:
        seen = rows.y if self.invariant else rows.x
        slopes = outputs(self.weights, self.sizes.tolist(), seen - seen.mean(axis=1, keepdims=True))
        slopes += UNIT_SLOPE
        f = np.zeros(seen.shape)
        rises = rows.gaps * np.logaddexp(0.0, slopes)
        f[:, :-1] = np.cumsum(rises[:, ::-1], axis=1)[:, ::-1]
        return f


def _frozen_sizes(values: Any) -> IntArray:
    """Return a read-only copy of the sizes of the layers."""
    sizes = values.tolist() if isinstance(values, np.ndarray) else as_list(values, "sizes")
    whole = all(is_whole(one) and one >= 1 for one in sizes)
    if not whole or len(sizes) < 2 or sizes[0] < 2 or sizes[-1] != sizes[0] - 1:
        raise ValueError(
            f"sizes must be whole numbers: K >= 2 inputs, the units of each hidden layer, K - 1 outputs; "
            f"got {brief(values)}"
        )
    array = np.array(sizes, dtype=np.intp)
    array.flags.writeable = False
    return array
