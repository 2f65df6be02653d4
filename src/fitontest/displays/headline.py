"""What the legend and the title of a diagram say of an error."""

import textwrap

from fitontest.errors.plug_in_error import PlugInError
from fitontest.text_table import short


def headline(error: PlugInError) -> list[str]:
    """Return what a legend says of an error, in two short lines."""
    bins = "" if error.n_bins is None else f", {error.n_bins} bin{'' if error.n_bins == 1 else 's'}"
    kind = "debiased error" if error.debiased else "error"
    norm = "" if error.norm == "l1" else f" ({error.norm})"
    family = textwrap.fill(f"{error.family}{bins}", 40)
    return [family, f"{kind}{norm} {short(error.value)}, n = {error.n:,}"]


def called(name: str | None, error: PlugInError) -> str:
    """Return the headline under the name of the scores."""
    return "\n".join(([] if name is None else [name]) + headline(error))
