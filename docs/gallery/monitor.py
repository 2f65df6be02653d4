"""A model in use.

Evidence against calibration, batch after batch. It may be looked at after each: an alarm where
nothing is wrong is as rare as promised.
"""

import numpy as np
from scipy.special import expit

import fitontest as fot

rng = np.random.default_rng(1)
monitor = fot.monitor.Monitor(level=0.95)
for month in [f"2025-{month:02d}" for month in range(1, 13)]:
    logits = rng.normal(-3.4, 1.0, 2000)
    drift = 0.5 if month >= "2025-08" else 0.0  # scores are too low from August on
    monitor.update(rng.random(2000) < expit(logits + drift), expit(logits), batch=month)

monitor.evidence.plot()
