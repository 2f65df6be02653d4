"""The room of the losses of a bin, and the registry of them."""

from fitontest.measures.losses.base import BinLoss, make, names, register, registry, unregister
from fitontest.measures.losses.bias import Bias
from fitontest.measures.losses.chi_square import ChiSquare
from fitontest.measures.losses.deviation import Deviation
from fitontest.measures.losses.rejection import Rejection

__all__ = [
    "Bias",
    "BinLoss",
    "ChiSquare",
    "Deviation",
    "Rejection",
    "make",
    "names",
    "register",
    "registry",
    "unregister",
]
