"""Simulated predictions whose true calibration map is known: what estimates of calibration are tested on.

A problem is a distribution of scores and a true map. ``problem.draw(n, random_state)`` returns labels y, scores p and
the true probabilities c; ``problem.truth(p)`` is c at any scores. The measures that compare estimates with such a truth
are in `fitontest.truth`.
"""

from fitontest.simulation.derivate import Derivate
from fitontest.simulation.gaussian import Gaussian
from fitontest.simulation.hard_scores import Confidence, Rare, Sharp
from fitontest.simulation.planted import Planted
from fitontest.simulation.problem import Draw, Problem
from fitontest.simulation.shapes import SHAPES

__all__ = ["SHAPES", "Confidence", "Derivate", "Draw", "Gaussian", "Planted", "Problem", "Rare", "Sharp"]
