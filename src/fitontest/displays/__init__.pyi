"""The public names of the room and the files they come from: drawings of tables."""

from .comparison import ComparisonDisplay as ComparisonDisplay
from .cumulative import CumulativeDisplay as CumulativeDisplay
from .curve import CurveDisplay as CurveDisplay
from .ranks import RankDisplay as RankDisplay
from .reliability import ReliabilityDisplay as ReliabilityDisplay
from .simplex import SimplexDisplay as SimplexDisplay
from .tce import TCEDisplay as TCEDisplay
from .validity import ValidityDisplay as ValidityDisplay
