"""The public names of the room and the files they come from: drawings of tables."""

from .comparison import ComparisonDisplay as ComparisonDisplay
from .curve import CurveDisplay as CurveDisplay
from .ranks import rank_curves as rank_curves
from .reliability import ReliabilityDisplay as ReliabilityDisplay
from .simplex import SimplexDisplay as SimplexDisplay
from .tce import TCEDisplay as TCEDisplay
from .validity import validity_curves as validity_curves
