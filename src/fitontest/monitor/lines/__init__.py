"""Lines of the logits that all batches leave open: level and slope with intervals that hold at all times."""
