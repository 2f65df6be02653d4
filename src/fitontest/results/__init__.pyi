"""The public names of the room and the files they come from: warnings and progress."""

from .exceptions import BlockSizeWarning as BlockSizeWarning
from .exceptions import CalibrationWarning as CalibrationWarning
from .exceptions import SeparableDataWarning as SeparableDataWarning
from .progress import show_progress as show_progress
