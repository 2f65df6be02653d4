"""The public names of the room and the files they come from: families of calibration maps, and the registry of them."""

from .family_bins import FamilyBins
from .multiclass.base import ClassSolution
from .registry import make, names, register, registry, unregister

__all__ = [
    "ClassSolution",
    "FamilyBins",
    "make",
    "names",
    "register",
    "registry",
    "unregister",
]
