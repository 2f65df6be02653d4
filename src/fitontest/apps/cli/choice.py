"""Options whose value is one of a few words, which tell of a near miss which word was probably meant."""

from typing import Any

import click

import fitontest as fot
from fitontest.results.checks import meant


class Choice(click.Choice[str]):
    """One of a few words."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word, or refuse another with a hint."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            hint = meant(value, self.choices)
            raise click.BadParameter(f"{error.message.removesuffix('.')}{hint}", ctx, param) from None


class NormName(Choice):
    """The name of a norm: one of those that are registered, or that of a quantile."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or refuse what is none."""
        if value not in fot.norms.registry:
            names = ", ".join(map(repr, self.choices))
            message = f"{value!r} is not one of {names}, or a quantile such as 'q90'{meant(value, self.choices)}"
            raise click.BadParameter(message, ctx, param)
        return str(value)
