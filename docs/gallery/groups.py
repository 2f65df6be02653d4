"""Groups of rows.

Observed over expected deaths of each patient, with intervals, beside those of all rows. Of more
than forty groups the twenty that are farthest off are drawn.
"""

import numpy as np
from scipy.special import expit, logit

import fitontest as fot

rng = np.random.default_rng(26)
patient = np.repeat(np.arange(60), 12)  # twelve visits of each
own = 0.8 * rng.standard_normal(60)[patient]
p = rng.beta(1, 2, 720)
died = rng.random(720) < expit(logit(p) + own)
rows = fot.read(died, p, groups=patient)
evaluation = fot.evaluate(rows, families=["spline"], interval=None, null_draws=0)

evaluation.plot_groups()
