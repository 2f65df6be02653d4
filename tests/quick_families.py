"""Families with settings under which their fit is quick, for tests of what every family does."""

import fitontest as fot

SETTINGS = {"pl_de": {"n_bins": 2}}  # whose number of segments takes minutes to choose


def quick(name):
    """Return the family of a name, with its defaults unless these are slow."""
    return fot.families.make(name, **SETTINGS.get(name, {}))
