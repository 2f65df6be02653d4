"""The public names of the room and the files they come from: partitions and their rules, and the registry of them."""

from .bin_table import BinTable
from .cell_partition import CellPartition
from .equal_mass import EqualMass
from .equal_width import EqualWidth
from .merging import assign_average_labels, merge_cells
from .monotone_sweep import MonotoneSweep
from .partition import Partition
from .partitioner import Partitioner
from .pava import Pava
from .pava_bc import PavaBC
from .rule import PartitionRule, make, names, register, registry, unregister
from .simplex.median_variance import MedianVariance
from .simplex.partitioner import SimplexPartition, SimplexPartitioner
from .simplex.uniform_grid import UniformGrid

__all__ = [
    "BinTable",
    "CellPartition",
    "EqualMass",
    "EqualWidth",
    "MedianVariance",
    "MonotoneSweep",
    "Partition",
    "PartitionRule",
    "Partitioner",
    "Pava",
    "PavaBC",
    "SimplexPartition",
    "SimplexPartitioner",
    "UniformGrid",
    "assign_average_labels",
    "make",
    "merge_cells",
    "names",
    "register",
    "registry",
    "unregister",
]
