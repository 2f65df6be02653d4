"""The validation of two risk models.

The calibration curves of two models of the same people, with their errors.
"""

import numpy as np
from scipy.special import expit

import fitontest as fot

rng = np.random.default_rng(1)
x = rng.normal(-0.3, 1.4, 1000)
event = rng.random(1000) < expit(x)
risk = expit(1.5 * x - 0.9)  # too extreme, and too low by a third

validations = fot.risk.validate(event, {"old": risk, "new": expit(x)}, thresholds=[0.2])

validations.plot()
