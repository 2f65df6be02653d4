"""Maps of every stored kind: each optional field there and left out, each word that a field may hold, maps inside maps.

`write_maps` writes them into golden files, once. A kind that is new in a later version gets its cases here and a file.
"""

from typing import Any

import fitontest as fot
from fitontest.maps.atoms import AtomsMap
from fitontest.maps.stored import StoredMap
from fitontest.partitions.partition import Partition

THIRD = 1 / 3
SUM = 0.1 + 0.2  # a number of 17 digits
PLATT = fot.maps.LogisticMap(1.3, -SUM, "logit", 1e-16)
FALLING = fot.maps.LogisticMap(-2.0, 0.5, "logit", 1e-12)
BINS = fot.maps.BinnedMap(Partition([0.2, 0.7], "right"), [0.1, 0.5, -0.1], [1.0, 0.0, 1.0])
STEPS = fot.maps.StepsMap([0.1, 0.5, 0.8], [0.0, 0.4, 0.2, 0.9], [0.1, 0.2, 0.2])
KNOTS = fot.maps.KnotsMap([0.1, SUM, 0.8], [0.0, 0.2, 0.9])
BETA = fot.maps.BetaMap(0.7, 1.9, 0.1, 2.2e-16)
POLYGONS = fot.maps.LogitKnotsMap([[-3.0, -1.0, 2.0], [-4.0, 0.5, 3.0]], [[-2.0, -1.5, 2.5], [-5.0, THIRD, 1.5]])
TWO_CLASSES: dict[str, list[StoredMap]] = {
    "identity": [fot.maps.IdentityMap()],
    "binned": [
        BINS,
        fot.maps.BinnedMap(Partition([0.1, 0.29, 0.5], "left"), [-0.3, SUM, -0.0, 0.5], [1.0, 1.0, 1.0, 1.0]),
        fot.maps.BinnedMap(Partition([]), [THIRD], [0.0]),
    ],
    "steps": [STEPS, fot.maps.StepsMap([], [0.3], []), fot.maps.StepsMap([0.0, 1.0], [0.2, 0.4, 0.6], [0.1, 0.9])],
    "knots": [
        KNOTS,
        fot.maps.KnotsMap([0.5], [0.25]),
        fot.maps.KnotsMap([0.0, 1e-309, 0.5, 1.0], [0.0, 0.5, 0.3, 1.0]),
        fot.maps.KnotsMap([0.1, 0.3, 0.8], [-0.1, 0.2, 1.3], unbounded=True),
    ],
    "hermite": [fot.maps.HermiteMap([0.1, 0.3, 0.8], [-0.1, 0.2, 1.1], [0.3, 0.4], [0.2, -0.5])],
    "logistic": [PLATT, FALLING, fot.maps.LogisticMap(4.0, -2.0, "identity", 1e-16)],
    "beta": [BETA, fot.maps.BetaMap(-1.0, 2.0, 0.0, 1e-16), fot.maps.BetaMap(0.0, 1.0, 0.0, 1e-300)],
    "logit_knots": [POLYGONS, fot.maps.LogitKnotsMap([[-3.0, 3.0]], [[-1.0, 2.0]], 1e-12)],
    "restricted_cubic": [
        fot.maps.RestrictedCubicMap([-3.0, -1.0, 0.5, 2.0], [-2.0, -1.5, 1.0, 2.5]),
        fot.maps.RestrictedCubicMap([-3.0, 3.0], [-1.0, 2.0], 1e-12),
    ],
    "mixture": [
        fot.maps.MixtureMap([0.2, 0.5, SUM, 0.0], [FALLING, POLYGONS, BINS, fot.maps.IdentityMap()]),
        fot.maps.MixtureMap([0.25, 0.75], [fot.maps.MixtureMap([1.0], [BETA]), STEPS]),
    ],
    "atoms": [
        AtomsMap([0.0, 0.3, 0.7, 1.0], [0.05, 0.9, 0.2, 0.4], PLATT),
        AtomsMap([0.5], [0.25], fot.maps.MixtureMap([0.5, 0.5], [KNOTS, FALLING])),
    ],
}

NAMED = ("cat", "dog", "Vögel")
FULL = fot.maps.SoftmaxMap(
    [[1, 0.1, 0], [0, 1, 0.2], [-SUM, 0, 1]], [0, 0, 1], beta=0.7, mix=0.01, eps=1e-12, classes=NAMED
)
PARTS = (fot.maps.IdentityMap(), FALLING, KNOTS)
SEVERAL_CLASSES: dict[str, list[StoredMap]] = {
    "multiclass_identity": [fot.maps.MulticlassIdentityMap(), fot.maps.MulticlassIdentityMap(classes=(0, 1, 2))],
    "softmax": [
        FULL,
        fot.maps.SoftmaxMap([0.5, 1.5, 2.0], [0.1, 0.0, -THIRD]),
        fot.maps.SoftmaxMap([1.7, 1.7], [SUM, 0.0], classes=(False, True)),
    ],
    "one_vs_rest": [
        fot.maps.OneVsRestMap(PARTS, classes=(0.5, 1.5, 2.5)),
        fot.maps.OneVsRestMap([BINS, STEPS, POLYGONS]),
    ],
    "by_class": [fot.maps.ByClassMap(PARTS, classes=NAMED), fot.maps.ByClassMap([BINS, STEPS, BETA])],
    "shared": [
        fot.maps.SharedMap(fot.maps.BinnedMap(Partition([0.4]), [0.1, 0.8], [0.0, 0.0]), beta=1.3, classes=NAMED),
        fot.maps.SharedMap(STEPS),
    ],
    "order_preserving": [
        fot.maps.OrderPreservingMap([k / 7 - 1 for k in range(14)], [3, 2, 2], True, beta=1.2, mix=0.01),
        fot.maps.OrderPreservingMap([k / 9 - 0.5 for k in range(14)], [3, 2, 2], False, eps=1e-12, classes=NAMED),
    ],
    "diagonal_order": [
        fot.maps.DiagonalOrderMap([-4.0, -1.0], [0.5, 2.0, 0.0], beta=0.9, mix=1e-3, eps=1e-12),
        fot.maps.DiagonalOrderMap([-1.0], [THIRD, 2.0], classes=NAMED),
    ],
    "multiclass_mixture": [
        fot.maps.MulticlassMixtureMap([0.2, 0.5, SUM], [fot.maps.MulticlassIdentityMap(), FULL, FULL], classes=NAMED),
        fot.maps.MulticlassMixtureMap([0.25, 0.75], [fot.maps.OneVsRestMap(PARTS), fot.maps.SharedMap(STEPS)]),
    ],
}


def rule(*conditions: dict[str, Any]) -> dict[str, Any]:
    """Return the conditions as a rule is written."""
    return {"conditions": list(conditions)}


OLDER = {"column": "age", "relation": ">", "value": 50.0}
YOUNGER = {"column": "age", "relation": "<=", "value": 30.5}
CITIES = {"column": "city", "relation": "in", "levels": ["Bern", "O'slo"]}
MEMBER = {"column": "member", "relation": "in", "levels": [True]}
SITES = {"column": "site", "relation": "in", "levels": [1, 2.5]}
NO_HOURS = {"column": "hours", "relation": "missing", "numbers": True}
NO_CITY = {"column": "city", "relation": "missing", "numbers": False}
HOURS = {"column": "hours", "relation": "present", "numbers": True}
CITY = {"column": "city", "relation": "present", "numbers": False}
RULES = [rule(OLDER), rule(YOUNGER, CITIES), rule(MEMBER), rule(SITES), rule(NO_HOURS), rule(NO_CITY), rule(HOURS)]
OFFSETS = fot.segments.SegmentOffsetsMap(0.1, 0.9, RULES, [SUM, -0.2, 0.1, 0.5, -1.0, THIRD, -0.05], 8.5)
LINES = fot.segments.SegmentLinesMap([rule(), *RULES[:3]], [0.0, 0.1, -0.2, THIRD], [1.0, 1.1, 0.5, 0.0])
BOOSTED: dict[str, Any] = {
    "columns": ["age", "city", "site"],
    "levels": [[], ["Bern", "O'slo"], [1, 2.5]],
    "trees_per_stage": 2,
    "feature": [[0, 1, 2, 3, -1, 2, -1], [1, -1, 3, -1, -1, 0, -1], [3, 0, 2, -1, -1, -1, 1]],
    "threshold": [
        [50.0, 0.0, 1.0, -SUM, 0.0, 1.0, 0.0],
        [1.0, 0.0, 0.5, 0.0, 0.0, 33.0, 0.0],
        [0.1, 40.0, 1.0, 0.0, 0.0, 0.0, 1.0],
    ],
    "missing_right": [[0, 0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0]],
    "sets": [[1], [0, 2]],
    "values": [
        [0.1 * k - SUM for k in range(8)],
        [THIRD, -0.1, 0.2, 0.0, 0.4, -0.5, 0.6, 0.05],
        [0.1, 0.2, 0.3, 0.4, 0.0, 0.0, 0.0, -0.1],
    ],
}
TREES = fot.segments.BoostedMap(**BOOSTED)
OF_FEATURES: dict[str, list[StoredMap]] = {
    "segment_offsets": [OFFSETS, fot.segments.SegmentOffsetsMap(0.0, -1.0, [], [])],
    "segment_lines": [
        LINES,
        fot.segments.SegmentLinesMap(
            [rule(), *RULES[3:], rule(CITY, OLDER)],
            [0.0, 0.1, 0.2, 0.3, 0.4, THIRD],
            [1.0, -0.5, 1.0, 1.0, 2.0, 0.7],
            6.0,
        ),
    ],
    "boosted": [
        TREES,
        fot.segments.BoostedMap(**BOOSTED, reach=6.0),
        fot.segments.BoostedMap([], [], 20, [], [], [], [], []),
    ],
    "feature_mixture": [
        fot.segments.FeatureMixtureMap([0.25, 0.5, 0.25], [OFFSETS, TREES, LINES]),
        fot.segments.FeatureMixtureMap([1.0, 0.0], [OFFSETS, LINES]),
    ],
}
CASES = {**TWO_CLASSES, **SEVERAL_CLASSES, **OF_FEATURES}

SCORES = [0.0, 5e-324, 1e-16, 1e-3, 0.05, 0.1, 0.2, 0.29, 0.3, SUM, THIRD, 0.5, 0.6, 0.7, 0.8, 0.95, 1 - 2.0**-53, 1.0]
ROWS = [
    [0.2, 0.3, 0.5],
    [0.4, 0.4, 0.2],
    [0.25, 0.125, 0.625],
    [0.9, 0.05, 0.05],
    [0.01, 0.01, 0.98],
    [1.0, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [1e-20, 0.4, 0.6],
]
TWO_COLUMNS = [[p, 1.0 - p] for p in (0.0, 1e-16, 0.25, SUM, 0.5, 0.9, 1.0)]
FEATURES = {
    "age": [20, 30.5, 31, 50, 50.5, 60, None, 75],
    "city": ["Bern", "O'slo", "Rom", None, "Bern", "Paris", "O'slo", None],
    "member": [True, False, None, True, False, True, False, False],
    "site": [1, 2.5, 3, 1, None, 2.5, 3, 1],
    "hours": [0.5, None, 2.0, 2.5, None, 40.0, 1.0, 3.0],
}
FEATURE_SCORES = [0.0, 1e-12, 0.05, SUM, 0.5, 0.7, 0.95, 1.0]
