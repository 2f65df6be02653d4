"""A decision curve.

The net benefit of acting on a risk, by the threshold from which one acts, beside treating all and
none.
"""

import numpy as np
from scipy.special import expit

import fitontest as fot

rng = np.random.default_rng(1)
x = rng.normal(-0.3, 1.4, 1000)
event = rng.random(1000) < expit(x)
risk = expit(1.5 * x - 0.9)  # too extreme, and too low by a third
curve = fot.risk.decision_curve(event, risk, thresholds=np.linspace(0.02, 0.8, 79))

curve.plot(threshold_range=(0.1, 0.3))
