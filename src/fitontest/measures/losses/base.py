"""A loss of a bin: how badly the predictions of one bin fit its labels, and the registry of such losses.

A new loss is a frozen dataclass with a name and one method, `per_bin`; a plain callable that gets the rows of one bin
will do too.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.measures.binning import BinnedSample
from fitontest.numerics.norms import as_number
from fitontest.numerics.significance.choice import SignificanceTest
from fitontest.results.checks import not_among
from fitontest.results.registry import Registry, Shelf, name_of
from fitontest.results.typing import BoolArray, FloatArray


class BinLoss(ABC):
    """Base class of the losses of a bin, such as the gap between mean label and mean score.

    Subclasses are frozen dataclasses of their settings.

    A subclass defines ``per_bin(binned)``, which returns a float array of shape (B,): the loss of each of B bins, NaN
    where a bin is empty. ``binned.sample`` is the `ScoreSample`, ``binned.partition`` the bins, and ``binned.table``
    holds arrays of shape (B,): the rows ``n``, the weights ``w``, the weighted sums ``sum_p`` and ``sum_y`` of scores
    and labels, the means ``mean_p`` and ``mean_y``, and ``gap``, mean label less mean score.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np, fitontest as fot
    >>> @fot.bin_losses.register("variance")
    ... @dataclass(frozen=True)
    ... class Variance(fot.bin_losses.BinLoss):
    ...     "Variance of a label within the bin."
    ...     def per_bin(self, binned):
    ...         return binned.table.mean_y * (1 - binned.table.mean_y)
    >>> float(fot.gce([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8], loss="variance", n_bins=2))
    0.125
    >>> fot.bin_losses.unregister("variance")
    """

    is_gap: ClassVar[bool] = False  # whether it is the gap of the means, as of an ECE

    @property
    def name(self) -> str:
        """The registered name, or that of the class."""
        return registry.name_of(type(self)) or type(self).__name__

    def check(self, sample: ScoreSample) -> None:  # noqa: B027 - most losses have a meaning for every sample
        """Raise ValueError for data on which the loss has no meaning.

        Parameters
        ----------
        sample : ScoreSample
            The data whose bins are to have losses.

        Raises
        ------
        ValueError
            As said; most losses take every sample.
        """

    @abstractmethod
    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return the loss of each bin, shape (B,), NaN where a bin is empty.

        Parameters
        ----------
        binned : BinnedSample
            The sample, its bins and their sums, as described for the class.
        """

    def in_words(self) -> str:
        """Return the name, and what readers should know beside it."""
        return self.name

    @property
    def significance(self) -> tuple[SignificanceTest, float] | None:
        """The significance test that the loss rests on and its level, if it rests on one."""
        return None


@dataclass(frozen=True)
class OfEachBin(BinLoss):
    """A user's callable, called once per occupied bin."""

    function: Callable[..., Any]

    @property
    def name(self) -> str:
        """Name of the function."""
        return name_of(self.function)

    def per_bin(self, binned: BinnedSample) -> FloatArray:
        """Return what the callable makes of the labels and predictions of each bin, sorted by (p, y, w)."""
        rows, sample = binned.rows, binned.sample
        first = np.append(binned.distinct.first, len(rows))[binned.starts]
        out = np.full(len(binned.table), np.nan)
        for b in np.flatnonzero(binned.table.occupied):
            piece = slice(first[b], first[b + 1])
            weights = {} if sample.unit else {"sample_weight": rows.w[piece]}
            out[b] = as_number(self.function(rows.y[piece], rows.p[piece], **weights), "loss", f" for bin {b}")
        return out


_MODULES = {  # names, and the files in which they are registered
    "bias": "fitontest.measures.losses.bias",
    "chi_square": "fitontest.measures.losses.chi_square",
    "deviation": "fitontest.measures.losses.deviation",
    "rejection": "fitontest.measures.losses.rejection",
}
registry: Registry[type[BinLoss], BinLoss] = Registry(
    "bin loss",
    BinLoss,  # type: ignore[type-abstract]
    Shelf(_MODULES),
)
register = registry.register
unregister = registry.unregister
names = registry.names
make = registry.make


def find_bin_loss(loss: object, **settings: Any) -> BinLoss:
    """Return the loss that a name with its settings, a `BinLoss` or a user's callable means."""
    if isinstance(loss, BinLoss):
        return loss
    if isinstance(loss, str) and loss in registry:
        return registry[loss](**settings)
    if callable(loss) and not isinstance(loss, type):
        return OfEachBin(loss)
    raise ValueError(not_among(loss, registry, "loss", " or a callable"))


def mean_over_bins(binned: BinnedSample, values: FloatArray | BoolArray) -> FloatArray:
    """Return the weighted mean of a value per group over each bin, NaN where a bin is empty."""
    total = binned.sums(binned.distinct.w * values)
    out: FloatArray = np.full(total.shape, np.nan)
    return np.divide(total, binned.table.w, out=out, where=binned.table.occupied)
