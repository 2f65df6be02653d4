"""How far estimates are from a truth that is known: the measures of a simulation study.

They are defined, with their formulas, in `fitontest.simulation.truth`; `fitontest.datasets` draws data of known truth.
"""

from fitontest.simulation.truth import error_after_calibration, map_error, rank_correlation, true_error

__all__ = ["error_after_calibration", "map_error", "rank_correlation", "true_error"]
