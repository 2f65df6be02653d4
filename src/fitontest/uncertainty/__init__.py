"""What chance alone does to a measure: labels redrawn under any measure and family."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
