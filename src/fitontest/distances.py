"""The room of the distances between distributions over classes, and the registry of them."""

from fitontest.numerics.simplex_distances import Distance, make, names, register, registry, unregister

__all__ = [
    "Distance",
    "make",
    "names",
    "register",
    "registry",
    "unregister",
]
