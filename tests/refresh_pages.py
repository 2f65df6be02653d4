"""Print anew what the examples of pages print: ``python -m tests.refresh_pages [PAGE ...]``, such as ``measures``.

Outputs that `tests/test_docs.py` would call alike stay as they are. Read the difference before you commit it.
"""

import sys
from contextlib import chdir
from tempfile import TemporaryDirectory

import matplotlib as mpl
import matplotlib.pyplot as plt

from tests.integrations.test_recipes import HEADINGS as RECIPES
from tests.pages import PAGES, assert_alike, outputs


def main() -> None:
    mpl.use("Agg")
    for page in PAGES:
        if not sys.argv[1:] or page.stem in sys.argv[1:]:
            text = before = page.read_text(encoding="utf-8")
            with TemporaryDirectory() as folder, chdir(folder):  # some examples write files
                for shown, printed in outputs(page, RECIPES):
                    try:
                        assert_alike(shown.body, printed)
                    except AssertionError:
                        text = text.replace(f"```text\n{shown.body}```", f"```text\n{printed}```", 1)
            plt.close("all")
            if text != before:
                page.write_text(text, encoding="utf-8")
                print(page.name)


if __name__ == "__main__":
    main()
