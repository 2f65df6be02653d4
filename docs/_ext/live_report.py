"""Makes the report that the pages show, so that readers can open a real one."""

from pathlib import Path

import pictures
from sphinx.application import Sphinx
from themes import FOLDER, is_up_to_date

REPORT = FOLDER / "report.html"
DATE = "2026-11-26"  # so that the bytes are the same every day


def make_report(_: Sphinx) -> None:
    """Write the report of the scores of handwritten digits, unless it is younger than the package."""
    if is_up_to_date([REPORT], Path(__file__), Path(pictures.__file__)):
        return
    import fitontest as fot

    y, p = pictures.digits()
    report = fot.report(
        y,
        p,
        title="Is the digit odd?",
        model="naive Bayes on 12 components",
        date=DATE,
        thresholds=[0.2, 0.5],
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    report.save(REPORT)


def setup(app: Sphinx) -> dict[str, bool]:
    """Write it before the pages are read."""
    app.connect("builder-inited", make_report)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
