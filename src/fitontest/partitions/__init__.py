"""Partitions of [0, 1] and the rules that make them from data, one rule per file."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
