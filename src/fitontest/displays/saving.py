"""Writing of figures to files, reproducible to the byte."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fitontest.results.checks import choose
from fitontest.results.writing import written_whole

if TYPE_CHECKING:
    from matplotlib.figure import FigureBase

METADATA: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}


def check_path(path: str | Path, name: str = "path") -> Path:
    """Return the path of a figure. Raise ValueError for an unknown ending or a missing folder."""
    choose(Path(path).suffix.lower(), METADATA, f"the ending of {name}")
    if not Path(path).parent.is_dir():
        raise ValueError(f"{name} must be in a folder that exists, got {str(path)!r}")
    return Path(path)


def save_figure(figure: "FigureBase", path: str | Path, *, dpi: float = 150) -> Path:
    """Write the figure as PNG, SVG or PDF, by the ending of the path, without dates and random identifiers."""
    from matplotlib import rc_context

    target = check_path(path)
    ending = target.suffix.lower()
    # By default the identifiers in an SVG are random, and a PDF holds Type 3 fonts.
    with rc_context({"svg.hashsalt": "fitontest", "pdf.fonttype": 42}):
        root: Any = figure.get_figure(root=True)
        drawn = BytesIO()
        root.savefig(drawn, format=ending[1:], dpi=dpi, metadata=METADATA[ending])
    with written_whole(target) as written:  # of the drawn bytes: matplotlib's own writer of PDF hides a full disk
        written.write_bytes(drawn.getvalue())
    return target
