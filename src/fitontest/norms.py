"""The room of the norms: how many distances become one number, and the registry of them."""

from fitontest.numerics.norms import Norm, make, names, register, registry, unregister

__all__ = [
    "Norm",
    "make",
    "names",
    "register",
    "registry",
    "unregister",
]
