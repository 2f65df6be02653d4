"""Which evaluator, and how many rows: an evaluation planned by simulation."""
