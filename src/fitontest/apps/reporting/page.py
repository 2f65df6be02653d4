"""The page of a report: its parts put into a template, with nothing that is not of the report."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from fitontest.results.text import visible

if TYPE_CHECKING:
    from jinja2 import Template

TEMPLATE = "report.html"


def check_jinja() -> None:
    """Raise ImportError where there is no jinja2, before anything is computed."""
    try:
        import jinja2  # noqa: F401 - only whether it is there
    except ImportError as error:
        raise ImportError("a report needs jinja2: pip install 'fitontest[report]'") from error


@cache
def _template() -> "Template":
    check_jinja()
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("fitontest.apps.reporting")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template(TEMPLATE)


def render(parts: Mapping[str, Any]) -> str:
    """Return the page as HTML: the template with these parts, of which none may be missing."""
    return visible(_template().render(**parts), "\n\t")
