"""Bettors: what makes rates of the scores of a batch, and what a batch pays them."""
