"""The public names of the companion and the files they come from."""

from .displays.monitor import MonitorDisplay as MonitorDisplay
from .drift.cell_comparison import CellComparison as CellComparison
from .drift.cells import compare_cells as compare_cells
from .drift.class_comparison import ClassCellComparison as ClassCellComparison
from .evidence.evidence import MonitorEvidence as MonitorEvidence
from .monitor import Monitor as Monitor
