"""Options whose value is one of a few words, which tell of a near miss which word was probably meant."""

from typing import Any

import click

import fitontest as fot
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


class NormName(Choice):
    """The name of a norm: one of those that are registered, or that of a quantile."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or refuse what is none."""
        return value if value in fot.norms.registry else super().convert(value, param, ctx)
