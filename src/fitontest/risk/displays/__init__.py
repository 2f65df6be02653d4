"""Drawings of decision curves and validations."""
