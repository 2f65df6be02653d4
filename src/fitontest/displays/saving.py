"""Writing a figure to a file, the same bytes every time."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fitontest.checks import choose

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

DATES: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}


def check_path(path: str | Path, name: str = "path") -> Path:
    """Return the path of a figure, or refuse one whose ending is not that of a picture."""
    choose(Path(path).suffix.lower(), DATES, f"the ending of {name}")
    if not Path(path).parent.is_dir():
        raise ValueError(f"{name} must be in a folder that exists, got {str(path)!r}")
    return Path(path)


def save_figure(figure: "FigureBase", path: str | Path, *, dpi: float = 150) -> Path:
    """Write the figure as PNG, SVG or PDF, by the ending of the path, without dates and random names in it."""
    from matplotlib import rc_context

    target = check_path(path)
    with rc_context(
        {"svg.hashsalt": "fitontest", "pdf.fonttype": 42}
    ):  # else names in an SVG are random, fonts of a PDF no fonts
        whole: Any = figure.get_figure(root=True)
        whole.savefig(target, dpi=dpi, metadata=DATES[target.suffix.lower()])
    return target
