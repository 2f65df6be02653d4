"""Docstrings that take what several classes or functions share from one place, so that it is written once.

A docstring in the source has the summary and what is its own; `help` shows the shared entries among them.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar, is_typeddict

T = TypeVar("T", bound=Callable[..., Any])
ORDER = ("Parameters", "Attributes", "Returns", "Raises", "Warns", "Notes", "References", "Examples")  # as numpydoc's
_HEAD = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : .*)?$", re.MULTILINE)


def take_descriptions(source: Any, *sections: str) -> Callable[[T], T]:
    r"""Return a decorator that completes a docstring by that of another class or function.

    Parameters that the signature has and the docstring does not describe are described as the source describes them, in
    the order of the signature.

    Parameters
    ----------
    source : class or function
        The one whose docstring has the shared texts.
    *sections : str
        Further sections to complete. "Attributes", "Raises" and "Warns" get the entries that they miss; "Notes" and
        "References" get the shared text below their own.

    Examples
    --------
    >>> class Base:
    ...     "Have a size.\n\nParameters\n----------\nsize : int\n    How large it is."
    >>> @take_descriptions(Base)
    ... def grow(size, by):
    ...     "Let it grow.\n\nParameters\n----------\nby : int\n    How much."
    >>> grow.__doc__.splitlines()[4:]
    ['size : int', '    How large it is.', 'by : int', '    How much.']
    """
    summary, shared = _sections(source)

    def complete(described: T) -> T:
        if described.__doc__ is None or not (summary or shared):  # Python was started to leave docstrings out
            return described
        head, own = _sections(described)
        typed = is_typeddict(described)
        names = list(described.__annotations__ if typed else inspect.signature(described).parameters)
        own["Parameters"] = _in_order(own.get("Parameters", ""), shared.get("Parameters", ""), names)
        for title in sections:
            mine, theirs = own.get(title, ""), shared[title]
            own[title] = f"{mine}\n\n{theirs}".strip() if title in ("Notes", "References") else _added(mine, theirs)
        parts = [f"{title}\n{'-' * len(title)}\n{own[title]}" for title in sorted(own, key=ORDER.index) if own[title]]
        described.__doc__ = "\n\n".join([head, *parts])
        return described

    return complete


def _sections(described: Any) -> tuple[str, dict[str, str]]:
    """Return the text before the first heading, and that below each of them."""
    head, *parts = _HEAD.split(inspect.cleandoc(described.__doc__ or ""))
    return head.strip(), {title: text.strip() for title, text in zip(parts[::2], parts[1::2], strict=True)}


def _entries(text: str) -> dict[str, str]:
    """Return the entries of a section by the names at their head."""
    _, *parts = _ENTRY.split(text)
    heads = [match[0] for match in _ENTRY.finditer(text)]
    return {names: head + body.rstrip() for names, head, body in zip(parts[::2], heads, parts[1::2], strict=True)}


def _names(heads: Any) -> set[str]:
    return {name.lstrip("*") for head in heads for name in head.split(", ")}


def _in_order(own: str, shared: str, names: list[str]) -> str:
    """Return the own entries and those shared ones that are missing, in the order of the names."""
    entries = _entries(own)
    missing = set(names) - _names(entries)
    entries.update({head: text for head, text in _entries(shared).items() if _names([head]) & missing})

    def place(head: str) -> int:
        return min((names.index(name) for name in _names([head]) if name in names), default=len(names))

    return "\n".join(entries[head] for head in sorted(entries, key=place))


def _added(own: str, shared: str) -> str:
    """Return the shared entries, with own ones in the place of those of the same name, and further own ones before."""
    entries, theirs = _entries(own), _entries(shared)
    first = [text for head, text in entries.items() if head not in theirs]
    return "\n".join([*first, *(entries.get(head, text) for head, text in theirs.items())])
