"""Settings of the documentation: ``python -m sphinx -W docs docs/_build/html`` builds it."""

import os
import shutil
import sys
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE / "_ext"))

import notebooks  # noqa: E402 - found beside this file

# The notebooks live beside the docs. A copy inside them is what Sphinx can read.
shutil.rmtree(HERE / "notebooks", ignore_errors=True)
shutil.copytree(
    ROOT / "notebooks",
    HERE / "notebooks",
    ignore=shutil.ignore_patterns("*.py", "__*"),
)
# Where it is set, as in CI, the tests of the notebooks left them there with their outputs.
executed = os.environ.get("EXECUTED_NOTEBOOKS")
if executed:
    shutil.copytree(ROOT / executed, HERE / "notebooks", dirs_exist_ok=True)

project = "fitontest"
author = "The fitontest developers"
copyright = f"2026, {author}"  # noqa: A001 - the name that Sphinx reads
version = release = installed("fitontest")
# The switcher's entry of this build: a release is called by its first two numbers, and what comes before it "dev".
switched = "dev" if "dev" in release else ".".join(release.split(".")[:2])

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "breakable_calls",
    "gallery",
    "linked_names",
    "live_report",
    "mathml",
    "pictures",
    "plain_formulas",
    "repository_links",
]
exclude_patterns = ["_build", "**.ipynb_checkpoints"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
# Notebooks are executed (minutes), and not again until one of them or the package changes.
nb_execution_mode = "off" if executed else "cache"
nb_execution_cache_path = str(notebooks.get_cache_folder(HERE / "_build"))
nb_execution_excludepatterns = notebooks.find_without_tables(HERE / "notebooks")
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True  # what one cell prints is one block

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # the docstrings state the types
numpydoc_show_class_members = False
python_maximum_signature_line_length = 90  # longer ones have a parameter a line
default_role = "py:obj"  # single backticks in docstrings name things, public or not

# A public name that is not found is an error. Other words in backticks need not be names, and modules are not public.
nitpicky = True
ROOMS = "|".join(
    path.stem
    for path in (ROOT / "src" / "fitontest").iterdir()
    if path.stem not in ("datasets", "truth")
)
nitpick_ignore_regex = [
    ("py:.*", r"(?!fitontest\.).*"),
    ("py:.*", rf"fitontest\.({ROOMS})(\..*)?"),
]

html_math_renderer = "mathml"
toc_object_entries_show_parents = (
    "hide"  # names of classes would not fit beside those of their methods
)
html_theme = "pydata_sphinx_theme"
html_title = "fitontest"
html_static_path = ["_static"]
html_css_files = ["fitontest.css"]
html_show_sourcelink = False
# Pages without others below them have nothing to navigate to.
html_sidebars = {page: [] for page in ("changes", "release", "support")}
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "show_prev_next": True,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "switcher": {"json_url": "_static/switcher.json", "version_match": switched},
    "navbar_end": ["version-switcher", "theme-switcher", "navbar-icon-links"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_exclude = ".linenos, .gp, .go"
