"""The evidence of a monitor in sentences, tables and pictures."""
