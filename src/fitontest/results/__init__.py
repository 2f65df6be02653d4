"""Tables: records, and their forms as text, frames and HTML. Nothing of calibration is in here."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
