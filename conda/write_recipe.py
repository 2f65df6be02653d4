"""Write ``conda/recipe.yaml`` from ``pyproject.toml``: ``python conda/write_recipe.py`` from the root."""

import re
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
IN_CONDA = {"matplotlib": "matplotlib-base", "lazy-loader": "lazy_loader", "duckdb": "python-duckdb"}  # conda-forge
TEMPLATE = """\
# Written by conda/write_recipe.py; conda/README.md says how it is built.
schema_version: 1

package:
  name: {name}
  version: {version}

source:
  path: ..

build:
  number: 0
  noarch: python
  script: ${{{{ PYTHON }}}} -m pip install . -vv --no-deps --no-build-isolation
  python:
    entry_points:
      - {entry}

requirements:
  host:
{host}
  run:  # with the extras "cli" and "report", as conda has none
{run}

tests:
  - python:
      imports:
        - fitontest
        - fitontest.apps.cli.main
      pip_check: true
  - script:
      - fitontest --version
      - fitontest demo

about:
  summary: {summary}
  license: {license}
  license_file: LICENSE
"""


def required(names: list[str]) -> str:
    """Return requirements as a recipe lists them, each with its limits and by its name in conda."""
    pairs = [re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?\s*(.*)", one.partition(";")[0].strip()) for one in names]
    return "\n".join(f"    - {IN_CONDA.get(pair[1], pair[1])} {pair[2]}".rstrip() for pair in pairs if pair)


def recipe() -> str:
    """Return the text of the recipe."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, build = settings["project"], settings["build-system"]["requires"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["report"], *extras["cli"]]
    run = [one for one in asked if not one.startswith(project["name"])]  # an extra may name another of this package
    python = f"python{project['requires-python']}"
    code = (ROOT / settings["tool"]["hatch"]["version"]["path"]).read_text(encoding="utf-8")
    return TEMPLATE.format(
        name=project["name"],
        version=code.partition('__version__ = "')[2].partition('"')[0],
        entry=" = ".join(next(iter(project["scripts"].items()))),
        host=required([python, "pip", *build]),
        run=required([python, *run]),
        summary=project["description"],
        license=project["license"],
    )


if __name__ == "__main__":
    (HERE / "recipe.yaml").write_text(recipe(), encoding="utf-8")
