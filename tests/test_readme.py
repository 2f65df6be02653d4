"""What the README shows works as printed."""

import re
import warnings
from pathlib import Path

import matplotlib.pyplot as plt

import fitontest as fot

README = (Path(__file__).parents[1] / "README.md").read_text()


def test_the_python_example_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it writes a picture
    code = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))  # one example, in pieces
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        exec(code, {})
    plt.close("all")
    fot.unregister_measure("mean_gap")
    assert "calibration error (l1), n = 569" in capsys.readouterr().out
    assert (tmp_path / "naive_bayes.svg").exists()


def test_the_table_lists_every_family():
    table = README.partition("## The families")[2]
    for family in fot.available_families():
        assert f"| `{family}`" in table


def test_the_first_screen_has_two_marked_commands_and_a_picture():
    first_screen = "\n".join(README.splitlines()[:40])
    for step in ("run", "test"):
        assert re.search(rf"<!-- newcomer: {step} -->\n```bash\n[^\n]+\n```", first_screen)
    (picture,) = re.findall(r"!\[.*?\]\((.*?)\)", first_screen, re.DOTALL)
    assert (Path(__file__).parents[1] / picture).exists()
