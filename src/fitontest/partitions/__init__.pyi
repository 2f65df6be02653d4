"""The public names of the room and the files they come from: partitions and their rules, and the registry of them."""

from .bin_table import BinTable as BinTable
from .cell_partition import CellPartition as CellPartition
from .equal_bins import EqualMass as EqualMass
from .equal_bins import EqualWidth as EqualWidth
from .merging import assign_average_labels as assign_average_labels
from .merging import merge_cells as merge_cells
from .monotone_sweep import MonotoneSweep as MonotoneSweep
from .partition import Partition as Partition
from .partitioner import Partitioner as Partitioner
from .pava import Pava as Pava
from .pava_bc import PavaBC as PavaBC
from .rule import PartitionRule as PartitionRule
from .rule import make as make
from .rule import names as names
from .rule import register as register
from .rule import registry as registry
from .rule import unregister as unregister
from .simplex.median_variance import MedianVariance as MedianVariance
from .simplex.partitioner import SimplexPartition as SimplexPartition
from .simplex.partitioner import SimplexPartitioner as SimplexPartitioner
from .simplex.uniform_grid import UniformGrid as UniformGrid
