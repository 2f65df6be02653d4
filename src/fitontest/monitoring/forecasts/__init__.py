"""Evidence on whether another forecast is better, row by row."""
