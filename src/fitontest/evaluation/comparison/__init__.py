"""Choice of a post-hoc calibrator: families are compared in pairs by their losses on rows they were not fitted to."""
