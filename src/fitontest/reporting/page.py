"""The page of a report: its parts put into a template, with nothing that is not of the report."""

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Template

    from fitontest.reporting.report import Report

TEMPLATE = "report.html"


@cache
def _template() -> "Template":
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError("a report needs jinja2: pip install 'fitontest[report]'") from error
    loader = PackageLoader("fitontest.reporting")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template(TEMPLATE)


def render(report: "Report") -> str:
    """Return the page as HTML."""
    values: dict[str, Any] = {
        "title": report.title,
        "verdict": report.verdict,
        "sentences": report.sentences,
        "glance": report.glance,
        "diagrams": report.diagrams(),
        "tables": report.tables(),
        "pictures": report.part_pictures(),
        "facts": report.facts,
    }
    return _template().render(**values)
