"""Settings for all tests: generated examples are the same in every run, and slow machines are no failures."""

from hypothesis import settings

settings.register_profile("fitontest", derandomize=True, deadline=None)
settings.load_profile("fitontest")
