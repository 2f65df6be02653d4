"""The notebooks run from top to bottom, in a copy, without an error or a warning they do not expect.

Where EXECUTED_NOTEBOOKS names a folder, they are left there with their outputs, for the documentation.
"""

import os
import shutil
from pathlib import Path

import nbclient
import nbformat
import pytest

NOTEBOOKS = Path(__file__).parent
TABLES = Path(os.environ.get("FITONTEST_TABLES", NOTEBOOKS.parents[1] / "shared" / "data" / "sets"))


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_the_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("FITONTEST_TABLES", str(TABLES))
    notebook = nbformat.read(path, as_version=4)
    missing = [name for name in notebook.metadata.get("tables", []) if not (TABLES / f"{name}.npz").exists()]
    if missing:
        pytest.skip(f"FITONTEST_TABLES must name a folder with {', '.join(missing)}, which are no part of this project")
    shutil.copytree(NOTEBOOKS, tmp_path / "notebooks")
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path / "notebooks"}})
    client.execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert outputs
    assert not [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"]
    if folder := os.environ.get("EXECUTED_NOTEBOOKS"):
        left = NOTEBOOKS.parent / folder
        left.mkdir(parents=True, exist_ok=True)
        nbformat.write(notebook, left / path.name)


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebook_is_committed_clean(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None
