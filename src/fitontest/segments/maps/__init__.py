"""Maps of features and scores."""
