"""The public names of the room and the files they come from: warnings and progress."""

from .exceptions import BlockSizeWarning, CalibrationWarning, SeparableDataWarning
from .progress import show_progress

__all__ = [
    "BlockSizeWarning",
    "CalibrationWarning",
    "SeparableDataWarning",
    "show_progress",
]
