"""The public names of the room and the files they come from: drawings of tables."""

from .comparison import ComparisonDisplay
from .cumulative import CumulativeDisplay
from .ranks import RankDisplay
from .reliability import ReliabilityDisplay
from .simplex import SimplexDisplay
from .tce import TCEDisplay
from .validity import ValidityDisplay

__all__ = [
    "ComparisonDisplay",
    "CumulativeDisplay",
    "RankDisplay",
    "ReliabilityDisplay",
    "SimplexDisplay",
    "TCEDisplay",
    "ValidityDisplay",
]
