"""Formulas as MathML, which browsers show themselves: no script, and no address outside these pages."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

BARS = "<mo>&#x0007C;</mo>", '<mo stretchy="false">&#x0007C;</mo>'
CLOSE_BAR = '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;</mo>'  # of an absolute value: no space beside it


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula inside a line."""
    self.body.append(as_mathml(node, "inline"))
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    self.body.append(f'<div class="math-block">{as_mathml(node, "block")}</div>')
    raise nodes.SkipNode


def as_mathml(node: nodes.Element, display: str) -> str:
    """Return the formula of a node."""
    formula = convert(node.astext().strip(), display=display)
    for bar in BARS:
        formula = formula.replace(bar, CLOSE_BAR)
    return formula


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer, which ``html_math_renderer`` chooses."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
