"""Segments: where calibration is missed by features, and calibrators that see the features.

A companion of the core: it uses the core as a user does, and the core does not know it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
