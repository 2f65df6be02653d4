"""The validation of a risk model.

The calibration curve of the risks, with what the validation says of them.
"""

import numpy as np
from scipy.special import expit

import fitontest as fot

rng = np.random.default_rng(1)
x = rng.normal(-0.3, 1.4, 1000)
event = rng.random(1000) < expit(x)
risk = expit(1.5 * x - 0.9)  # too extreme, and too low by a third

validation = fot.risk.validate(event, risk, thresholds=[0.2])

validation.plot()
