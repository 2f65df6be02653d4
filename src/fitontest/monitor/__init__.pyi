"""The public names of the companion and the files they come from."""

from .displays.monitor import MonitorDisplay
from .drift.cell_comparison import CellComparison
from .drift.cells import compare_cells
from .drift.class_comparison import ClassCellComparison
from .evidence.evidence import MonitorEvidence
from .monitor import Monitor

__all__ = [
    "CellComparison",
    "ClassCellComparison",
    "Monitor",
    "MonitorDisplay",
    "MonitorEvidence",
    "compare_cells",
]
