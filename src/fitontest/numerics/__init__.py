"""Numerical tools: links, losses, norms, a search, Newton's method, folds and seeds."""
