"""Calibration maps: immutable functions from [0, 1], one shape per file."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
