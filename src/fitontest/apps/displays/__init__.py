"""The drawing of plans."""
