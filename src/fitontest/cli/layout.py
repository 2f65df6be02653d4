"""The options that say how a CSV file is written, for the commands that read one."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from fitontest.cli.messages import BadInput
from fitontest.data.csv_files import Layout

_OPTIONS = (
    click.option("--sep", help="Character between the cells of CSV. Default: found in the header, of comma, tab, ; |."),
    click.option("--encoding", help="Encoding of CSV, such as latin-1, cp1252 or utf-16. Default: utf-8."),
    click.option("--decimal", help="Decimal separator of the numbers in CSV, . or a comma. Default: the point."),
)


def of_layout(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of the layout of CSV files; it gets them as one `Layout`."""

    @wraps(command)
    def run(sep: str | None, encoding: str | None, decimal: str | None, **options: Any) -> Any:
        try:
            layout = Layout(sep, encoding, decimal)
        except ValueError as error:
            raise BadInput(str(error)) from error
        return command(layout=layout, **options)

    wrapped: Callable[..., Any] = run
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped
