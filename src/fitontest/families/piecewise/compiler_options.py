"""Options of jax's compiler: releases have different ones, and refuse those that they do not know.

This module imports jax; it is itself imported when a map is first fitted.
"""

import jax

Options = dict[str, bool | int]


def known_options(options: Options) -> Options:
    """Return those of the options that this release knows; each is tried, since no release has a list of them."""
    return {name: value for name, value in options.items() if _is_known(name, value)}


def _is_known(name: str, value: bool | int) -> bool:
    try:
        jax.jit(lambda: 0, compiler_options={name: value}).lower().compile()
    except RuntimeError as error:
        if "No such compile option" not in str(error):
            raise
        return False
    return True
