"""The error to expect of calibrated scores: redrawn labels, refitted partitions, reproducible draws."""

import warnings

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.data.counted_sample import sample_of_rows
from fitontest.data.labels_of_scores import redrawn
from fitontest.data.ordering import Rows
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from tests.strategies import noisy


def test_redrawn_labels_follow_the_scores():
    rng = np.random.RandomState(0)
    p = np.array([0.0, 0.2, 0.2, 0.7, 1.0])
    w = np.array([200.0, 0.0, 300.0, 400.0, 100.0])  # rows, each with a label of its own
    total = np.zeros(4)
    for _ in range(40):
        groups = redrawn(fot.ScoreSample([0, 1, 1, 0, 1], p, w, weights="counts"), rng).distinct
        assert groups.p.tolist() == [0.0, 0.2, 0.7, 1.0]
        assert groups.w.tolist() == [200.0, 300.0, 400.0, 100.0]
        total += groups.wy
    np.testing.assert_allclose(total / 4000, [0.0, 0.6, 2.8, 1.0], atol=0.06)


@pytest.mark.parametrize("ties", [None, 1])
@pytest.mark.parametrize("weights", ["unit", "whole", "other"])
def test_a_redrawn_sample_is_a_sample(ties, weights):
    y, p = noisy(200, ties=ties)
    w = {"unit": None, "whole": np.arange(200) % 3, "other": np.linspace(0, 2, 200)}[weights]
    drawn = redrawn(fot.ScoreSample(y, p, w), np.random.RandomState(0))
    again = fot.ScoreSample(drawn.y, drawn.p, drawn.w)  # through the door, sorted and pooled anew
    for name in ("p", "n", "w", "wy"):
        np.testing.assert_allclose(getattr(drawn.distinct, name), getattr(again.distinct, name), rtol=1e-14)
    np.testing.assert_array_equal(drawn.rows.y, again.rows.y)
    assert drawn.total == pytest.approx(fot.ScoreSample(y, p, w).total)
    assert drawn.unit == (weights == "unit")


def test_entries_of_many_rows_have_the_null_of_their_rows():
    p, y, n = np.array([0.2, 0.2, 0.7]), np.array([0.0, 1.0, 1.0]), np.array([30, 10, 60])
    cells = sample_of_rows(Rows(p, y, 0.5 * n, n, 0.25 * n), whole=False)
    drawn = redrawn(cells, np.random.RandomState(0))
    assert (drawn.n, drawn.total) == (100, 50.0)
    np.testing.assert_allclose(drawn.distinct.w2, [10.0, 15.0])
    rows = fot.ScoreSample(np.repeat(y, n), np.repeat(p, n), np.full(100, 0.5))
    nulls = [estimate_of(fot.measures.Binned(), sample, redrawing=Redrawing(500)).null for sample in (cells, rows)]
    assert nulls[0].mean == pytest.approx(nulls[1].mean, abs=4 * np.hypot(nulls[0].sd, nulls[1].sd) / np.sqrt(500))
    assert nulls[0].sd == pytest.approx(nulls[1].sd, rel=0.15)


@pytest.mark.exhaustive
def test_the_mean_under_calibration_is_that_of_calibrated_data():
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 2, 1000)
    errors = [float(fot.tce(rng.random(1000) < p, p, null_draws=0)) for _ in range(100)]
    null = fot.tce(rng.random(1000) < p, p, null_draws=100).null
    spread = np.hypot(np.std(errors), null.sd) / np.sqrt(100)
    assert null.refitted
    assert abs(null.mean - np.mean(errors)) < 4 * spread
    assert null.sd == pytest.approx(np.std(errors, ddof=1), rel=0.3)


@pytest.mark.exhaustive
def test_reference_value_of_calibrated_beta_scores():
    """Perfect scores from Beta(0.5, 2) have a TCE of about 81 % at a million rows, because bins get wide."""
    p = np.random.default_rng(0).beta(0.5, 2, 1_000_000)
    error = fot.tce(np.random.default_rng(1).random(p.size) < p, p, null_draws=3)
    assert error.null.mean == pytest.approx(0.809, abs=0.02)
    assert float(error) == pytest.approx(error.null.mean, abs=0.05)


def test_draws_are_reproducible_and_weights_are_repetition():
    y, p = noisy(300, ties=2)
    w = np.arange(300) % 3
    first = fot.tce(y, p, sample_weight=w, null_draws=5).null.values
    np.testing.assert_array_equal(first, fot.tce(y, p, sample_weight=w, null_draws=5).null.values)
    repeated = fot.tce(np.repeat(y, w), np.repeat(p, w), null_draws=5).null.values
    np.testing.assert_array_equal(first, repeated)
    order = np.random.default_rng(0).permutation(300)
    np.testing.assert_array_equal(first, fot.tce(y[order], p[order], sample_weight=w[order], null_draws=5).null.values)
    assert not np.array_equal(first, fot.tce(y, p, sample_weight=w, null_draws=5, random_state=1).null.values)


def test_what_is_refitted():
    y, p = noisy(400)
    assert not fot.tce(y, p, null_draws=2, partition=fot.Isotonic().fit(p, y)).null.refitted
    assert not fot.tce(y, p, null_draws=2, partition=[0.2, 0.8]).null.refitted
    by_name = fot.tce(y, p, null_draws=9, partition="pava").null.values
    here = fot.tce(y, p, null_draws=9, partition=fot.families.FamilyBins(fot.Isotonic()))
    assert here.null.refitted
    np.testing.assert_array_equal(here.null.values, by_name)


@pytest.mark.exhaustive
def test_calibrated_scores_have_ordinary_p_values():
    rng = np.random.default_rng(2)
    found = []
    for _ in range(40):
        p = rng.random(100)
        found.append(fot.gce(rng.random(100) < p, p, null_draws=19).null.p_value)
    assert 0.4 < np.mean(found) < 0.65
    y, p = noisy(1000)
    assert fot.tce(y, p, null_draws=19).null.p_value == pytest.approx(1 / 20)


def test_what_is_held_fixed_is_named():
    y, p = noisy(100)
    nulls = {
        "map": fot.evaluate(y, p, families=[fot.maps.IdentityMap()], null_draws=2).estimates[0].null,
        "bins": fot.gce(y, p, partition=[0.2, 0.8], null_draws=2).null,
        "bins of a family": fot.tce(y, p, partition=fot.Isotonic().fit(p, y), null_draws=2).null,
        "bins of another measure": estimate_of(
            fot.measures.WithinBin([0.5]), fot.ScoreSample(y, p), redrawing=Redrawing(2)
        ).null,
    }
    for name, null in nulls.items():
        assert null.held_fixed == name.split()[0]
        assert null.in_words().endswith(f"(2 draws, {null.held_fixed} held fixed)")
        assert not null.refitted
    anew = fot.gce(y, p, null_draws=2).null
    assert (anew.refitted, anew.held_fixed) == (True, "")
    assert anew.in_words().endswith("(2 draws)")


def test_a_tce_is_shown_beside_its_null(monkeypatch):
    y, p = noisy(120)
    error = fot.tce(y, p)
    assert error.null.values.size == 100
    np.testing.assert_array_equal(error.null.values, fot.tce(y, p, null_draws=100).null.values)
    assert error.note is None
    assert f"if_calibrated={error.null.mean:.4g})" in repr(error)
    assert "expected if calibrated: " in str(error)
    monkeypatch.setattr("fitontest.data.score_redraws.redrawn", pytest.fail)  # from here on nothing is drawn
    none = fot.tce(y, p, null_draws=0)
    assert (float(none), none.null) == (float(error), None)
    assert none.note == "means little without its null: null_draws=100 draws it"
    for text in (repr(none), str(none), none.to_json()):
        assert none.note in text
    many = fot.tce(*noisy(10_001))
    assert many.null is None
    assert "which is drawn unasked up to 10,000 rows only: null_draws=100 draws it" in repr(many)
    assert fot.gce(y, p, null_draws="auto").note is None
    assert fot.gce(y, p, loss="rejection").note == none.note


def test_many_classes_have_no_null_unasked(monkeypatch):
    monkeypatch.setattr("fitontest.uncertainty.null.AUTO_ROWS", 299)
    p = np.random.default_rng(0).dirichlet([1, 1, 1], 100)
    y = np.arange(100) % 3
    by_class = fot.tce(y, p, reduction="classwise")
    assert [one.null for one in by_class.classes.values()] == [None] * 3
    assert "means little without its null" in str(by_class)
    assert fot.tce(y, p, reduction="confidence", partition="equal_width").null.values.size == 100


def test_in_an_evaluation_the_tce_alone_has_a_null_unasked():
    y, p = noisy(120)
    drawn = fot.evaluate(y, p, families=["platt"], measures=["ece", "tce"], null_draws="auto", interval=None)
    assert [estimate.null is not None for estimate in drawn] == [False, False, True]
    assert drawn.notes == []
    alone = fot.evaluate(y, p, measures=["ece", "tce"])
    assert alone.notes == ["tce: means little without its null: null_draws=100 draws it"]
    assert str(alone).splitlines()[-1] == alone.notes[0]
    with pytest.raises(ValueError, match="null_draws must be a whole number, at least 0, or 'auto'; got 'all'"):
        fot.evaluate(y, p, measures=["tce"], null_draws="all")


def test_a_score_has_no_null(monkeypatch):
    y, x = noisy(120)
    model = GaussianNB().fit(x[:, None], y)
    expected = -float(fot.tce(y, model.predict_proba(x[:, None])[:, 1], null_draws=0))
    monkeypatch.setattr("fitontest.data.score_redraws.redrawn", pytest.fail)
    assert fot.make_scorer("tce")(model, x[:, None], y) == expected


def test_heavy_ties_are_told_once():
    p = np.repeat([0.1, 0.5], [50, 50]) + np.tile([0.0, 0.001], 50) * (np.arange(100) > 60)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fot.tce(np.arange(100) % 2, p, null_draws=5)
    assert [w.category for w in caught] == [fot.results.BlockSizeWarning]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fot.evaluate(np.arange(100) % 2, p, families=["pava_bc"], measures=["tce", "within_bin"])
    assert [w.category for w in caught] == [fot.results.BlockSizeWarning]  # of the same blocks


def test_heavy_ties_of_classes_are_told_once_and_the_classes_named():
    p = 0.9 * np.eye(3)[np.random.default_rng(0).integers(0, 3, 200)] + 0.1 / 3
    y = np.array(["a", "b", "c"])[np.arange(200) % 3]
    told = r"^class 'a': pava_bc: ties are too heavy .*\. The like is true of classes 'b', 'c'\.$"
    with pytest.warns(fot.results.BlockSizeWarning, match=told) as caught:
        fot.evaluate(y, p, families=["pava_bc"], measures=["tce"], reduction="classwise")
    assert len(caught) == 1


def test_a_single_draw_has_no_spread():
    null = fot.gce([0, 1], [0.2, 0.7], null_draws=1).null
    assert np.isnan(null.sd)
    assert null.to_dict()["sd"] is None
    assert "draws=1" in repr(null)
    assert fot.gce([0, 1], [0.2, 0.7], interval=None).null is None
