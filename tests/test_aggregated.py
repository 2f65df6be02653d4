"""What counted rows promise, checked over the registries: the numbers of the rows that they count."""

import sys
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ks_2samp

import fitontest as fot
from fitontest.data import score_redraws as redraws
from fitontest.data.counted_sample import sample_of_rows
from fitontest.data.labels_of_scores import redrawn
from fitontest.data.ordering import Rows
from fitontest.families.base import Family
from fitontest.uncertainty.bands import band_of
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from tests.quick_families import quick
from tests.strategies import aggregated, noisy
from tests.test_measure_contracts import NEEDED

pytestmark = pytest.mark.multiplies

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
FOLDS = {"pl", "pl3", "spline", "stacking", "slope1", "flat"}  # what depends on which rows are held out
SLOW = {"pl", "pl3", "pl_de", "stacking"}  # under their defaults
VARIANTS = {
    **{name: fot.families.make(name) for name in fot.families.names("two") if name not in SLOW},
    "stacking": fot.families.Stacking(["identity", "platt", fot.Slope1(4)]),
    "pl_de": quick("pl_de"),
    "slope1-15": fot.Slope1(15),
    "slope1-sweep": fot.Slope1("sweep"),
    "slope1-cube_root": fot.Slope1("cube_root"),
    "slope1-pava": fot.Slope1(scheme=fot.partitions.Pava()),
    "flat-width": fot.Flat(10, "equal_width"),
    "platt-smoothing": fot.Platt(smoothing=True),
    "isotonic-step": fot.Isotonic("step"),
    "spline-3": fot.Spline(3),
    "pl": fot.PL(max_bins=2, cv=3),
    "pl3": fot.PL3(max_bins=2, cv=3),
}
KINDS = pytest.mark.parametrize("weight", [None, 0.5], ids=["counts", "other weights"])


@cache
def samples(weight=None, n=2000, ties=2):
    """Return a sample of counted rows, and that of the rows."""
    y, p = noisy(n, ties=ties)
    return aggregated(y, p, weight), fot.ScoreSample(y, p, None if weight is None else np.full(n, weight))


def quietly(function, *arguments, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        return function(*arguments, **settings)


@KINDS
@pytest.mark.parametrize("name", VARIANTS)
def test_errors_and_standard_errors_are_those_of_the_rows(name, weight):
    cells, rows = samples(weight)
    found, expected = (quietly(fot.measures.PlugIn(VARIANTS[name]).estimate, sample) for sample in (cells, rows))
    assert found.n == expected.n == 2000
    assert found.base_rate == pytest.approx(expected.base_rate, abs=1e-14)
    if name in FOLDS:  # another draw of the folds
        assert float(found) == pytest.approx(float(expected), abs=0.01)
        return
    assert found.n_bins == expected.n_bins
    assert float(found) == pytest.approx(float(expected), abs=1e-12)
    if expected.se_map_fixed is not None:
        assert found.se_map_fixed == pytest.approx(expected.se_map_fixed, abs=1e-12)


def test_at_two_hundred_thousand_rows_too():
    y, p = noisy(200_000, ties=3)
    cells, rows = aggregated(y, p), fot.ScoreSample(y, p)
    assert len(cells.distinct) == 1001
    measures = [
        fot.measures.PlugIn(family) for family in ("isotonic", "beta", "knn", "pava_bc", fot.Slope1("cube_root"))
    ]
    measures += [fot.measures.make(name) for name in ("tce", "ece", "ace", "kernel", "smooth_ece", "within_bin")]
    for measure in measures:
        found, expected = measure.estimate(cells), measure.estimate(rows)
        assert float(found) == pytest.approx(float(expected), abs=1e-12), measure
        assert found.n_bins == expected.n_bins
        if isinstance(measure, fot.measures.PlugIn):
            assert found.se_map_fixed == pytest.approx(expected.se_map_fixed, abs=1e-12)


@KINDS
@pytest.mark.parametrize("name", [*fot.measures.names("two"), "proper_error"])
def test_measures_are_those_of_the_rows(name, weight):
    cells, rows = samples(weight)
    measure = fot.measures.make(name, **NEEDED.get(name, {}))
    if name == "tce" and weight:
        with pytest.raises(ValueError, match="sample_weight must be counts"):
            measure.estimate(cells)
        return
    found, expected = measure.estimate(cells), measure.estimate(rows)
    assert (found.n, found.n_bins) == (expected.n, expected.n_bins)
    tolerance = {"plug_in": 0.005, "eci": 0.05, "proper_error": 0.003}.get(name, 1e-12)
    assert float(found) == pytest.approx(float(expected), abs=tolerance)
    if name == "proper_error":
        assert found.standard_error == pytest.approx(expected.standard_error, rel=0.05)


def test_a_null_is_that_of_the_rows():
    """The same random numbers make the same counts."""
    cells, rows = samples()
    for measure in (
        fot.measures.make("tce"),
        fot.measures.PlugIn("isotonic"),
        fot.measures.PlugIn(fot.Slope1("cube_root")),
    ):
        found, expected = (estimate_of(measure, s, redrawing=Redrawing(10)).null.values for s in (cells, rows))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@KINDS
def test_redrawn_counts_stand_for_as_many_rows(weight):
    cells, _ = samples(weight)
    drawn = redrawn(cells, np.random.RandomState(0))
    made = redraws.ScoreRedraws.of(cells)
    labelled = made.entries.sample(next(made.draw([made.entries.p], range(1), (0, 0)))[:, 0])
    for sample in (drawn, labelled, made.observed_sample()):
        assert (sample.n, sample.whole) == (2000, weight is None)
        assert sample.total == pytest.approx(cells.total)
        assert sample.rows.w2.sum() == pytest.approx(cells.rows.w2.sum())
    assert labelled.base_rate == pytest.approx(float(cells.w @ cells.p) / cells.total, abs=0.05)


def test_redrawn_labels_are_held_out_in_small_parts(monkeypatch):
    """Whole entries would be too few for folds; the labels observed are dealt to the parts."""
    monkeypatch.setattr(redraws, "NODES", 300)
    cells, _ = samples()
    for most_drawn in (10**9, 1):
        monkeypatch.setattr(redraws, "MOST_DRAWN", most_drawn)
        cells.memory.clear()
        made, labels = redraws.ScoreRedraws.of(cells).observed
        entries = made.entries
        assert entries.n.max() == 7
        assert len(entries) <= 300 + len(cells.distinct)
        np.testing.assert_array_equal(np.add.reduceat(entries.n, entries.first), cells.distinct.n)
        np.testing.assert_array_equal(np.add.reduceat(labels[:, 0], entries.first), cells.distinct.wy)
        assert np.all((labels[:, 0] >= 0) & (labels[:, 0] <= entries.n))


@KINDS
def test_intervals_and_bands_are_those_of_the_rows(weight):
    cells, rows = samples(weight, 1000)[0], samples(n=1000)[1]  # all rows weigh the same
    for family in ("isotonic", fot.Slope1(max_bins=6, cv=3)):
        found, expected = (
            quietly(
                estimate_of,
                fot.measures.PlugIn(family),
                sample,
                redrawing=Redrawing(interval="always", level=0.9, draws=15),
            )
            for sample in (cells, rows)
        )
        assert found.debiased == pytest.approx(expected.debiased, abs=0.005)
        for end in ("low", "high"):
            assert getattr(found.interval, end) == pytest.approx(getattr(expected.interval, end), abs=0.008)
    x = np.linspace(0, 1, 5)
    settings = {"kind": "confidence", "draws": 30, "level": 0.9, "random_state": 0}
    bands = [band_of(fot.measures.PlugIn("spline").estimate(sample), sample, x, **settings) for sample in (cells, rows)]
    np.testing.assert_allclose(bands[0].lower, bands[1].lower, atol=0.03)
    np.testing.assert_allclose(bands[0].upper, bands[1].upper, atol=0.03)


@pytest.mark.parametrize("repeats", [1, 2])
def test_a_comparison_means_on_counts_what_it_means_on_rows(repeats):
    families = ["identity", "platt", fot.Slope1(5), fot.families.Stacking(["identity", "platt"])]
    options = {"families": families, "repeats": repeats, "evaluators": ["isotonic"]}
    found, expected = (fot.compare_calibrators(s, truth=lambda p: p**1.4, **options) for s in samples())
    assert (found.n, found.n_smaller_class) == (expected.n, expected.n_smaller_class)
    assert found.base_rate == pytest.approx(expected.base_rate)
    others = {one.name: one for one in expected.calibrators}
    for one in found.calibrators:
        other = others[one.name]
        assert one.held_out.score == pytest.approx(other.held_out.score, abs=0.002)
        assert one.held_out.to_identity.se == pytest.approx(other.held_out.to_identity.se, rel=0.15)
        assert one.errors["isotonic"] == pytest.approx(other.errors["isotonic"], abs=0.015)
        fixed = one.name != "stacking"  # the others are fitted to all rows
        assert one.quality.map_error == pytest.approx(other.quality.map_error, abs=1e-10 if fixed else 0.01)


def test_what_a_comparison_of_counts_takes():
    cells, _ = samples()
    families = ["identity", "platt"]
    tested = fot.compare_calibrators(cells, families=families, test=samples(n=1000)[0])
    assert tested.n_test == 1000
    with pytest.raises(ValueError, match="truth must be a function of the scores where rows were counted as cells"):
        fot.compare_calibrators(cells, families=families, truth=np.full(2000, 0.5))
    with pytest.raises(ValueError, match="repeats must be a whole number from 1 to 4"):
        fot.compare_calibrators(cells, families=families, repeats=5)


def test_every_cross_validation_of_counts_is_that_of_their_parts():
    """Scores, weights and gains computed by hand from the folds that the sample makes."""
    cells, _ = samples()
    parts, folds = cells.in_folds(4, 1)
    tuned = fot.families.CrossValidated(fot.Flat(), candidates=[1, 5], cv=4, random_state=1).fit_sample(cells)
    binned = fot.Flat(max_bins=5, cv=4, random_state=1).fit_sample(cells)
    stacking = fot.families.Stacking(["identity", "platt"], cv=4, random_state=1).fit_sample(cells)
    gain = fot.measures.ProperError("platt", cv=4, random_state=1).estimate(cells)
    rows, held_out = parts.rows, np.empty(len(parts.rows))
    for fold, held in enumerate(folds):
        kept = np.setdiff1d(np.arange(len(rows)), held)
        train = fot.ScoreSample(rows.y[kept], rows.p[kept], rows.w[kept])
        held_out[held] = fot.Platt().fit_sample(train).predict(rows.p[held])
        flat = fot.Flat(5).fit_sample(train).predict(rows.p[held])
        score = rows.w[held] @ (rows.y[held] - flat) ** 2 / rows.w[held].sum()
        assert tuned.cv_scores_.folds[fold, 1] == pytest.approx(score, abs=1e-12)
        assert binned.cv_scores_.folds[fold, 4] == pytest.approx(score, abs=1e-12)
    weights = stacking.weigh(np.stack((rows.p, held_out), axis=1), rows.y, rows.w / parts.row_weight)
    np.testing.assert_allclose(stacking.weights_, weights, atol=1e-9)

    def loss(q):
        return -rows.w @ np.log(np.where(rows.y > 0, q, 1 - q)) / rows.w.sum()

    before, after = (loss(np.clip(q, 1e-6, 1 - 1e-6)) for q in (rows.p, held_out))
    assert float(gain) == pytest.approx(before - after, abs=1e-9)


def test_pl_gives_stacking_its_own_folds_of_counts(monkeypatch):
    """Else it would be fitted once more for every fold."""
    monkeypatch.setattr(Family, "hold_out", lambda *_: pytest.fail("fitted again"))
    cells, _ = samples(n=400)
    stacking = quietly(fot.families.Stacking([fot.PL(1, cv=3)], cv=3).fit_sample, cells)
    assert stacking.weights_.tolist() == [1.0]


@pytest.mark.exhaustive
def test_folds_of_counts_give_the_scores_that_folds_of_rows_give(monkeypatch):
    """The distributions over seeds, small; `benchmarks/counted_folds.py` has the whole."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    import counted_folds as study

    y, p = study.drawn(3000, 100)
    cells = study.counted(y, p)
    by_rows = study.facts(fot.ScoreSample(y, p), study.by_law, 4, range(60), most=8)
    for rule, alike in ((study.by_law, True), (study.equal_parts, False), (study.whole_entries, False)):
        spread = study.facts(cells, rule, 4, range(60, 120), most=8)[:, 2]
        assert (ks_2samp(by_rows[:, 2], spread).pvalue > study.LEVEL) == alike, rule
    for name in ("counted_folds", "report"):
        sys.modules.pop(name, None)


def test_blocks_of_a_kernel_error_are_not_drawn_from_counts_too_large_to_list():
    cells, _ = samples()
    many = sample_of_rows(Rows(cells.p, cells.y, cells.w * 10**6, cells.rows.n * 10**6, cells.w2 * 10**6), whole=True)
    assert fot.measures.KernelError().estimate(many).n == 2 * 10**9
    with pytest.raises(ValueError, match=r"must not be 'block' for cells that count more .* got 2,000,000,000"):
        fot.measures.KernelError(estimator="block").estimate(many)
