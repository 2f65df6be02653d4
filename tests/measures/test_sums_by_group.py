"""Standard errors where rows belong together: sums over groups in place of rows, against their formula."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.known_groups import NOT_LEARNT
from fitontest.numerics.norms import find_norm
from fitontest.numerics.standard_error import standard_error

RNG = np.random.default_rng(0)
N, K = 240, 30
P = np.round(RNG.random(N), 2)
Y = (RNG.random(N) < P**1.5).astype(int)
IDS = RNG.integers(0, K, N)
W = RNG.exponential(size=N)
COPIES = RNG.integers(1, 4, N)
P3 = RNG.dirichlet([1, 1, 1], N)
KNOTS = fot.maps.KnotsMap([0, 1], [0.2, 0.7])
Y3 = RNG.integers(0, 3, N)


def by_group(values, w, ids):
    """Return the standard error of a mean of deviations as the formula has it, group by group."""
    sums = [(w[ids == k] * values[ids == k]).sum() for k in np.unique(ids)]
    return np.sqrt(len(sums) / (len(sums) - 1) * np.sum(np.square(sums))) / w.sum()


@pytest.mark.parametrize("norm", ["l1", "l2", "squared"])
@pytest.mark.parametrize(
    "family", [fot.Slope1(4), fot.Flat(), "platt", "isotonic", fot.maps.KnotsMap([0, 1], [0.2, 0.7])]
)
@pytest.mark.parametrize("w", [None, W, COPIES])
def test_the_error_with_the_map_held_fixed_is_that_of_sums_over_groups(norm, family, w):
    estimate = fot.calibration_error(fot.read(Y, P, sample_weight=w, groups=IDS), family=family, norm=norm)
    weights = np.ones(N) if w is None else w
    g = np.abs(estimate.map(P) - P)
    assert estimate.se_map_fixed == pytest.approx(by_group(find_norm(norm).influence(g, weights), weights, IDS))
    assert estimate.se_reason == ""


def test_copies_are_rows_of_one_group():
    counted = fot.calibration_error(fot.read(Y, P, sample_weight=COPIES, groups=IDS), family="platt")
    y, p, ids = (np.repeat(column, COPIES) for column in (Y, P, IDS))
    assert counted.se_map_fixed == pytest.approx(
        fot.calibration_error(fot.read(y, p, groups=ids), family="platt").se_map_fixed
    )


def test_names_of_groups_and_the_order_of_rows_mean_nothing():
    order, names = np.random.default_rng(1).permutation(N), np.array([f"patient {k}" for k in IDS[::-1]])[::-1]
    first = fot.calibration_error(fot.read(Y, P, groups=IDS), family="isotonic").se_map_fixed
    other = fot.read(Y[order], P[order], groups=names[order])
    assert fot.calibration_error(other, family="isotonic").se_map_fixed == pytest.approx(first, rel=1e-12)


def test_whole_distributions_have_it_too():
    sample = fot.read(Y3, P3, reduction="canonical", groups=IDS)
    estimate = fot.calibration_error(sample, family="temperature")
    g = np.abs(estimate.map(P3) - P3).sum(axis=1) / 2
    assert estimate.se_map_fixed == pytest.approx(by_group(g - g.mean(), np.ones(N), IDS))


@pytest.mark.parametrize("groups", [np.arange(N), np.arange(N)[::-1]])
def test_groups_of_one_row_each_have_the_error_of_rows(groups):
    plain = fot.calibration_error(Y, P, family=fot.Slope1(4))
    assert fot.calibration_error(fot.read(Y, P, groups=groups), family=fot.Slope1(4)).se_map_fixed == plain.se_map_fixed
    held = fot.measures.ProperError("platt")
    assert held.estimate(fot.read(Y, P, groups=groups)).standard_error == held.estimate(fot.read(Y, P)).standard_error


def test_of_sums_of_single_rows_the_formula_has_a_factor():
    values = W - W.mean()
    ones = np.ones(N)
    assert standard_error(values, ones, ones, np.arange(N)) == pytest.approx(
        standard_error(values, ones, ones) * np.sqrt(N / (N - 1))
    )
    with pytest.raises(ValueError, match="groups must be at least 2 for a standard error by groups, got 1"):
        standard_error(values, ones, ones, np.zeros(N, dtype=int))


def test_fewer_than_ten_groups_have_none():
    estimate = fot.calibration_error(fot.read(Y, P, groups=IDS % 9), family="platt")
    assert (estimate.se_map_fixed, estimate.se_reason) == (None, NOT_LEARNT)
    assert "fewer than 10 groups" in NOT_LEARNT
    uneven = np.where(np.arange(N) < 150, 0, np.arange(N))  # many groups, of which one outweighs the others
    assert fot.calibration_error(fot.read(Y, P, groups=uneven), family="platt").se_reason == NOT_LEARNT
    held = fot.measures.ProperError("platt").estimate(fot.read(Y, P, groups=IDS % 9))
    assert held.standard_error is None
    assert "no standard error of so few groups" in str(held)
    assert "ependence cannot be learnt" in str(held)
    assert held.to_dict()["standard_error"] is None


@pytest.mark.parametrize("sample", [fot.read(Y, P, groups=IDS), fot.read(Y3, P3, reduction="canonical", groups=IDS)])
def test_the_proper_error_holds_out_whole_groups_and_sums_over_them(sample, monkeypatch):
    gains = []
    from fitontest.measures import proper_error as module

    def spied(values, w, w2, groups=None):
        gains.append((values, w, groups))
        return mean_and_error(values, w, w2, groups)

    mean_and_error = module.mean_and_error
    monkeypatch.setattr(module, "mean_and_error", spied)
    estimate = fot.measures.ProperError("temperature", cv=5).estimate(sample)
    (values, w, groups), rows = gains[0], sample.present
    ids = rows.facts["group"]
    assert estimate.standard_error == pytest.approx(by_group(values - np.average(values, weights=w), w, ids))
    assert np.unique(np.column_stack((groups, ids)), axis=0).shape[0] == np.unique(IDS).size


def test_values_that_take_off_the_noise_of_independent_rows_say_so():
    sample, plain = fot.read(Y, P, groups=IDS), fot.read(Y, P)
    single = fot.read(Y, P, groups=np.arange(N))
    for measure in (fot.measures.PlugIn(fot.Slope1(4), debias=True), fot.measures.KernelError(estimator="unbiased")):
        assert float(measure.estimate(sample)) == float(measure.estimate(plain))
        assert "noise is taken off as that of independent rows" in measure.estimate(sample).note
        assert "independent" not in str(measure.estimate(plain).note) + str(measure.estimate(single).note)
    assert fot.measures.KernelError(estimator="biased").estimate(sample).note is None
    assert "rows of one group are not" in fot.measures.make("pairs").estimate(sample).note


def placements(y, p, w):
    """Return by how much each row moves the area under the ROC curve, times W, pair by pair."""
    right = (p[:, None] > p[None, :]) + 0.5 * (p[:, None] == p[None, :])
    plus, minus = w * (y == 1), w * (y == 0)
    area = plus @ right @ minus / (plus.sum() * minus.sum())
    of_positives = (right @ minus / minus.sum() - area) * w.sum() / plus.sum()
    of_negatives = (plus @ right / plus.sum() - area) * w.sum() / minus.sum()
    return area, np.where(y == 1, of_positives, of_negatives)


@pytest.mark.parametrize("w", [None, W, COPIES])
def test_the_area_under_the_curve_has_it_too(w):
    weights = np.ones(N) if w is None else w.astype(float)
    area, psi = placements(Y, P, weights)
    estimate = fot.measures.AUC().estimate(fot.read(Y, P, sample_weight=w, groups=IDS))
    assert float(estimate) == pytest.approx(area)
    assert estimate.standard_error == pytest.approx(by_group(psi, weights, IDS))
    plain = fot.measures.AUC().estimate(fot.read(Y, P, sample_weight=w))
    squares = weights if w is COPIES else weights**2
    variance = 0.0
    for label in (0, 1):  # each row freed of what it decides of the mean of its class
        of = label == Y
        own = 1 / of.sum() if w is None else 1 / weights[of].sum() if w is COPIES else weights[of] / weights[of].sum()
        variance += np.sum(squares[of] * psi[of] ** 2 / (1 - own))
    assert plain.standard_error == pytest.approx(np.sqrt(variance) / weights.sum())
    assert f"standard error {estimate.standard_error:.2g}" in str(estimate)


def test_the_error_of_the_area_is_that_of_delong():
    right = (P[:, None] > P[None, :]) + 0.5 * (P[:, None] == P[None, :])
    of_positives, of_negatives = right[np.ix_(Y == 1, Y == 0)].mean(axis=1), right[np.ix_(Y == 1, Y == 0)].mean(axis=0)
    variance = of_positives.var(ddof=1) / of_positives.size + of_negatives.var(ddof=1) / of_negatives.size
    assert fot.measures.AUC().estimate(fot.read(Y, P)).standard_error == pytest.approx(np.sqrt(variance))


def test_an_area_without_variation_or_of_few_groups_has_none():
    assert fot.measures.AUC().estimate(fot.read([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.8])).standard_error == 0.0
    assert fot.measures.AUC().estimate(fot.read([0, 0, 1], [0.1, 0.2, 0.7])).standard_error is None
    few = fot.measures.AUC().estimate(fot.read(Y, P, groups=IDS % 9))
    assert few.standard_error is None
    assert "no standard error of so few groups" in str(few)
    assert "ependence cannot be learnt" in str(few)
