"""The map of a new group.

At each score the solid band holds the map of all patients together, and the dashed one that of a
new patient, with a confidence of 90 %.
"""

import numpy as np
from scipy.special import expit, logit

import fitontest as fot

rng = np.random.default_rng(26)
patient = np.repeat(np.arange(60), 12)  # twelve visits of each
own = 0.8 * rng.standard_normal(60)[patient]
p = rng.beta(1, 2, 720)
died = rng.random(720) < expit(logit(p) + own)

fot.ReliabilityDisplay.from_predictions(died, p, groups=patient, band="new group")
