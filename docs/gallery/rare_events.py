"""Rare events.

Most scores are near 0. Both axes are laid out in logits by themselves there, so that the corner can
be read.
"""

import fitontest as fot
from fitontest.datasets import Rare

y, p, _ = Rare().draw(30_000, random_state=0)

fot.ReliabilityDisplay.from_predictions(y, p, family="beta")
