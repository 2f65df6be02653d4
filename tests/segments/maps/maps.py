"""A map of features of each kind, with every condition, and rows that meet or miss them."""

import numpy as np

import fitontest as fot
from fitontest.maps.rules.conditions import Above, AtMost, Missing, OneOf, Present, Rule

RULES = (
    Rule((Above("age", 50.0),)),
    Rule((AtMost("age", 30.5), OneOf("city", ("Bern", "O'slo")))),
    Rule((OneOf("member", (True,)),)),
    Rule((Missing("hours", True),)),
    Rule((Present("hours", True), OneOf("city", ("Rom",)))),
    Rule((Missing("city", False),)),
    Rule((Present("city", False), AtMost("hours", 2.0))),
    Rule(()),
)
OFFSETS = fot.segments.SegmentOffsetsMap(0.1, 0.9, RULES, [0.3, -0.2, 0.1, 0.5, -1.0, 1 / 3, 0.1 + 0.2, -0.05], 8.5)
LINES = fot.segments.SegmentLinesMap(
    (Rule(()), *RULES[:6]), [0.0, 0.1, -0.2, 1 / 3, 0.5, -0.6, 0.7], [1.0, 1.1, 0.5, 0.9, 1.3, 0.0, 2.0]
)
NUMBERS = {"feature": [], "threshold": [], "missing_right": []}
BOOSTED = fot.segments.BoostedMap(
    ["age", "city", "hours"],
    [[], ["Bern", "O'slo"], []],
    2,
    [[0, 1, 2, 3, -1, 2, -1], [1, -1, 3, -1, -1, 0, -1], [3, 0, 2, -1, -1, -1, 1]],
    [[50.0, 0.0, 2.5, -0.3, 0.0, 4.0, 0.0], [1.0, 0.0, 0.5, 0.0, 0.0, 33.0, 0.0], [0.1, 40.0, 3.0, 0, 0, 0, 1.0]],
    [[0, 0, 1, 0, 0, 0, 0], [0] * 7, [0, 0, 1, 0, 0, 0, 0]],
    [[1], [0, 2]],
    [
        [0.1 * k - 0.3 for k in range(8)],
        [1 / 3, -0.1, 0.2, 0, 0.4, -0.5, 0.6, 0.05],
        [0.1, 0.2, 0.3, 0.4, 0, 0, 0, -0.1],
    ],
    6.0,
)
IDENTITY = fot.segments.SegmentOffsetsMap(0.0, 1.0, [], [])
MIXTURE = fot.segments.FeatureMixtureMap([0.25, 0.5, 0.25], [IDENTITY, OFFSETS, LINES])
WITH_BOOSTED = fot.segments.FeatureMixtureMap([0.25, 0.75, 0.0], [OFFSETS, BOOSTED, LINES])
MAPS = {
    "offsets": OFFSETS,
    "line alone": fot.segments.SegmentOffsetsMap(-0.5, 1.5, (), ()),
    "falling": fot.segments.SegmentOffsetsMap(0.0, -1.0, RULES[:1], [0.5]),
    "lines": LINES,
    "boosted": BOOSTED,
    "no tree": fot.segments.BoostedMap([], [], 20, [], [], [], [], []),
    "mixture": MIXTURE,
    "with boosted": WITH_BOOSTED,
    "unused boosted": fot.segments.FeatureMixtureMap([1.0, 0.0], [OFFSETS, BOOSTED]),
}
WITH_FORMULA = {name: c_hat for name, c_hat in MAPS.items() if name not in ("boosted", "no tree", "with boosted")}


def features(n=160, seed=0):
    """Return columns with missing values, and levels that no map knows; a quote among them."""
    rng = np.random.default_rng(seed)
    return {
        "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(20, 80, n) + rng.choice([0.0, 0.5], n)),
        "city": rng.choice(np.array(["Bern", "O'slo", "Rom", "Paris", None], dtype=object), n),
        "member": rng.random(n) < 0.5,
        "hours": np.where(rng.random(n) < 0.2, np.nan, np.round(rng.gamma(2.0, 2.0, n), 1)),
    }


def scores(n=160, seed=1):
    """Return scores with both ends among them."""
    p = np.random.default_rng(seed).random(n)
    p[:4] = [0.0, 1.0, 1e-12, 1 - 1e-12]
    return p
