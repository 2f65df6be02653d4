"""Commands whose options are given once, unless they say that they may be repeated."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import click

from fitontest.apps.cli.messages import BadInput


class Command(click.Command):
    """A command that refuses a second value of an option that takes one, which click would drop without a word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Return what is left of the arguments after a check of how often each option is there."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for parameter, count in Counter(order).items():
            if count > 1 and isinstance(parameter, click.Option) and not (parameter.multiple or parameter.is_eager):
                raise BadInput(f"{max(parameter.opts, key=len)} must be given once, got it {count} times")
        return super().parse_args(ctx, args)


def command(*first: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Return what makes a command of a function, as ``click.command`` does.

    Parameters
    ----------
    *first : str
        Options that its help lists first.
    """

    def make(function: Callable[..., Any]) -> click.Command:
        made = click.command(cls=Command)(function)
        made.params.sort(key=lambda one: first.index(one.name) if one.name in first else len(first))
        return made

    return make
