"""Plans of evaluations: false alarms, power, widths, rows needed, and what is refused."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.apps.planning import planning
from fitontest.apps.planning.evaluation_plan import EvaluationPlan
from fitontest.apps.planning.prospect import NULL_DRAWS, Prospect
from tests.labellings import fit_predict_many

BINS = fot.Slope1(15)


def records(plan, **wanted):
    return [row for row in plan.rows() if all(row[key] == value for key, value in wanted.items())]


@pytest.fixture(scope="module")
def plan():
    return fot.apps.plan_evaluation(n=[500, 2000], families=[BINS, "platt"], thorough=True)


@pytest.mark.exhaustive
def test_calibrated_scores_raise_false_alarms_at_the_level(plan):
    rates = [row["power"] for row in records(plan, error=0.0)]
    assert len(rates) == 4
    spread = np.sqrt(0.05 * 0.95 * (1 / 200 + 1 / NULL_DRAWS))  # the null is drawn too
    assert np.all(np.abs(np.array(rates) - 0.05) < 3 * spread)


def test_power_grows_with_rows_and_error_and_widths_shrink(plan):
    for family, truth in (("slope1", "overconfident"), ("slope1", "wavy"), ("platt", "overconfident")):
        found = {(row["n"], row["error"]): row for row in records(plan, family=family, truth=truth)}
        assert found[2000, 0.02]["power"] > found[500, 0.02]["power"]
        assert found[500, 0.05]["power"] > found[500, 0.02]["power"]
        for error in (0.02, 0.05):
            assert found[500, error]["width"] > 1.4 * found[2000, error]["width"]


def test_platt_sees_no_waves(plan):
    """It cannot follow them, and its raw error is far too small; bins follow anything."""
    platt, bins = (records(plan, family=name, n=2000, error=0.05, truth="wavy")[0] for name in ("platt", "slope1"))
    assert platt["power"] < 0.5 < bins["power"]
    assert platt["raw_bias"] < -0.03
    assert abs(bins["raw_bias"]) < 0.01


def test_debiasing_takes_off_most_of_the_bias_at_calibration(plan):
    row = records(plan, family="slope1", n=500, error=0.0)[0]
    assert row["raw_bias"] > 0.04
    assert 0 < row["debiased_bias"] < 0.5 * row["raw_bias"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("family", "error", "truth"), [(BINS, 0.05, "wavy"), ("platt", 0.05, "overconfident")])
def test_widths_and_debiased_errors_are_those_of_evaluations(family, error, truth):
    """Against intervals computed in full, on other labels. Both means have a standard error of some 4 %."""
    plan = fot.apps.plan_evaluation(n=[600], errors=[error], families=[family], thorough=True)
    options = planning._Options(None, [600], None, [error], [family], None, None, 200, 0)
    scores = options._scores(600)
    c = scores.truth(planning.Truth(error, truth))
    row = records(plan, truth=truth)[0]
    real = []
    for k in range(16):
        y = np.random.default_rng([7, k]).random(600) < c
        real.append(fot.calibration_error(y, scores.p, family=family, interval="always", random_state=k))
    widths = [each.interval.high - each.interval.low for each in real]
    assert row["width"] == pytest.approx(np.mean(widths), rel=0.15)
    debiased = np.array([each.debiased for each in real])
    assert abs(row["debiased_bias"] + error - debiased.mean()) < 3 * debiased.std() / 4


def test_the_order_of_the_scores_plays_no_part_and_a_seed_fixes_all():
    p = np.random.default_rng(3).beta(2, 5, 60)
    given = {"n": [80], "errors": [0.05], "families": ["isotonic"], "draws": 20}
    plan = fot.apps.plan_evaluation(p, **given, random_state=4)
    assert plan.rows() == fot.apps.plan_evaluation(list(p[::-1]), **given, random_state=4).rows()
    assert plan.rows() != fot.apps.plan_evaluation(p, **given, random_state=5).rows()
    assert plan.base_rate == pytest.approx(p.mean())


def test_families_see_the_same_labels_whatever_else_is_asked():
    given = {"errors": [0, 0.05], "draws": 20, "random_state": 1}
    alone = fot.apps.plan_evaluation(n=[50], families=["platt"], **given)
    among = fot.apps.plan_evaluation(n=[30, 50], families=["isotonic", "platt"], **given)
    assert alone.rows() == records(among, family="platt", n=50)


def test_sizes_double_from_the_rows_of_the_scores():
    plan = fot.apps.plan_evaluation(np.linspace(0.1, 0.9, 20), errors=[0], families=["platt"], draws=20, width=0.9)
    assert [row["n"] for row in plan.rows()] == [20, 40, 80, 160]


def test_beta_scores_have_the_base_rate():
    for rate, spread in ((0.5, 1 / np.sqrt(12)), (0.01, 0.01), (0.9, 0.09)):
        options = planning._Options(None, [20_000], rate, [0], None, None, None, 20, 0)
        p = options._scores(20_000).p
        assert p.mean() == pytest.approx(rate, rel=0.03)
        assert p.std() == pytest.approx(spread, rel=0.05)


def test_errors_out_of_reach_are_said_to_be():
    plan = fot.apps.plan_evaluation(
        n=[100], base_rate=0.01, errors=[0, 0.02], families=["isotonic"], draws=20, power=0.8
    )
    assert [row["power"] is None for row in plan.rows()] == [False, True, True]
    assert [(one.error, one.truth) for one in plan.unreachable] == [(0.02, "overconfident"), (0.02, "wavy")]
    assert all(0.001 < one.largest < 0.02 for one in plan.unreachable)
    assert "An error of 0.02 is out of reach of overconfident scores" in str(plan)
    assert plan.needed == ()


def test_a_family_that_sees_nothing_has_no_interval():
    plan = fot.apps.plan_evaluation(n=[50], errors=[0, 0.1], families=["identity"], draws=20)
    assert {row["width"] for row in plan.rows()} == {None}
    assert {row["power"] for row in plan.rows()} == {0.0}
    assert plan.rows()[0]["raw_bias"] == 0.0


def test_scores_that_are_all_alike():
    plan = fot.apps.plan_evaluation([0.3] * 40, n=[40], families=["platt"], draws=20)
    assert [row["power"] is None for row in plan.rows()] == [False, True, True, True, True]
    assert plan.rows()[0]["width"] > 0


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_labels_that_cannot_vary(value):
    plan = fot.apps.plan_evaluation([value] * 20, families=["isotonic", "spline"], n=[20], errors=[0], draws=20)
    assert [(row["power"], row["width"]) for row in plan.rows()] == [(0.0, None)] * 2


def test_rows_are_doubled_until_the_requirement_is_met_or_there_are_too_many(monkeypatch):
    given = {"n": [40], "errors": [0.1], "draws": 40, "families": ["platt"], "power": 0.8}
    monkeypatch.setattr(planning, "MOST", 700)
    plan = fot.apps.plan_evaluation(**given)
    met = {one.truth: one for one in plan.needed}["overconfident"]
    tried = [row for row in plan.rows() if row["truth"] == "overconfident"]
    below = max(row["n"] for row in tried if row["power"] < 0.8 and row["n"] < met.n * 2)
    assert met.relation == "about"
    assert below < met.n <= 2 * below
    monkeypatch.setattr(planning, "MOST", 100)
    plan = fot.apps.plan_evaluation(**given)
    assert sorted({row["n"] for row in plan.rows()}) == [40, 80]
    assert {(one.relation, one.n) for one in plan.needed} >= {("more than", 80)}
    assert "> 80" in str(plan.table())


def made(values, key="power", **wanted):
    """Return a plan of one family with these values at 1000, 2000, ... rows."""
    error = 0.02 if key == "power" else 0.0
    truth = "wavy" if key == "power" else "calibrated"
    prospects = [Prospect("platt", 1000 * 2**k, error, truth, **{key: value}) for k, value in enumerate(values)]
    wanted = {"width": None, "power": None, **wanted}
    return EvaluationPlan(
        prospects=tuple(prospects), unreachable=(), base_rate=0.5, own_scores=False, draws=20, **wanted
    )


def test_rows_needed_are_interpolated_on_the_logarithm_of_the_size():
    needed = made([0.2, 0.6, 1.0], power=0.8).needed[0]
    assert (needed.relation, needed.n) == ("about", 2900)  # 2000 sqrt 2 = 2828, rounded up
    assert str(made([0.8, 0.9], power=0.8).needed[0]) == "<= 1,000"
    assert str(made([0.2, 0.7], power=0.8).needed[0]) == "> 2,000"
    widths = made([0.08, 0.02], "width", width=0.04).needed[0]  # half-way in both logarithms: 1414
    assert (widths.relation, widths.n) == ("about", 1500)
    assert not made([0.08, 0.05], "width", width=0.04).meets("platt")


def test_it_is_a_table_in_all_forms(plan):
    frame = plan.to_frame()
    assert len(frame) == 2 * 2 * 5
    assert list(frame.columns)[:4] == ["family", "n", "error", "truth"]
    assert '"needed": []' in plan.to_json()
    text = str(plan.table())
    assert "power at 0.02" in text
    assert text.index("2,000 rows: an interval of +-0.0") < text.index("false alarms")
    assert plan.to_html().count("<table") == 1


def test_it_prints_the_answer_in_a_few_lines(plan):
    lines = str(plan).splitlines()
    assert lines[0].startswith("500 rows: an interval of +-0.0")
    assert lines[1].startswith("2,000 rows: an interval of +-0.0")
    assert len(lines) <= 8
    assert "power" not in str(plan)
    assert "power: that share of scores with the error" in " ".join(str(plan.explain()).split())


def test_pl_is_refitted_by_its_stand_in():
    scores = planning._Scores(20, planning.unlabelled(np.linspace(0.1, 0.9, 20)), 0)
    simulation = planning._Simulation("pl", fot.measures.PlugIn(fot.PL()), scores, 20, planning.QUICK)
    assert isinstance(simulation.measure.family, fot.PL)
    assert isinstance(simulation.refitted.family, fot.Spline)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"p": [0.2, 1.2]}, r"p must lie in \[0, 1\], got 1.2 at row 2"),
        ({"p": []}, "p must not be empty"),
        ({"reduction": "confidence"}, "reduction must be left out without p"),
        ({"p": [[0.2, 0.8]], "reduction": "classwise"}, "got 'classwise': the scores of each class are evaluated by"),
        ({"p": [[0.2, 0.8]], "reduction": "canonical"}, "got 'canonical': errors are planted along the scores of one"),
        ({"p": fot.ScoreSample([0, 1], [0.2, 0.8], [0.5, 1.0])}, "p must have weights that are counts, or none"),
        ({"p": [0.1] * 9}, r"n must be a whole number of rows, at least 10; got 9 \(of the rows of p; give n for"),
        ({"p": [0.1] * 20, "base_rate": 0.1}, "base_rate must be left out where p is given"),
        ({"base_rate": 0}, r"base_rate must be a number in \(0, 1\), got 0"),
        ({"n": 9}, "n must be a whole number of rows, at least 10; got 9"),
        ({"n": 100.5}, "n must be"),
        ({"n": [100, True]}, "n must be a whole number of rows, at least 10; got True"),
        ({"errors": [0.1, 1]}, r"errors must be numbers in \[0, 1\), got 1"),
        ({"errors": 0.1}, "errors must be a non-empty list of errors, got 0.1"),
        ({"errors": [0], "power": 0.8}, "power must be left out unless there are positive errors, got 0.8"),
        ({"width": 0}, r"width must be a number in \(0, 1\), got 0"),
        ({"power": 80}, r"power must be a number in \(0, 1\), got 80"),
        ({"draws": 19}, "draws must be a whole number, at least 20; got 19"),
        ({"families": "platt"}, r"families must be a non-empty list of families, got 'platt'; write families="),
        ({"families": ["plat"]}, "family must be one of"),
        ({"families": [fot.maps.IdentityMap()]}, "families must be names of families or families"),
        ({"random_state": -1}, "random_state must be a whole number"),
        ({"thorough": 1}, "thorough must be True or False, got 1"),
        ({"y_prob": [0.1] * 20}, "y_prob must be given as p where there are no labels"),
        ({"p": [0, 1], "y_prob": [0.1]}, "y_prob must have"),
        ({"p": [0.2, 0.7], "y_prob": [0.1, 0.2]}, "y_true must"),
    ],
)
def test_refusals(given, message):
    with pytest.raises(ValueError, match=message):
        fot.apps.plan_evaluation(**given)


def test_the_default_is_quick_and_thorough_is_deeper():
    quick, deep = (planning._Options(*[None] * 3, [0], *[None] * 4, 0, thorough=value) for value in (False, True))
    assert list(quick.families) == ["spline", "isotonic", "slope1"]
    assert set(quick.families) < set(deep.families)
    assert (quick.draws, deep.draws) == (100, 200)
    assert quick.depth.groups * quick.depth.chain_draws < deep.depth.groups * deep.depth.chain_draws
    assert quick.depth.noise_at(25) == pytest.approx(2 * quick.depth.noise_at(100))
    given = {"n": [60], "errors": [0.1], "families": ["platt"], "draws": 40}
    assert fot.apps.plan_evaluation(**given).rows() != fot.apps.plan_evaluation(**given, thorough=True).rows()


def test_without_a_wish_an_interval_and_a_power_are_wanted():
    wished = planning._Options(None, None, None, [0, 0.1], *[None] * 4, 0)
    assert (wished.width, wished.power) == (0.02, 0.8)
    assert planning._Options(None, None, None, [0], *[None] * 4, 0).power is None
    assert planning._Options(None, 50, None, [0], *[None] * 4, 0).width is None
    assert planning._Options(None, None, None, [0], None, 0.1, None, None, 0).width == 0.1


def test_the_labels_of_a_pilot_sample_have_no_part():
    rng = np.random.default_rng(0)
    p, given = rng.random(50), {"n": [60], "errors": [0.1], "families": ["platt"], "draws": 20}
    assert fot.apps.plan_evaluation(p > 0.5, p, **given).rows() == fot.apps.plan_evaluation(p, **given).rows()
    P = rng.dirichlet(np.ones(3), 50)
    of_confidences = fot.apps.plan_evaluation(P.argmax(axis=1), P, reduction="confidence", **given)
    assert of_confidences.rows() == fot.apps.plan_evaluation(P.max(axis=1), **given).rows()


def test_directions_are_the_splines_of_the_chosen_labels():
    """In the order in which they are chosen, also from several blocks of draws."""
    options = planning._Options(None, [30_000], None, [0.05], ["platt"], None, None, 40, 0)
    scores = options._scores(30_000)
    c = scores.truth(planning.Truth(0.05, "wavy"))
    blocks = scores.redraws.blocks(40)
    assert len(blocks) == 3
    chosen = np.array([33, 2, 18, 1])
    labels = np.concatenate([scores._draw([c], block, planning.LABELS)[0] for block in blocks], axis=1)
    expected = fit_predict_many(fot.Spline(), scores.p, labels[:, chosen])
    np.testing.assert_allclose(scores.directions(c, 40, chosen), expected.T, rtol=0, atol=1e-9)


def test_confidences_cells_and_rows_that_were_read_are_planned_as_their_scores():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), 200)
    y, top = P.argmax(axis=1), P.max(axis=1)
    options = {"n": [60], "errors": [0.0], "families": ["platt"], "draws": 20}
    expected = fot.apps.plan_evaluation(top, **options).to_dict()
    assert fot.apps.plan_evaluation(P, reduction="confidence", **options).to_dict() == expected
    assert fot.apps.plan_evaluation(fot.read(y, P, reduction="confidence"), **options).to_dict() == expected
    assert fot.apps.plan_evaluation(fot.Cells.of(y == 0, top, exact=True), **options).to_dict() == expected
    counted = fot.ScoreSample(y == 0, top, np.full(200, 2))
    assert (
        fot.apps.plan_evaluation(counted, **options).to_dict()
        == fot.apps.plan_evaluation(np.repeat(top, 2), **options).to_dict()
    )
