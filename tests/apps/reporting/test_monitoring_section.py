"""The stream that a model is monitored in, in a report: a sentence, a table and pictures, and nothing without it."""

import numpy as np
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.apps.reporting.monitoring_section import monitoring_pictures, monitoring_sentence, read_monitor
from tests.monitor.conftest import monitored, stream

NAMES = ("batches", "calibration")


@pytest.fixture(scope="module")
def monitor():
    return monitored(stream(n=60, batches=3, shift=2.5, since=1), families=["isotonic"])


def page_with(evidence):
    """Return a report of few rows, of which no verdict is made."""
    y, p = np.arange(120) % 3 > 0, np.linspace(0.05, 0.95, 120)
    return fot.apps.Report("a page", fot.evaluate(y, p, measures=["brier"]), monitoring=evidence)


@pytest.mark.exhaustive
def test_the_page_has_the_sentence_the_batches_and_the_pictures(monitor):
    page = page_with(monitor.evidence)
    (section,) = page._tables()["Monitoring"]
    assert section.lead.startswith(monitor.evidence.headline)
    assert [line[0] for line in section.body] == ["1", "2", "3"]
    assert "Monitoring" in page._open
    assert monitoring_sentence(monitor.evidence) == f"In the stream that is monitored: {monitor.evidence.headline}"
    pictures = monitoring_pictures(monitor.evidence)
    assert len(pictures) == 2
    assert pictures[0].text.startswith("Observed over expected events, batch by batch, and evidence")
    assert pictures[1].text == "Calibration curves: since batch 2, before batch 2."
    assert all(f'id="monitor-{name}-' in picture.svg for name, picture in zip(NAMES, pictures, strict=True))


def test_without_a_monitor_nothing_is_said_of_one():
    assert "Monitoring" not in page_with(None)._tables()
    assert monitoring_sentence(None) == ""


def test_a_monitor_and_its_evidence_are_read_alike(monitor):
    assert read_monitor(monitor).headline == read_monitor(monitor.evidence).headline
    assert read_monitor(None) is None


@pytest.mark.parametrize("bad", ["monitor.json", [1.0]])
def test_other_things_than_monitors_are_refused(bad):
    with pytest.raises(ValueError, match="monitor must be a Monitor, its evidence or None"):
        fot.report([0, 1] * 50, np.linspace(0, 1, 100), monitor=bad)
    with pytest.raises(ValueError, match="monitor must have at least one batch"):
        fot.report([0, 1] * 50, np.linspace(0, 1, 100), monitor=fot.monitor.Monitor())


@pytest.mark.parametrize(("text", "said"), [(None, "has made"), ("{}", "must hold the state of a monitor")])
def test_the_command_refuses_what_is_no_state(tmp_path, text, said):
    (tmp_path / "rows.csv").write_text("y,p\n0,0.2\n1,0.6\n")
    state = tmp_path / "state.json"
    if text is not None:
        state.write_text(text)
    options = ["--label", "y", "--prob", "p", "--monitor", str(state), "-o", str(tmp_path / "a.html")]
    answer = CliRunner().invoke(main, ["report", str(tmp_path / "rows.csv"), *options])
    assert answer.exit_code == 2
    assert f"--monitor must {'be a file that' if text is None else 'hold'}" in answer.output
    assert said in answer.output
