"""Segments of the data, such as regions or months, each measured alone and beside the others."""
