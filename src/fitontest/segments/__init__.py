"""Finding segments in which scores are wrong, though nobody named them."""
