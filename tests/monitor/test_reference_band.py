"""The band of a reference: it holds rates that never fall at all scores at once, whatever else they do."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.nulls.hypothesis import null_of, read_band_of, read_null
from fitontest.monitor.nulls.rates import Band, Exact, Tolerance
from fitontest.monitor.nulls.reference_band import LENGTHS, band_of_reference
from fitontest.numerics.significance.exact_share import share_interval

EXACT = Resolution(exact=True)
TRUTHS = {
    "calibrated": lambda p: p,
    "jump": lambda p: np.where(p < 0.5, 0.2, 0.8),
    "constant": lambda p: np.full_like(p, 0.3),
    "stairs": lambda p: 0.05 + 0.2 * np.floor(4 * p),
}


def drawn(n, truth=TRUTHS["calibrated"], seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < truth(p)).astype(float), p


def band_of(y, p, alpha=0.025):
    return band_of_reference(CellSums.of_rows(p, y, None, EXACT), alpha)


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
def test_the_band_holds_rates_that_never_fall(truth):
    x = np.linspace(0, 1, 501)
    bands = [band_of(*drawn(1000, truth, seed), alpha=0.2) for seed in range(40)]
    held = [bool(((band.lower(x) <= truth(x)) & (truth(x) <= band.upper(x))).all()) for band in bands]
    assert np.mean(held) >= 0.8


def test_the_limits_are_those_of_all_intervals_beside_a_score():
    rng = np.random.default_rng(2)
    p = np.sort(rng.random(30))
    y = (rng.random(30) < p).astype(float)
    band = band_of(y, p)  # fewer rows than blocks: each is one
    intervals = [(i, i + m) for m in LENGTHS for i in range(30 - m + 1)]
    limits = {(i, k): share_interval(y[i:k].sum(), k - i, 1 - 0.025 / len(intervals)) for i, k in intervals}
    for x in (0.0, p[3], 0.5, p[20], 1.0):
        lower = max([0.0, *(low for (_, k), (low, _) in limits.items() if p[k - 1] <= x)])
        upper = min([1.0, *(high for (i, _), (_, high) in limits.items() if p[i] >= x)])
        np.testing.assert_allclose([band.lower(x), band.upper(x)], [lower, upper], rtol=1e-12)


def test_a_cell_has_the_limits_of_its_ends():
    y, p = drawn(3000)
    band, batch = band_of(y, p), Batch.of(CellSums.of_rows(p, y, None, EXACT))
    limits = band.limits(batch)
    np.testing.assert_array_equal(limits.low, band.lower(batch.low))
    np.testing.assert_array_equal(limits.high, band.upper(batch.high))
    rows = np.searchsorted(batch.low, p, side="right") - 1
    assert (limits.low[rows] <= band.lower(p)).all()
    assert (limits.high[rows] >= band.upper(p)).all()
    assert not limits.contradicted(batch).any()


def test_a_reference_may_be_arrays_a_sample_or_cells():
    y, p = drawn(2000)
    bands = [read_band_of(given, 0.025) for given in ((y, p), fot.read(y, p), fot.Cells.of(y, p))]
    values = [band.to_dict() for band in bands]
    assert values[0] == values[1] == values[2]
    assert (bands[0].n, bands[0].events, bands[0].alpha) == (2000, int(y.sum()), 0.025)
    again = null_of(values[0])
    x = np.linspace(0, 1, 101)
    np.testing.assert_array_equal(again.lower(x), bands[0].lower(x))
    np.testing.assert_array_equal(again.upper(x), bands[0].upper(x))


@pytest.mark.parametrize("changed", [{"lows": [0.1]}, {"starts": [[0.1]], "highs": [[0.2]]}, {"ends": "many"}])
def test_a_stored_band_that_is_none_is_refused(changed):
    values = read_band_of(drawn(500), 0.025).to_dict()
    falling = {"starts": values["starts"][::-1]}
    for bad in (changed, falling):
        with pytest.raises(ValueError, match=r"must be increasing lists of one length|could not convert"):
            null_of({**values, **bad})


def test_scores_of_0_and_1_have_a_band_too():
    y, p = np.repeat([0.0, 1.0, 0.0, 1.0], [90, 10, 10, 90]), np.repeat([0.0, 1.0], 100)
    band = band_of(y, p)
    low, high = share_interval(10, 100, 1 - 0.025 / 3)
    np.testing.assert_allclose([band.lower(0.0), band.upper(0.0)], [low, high])
    np.testing.assert_allclose([band.lower(1.0), band.upper(1.0)], [1 - high, 1 - low])


def test_a_reference_of_arrays_is_read_as_batches_are():
    y, p = drawn(500)
    words, matrix = np.where(y > 0, "yes", "no"), np.stack((1 - p, p), axis=1)
    expected = read_band_of((y, p), 0.025).to_dict()
    assert fot.monitor.Monitor(reference=(words, p), pos_label="yes")._state.settings.null.to_dict() == expected
    monitor = fot.monitor.Monitor(reference=(words, matrix), reduction="binary", labels=["no", "yes"], pos_label="yes")
    assert monitor._state.settings.null.to_dict() == expected
    with pytest.raises(ValueError, match="reference must be left out with reduction='classwise'"):
        fot.monitor.Monitor(reference=(words, matrix), reduction="classwise")


def test_a_monitor_in_a_file_keeps_its_reference(tmp_path):
    path, (y, p) = tmp_path / "monitor.json", drawn(500)
    with fot.monitor.Monitor.updating(path, reference=(y, p)) as monitor:
        monitor.update(*drawn(100, seed=1))
    with fot.monitor.Monitor.updating(path, reference=(y, p)) as monitor:
        assert len(monitor.evidence.records) == 1
    fewer = (y[1:], p[1:])
    with pytest.raises(ValueError, match=r"of 500 rows, which fails .* 0\.025; got the band of a reference of 499"):
        fot.monitor.Monitor.updating(path, reference=fewer).__enter__()


def test_an_alarm_against_a_reference_needs_twice_the_evidence():
    monitor = fot.monitor.Monitor(reference=drawn(2000))
    settings = monitor._state.settings
    assert settings.alpha_of_evidence == settings.null.alpha == 0.025
    assert settings.log_limit == pytest.approx(np.log(40))
    assert fot.monitor.Monitor()._state.settings.log_limit == pytest.approx(np.log(20))


def test_a_model_that_was_never_calibrated_is_no_alarm_but_its_drift_is():
    square = lambda p: p**2  # noqa: E731
    monitor = fot.monitor.Monitor(reference=drawn(20_000, square))
    for seed in (1, 2):
        monitor.update(*drawn(2000, square, seed))
    assert not monitor.alarm
    assert monitor._state.log_e < 0
    for seed in (3, 4):
        monitor.update(*drawn(2000, np.sqrt, seed))
    assert monitor.alarm_since in (2, 3)
    assert monitor.evidence.p_value == pytest.approx(0.025, abs=1e-3)  # that of the band, on top of 1 / E
    text = " ".join(str(monitor.evidence.table()).split())
    assert "alarm at E >= 40" in text
    assert "Reference: 20,000 rows" in text
    assert "These fail with a probability of at most 2.5 %" in text


REFUSED = {
    "a number": (3, r"reference must be what fitontest\.read returns of one column of scores, Cells, or a tuple"),
    "importances": (
        fot.read([0, 1] * 40, [0.1, 0.9] * 40, sample_weight=np.arange(80) + 0.5),
        "reference must have weights that count rows",
    ),
    "large weights": (
        fot.read([0, 1] * 40, [0.1, 0.9] * 40, sample_weight=[100] * 80, weights="importances"),
        "reference must have weights that count rows",
    ),
    "groups": (fot.read([0, 1] * 40, [0.1, 0.9] * 40, groups=np.arange(80) // 4), "must have independent rows"),
    "few events": (([0] * 50 + [1] * 9, [0.1] * 50 + [0.9] * 9), "10 positives and 10 negatives.*got 9 and 50"),
    "falling": (
        ([0, 1] * 40, [0.9, 0.1] * 40),
        r"must have rates that never fall.*score 0\.1 some are at le",
    ),
}


@pytest.mark.parametrize(("reference", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_reference_is_refused(reference, message):
    with pytest.raises(ValueError, match=message):
        fot.monitor.Monitor(reference=reference)


def test_arguments_mean_hypotheses():
    assert read_null() == Tolerance(0.1, "ratio")
    assert read_null(0) == Exact() == read_null(0, "logit") == read_null(max_error=0.02)
    assert read_null(0.02) == Tolerance(0.02, "ratio")
    assert read_null(0.02, "probability") == Tolerance(0.02)
    assert read_null(2, "logit") == Tolerance(2.0, "logit")
    assert isinstance(read_null(reference=drawn(500)), Band)


TOGETHER = {
    "tolerance 1": ({"tolerance": 1.0}, r"tolerance must be a number in \[0, 1\), got 1\.0"),
    "negative": ({"tolerance": -0.1}, r"tolerance must be a number in \[0, 1\), got -0\.1"),
    "nan": ({"tolerance": float("nan"), "tolerance_unit": "logit"}, "tolerance must be a finite number of logits"),
    "infinite": ({"tolerance": float("inf"), "tolerance_unit": "logit"}, "tolerance must be a finite number of logits"),
    "true": ({"tolerance": True}, "tolerance must be a number"),
    "unit": (
        {"tolerance_unit": "logits"},
        "tolerance_unit must be one of 'ratio', 'probability', 'logit'; got 'logits': did",
    ),
    "unit alone": ({"tolerance_unit": "logit"}, "tolerance must be given with tolerance_unit='logit', got None"),
    "both": ({"tolerance": 0.1, "reference": drawn(500)}, "tolerance must be 0 with a reference"),
    "error and tolerance": ({"tolerance": 0.1, "max_error": 0.1}, r"max_error must be None with tolerance=0\.1"),
    "error and reference": ({"reference": drawn(500), "max_error": 0.1}, "max_error must be None with a reference"),
}


@pytest.mark.parametrize(("arguments", "message"), TOGETHER.values(), ids=TOGETHER)
def test_arguments_that_do_not_go_together_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        fot.monitor.Monitor(**arguments)
