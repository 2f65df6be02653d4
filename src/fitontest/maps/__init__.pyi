"""The public names of the room and the files they come from: calibration maps, and the registry of them."""

from .atoms import AtomsMap
from .base import CalibrationMap
from .beta import BetaMap
from .binned import BinnedMap
from .hermite import HermiteMap
from .identity import IdentityMap
from .knots import KnotsMap
from .logistic import LogisticMap
from .logit_knots import LogitKnotsMap
from .mixture import MixtureMap
from .multiclass.base import MulticlassMap
from .multiclass.by_class import ByClassMap
from .multiclass.cells import CellMap
from .multiclass.diagonal_order import DiagonalOrderMap
from .multiclass.identity import MulticlassIdentityMap
from .multiclass.mixture import MulticlassMixtureMap
from .multiclass.one_vs_rest import OneVsRestMap
from .multiclass.order_preserving import OrderPreservingMap
from .multiclass.shared import SharedMap
from .multiclass.softmax import SoftmaxMap
from .restricted_cubic import RestrictedCubicMap
from .steps import StepsMap
from .stored import make, names, register, registry, unregister

__all__ = [
    "AtomsMap",
    "BetaMap",
    "BinnedMap",
    "ByClassMap",
    "CalibrationMap",
    "CellMap",
    "DiagonalOrderMap",
    "HermiteMap",
    "IdentityMap",
    "KnotsMap",
    "LogisticMap",
    "LogitKnotsMap",
    "MixtureMap",
    "MulticlassIdentityMap",
    "MulticlassMap",
    "MulticlassMixtureMap",
    "OneVsRestMap",
    "OrderPreservingMap",
    "RestrictedCubicMap",
    "SharedMap",
    "SoftmaxMap",
    "StepsMap",
    "make",
    "names",
    "register",
    "registry",
    "unregister",
]
