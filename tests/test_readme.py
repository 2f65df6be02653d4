"""What the README shows works as printed, and it stays short."""

import re
import warnings

import matplotlib.pyplot as plt
import pytest

import fitontest as fot
from tests.few_draws import quick_bands  # noqa: F401 - a fixture of this module
from tests.pages import README, ROOT, assert_alike, blocks, run

TEXT = README.read_text(encoding="utf-8")
EXAMPLE = "\n".join(block.body for block in blocks(README) if block.kind == "python")


@pytest.mark.exhaustive
def test_the_python_example_runs():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        printed = run(EXAMPLE, {"__name__": "page"})
    plt.close("all")
    (explained,) = (block.body for block in blocks(README) if block.kind == "text")
    first = explained.splitlines()[0]
    of_evaluation = printed[printed.index(first) :].splitlines()[: len(explained.splitlines())]
    assert_alike(explained, "\n".join(of_evaluation))  # what is explained is what the example prints


def test_it_is_read_in_minutes():
    assert len(TEXT.splitlines()) <= 150
    assert len([line for line in EXAMPLE.splitlines() if line.strip()]) <= 25


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
