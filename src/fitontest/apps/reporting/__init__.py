"""Reports for readers, and gates for pipelines."""
