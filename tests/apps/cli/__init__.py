from typing import Any

from fitontest.apps.cli.writing import FORMATS


def printed(result: Any) -> str:
    """Return what a command writes of a result: its print, whose last line names the flag for more."""
    return f"{FORMATS['table'](result)}\n"
