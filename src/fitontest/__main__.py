"""Entry of the ``fitontest`` command and of ``python -m fitontest``."""

import sys


def main() -> None:
    """Run the command line, or say how to install it."""
    try:
        from fitontest.apps.cli.main import main as run

        run(prog_name="fitontest")
    except ModuleNotFoundError as error:
        if error.name not in ("click", "duckdb"):
            raise
        sys.exit(f"fitontest: the command line needs {error.name}; install it with: pip install 'fitontest[cli]'")


if __name__ == "__main__":
    main()
