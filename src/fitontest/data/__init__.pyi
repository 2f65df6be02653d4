"""The public names of the room and the files they come from: rows, samples and cells."""

from .cells.cells import Cells as Cells
from .cells.cells import ClassCells as ClassCells
from .samples import Samples as Samples
from .score_sample import ScoreSample as ScoreSample
