"""Which groups batches had, as digests of 64 bits: 8 bytes for each group, and none of their names.

A digest does not hide an id from whoever can guess it. Of a million known groups and a million new ones two share a
digest with a probability of 5e-8.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from datetime import date, time, timedelta
from decimal import Decimal
from hashlib import blake2b
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from fitontest.results.checks import as_plain, brief
from fitontest.results.typing import BoolArray

Digests: TypeAlias = NDArray[np.uint64]
NO_GROUPS: Digests = np.empty(0, dtype=np.uint64)
BYTES = 8
WHOLE = re.compile(r"[-+]?[0-9]{1,100}")
KINDS = (bytes, date, time, timedelta, UUID)  # whose text is the same in every process; numbers and texts are too


def digests_of(ids: Iterable[Any]) -> Digests:
    """Return the digest of each id, of its kind and its text.

    Equal numbers of any type are one id, and so is a text that spells a whole number: of a CSV file a column is read as
    numbers in one batch, and as texts in another that has a single text among them.

    Parameters
    ----------
    ids : iterable
        Texts, numbers, booleans, dates, times, bytes, UUIDs, or tuples of these.

    Raises
    ------
    ValueError
        Ids of another type, which might not be known again in a later batch.
    """
    if isinstance(ids, np.ndarray) and ids.dtype.kind in "mM":
        ids = ids.astype(f"{ids.dtype.kind}8[us]")  # Python has no nanoseconds
    values = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
    joined = b"".join(
        blake2b(_text(each).encode("utf-8", "surrogatepass"), digest_size=BYTES).digest() for each in values
    )
    return np.frombuffer(joined, dtype="<u8").astype(np.uint64)


def joined(known: Digests, new: Digests) -> Digests:
    """Return the sorted digests of both, which have none in common."""
    if not new.size:
        return known
    both = np.concatenate((known, np.sort(new)))
    both.sort(kind="stable")  # merges the two runs
    return both


def are_known(digests: Digests, known: Digests) -> BoolArray:
    """Return which digests are among the known ones, which are sorted."""
    if not known.size:
        return np.zeros(digests.size, dtype=bool)
    place = np.minimum(np.searchsorted(known, digests), known.size - 1)
    return np.asarray(known[place] == digests)


def text_of_digests(digests: Digests) -> str:
    """Return sorted digests as text: base64 of 8 bytes each, the lowest first."""
    return b64encode(digests.astype("<u8").tobytes()).decode()


def digests_of_text(text: str) -> Digests:
    """Return the digests of a text that `text_of_digests` returned, or refuse it."""
    rule = "must be the base64 text of increasing numbers of 8 bytes each"
    try:
        held = b64decode(text, validate=True)
    except ValueError as error:
        raise ValueError(f"{rule}, got {brief(text)}: {error}") from error
    if len(held) % BYTES:
        raise ValueError(f"{rule}, got {len(held)} bytes")
    digests = np.frombuffer(held, dtype="<u8").astype(np.uint64)
    if np.any(digests[1:] <= digests[:-1]):
        raise ValueError(f"{rule}, got some that do not increase")
    return digests


def _text(value: Any) -> str:
    """Return what is hashed of an id: its kind and its text."""
    if isinstance(value, str):
        return f"number {int(value)}" if WHOLE.fullmatch(value) else f"text {value}"
    value = as_plain(value)
    if isinstance(value, int | float | Decimal):
        return f"number {_as_number(value)}"
    if isinstance(value, tuple):
        parts = [_text(each) for each in value]
        return f"tuple {[len(part) for part in parts]} {''.join(parts)}"
    if isinstance(value, KINDS):
        return f"{type(value).__name__} {value!r}" if isinstance(value, bytes) else f"time or id {value}"
    raise ValueError(
        "groups must be texts, numbers, dates, times, UUIDs or tuples of these, by which a group is known again in a "
        f"later batch, got the {type(value).__name__} {brief(value)}"
    )


def _as_number(value: int | float | Decimal) -> str:
    """Return a number as text, the same for equal numbers of any type."""
    if isinstance(value, int):
        return str(int(value))
    nearest = float(value)
    if nearest != value:  # a decimal that no float is
        return str(value.normalize()) if isinstance(value, Decimal) else str(value)
    return str(int(nearest)) if nearest.is_integer() else repr(nearest)
