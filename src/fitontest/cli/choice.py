"""An option whose value is one of a few words, which tells of a near miss which word was probably meant."""

from typing import Any

import click

from fitontest.checks import meant


class Choice(click.Choice[str]):
    """One of a few words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, or refuse another with a hint."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            hint = meant(value, self.choices)
            raise click.BadParameter(f"{error.message.removesuffix('.')}{hint}", ctx, param) from None
