"""A number with more behind it: results that are numbers, for arithmetic, numpy, pandas and JSON."""

from typing import Any, Self, SupportsFloat


class Number(float):
    """Base of results that are a number: what they compare, add and round as, and what JSON and arrays hold of them.

    Sums, products and rounded values are plain numbers. A subclass is a frozen dataclass with a field ``value``, or is
    made of its value alone.

    Parameters
    ----------
    value : float
        The number.
    **fields
        Other fields of a dataclass, which it sets by itself.

    Examples
    --------
    >>> import json
    >>> class Share(Number):
    ...     pass
    >>> share = Share(0.25)
    >>> share < 0.3, share - 0.5, round(share, 1), f"{share:.3f}", json.dumps({"share": share})
    (True, -0.25, 0.2, '0.250', '{"share": 0.25}')
    """

    def __new__(cls, value: SupportsFloat = 0.0, **fields: Any) -> Self:  # noqa: ARG004 - of the dataclass
        """Return the number, whatever else there is to it."""
        return super().__new__(cls, value)
