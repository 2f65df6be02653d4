"""Options that many functions share: written once as a typed dict, and spelled out in the signature and help of each.

A typed dict names the options, with a type, a default and a description each. A function takes them by ``**options:
Unpack[...]`` and hands them on; `spell_out` shows users what a signature of all of them would.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, TypeVar, get_args, get_origin

from fitontest.results.checks import meant
from fitontest.results.docstrings import take_descriptions
from fitontest.results.other_names import other_call

F = TypeVar("F", bound=Callable[..., Any])


def spell_out(*left_out: str, of: Any = None, **defaults: Any) -> Callable[[F], F]:
    r"""Return a decorator that spells out the options of a function: in its signature, its help and its refusals.

    The function gets every option, those that a caller leaves out at their defaults.

    Parameters
    ----------
    *left_out : str
        Options that the function does not have.
    of : TypedDict, optional
        The options of a function that takes further keywords by its ``**``; by default those that this unpacks.
    **defaults
        Defaults of the function that differ from those of the options.

    Examples
    --------
    >>> from typing import TypedDict, Unpack
    >>> class Redraws(TypedDict, total=False):
    ...     "How labels are redrawn.\n\nParameters\n----------\ndraws : int, default=50\n    How often."
    ...     draws: Annotated[int, 50]
    >>> @spell_out()
    ... def spread(sample, **options: Unpack[Redraws]):
    ...     "Return the spread."
    ...     return options["draws"]
    >>> str(inspect.signature(spread)), spread([]), spread([], draws=10)
    ('(sample, *, draws: int = 50)', 50, 10)
    """

    def spell(function: F) -> F:
        signature = inspect.signature(function)
        *own, rest = signature.parameters.values()
        options = get_args(rest.annotation)[0] if of is None else of
        hints = {name: hint for name, hint in described_options(options).items() if name not in left_out}
        values = {name: defaults.get(name, default) for name, (_, default) in hints.items()}
        spelled = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=values[name], annotation=hint)
            for name, (hint, _) in hints.items()
        ]
        known = [*(one.name for one in own), *values]

        @wraps(function)
        def run(*args: Any, **named: Any) -> Any:
            if of is None:
                _check_names(function.__name__, named, known)
            return function(*args, **{**values, **named})

        further = [] if of is None else [rest]
        run.__signature__ = signature.replace(parameters=[*own, *spelled, *further])  # type: ignore[attr-defined]
        return take_descriptions(options)(run)  # type: ignore[return-value]

    return spell


def described_options(options: Any) -> dict[str, tuple[Any, Any]]:
    """Return the type and the default of each option of a typed dict: ``Annotated[type, default]``, or None."""
    return {
        name: (hint.__origin__, hint.__metadata__[0]) if get_origin(hint) is Annotated else (hint, None)
        for name, hint in options.__annotations__.items()
    }


def _check_names(function: str, named: dict[str, Any], known: list[str]) -> None:
    """Raise TypeError for a keyword that is none of the known ones, as Python does."""
    for name in named:
        if name not in known:
            hint = meant(name, known) or other_call(name, argument=True)
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")
