"""How sure segments are: one maximum over all, and searches on redrawn labels."""
