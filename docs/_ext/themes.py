"""Saves what is drawn for light pages and for dark ones."""

import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

HERE = Path(__file__)
FOLDER = HERE.parents[1] / "_static" / "pictures"  # of all that is drawn
SOURCES = HERE.parents[2] / "src"
GROUND, TEXT, LINES = "#14181e", "#ced6dd", "#48566b"  # of the theme's dark pages
DARK = {
    **dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), GROUND),
    **dict.fromkeys(
        ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"),
        TEXT,
    ),
    **dict.fromkeys(("legend.edgecolor", "grid.color"), LINES),
}
THEMES: dict[str, dict[str, Any]] = {"light": {}, "dark": DARK}
WORKERS = 2
THUMBNAIL = 640  # pixels, the longer side


def save_both(
    folder: Path, name: str, draw: Callable[[], Any], thumbnail: bool = False
) -> None:
    """Save the figure that a function draws, once in each theme, and a small copy of it on request."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    import fitontest as fot

    mpl.use("Agg")

    folder.mkdir(parents=True, exist_ok=True)
    for theme, settings in THEMES.items():
        with (
            mpl.rc_context({**settings, "svg.hashsalt": name}),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", fot.CalibrationWarning)
            figure = draw()
            if thumbnail:
                dpi = THUMBNAIL / max(figure.get_size_inches())
                figure.savefig(folder / f"{name}_{theme}.png", dpi=dpi)
            figure.savefig(folder / f"{name}_{theme}.svg", metadata={"Date": None})
            plt.close("all")


def in_processes(draw: Callable[[Any], None], what: Iterable[Any]) -> None:
    """Call a function of a module for each of several things, two at a time.

    The processes are new ones: threads of jax and of the libraries of linear algebra do not survive a fork.
    """
    if things := list(what):
        with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
            list(pool.map(draw, things))


def files_of(folder: Path, name: str, thumbnail: bool = False) -> list[Path]:
    """Return the files that `save_both` writes."""
    kinds = ("svg", "png") if thumbnail else ("svg",)
    return [folder / f"{name}_{theme}.{kind}" for theme in THEMES for kind in kinds]


def is_up_to_date(made: list[Path], *made_of: Path) -> bool:
    """Return whether all files are there, and younger than the package and what else they are made of."""
    if not all(path.exists() for path in made):
        return False
    newest = max(
        last_change_of_package(), *(path.stat().st_mtime for path in (HERE, *made_of))
    )
    return min(path.stat().st_mtime for path in made) > newest


@cache
def last_change_of_package() -> float:
    """Return when a file of the package was changed last."""
    files = (
        path
        for path in SOURCES.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )
    return max(path.stat().st_mtime for path in files)


def show(picture: str, said: str, *options: str) -> list[str]:
    """Return the lines of a page that show a picture, by the theme of the page."""
    lines = []
    for theme, suffix in (("light", ""), ("dark", ", on dark ground")):
        lines += [
            f"```{{image}} {picture.format(theme)}",
            f":alt: {said}{suffix}",
            f":class: only-{theme}",
            *options,
            "```",
        ]
    return lines
