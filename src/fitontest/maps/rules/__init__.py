"""Conditions on columns of features, of which rules of segments are made."""
