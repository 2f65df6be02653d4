"""Evaluate and repair classifier calibration with families of calibration maps fitted on the test data itself.

Every calibration error here is one formula, the mean distance between a prediction p and a calibration map
c_hat(p), with the map chosen from a registry of families and fitted on the test data (fit-on-test). The same
family fitted on validation data is a post-hoc calibrator.
"""

import lazy_loader

__version__ = "0.2.0.dev0"

# The names stand in __init__.pyi, beside this file. Each is imported when it is first used (SPEC 1): scikit-learn and
# the heavy parts of scipy take longer to import than a small evaluation takes to compute.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
