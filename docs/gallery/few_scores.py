"""Few distinct scores.

Up to twenty distinct scores are points: the share of positives among the rows of each score, with
its exact 95 % interval.
"""

import numpy as np

import fitontest as fot

rng = np.random.default_rng(3)
stated = rng.choice([0.05, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95], 600)
y = rng.random(600) < 0.5 + 0.7 * (stated - 0.5)

fot.ReliabilityDisplay.from_predictions(y, stated)
