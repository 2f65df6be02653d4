"""Many segments with one maximum: against measures of each segment, brute-force step-down p-values, and copies."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.segment_unions import segments_of, union
from fitontest.measures.cumulative import CumulativeError
from fitontest.segments.uncertainty.segment_maxima import SegmentMaxima


def rows(n=600, seed=0, ties=True):
    rng = np.random.default_rng(seed)
    by = {"site": rng.integers(0, 3, n), "sex": rng.choice(["f", "m"], n), "age": rng.integers(0, 4, n)}
    p = rng.integers(1, 40, n) / 40.0 if ties else rng.random(n)
    y = (rng.random(n) < np.where(by["site"] == 1, p**0.7, p)).astype(int)
    return y, p, by


def maxima(y, p, by, segments="pairs", draws=60, measure=None, **settings):
    crossed = fot.read(y, p, by=by, **settings)
    unions = segments_of(crossed, segments)
    return unions, SegmentMaxima.of(unions, CumulativeError() if measure is None else measure, draws, 0)


@pytest.mark.parametrize("measure", [CumulativeError(), CumulativeError("maximum")], ids=["ecce", "ks"])
@pytest.mark.parametrize("segments", ["crossed", "each", "pairs"])
def test_errors_and_units_are_those_of_each_segment_alone(measure, segments):
    y, p, by = rows()
    unions, found = maxima(y, p, by, segments, measure=measure)
    for place, sample in enumerate(unions.values()):
        alone = measure.estimate(sample)
        assert found.error[place] == pytest.approx(alone.value, abs=1e-12)
        assert found.sigma[place] == pytest.approx(alone.evidence.standard_deviation, abs=1e-14)
        variance = float(sample.w @ (sample.p * (1 - sample.p)))
        assert found.tested[place] == (variance >= 5.0)
    whole = measure.estimate(unions.whole)
    assert found.sigma_of_all == pytest.approx(whole.evidence.standard_deviation, abs=1e-14)
    assert found.multicalibration_error == pytest.approx(np.nanmax(found.standardised) * found.sigma_of_all)


def test_unions_hold_the_rows_of_their_values():
    y, p, by = rows()
    crossed = fot.read(y, p, by=by)
    each = segments_of(crossed, "each")
    pairs = segments_of(crossed, "pairs")
    assert segments_of(crossed, "crossed") is crossed
    assert list(each)[:3] == ["site = 0", "site = 1", "site = 2"]
    assert len(each) == 3 + 2 + 4
    assert len(pairs) == len(each) + 3 * 2 + 3 * 4 + 2 * 4
    chosen = (by["site"] == 1) & (by["sex"] == "f")
    found = pairs["site = 1 and sex = f"]
    expected = fot.ScoreSample(y[chosen], p[chosen])
    np.testing.assert_array_equal(found.rows.p, expected.rows.p)
    np.testing.assert_array_equal(found.rows.y, expected.rows.y)
    joined = union(list(crossed.values()))
    np.testing.assert_array_equal(joined.rows.p, crossed.whole.rows.p)


def test_step_down_p_values_by_brute_force():
    y, p, by = rows()
    _, found = maxima(y, p, by)
    t = found.standardised[found.tested]
    expected = np.empty(t.size)
    order = np.argsort(-t)
    for j, place in enumerate(order):
        rest = order[j:]
        expected[place] = (1 + np.sum(found.drawn[:, rest].max(axis=1) >= t[place] * (1 - 1e-6))) / 61
    expected[order] = np.maximum.accumulate(expected[order])
    np.testing.assert_allclose(found.adjusted_p_values[found.tested], expected)
    assert np.isnan(found.adjusted_p_values[~found.tested]).all()
    single = (1 + np.sum(found.drawn >= t * (1 - 1e-6), axis=0)) / 61
    assert np.all(expected >= single - 1e-12)


def test_labels_are_drawn_for_all_segments_at_once():
    """A segment of all rows has the statistic of the whole walk; nested segments share labels."""
    y, p, by = rows(ties=False)
    by = {"all": np.zeros(y.size, dtype=int), "site": by["site"]}
    unions, found = maxima(y, p, by, "pairs", draws=30)
    keys = list(unions)
    for site in range(3):
        one, nested = keys.index(f"site = {site}"), keys.index(f"all = 0 and site = {site}")
        np.testing.assert_array_equal(found.drawn[:, one], found.drawn[:, nested])


def test_order_copies_and_cells_tell_the_same():
    y, p, by = rows()
    _, found = maxima(y, p, by)
    order = np.random.default_rng(1).permutation(y.size)
    _, shuffled = maxima(y[order], p[order], {name: column[order] for name, column in by.items()})
    np.testing.assert_array_equal(shuffled.drawn, found.drawn)
    w = np.random.default_rng(2).integers(0, 4, y.size)
    _, weighted = maxima(y, p, by, sample_weight=w)
    repeated = {name: np.repeat(column, w) for name, column in by.items()}
    _, copies = maxima(np.repeat(y, w), np.repeat(p, w), repeated)
    np.testing.assert_allclose(weighted.drawn, copies.drawn, rtol=1e-6)
    np.testing.assert_allclose(weighted.adjusted_p_values, copies.adjusted_p_values)
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"y": y, "p": p, **by})
    cells = fot.read(frame.lazy(), label="y", prob="p", by=["site", "sex", "age"])
    np.testing.assert_array_equal(
        SegmentMaxima.of(segments_of(cells, "pairs"), CumulativeError(), 60, 0).drawn, found.drawn
    )


def test_importances_have_a_label_each_and_their_scale_means_nothing():
    y, p, by = rows(ties=False)
    w = np.random.default_rng(0).exponential(size=y.size)
    _, found = maxima(y, p, by, sample_weight=w)
    _, scaled = maxima(y, p, by, sample_weight=8.0 * w)
    np.testing.assert_allclose(scaled.standardised, found.standardised)
    np.testing.assert_array_equal(found.tested, scaled.tested)
    np.testing.assert_allclose(scaled.drawn[:, : found.drawn.shape[1]].mean(), found.drawn.mean(), rtol=0.1)


def test_groups_make_redrawn_labels_depend_on_each_other():
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(80), 12)
    site = (np.arange(80) % 2)[group]
    p = rng.random(960)
    y = rng.random(960) < np.clip(p + 0.3 * rng.standard_normal(80)[group], 0, 1)
    by = {"site": site, "half": rng.integers(0, 2, 960)}
    _, alone = maxima(y, p, by, "each", draws=200)
    _, grouped = maxima(y, p, by, "each", draws=200, groups=group)
    assert np.quantile(grouped.maxima, 0.95) > 1.3 * np.quantile(alone.maxima, 0.95)


def test_tiny_segments_are_not_tested():
    y, _, by = rows(200)
    _, found = maxima(y, np.full(200, 0.001), by)
    assert not found.tested.any()
    assert found.largest == 0.0
    assert found.drawn.shape == (60, 0)


def test_refusals():
    y, p, by = rows(60)
    with pytest.raises(ValueError, match="segments must be 'crossed' where by is one column"):
        segments_of(fot.read(y, p, by=by["site"]), "each")
    with pytest.raises(ValueError, match="segments must be one of 'crossed', 'each', 'pairs'"):
        segments_of(fot.read(y, p, by=by), "triples")
    labels = np.array(["a", "b", "c"])[by["site"]]
    P = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    several = fot.read(labels, P, reduction="classwise", by={"sex": by["sex"], "age": by["age"]})
    with pytest.raises(ValueError, match="segments must be 'crossed' unless they are of one score"):
        segments_of(several, "each")
