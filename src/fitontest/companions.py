"""What each companion brings to the registries and the hooks of the core, by name: nothing is imported here."""

MODULES = {  # the names on each shelf of a registry, and the modules that register them
    "families": {
        "loess": "fitontest.risk.families.loess",
        "lowess": "fitontest.risk.families.lowess",
    },
    "feature families": {
        "boosted": "fitontest.segments.repair.boosted",
        "certified_offsets": "fitontest.segments.repair.certified_offsets",
        "multicalibrated": "fitontest.segments.repair.multicalibrated",
        "probability_calibration_tree": "fitontest.segments.repair.trees.probability_calibration_tree",
        "segment_offsets": "fitontest.segments.repair.segment_offsets",
        "tree": "fitontest.segments.repair.trees.tree_calibrator",
        "tree_of_maps": "fitontest.segments.repair.tree_of_maps",
    },
    "feature maps": {
        "boosted": "fitontest.segments.maps.boosted",
        "feature_mixture": "fitontest.segments.maps.mixture",
        "segment_lines": "fitontest.segments.maps.by_segment",
        "segment_offsets": "fitontest.segments.maps.by_segment",
    },
    "measures": {
        "calibration_in_the_large": "fitontest.risk.measures.calibration_in_the_large",
        "calibration_intercept": "fitontest.risk.measures.calibration_slope",
        "calibration_slope": "fitontest.risk.measures.calibration_slope",
        "cost_weighted_error": "fitontest.risk.measures.cost_weighted_error",
        "decision_loss": "fitontest.risk.measures.decision_loss",
        "discrimination": "fitontest.risk.measures.likelihood",
        "nagelkerke_r2": "fitontest.risk.measures.likelihood",
        "net_benefit": "fitontest.risk.measures.net_benefit",
        "quality": "fitontest.risk.measures.likelihood",
        "scaled_brier": "fitontest.risk.measures.brier",
        "spiegelhalter": "fitontest.risk.measures.brier",
        "unreliability": "fitontest.risk.measures.likelihood",
    },
}
HOOKS = {  # what the core asks for, and what answers
    "compared rows": "fitontest.segments.compared_rows:Features",
    "families of compared rows": "fitontest.segments.compared_rows:kind_with_features",
    "one maximum": "fitontest.segments.one_maximum:maximum_of",
}
