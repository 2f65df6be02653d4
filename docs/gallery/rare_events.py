"""Rare events.

Where the base rate is below 5 % the diagram shows observed over expected events against the score,
on logarithmic axes.
"""

import fitontest as fot
from fitontest.datasets import Rare

y, p, _ = Rare().draw(30_000, random_state=0)

fot.ReliabilityDisplay.from_predictions(y, p, family="beta")
