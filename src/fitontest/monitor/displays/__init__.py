"""Drawings of monitors."""
