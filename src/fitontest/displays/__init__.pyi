"""The public names of the room and the files they come from: drawings of tables."""

from .comparison import ComparisonDisplay
from .cumulative import CumulativeDisplay
from .error_comparison import ErrorComparisonDisplay
from .frontier import FrontierDisplay
from .pairs import PairsDisplay
from .ranks import RankDisplay
from .reliability import ReliabilityDisplay
from .segments import SegmentsDisplay
from .simplex import SimplexDisplay
from .small_multiples import SmallMultiples
from .tce import TCEDisplay
from .validity import ValidityDisplay

__all__ = [
    "ComparisonDisplay",
    "CumulativeDisplay",
    "ErrorComparisonDisplay",
    "FrontierDisplay",
    "PairsDisplay",
    "RankDisplay",
    "ReliabilityDisplay",
    "SegmentsDisplay",
    "SimplexDisplay",
    "SmallMultiples",
    "TCEDisplay",
    "ValidityDisplay",
]
