"""Takes the pictures of the report that the pages show, after a build of the pages.

``python docs/screenshots.py CHROMIUM`` needs playwright (``python -m pip install playwright``) and the path of a
Chromium.
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

STATIC = Path(__file__).parent / "_static"
SIZE = {"width": 1000, "height": 760}  # pixels


def main(chromium: str) -> None:
    """Save the first screen of the live report in both colour schemes."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"]
        )
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=SIZE, color_scheme=scheme)
            page.goto((STATIC / "pictures" / "report.html").resolve().as_uri())
            page.screenshot(path=STATIC / f"report_{scheme}.png")
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
