"""Counts instead of rows.

The rows are gone, and counts of fine cells are left. They give the same diagram, however many rows
there were.
"""

import numpy as np

import fitontest as fot

rng = np.random.default_rng(0)
p = rng.beta(0.6, 1.2, 1_000_000)
y = rng.random(p.size) < p**1.15
cells = fot.Cells.of(y, p)

fot.ReliabilityDisplay.from_predictions(cells)
