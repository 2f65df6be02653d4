"""A partition of the simplex: a function from predictions to cells, and the rule that makes one from predictions.

Rules are small frozen values with hyper-parameters. A new one is a class with a ``partition`` method; the decorator
``fot.partitions.register`` gives it a name.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.partitions.cell_partition import CellPartition
from fitontest.partitions.rule import PartitionRule, names, registry
from fitontest.results.checks import brief, check_known
from fitontest.results.typing import FloatArray, IntArray


class SimplexPartition(ABC):
    """Bins of the predicted probabilities of all classes.

    A function from the simplex to cells, which are numbered from 0 to ``n_cells`` - 1.

    Attributes
    ----------
    n_cells : int
        Number of cells.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> P = np.array([[0.4, 0.1, 0.5], [0.5, 0.3, 0.2], [0.3, 0.7, 0.0], [0.1, 0.0, 0.9]])
    >>> partition = fot.partitions.MedianVariance(2).partition(P, np.ones(4))
    >>> isinstance(partition, fot.partitions.SimplexPartition), partition.n_cells, partition.locate(np.eye(3))
    (True, 2, array([0, 0, 1]))
    """

    n_cells: int

    @abstractmethod
    def locate(self, P: FloatArray) -> IntArray:
        """Return the bin of each row, shape (n,); -1 for a row that is in none.

        Parameters
        ----------
        P : array of shape (n, K)
            Rows on the simplex.
        """


class SimplexPartitioner(PartitionRule):
    """A rule that makes bins of the predicted probabilities of all classes.

    Its hyper-parameters, and ``partition(P, w)``, which returns a `SimplexPartition`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np, fitontest as fot
    >>> class ByTopClass(fot.partitions.SimplexPartition):
    ...     def __init__(self, n_classes):
    ...         self.n_cells = n_classes
    ...     def locate(self, P):
    ...         return P.argmax(axis=1)
    >>> @dataclass(frozen=True)
    ... class TopClass(fot.partitions.SimplexPartitioner):
    ...     "A cell for each predicted class."
    ...     def partition(self, P, w):
    ...         return ByTopClass(P.shape[1])
    >>> P = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]] * 2
    >>> round(float(fot.gce([0, 1, 2, 0, 1, 2], P, reduction="canonical", partition=TopClass())), 12)
    0.433333333333
    """

    classes: ClassVar[Literal["any"]] = "any"

    @abstractmethod
    def partition(self, P: FloatArray, w: FloatArray) -> SimplexPartition:
        """Return the bins that the rule makes of the predicted probabilities.

        Parameters
        ----------
        P : array of shape (n, K)
            Rows on the simplex.
        w : array of shape (n,)
            Weights. A whole weight is a number of rows; a row of weight 0 is no row.
        """


@dataclass(frozen=True, eq=False)
class RowCells(SimplexPartition, SimplexPartitioner):
    """Cells that are given row by row, as integers: a partition of the rows, which no other prediction has a cell of.

    Attributes
    ----------
    ids : int array of shape (n,)
        The cell of each row, from 0.
    """

    ids: IntArray

    @property
    def n_cells(self) -> int:  # type: ignore[override]
        """One more than the largest id."""
        return int(self.ids.max()) + 1

    def partition(self, P: FloatArray, w: FloatArray) -> "RowCells":  # noqa: ARG002 - the signature of every rule
        """Return itself."""
        return self

    def locate(self, P: FloatArray) -> IntArray:
        """Return the cells, of as many rows as there are."""
        if P.shape[0] != self.ids.size:
            raise ValueError(
                f"partition must name a cell for each of the {P.shape[0]} rows, got {self.ids.size} of them; cells "
                "that are given row by row are those of no other rows"
            )
        return self.ids

    def bind(self, sample: SimplexSample) -> SimplexSample:
        """Return the sample with its cells as a fact of its rows, which keeps them wherever the rows go."""
        known = sample if "cell" in sample.facts else sample.with_facts(cell=self.locate(sample.scores))
        return known.keep_facts("cell")

    def __repr__(self) -> str:
        return f"RowCells({self.n_cells} cells of {self.ids.size} rows)"


def find_simplex_partition(partition: Any, argument: str = "partition", **settings: Any) -> SimplexPartitioner:
    """Return the rule that is meant: a name, a rule, anything with its method, or cells of the rows."""
    if isinstance(partition, str):
        rule: Any = registry.find(partition, argument, "any")
        known = [setting.name for setting in fields(rule) if setting.init]
        check_known(settings, known, f"settings of {partition}")
        return rule(**settings)  # type: ignore[no-any-return]
    if settings:
        name, value = next(iter(settings.items()))
        raise ValueError(f"{name} must be left out unless {argument} is a name, got {value!r} with {brief(partition)}")
    if isinstance(partition, SimplexPartitioner):
        return partition
    if isinstance(partition, CellPartition):
        return RowCells(partition.codes)
    if isinstance(partition, type):
        raise ValueError(f"{argument} must be an instance, got the class {partition.__name__}; call it to make one")
    if not isinstance(partition, np.ndarray) and callable(getattr(partition, "partition", None)):
        return partition  # type: ignore[no-any-return]
    ids = np.asarray(partition)
    if ids.ndim == 1 and ids.size and ids.dtype.kind in "iu":
        _, numbered = np.unique(ids, return_inverse=True)
        return RowCells(numbered.astype(np.intp))
    rules = ", ".join(map(repr, names("any")))
    raise ValueError(
        f"{argument} must be one of {rules}, a SimplexPartitioner or a whole number for each row, got "
        f"{brief(partition)}"
    )


def located(partition: SimplexPartition, P: FloatArray) -> IntArray:
    """Return the cells of predictions, after a check that they are whole numbers, a cell for each row."""
    ids = np.asarray(partition.locate(P))
    if ids.shape != P.shape[:1] or ids.dtype.kind not in "iu" or (ids.size and ids.max() >= partition.n_cells):
        raise ValueError(
            f"locate must return a cell, a whole number below {partition.n_cells}, for each of the {P.shape[0]} rows; "
            f"got an array of shape {ids.shape}, {ids.dtype}"
        )
    return ids.astype(np.intp, copy=False)
