"""Options of jax's compiler: releases have different ones, and refuse those that they do not know.

This module imports jax; it is itself imported when a map is first fitted.
"""

import jax

Options = dict[str, bool | int]


def known_options(options: Options) -> Options:
    """Return those of the options that this release knows.

    No release has a list of them, so they are tried: all together, and one by one only where that is refused.
    """
    if _are_known(options):
        return options
    return {name: value for name, value in options.items() if _are_known({name: value})}


def _are_known(options: Options) -> bool:
    try:
        jax.jit(lambda: 0, compiler_options=options).lower().compile()
    except RuntimeError as error:
        if "No such compile option" not in str(error):
            raise
        return False
    return True
