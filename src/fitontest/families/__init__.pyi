"""The public names of the room and the files they come from: families of calibration maps, and the registry of them."""

from .base import Solution
from .family_bins import FamilyBins
from .registry import make, names, register, registry, unregister

__all__ = [
    "FamilyBins",
    "Solution",
    "make",
    "names",
    "register",
    "registry",
    "unregister",
]
