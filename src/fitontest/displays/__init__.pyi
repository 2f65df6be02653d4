"""The public names of the room and the files they come from: drawings of tables."""

from .comparison import ComparisonDisplay as ComparisonDisplay
from .cumulative import CumulativeDisplay as CumulativeDisplay
from .error_comparison import ErrorComparisonDisplay as ErrorComparisonDisplay
from .frontier import FrontierDisplay as FrontierDisplay
from .pairs import PairsDisplay as PairsDisplay
from .ranks import RankDisplay as RankDisplay
from .reliability import ReliabilityDisplay as ReliabilityDisplay
from .segments import SegmentsDisplay as SegmentsDisplay
from .simplex import SimplexDisplay as SimplexDisplay
from .small_multiples import SmallMultiples as SmallMultiples
from .tce import TCEDisplay as TCEDisplay
from .validity import ValidityDisplay as ValidityDisplay
