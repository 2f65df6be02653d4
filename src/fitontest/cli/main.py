"""The ``fitontest`` command.

Results go to standard output, progress and errors to standard error. Bad input ends with exit code 2 and one line
that says what was wrong.
"""

import click

from fitontest.cli.apply import apply
from fitontest.cli.compare import compare
from fitontest.cli.demo import demo
from fitontest.cli.evaluate import evaluate
from fitontest.cli.plot import plot


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="fitontest")
def main() -> None:
    """Evaluate and repair the calibration of classifiers."""


for command in (evaluate, plot, compare, apply, demo):
    main.add_command(command)
