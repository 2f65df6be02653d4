"""How far estimates are from a truth that is known: the measures of a simulation study.

The data of known truth are drawn by `fitontest.datasets`.
"""

from fitontest.simulation.decomposition import Decomposition, decompose
from fitontest.simulation.truth import error_after_calibration, map_error, rank_correlation, true_error

__all__ = ["Decomposition", "decompose", "error_after_calibration", "map_error", "rank_correlation", "true_error"]
