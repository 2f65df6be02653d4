"""Makes the report that the pages show, so that readers can open a real one."""

from pathlib import Path

from pictures import digits
from sphinx.application import Sphinx
from themes import FOLDER, SOURCES

REPORT = FOLDER / "report.html"
DATE = "2026-11-26"  # so that the bytes are the same every day


def make_report(_: Sphinx) -> None:
    """Write the report of the scores of handwritten digits, unless it is younger than the package."""
    newest = max(path.stat().st_mtime for path in (Path(__file__), *SOURCES.rglob("*.*")))
    if REPORT.exists() and REPORT.stat().st_mtime > newest:
        return
    import numpy as np

    import fitontest as fot

    y, p = digits()
    writer = np.arange(y.size) % 4  # as if four people had written the digits in turn
    by = np.array(["writer A", "writer B", "writer C", "writer D"])[writer]
    report = fot.report(
        y,
        p,
        by=by,
        title="Is the digit odd?",
        model="naive Bayes",
        date=DATE,
        thresholds=[0.2, 0.5],
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    report.save(REPORT)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write it before the pages are read."""
    app.connect("builder-inited", make_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
