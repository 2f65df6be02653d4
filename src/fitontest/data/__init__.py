"""Input: labels, scores and weights as arrays, samples, predictions of several classes, tables in files."""
