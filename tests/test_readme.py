"""What the README shows works as printed, and it stays short."""

import re
import warnings

import matplotlib.pyplot as plt

import fitontest as fot
from tests.pages import README, ROOT, assert_alike, blocks, run

TEXT = README.read_text(encoding="utf-8")
EXAMPLE = "\n".join(block.body for block in blocks(README) if block.kind == "python")


def test_the_python_example_runs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        printed = run(EXAMPLE, {"__name__": "page"})
    plt.close("all")
    assert "calibration error (l1), n = 569" in printed
    (table,) = (block.body for block in blocks(README) if block.kind == "text")
    lines = {line.split()[0]: line for line in printed.partition("family ")[2].splitlines()[1:] if line}
    for row in table.splitlines()[2:]:  # the table that is explained is that of the example
        assert_alike(row, lines[row.split()[0]])


def test_it_is_read_in_minutes():
    assert len(TEXT.splitlines()) <= 150
    assert len([line for line in EXAMPLE.splitlines() if line.strip()]) <= 25


def test_it_names_every_family_and_measure():
    tables = TEXT.partition("## Families and measures")[2].partition("\n## ")[0]
    families = {*fot.families.names("two"), *fot.families.names("any")}
    measures = {*fot.measures.names("two"), *fot.measures.names("any")}
    for name in families | measures:
        assert f"`{name}`" in tables


def test_the_first_screen_has_two_marked_commands_and_a_picture():
    first_screen = "\n".join(TEXT.splitlines()[:40])
    for step in ("run", "test"):
        assert re.search(rf"<!-- newcomer: {step} -->\n```bash\n[^\n]+\n```", first_screen)
    (picture,) = re.findall(r"!\[.*?\]\((.*?)\)", first_screen, re.DOTALL)
    assert (ROOT / picture).exists()


def test_every_page_is_linked():
    for page in (ROOT / "docs").glob("*.md"):
        if page.stem not in ("guide", "depth", "tutorial", "measurements", "changes"):  # reached from the pages
            assert f"docs/{page.name}" in TEXT
