"""Figures as SVG that can stand in an HTML page: without headers, with identifiers of their own, and with a text."""

import io
import re
from html import escape
from typing import TYPE_CHECKING, Any

from fitontest.displays.canvas import create_figure

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

_IDENTIFIER = re.compile(r'\bid="([^"]+)"')
_REFERENCE = re.compile(r'(url\(#|href="#)([^")]+)')


def inline_svg(figure: "FigureBase", name: str, text: str) -> str:
    """Return a figure as an ``<svg>`` element, the same bytes every time.

    Parameters
    ----------
    figure : matplotlib Figure
    name : str
        What its identifiers begin with: those of two figures on one page must differ.
    text : str
        What the figure shows, for readers who do not see it.
    """
    from matplotlib import rc_context

    target = io.StringIO()
    root: Any = figure.get_figure(root=True)
    with rc_context({"svg.hashsalt": "fitontest"}):
        root.savefig(target, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    drawn = target.getvalue()
    drawn = drawn[drawn.index("<svg") :].strip()
    drawn = re.sub(r"<metadata>.*?</metadata>\s*", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"<!--.*?-->\s*", "", drawn, flags=re.DOTALL)
    drawn = _IDENTIFIER.sub(rf'id="{name}-\1"', drawn)
    drawn = _REFERENCE.sub(rf"\1{name}-\2", drawn)
    return drawn.replace("<svg", f'<svg role="img" aria-label="{escape(text, quote=True)}"', 1)


def svg_of(display: Any, name: str, text: str) -> str:
    """Return a display as an ``<svg>`` element.

    Parameters
    ----------
    display : Display
    name : str
        What its identifiers begin with: those of two pictures on one page must differ.
    text : str
        What it shows, for readers who do not see it.
    """
    figure = create_figure(display.size)
    display.plot(figure)
    return inline_svg(figure, name, text)
