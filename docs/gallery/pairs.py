"""Pairs of nearby scores.

Residuals of rows with nearby scores have a mean product of 0 if scores are calibrated. Here the
error comes in waves, which bins average away: points are high on the left, and fall to the right.
"""

import numpy as np

import fitontest as fot

rng = np.random.default_rng(0)
p = rng.random(8000)
y = rng.random(8000) < p + 0.1 * np.sin(50 * p) * p * (1 - p) * 4

fot.displays.PairsDisplay.from_predictions(y, p)
