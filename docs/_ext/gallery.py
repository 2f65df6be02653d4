"""The gallery: a page for each script of docs/gallery with the picture that it draws, and thumbnails that lead there.

A script begins with a docstring, which is its title and what the picture says. Its last paragraph draws, once for
light and once for dark pages: where it makes one display, the display is plotted again. What stands above runs once.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from themes import FOLDER, files_of, in_processes, is_up_to_date, save_both, show

SCRIPTS = Path(__file__).parents[1] / "gallery"
PICTURES = FOLDER / "gallery"
NAME = re.compile(r"\bfot\.((?:[a-z_]+\.)?[A-Za-z]\w+(?:\.from_\w+)?)")


@dataclass(frozen=True)
class Script:
    """A script of the gallery."""

    name: str
    title: str
    text: str  # what the picture says
    code: str

    @property
    def parts(self) -> tuple[str, str]:
        """What computes, and the last paragraph, which draws."""
        computing, _, drawing = self.code.rpartition("\n\n")
        return computing, drawing

    @property
    def names(self) -> list[str]:
        """The names of the package that it uses, each once."""
        return list(dict.fromkeys(NAME.findall(self.code)))


def read(path: Path) -> Script:
    """Return the script of a file."""
    source = path.read_text(encoding="utf-8")
    module = ast.parse(source)
    title, _, text = (ast.get_docstring(module) or "").partition("\n\n")
    if not title or not text:
        raise ValueError(f"{path} needs a docstring with a title and what the picture says")
    code = "\n".join(source.splitlines()[module.body[0].end_lineno or 0 :]).strip()
    return Script(path.stem, title.removesuffix("."), " ".join(text.split()), code)


def draw(path: Path) -> None:
    """Run a script, and save what it draws in both themes."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    mpl.use("Agg")
    script = read(path)
    computing, drawing = script.parts
    names: dict[str, Any] = {"__name__": script.name}
    exec(compile(computing, str(path), "exec"), names)
    body = ast.parse(drawing).body
    drawn: list[Any] = []

    def figure() -> Any:
        if drawn:  # what a display is of is not computed again
            drawn[0].plot()
        elif len(body) == 1 and isinstance(body[0], ast.Expr):
            drawn.append(eval(compile(drawing, str(path), "eval"), names))
        else:
            exec(compile(drawing, str(path), "exec"), dict(names))
        return plt.gcf()

    save_both(PICTURES, script.name, figure, thumbnail=True)


def page_of(script: Script) -> str:
    """Return the page of a script."""
    picture = f"../_static/pictures/gallery/{script.name}_{{}}.svg"
    used = ", ".join(f"`fot.{name}`" for name in script.names)
    lines = [
        f"# {script.title}",
        script.text,
        "\n".join(show(picture, script.text, ":align: center")),
        f"```python\n{script.code}\n```",
        f"In the reference: {used}.",
    ]
    return "\n\n".join(lines) + "\n"


def make_gallery(_: Sphinx) -> None:
    """Draw the pictures that are older than the package or than their script, and write the pages that have changed."""
    scripts = sorted(SCRIPTS.glob("*.py"))
    in_processes(draw, (path for path in scripts if not is_drawn(path)))
    pages = {path.with_suffix(".md"): page_of(read(path)) for path in scripts}
    for page in set(SCRIPTS.glob("*.md")) - pages.keys():
        page.unlink()
    for page, text in pages.items():
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def is_drawn(script: Path) -> bool:
    """Return whether the pictures of a script are those of the script and the package as they are."""
    return is_up_to_date(
        files_of(PICTURES, script.stem, thumbnail=True), script, Path(__file__)
    )


class Thumbnails(SphinxDirective):
    """Cards of scripts of the gallery, named one a line, in a grid of up to three columns."""

    has_content: ClassVar[bool] = True

    def run(self) -> list[nodes.Node]:
        """Return the grid, and on the page of the gallery the table of contents of its pages."""
        names = [line.strip() for line in self.content if line.strip()]
        lines = list(self.grid(names))
        if self.env.docname == "gallery":
            lines += [
                "```{toctree}",
                ":hidden:",
                *(f"gallery/{name}" for name in names),
                "```",
            ]
        return self.parse_text_to_nodes("\n".join(lines))

    def grid(self, names: list[str]) -> Iterator[str]:
        """Yield the lines of the grid."""
        yield from ("::::{grid} 1 2 3 3", ":gutter: 3", "")
        for name in names:
            script = read(SCRIPTS / f"{name}.py")
            self.env.note_dependency(str(SCRIPTS / f"{name}.py"))
            yield from (f":::{{grid-item-card}} {script.title}", f":link: /gallery/{name}")
            yield from (
                ":link-type: doc",
                ":class-card: thumbnail",
                ":text-align: center",
                "",
            )
            picture = f"/_static/pictures/gallery/{name}_{{}}.png"
            yield from show(picture, script.title, ":loading: lazy")
            yield ":::"
        yield "::::"


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw before the pages are read, and register the directive."""
    app.connect("builder-inited", make_gallery)
    app.add_directive("thumbnails", Thumbnails)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if (
    __name__ == "__main__"
):  # python docs/_ext/gallery.py NAME ... draws these, in this process
    for chosen in sys.argv[1:]:
        draw(SCRIPTS / f"{chosen}.py")
