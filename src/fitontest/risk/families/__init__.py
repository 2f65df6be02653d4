"""Local regressions: loess and lowess."""
