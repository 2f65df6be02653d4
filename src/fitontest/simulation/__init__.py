"""Problems of known truth, and the errors of estimates against it."""

from fitontest.simulation.decomposition import Decomposition, decompose

__all__ = ["Decomposition", "decompose"]
