"""Choosing a post-hoc calibrator: every family judged on rows it was not fitted to, in pairs."""
