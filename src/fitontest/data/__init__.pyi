"""The public names of the room and the files they come from: rows, samples and cells."""

from .cells.cells import Cells, ClassCells
from .samples import Samples
from .score_sample import ScoreSample

__all__ = [
    "Cells",
    "ClassCells",
    "Samples",
    "ScoreSample",
]
