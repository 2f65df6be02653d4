"""Input: labels, scores and weights as arrays, samples, predictions of several classes, tables in files."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
