"""Two tables of cells compared: how the calibration of a model has changed."""
