"""The validation of a risk model: what reports on one say, and what miscalibration costs in decisions."""
