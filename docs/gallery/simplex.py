"""Three classes at once.

Arrows lead from predicted probabilities to the calibrated ones. The error of all classes at once is
the mean length of such arrows, one for each row, as a total variation.
"""

import numpy as np

import fitontest as fot

rng = np.random.default_rng(0)
P = rng.dirichlet([1, 1, 1], 2000)
true = P**1.8 / (P**1.8).sum(axis=1, keepdims=True)
kind = [rng.choice(3, p=row) for row in true]

fot.calibration_error(kind, P, family="dirichlet", reduction="canonical").plot()
