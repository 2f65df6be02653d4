"""Evaluate and repair classifier calibration with families of calibration maps fitted on the test data itself.

Every calibration error here is one formula, the mean distance between a prediction p and a calibration map
c_hat(p), with the map chosen from a registry of families and fitted on the test data (fit-on-test). The same
family fitted on validation data is a post-hoc calibrator.
"""

from typing import Any

import lazy_loader

__version__ = "0.2.0.dev0"

# The names stand in __init__.pyi, beside this file. Each is imported when it is first used (SPEC 1): scikit-learn and
# the heavy parts of scipy take longer to import than a small evaluation takes to compute.
_getattr, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

_FORMER = {  # former names of version 0.1, for one version, and what they are now
    "BinnedError": "Estimate",
    "CalibrationError": "Estimate",
    "ClasswiseError": "Estimate",
    "ClasswiseEvaluation": "Evaluation",
    "PlugInError": "Estimate",
    "WithinBinError": "Estimate",
}


def __getattr__(name: str) -> Any:
    """Return a public name from the file that defines it, and what a former name stands for with a warning."""
    if name in __all__:
        return _getattr(name)
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import warnings

    message = f"fitontest.{name} is {_FORMER[name]} since version 0.2, and will be gone in version 0.3"
    warnings.warn(message, FutureWarning, stacklevel=2)
    return _getattr(_FORMER[name])
