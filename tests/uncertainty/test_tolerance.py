"""What is near enough: verdicts that must not call scores close to calibrated, and those that may."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.numerics.links import logit, sigmoid
from fitontest.uncertainty.event_ratio import event_ratio
from fitontest.uncertainty.tolerance import Tolerance, read_tolerance
from fitontest.uncertainty.verdict import CLOSE, NO_DIRECTION, NOT_SHOWN

ONE = {"families": ["spline"], "draws": 15, "null_draws": 60}


def verdict(y, p, **options):
    return fot.evaluate(y, p, **ONE, **options).verdict


def drawn(truth, p, seed=0):
    return np.random.default_rng(seed).random(p.size) < truth


def beta(a, b, n, seed=1):
    return np.random.default_rng(seed).beta(a, b, n)


def evenly(truth, p):
    """Return labels that follow the truth in every stretch of the scores, so that what is planted is what is there."""
    order = np.argsort(p)
    y = np.zeros(p.size, dtype=bool)
    y[order] = np.diff(np.floor(np.cumsum(truth[order]) + 0.5), prepend=0) > 0
    return y


def test_failures_of_good_scores_are_counted():
    """Scores near .99 whose failures are 56 % above prediction: O:E of events and slope say nothing."""
    p = 1 - 0.02 * beta(1.5, 1.5, 20_000)
    y = evenly(1 - 1.56 * (1 - p), p)
    found = verdict(y, p)
    assert abs(y.sum() / p.sum() - 0.994) < 0.0015
    assert found.headline == "Scores too high"
    assert found.opening.startswith("Scores too high: 56 % more non-events than predicted (O:E of non-events 1.56, ")


def test_a_wave_at_a_small_base_rate_is_not_close():
    """The error is half the base rate, O:E and slope are 1."""
    x = np.random.default_rng(0).normal(np.log(0.003), 0.35, 100_000)
    p = np.exp(x).clip(1e-5, 0.1)
    wave = np.sin(16 * x)
    truth = p * (1 + 0.8 * (wave - (p @ wave) / p.sum()))
    found = verdict(evenly(truth, p), p)
    assert found.sizes.ratio.value == pytest.approx(1.0, abs=0.02)
    assert np.mean(np.abs(truth - p)) == pytest.approx(p.mean() / 2, rel=0.1)
    assert found.sizes.most_error == pytest.approx(0.0003, rel=0.1)
    assert not found.close
    assert found.headline == NO_DIRECTION
    assert any("upper limit of the error" in text for text in found.sizes.obstacles)


@pytest.mark.parametrize("n", [5_000, 20_000])
def test_the_top_percent_is_named(n):
    p = beta(2, 2, n)
    top = p >= np.quantile(p, 0.99)
    found = verdict(evenly(np.where(top, 0.5, p), p), p)
    assert not found.close
    (part, *_) = found.sizes.parts
    assert part.gap < -0.05
    assert np.quantile(p, 0.97) < part.low < np.quantile(p, 0.995)
    assert f"{part.where} are " in found.opening.lower()
    assert " too high (" in found.opening


def test_scores_that_many_rows_share_are_held_by_themselves():
    """A band passes them by."""
    p = np.concatenate((beta(2, 2, 9_700), np.full(300, 0.95)))
    y = np.append(evenly(p[:9_700], p[:9_700]), np.arange(300) % 5 > 0)
    found = verdict(y, p)
    assert found.opening.lower().endswith("scores of 0.95 are 0.15 too high (3 % of the rows)")
    assert found.shown
    assert not found.close


def test_two_segments_that_cancel_are_told_of():
    p = beta(2, 3, 10_000)
    line = np.where(np.random.default_rng(2).random(p.size) < 0.5, "retail", "sme")
    y = evenly(p, p)
    for name, by in (("sme", 1.25), ("retail", 0.75)):
        y[line == name] = evenly(by * p[line == name], p[line == name])
    found = fot.evaluate(y, p, by=line, families=["spline"])
    assert found.total.verdict.close
    assert found.opening.startswith(CLOSE)
    assert found.opening.endswith("; retail is not (O:E 0.75)")
    assert str(found).splitlines()[0].startswith(CLOSE)
    fine = fot.evaluate(evenly(p, p), p, by=line, families=["spline"])
    assert "is not" not in fine.opening
    assert "segment" not in fine.opening


def test_sixty_rows_show_little():
    p = beta(2, 2, 60)
    found = verdict(drawn(p, p), p)
    assert (found.headline, found.close) == (NOT_SHOWN, False)
    assert found.opening == "No miscalibration shown, but 60 rows can show little"
    assert found.left_open[0].startswith("With 240 rows errors above about 0.")


def test_few_events_are_never_close():
    p = np.full(2_000, 0.0095)
    y = np.arange(2_000) < 19
    found = verdict(y, p, tolerance=Tolerance(0.9, 0.9, 0.5))
    assert "there are fewer than 20 events or non-events" in found.sizes.obstacles
    assert "there is no slope" in found.sizes.obstacles
    assert not found.close


def test_close_to_calibrated_names_what_can_be_measured():
    p = beta(2, 4, 20_000) / 3
    exact = verdict(evenly(p, p), p)
    assert exact.opening == f"{CLOSE}: O:E 1.00, slope 1.00, within the tolerance of 10 %"
    p = beta(1.5, 60, 150_000)
    more = verdict(evenly(1.05 * p, p), p)
    assert more.shown
    assert more.opening.startswith(f"{CLOSE}: 5 % more events than predicted (O:E 1.05, 95 % CI 1.0")
    assert more.opening.endswith("), within the tolerance of 10 %")
    strict = verdict(evenly(1.05 * p, p), p, tolerance=0.02)
    assert strict.opening.startswith("Scores too low: 5 % more events than predicted (O:E 1.05, 95 % CI 1.0")


def test_the_largest_finding_comes_first():
    """A shift of 2.6 logits is not "underconfident"."""
    p = beta(1, 3, 5_000)
    found = verdict(drawn(sigmoid(1.2 * logit(p, 1e-9) + 2.6), p), p)
    assert found.headline == "Scores too low, and underconfident"
    found = verdict(drawn(sigmoid(0.4 * logit(p, 1e-9)), p), p)
    assert found.headline == "Overconfident, and scores too low"
    assert verdict(drawn(1 - p, p), p).headline.startswith("Ranks in reverse")


def test_a_direction_is_named_only_where_its_interval_leaves_the_tolerance():
    p = beta(1, 1, 40_000)
    y = evenly(sigmoid(0.95 * logit(p, 1e-9)), p)
    found = verdict(y, p)
    assert found.tendency.slope_interval.high < 1
    assert found.tendency.slope_interval.low > 0.9
    assert found.directions == []
    assert verdict(y, p, tolerance=0.02).directions == ["overconfident"]


def test_the_ratio_is_of_the_rarer_label():
    for base, of in ((0.3, "events"), (0.7, "non-events")):
        p = np.full(200, base)
        y = np.arange(200) < 200 * base + 20
        ratio = event_ratio(fot.ScoreSample(y, p))
        observed = 80 / 60 if of == "events" else 40 / 60
        assert (ratio.of, ratio.scores_are_low) == (of, True)
        assert ratio.value == pytest.approx(observed)
        assert ratio.interval.low < observed < ratio.interval.high
    assert event_ratio(fot.ScoreSample([0, 1], [0.0, 0.0])) is None


def test_of_the_other_label_the_interval_is_that_of_mirrored_rows():
    p = beta(2, 2, 500)
    y = drawn(p, p)
    one = fot.measure(y, p, fot.measures.make("observed_expected", of="non-events"), interval="always")
    mirrored = fot.measure(~y, 1 - p, "observed_expected", interval="always")
    assert float(one) == pytest.approx(float(mirrored))
    assert (one.interval.low, one.interval.high) == pytest.approx((mirrored.interval.low, mirrored.interval.high))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (0, r"^tolerance must be a number in \(0, 1\), .*; got 0$"),
        ("0.1", r"^tolerance must be a number in \(0, 1\), .*; got '0.1'$"),
        (True, r"^tolerance must be a number in \(0, 1\)"),
    ],
)
def test_what_is_no_tolerance_is_refused(given, message):
    with pytest.raises(ValueError, match=message):
        fot.evaluate([0, 1], [0.2, 0.7], tolerance=given)


def test_a_number_is_of_ratio_and_slope():
    assert read_tolerance(0.05) == Tolerance(ratio=0.05, slope=0.05, error=0.01)
    assert read_tolerance(Tolerance(error=0.02)) == Tolerance(0.1, 0.1, 0.02)
    with pytest.raises(ValueError, match=r"^slope of a tolerance must be a number in \(0, 1\), got 1.5$"):
        Tolerance(slope=1.5)
    assert (str(Tolerance()), str(Tolerance(slope=0.2))) == ("10 %", "10 % (20 % of the slope)")


def test_calibrated_scores_have_no_wrong_parts():
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (0.4, 0.7), (1, 6)):
        for n in (100, 400):
            p = rng.beta(*shape, n)
            assert verdict(rng.random(n) < p, p).sizes.parts == ()


def test_it_is_of_every_verdict_of_an_evaluation():
    p = beta(1, 2, 400)
    y = drawn(p, p)
    near = Tolerance(0.5, 0.5, 0.5)
    alone = fot.evaluate(y, p, tolerance=near, **ONE)
    models = fot.evaluate(y, {"a": p, "b": p**1.01}, tolerance=near, **ONE)
    segments = fot.evaluate(y, p, by=np.arange(400) % 2, tolerance=near, **{**ONE, "null_draws": 80})
    assert {one.tolerance for one in (alone, alone.only(["spline"]), models["b"], segments.total, segments[1])} == {
        near
    }
    assert alone.verdict.sizes.tolerance == near
    assert alone.to_dict()["verdict"]["tolerance"] == {"ratio": 0.5, "slope": 0.5, "error": 0.5}
