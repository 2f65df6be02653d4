"""The room of the norms: how many distances become one number, and the registry of them."""

from fitontest.numerics.norms import Norm, Quantile, make, names, register, registry, unregister

__all__ = [
    "Norm",
    "Quantile",
    "make",
    "names",
    "register",
    "registry",
    "unregister",
]
