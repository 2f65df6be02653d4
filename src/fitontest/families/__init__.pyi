"""The public names of the room and the files they come from: families of calibration maps, and the registry of them."""

from .base import Family, Solution
from .beta import Beta
from .cross_validated import CrossValidated
from .cumulative_spline import CumulativeSpline
from .family_bins import FamilyBins
from .flat import Flat
from .identity import Identity
from .isotonic import Isotonic
from .kde import KDE
from .knn import KNN
from .multiclass.base import MulticlassFamily
from .multiclass.dirichlet import Dirichlet
from .multiclass.one_vs_rest import OneVsRest
from .multiclass.shared_isotonic import SharedIsotonic
from .multiclass.simplex_bins import SimplexBins
from .multiclass.structured import BiasCorrected, Matrix, Vector
from .pava_bc import PavaBlocks
from .piecewise.pl import PL
from .piecewise.pl3 import PL3
from .platt import Platt
from .registry import make, names, register, registry, unregister
from .restricted_cubic import RestrictedCubicSpline
from .scaling_binning import ScalingBinning
from .slope1 import Slope1
from .spline import Spline
from .stacking import Stacking
from .temperature import Temperature
from .venn_abers import VennAbers

__all__ = [
    "KDE",
    "KNN",
    "PL",
    "PL3",
    "Beta",
    "BiasCorrected",
    "CrossValidated",
    "CumulativeSpline",
    "Dirichlet",
    "Family",
    "FamilyBins",
    "Flat",
    "Identity",
    "Isotonic",
    "Matrix",
    "MulticlassFamily",
    "OneVsRest",
    "PavaBlocks",
    "Platt",
    "RestrictedCubicSpline",
    "ScalingBinning",
    "SharedIsotonic",
    "SimplexBins",
    "Slope1",
    "Solution",
    "Spline",
    "Stacking",
    "Temperature",
    "Vector",
    "VennAbers",
    "make",
    "names",
    "register",
    "registry",
    "unregister",
]
