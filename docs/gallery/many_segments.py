"""Many segments.

All values and pairs of values of the columns. Of more than twenty segments the 95 % intervals hold
together.
"""

import numpy as np
from scipy.special import expit, logit

import fitontest as fot

rng = np.random.default_rng(7)
X = {
    "age": rng.integers(18, 90, 6000),
    "site": rng.choice(["north", "south", "west"], 6000, p=[0.5, 0.3, 0.2]),
    "smoker": rng.random(6000) < 0.3,
}
p = expit(rng.normal(-1.2, 1.0, 6000))
off = (X["age"] > 70) & (X["site"] == "west")
y = rng.random(6000) < expit(logit(p) + 1.2 * off)

by = {"decade": X["age"] // 10 * 10, "site": X["site"], "smoker": X["smoker"]}
evaluation = fot.evaluate(y, p, by=by, adjust="max", segments="pairs")

evaluation.plot()
