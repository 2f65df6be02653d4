"""Intervals for level and slope: against brute force on rows, by enumeration, and by their properties."""

import json
from itertools import product

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import logsumexp
from scipy.stats import norm

from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.lines.likelihood import LineLikelihood
from fitontest.monitor.lines.mixture import log_mixture, mode_of
from fitontest.monitor.lines.sequence import MARGIN, LineSequence

ALPHA = 0.05


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def made(p, y, w=None):
    return Batch.of(CellSums.of_rows(np.asarray(p), np.asarray(y, dtype=float), w, Resolution(exact=True)), exact=True)


def drawn(n, seed=0, mean=-1.0, level=0.0, slope=1.0):
    rng = np.random.default_rng(seed)
    z = rng.normal(mean, 1.0, n)
    return sigmoid(z), (rng.random(n) < sigmoid(mean + level + slope * (z - mean))).astype(float)


def sequence_of(*batches):
    sequence = LineSequence.first(batches[0])
    for batch in batches:
        sequence = sequence.after(batch, ALPHA)
    return sequence


def log_likelihood(p, y, centre, shift, slope):
    z = centre + shift + slope * (np.log(p / (1.0 - p)) - centre)
    return float(y @ z - np.logaddexp(0.0, z).sum())


def test_agrees_with_brute_force_on_rows():
    p, y = drawn(150)
    sequence = sequence_of(made(p, y))
    centre = sequence.likelihood.centre
    z = np.log(p / (1.0 - p))
    assert centre == pytest.approx(np.average(z, weights=p * (1.0 - p)), abs=1e-12)

    shifts, log_slopes = np.linspace(-2.5, 2.5, 201), np.linspace(-1.8, 1.8, 181)
    lines = centre + shifts[:, None, None] + np.exp(log_slopes)[:, None] * (z - centre)
    logs = lines @ y - np.log1p(np.exp(lines)).sum(axis=-1)
    prior = -0.5 * ((shifts[:, None] / 0.5) ** 2 + (log_slopes / 0.35) ** 2)
    cell = 0.025 * 0.02 / (2.0 * np.pi * 0.5 * 0.35)
    limit = np.log(np.exp(logs + prior - logs.max()).sum() * cell) + logs.max() + np.log(ALPHA)

    inside = logs >= limit
    (low, high), (least, most) = sequence.level, sequence.slope
    assert np.all((shifts[inside.any(axis=1)] >= low) & (shifts[inside.any(axis=1)] <= high))
    assert np.all((np.exp(log_slopes[inside.any(axis=0)]) >= least) & (np.exp(log_slopes[inside.any(axis=0)]) <= most))

    def above(value, of_shift):
        def loss(other):
            return -log_likelihood(p, y, centre, *((value, other) if of_shift else (other, value)))

        return -minimize_scalar(loss, bounds=(-4.0, 6.0), method="bounded", options={"xatol": 1e-9}).fun - limit

    ends = [brentq(above, *ends, args=(True,)) for ends in ((-3.0, 0.0), (0.0, 3.0))]
    ends += [brentq(above, *ends, args=(False,)) for ends in ((-0.5, 1.0), (1.0, 4.0))]
    np.testing.assert_allclose([low, high, least, most], ends, atol=2e-6)

    assert low <= ends[0]
    assert high >= ends[1]
    assert least <= ends[2]
    assert most >= ends[3]


def test_masses_on_nodes_have_the_likelihood_of_the_rows():
    p, y = drawn(300, mean=-3.0)
    likelihood = LineLikelihood.none(-2.5).after(made(p, y))
    slopes = np.array([-1.0, 0.05, 1.0, 3.0, 6.0])
    shifts = np.tile(np.linspace(-6.0, 6.0, 4), (slopes.size, 1))
    rows = [[log_likelihood(p, y, -2.5, d, b) for d in of_slope] for of_slope, b in zip(shifts, slopes, strict=True)]
    np.testing.assert_allclose(likelihood.log(shifts, slopes), rows, rtol=0, atol=300 * 1e-9)
    at = np.stack((shifts.ravel(), np.repeat(slopes, 4)), axis=1)
    np.testing.assert_allclose(likelihood.derivatives(at)[0], np.ravel(rows), rtol=0, atol=300 * 1e-9)


def test_derivatives_are_those_of_the_likelihood():
    likelihood = LineLikelihood.none(-1.0).after(made(*drawn(100)))
    at, h = np.array([0.2, 0.8]), 1e-5
    _, gradient, second = (each[0] for each in likelihood.derivatives(at[None]))
    for k, step in enumerate(h * np.eye(2)):
        (above, upper, _), (below, lower, _) = (likelihood.derivatives((at + s)[None]) for s in (step, -step))
        assert gradient[k] == pytest.approx((above[0] - below[0]) / (2 * h), rel=1e-6)
        np.testing.assert_allclose(second[k], (upper[0] - lower[0]) / (2 * h), rtol=1e-6)


@pytest.mark.parametrize("line", [(0.0, 1.0), (0.7, 0.6)])
def test_mean_over_likelihood_is_an_e_value_by_enumeration(line):
    p, centre = np.array([0.1, 0.4, 0.4, 0.8]), -0.3
    c = sigmoid(centre + line[0] + line[1] * (np.log(p / (1 - p)) - centre))
    mean = {"rows": 0.0, "exponents": 0.0, "copies": 0.0}
    for y in product([0.0, 1.0], repeat=4):
        chance = np.prod(np.where(y, c, 1 - c))
        for name, w in (("rows", np.ones(4)), ("exponents", np.array([0.3, 0.5, 0.5, 1.0]))):
            mean[name] += chance * e_value(centre, line, p, np.array(y), w)
    for y in (0.0, 1.0):  # four copies of one row, which share exponents of sum 1
        chance = c[0] if y else 1 - c[0]
        mean["copies"] += chance * e_value(centre, line, np.full(4, p[0]), np.full(4, y), np.full(4, 0.25))
    assert mean["rows"] == pytest.approx(1.0, abs=1e-6)
    assert mean["copies"] == pytest.approx(1.0, abs=1e-6)
    assert 0.9 < mean["exponents"] < 1.0


def e_value(centre, line, p, y, w):
    likelihood = LineLikelihood.none(centre).after(made(p, y, w))
    at = likelihood.log(np.array([[line[0]]]), np.array([line[1]]))
    return np.exp(log_mixture(likelihood, mode_of(likelihood)) - at[0, 0])


def test_cuts_into_batches_and_the_order_of_rows_do_not_matter():
    p, y = drawn(200)
    first = LineSequence.first(made(p, y))
    whole = first.after(made(p, y), ALPHA)
    cut = first
    for part in np.array_split(np.random.default_rng(1).permutation(200), 7):
        cut = cut.after(made(p[part], y[part]), ALPHA)
    np.testing.assert_allclose(cut.ends, whole.ends, atol=1e-8)
    assert sequence_of(made(p[::-1], y[::-1])).level == whole.level


def test_a_change_leaves_no_line_and_none_comes_back():
    before, after = made(*drawn(1500, level=-1.0)), made(*drawn(1500, seed=1, level=1.0))
    sequence = sequence_of(before, before)
    assert sequence.level[1] < 0.0
    changed = sequence.after(after, ALPHA).after(after, ALPHA)
    assert changed.refuted
    assert changed.level is None
    assert changed.slope is None
    assert changed.after(before, ALPHA).level is None


@pytest.mark.parametrize(("level", "slope"), [(3.0, 1.0), (-3.0, 1.0), (0.0, 0.3), (0.0, 3.0), (0.0, 0.0)])
def test_large_errors_are_inside(level, slope):
    p, y = drawn(4000, mean=0.0, level=level, slope=slope)
    sequence = sequence_of(made(p, y))
    shift = level + (slope - 1.0) * sequence.likelihood.centre  # the line turns about 0
    (low, high), (least, most) = sequence.level, sequence.slope
    assert low < shift < high
    assert least < slope < most
    assert high - low < 1.3
    assert most - least < 1.5


def test_ends_that_rows_tell_nothing_of_are_open():
    p, y = drawn(100)
    nothing = LineSequence.first(made(p, y))
    assert nothing.level == nothing.slope == (None, None)
    low, high = sequence_of(made(p, np.zeros(100))).level
    assert low is None
    assert high < 0.0
    ties = sequence_of(made(np.full(100, 0.3), y))
    assert ties.slope == (None, None)
    assert None not in ties.level


def test_slopes_beyond_what_is_looked_at_leave_the_lowest():
    p, y = drawn(4000, mean=0.0, slope=20.0)
    sequence = sequence_of(made(p, y))
    lowest, highest = sequence.slope
    assert 5.5 < lowest <= 6.0
    assert highest is None
    assert sequence.level == (None, None)  # of steeper lines than are looked at it is another


def cells_of(z, rates, n):
    """Return n rows for each logit, of which so many are positive as their rates say."""
    p, positive = sigmoid(np.repeat(z, 2)), np.round(n * rates)
    return made(p, np.tile([0.0, 1.0], z.size), np.stack((n - positive, positive), axis=1).ravel())


def log_mean_by_quadrature(batch, centre, lowest, highest):
    """Return the logarithm of the mean likelihood under the prior, by fine sums of the rows themselves."""
    shifts, logs = np.linspace(-1.0, 1.5, 501), np.linspace(lowest, highest, 301)
    heights = []
    for log_slope in logs:
        z = centre + shifts[:, None] + np.exp(log_slope) * (batch.z - centre)
        likelihood = z @ batch.positives - np.logaddexp(0.0, z) @ batch.total
        heights.append(logsumexp(likelihood - 2.0 * shifts**2 - 0.5 * (log_slope / 0.35) ** 2))
    cell = (shifts[1] - shifts[0]) * (logs[1] - logs[0])
    return logsumexp(heights) + np.log(cell / (2.0 * np.pi * 0.5 * 0.35))


def test_the_mean_likelihood_is_right_where_scores_rank_the_wrong_way_round():
    """The likeliest slope is near 0, where the prior of its logarithm is far out: a sum too wide was off by .002."""
    z = np.linspace(-4.0, 3.0, 50)
    batch = cells_of(z, sigmoid(-0.5 * z), 2000)
    likelihood = LineLikelihood.none(-0.4).after(batch)
    mode = mode_of(likelihood)
    truth = log_mean_by_quadrature(batch, -0.4, mode[1] - 2.0, mode[1] + 2.0)
    assert log_mixture(likelihood, mode) == pytest.approx(truth, abs=MARGIN)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [1e3, 1e6])
def test_labels_that_a_threshold_separates_leave_steep_lines(n):
    z = np.linspace(-4.0, 3.0, 100)
    batch = cells_of(z, 1.0 * (z > 0.0), n)
    sequence = LineSequence.first(batch).after(batch, ALPHA)
    assert 5.9 < sequence.slope[0] < 6.0
    assert sequence.level == (None, None)


def test_the_margin_is_above_what_polynomials_are_off():
    z = np.linspace(-3.0, 3.0, 40)
    for slope in (1.0, 2.0, 4.0, 6.0):
        batch = cells_of(z, sigmoid(slope * z), 1e6)
        likelihood = LineLikelihood.none(0.0).after(batch)
        shifts = np.linspace(-2.0, 2.0, 9)
        lines = shifts[:, None] + slope * batch.z
        rows = lines @ batch.positives - np.logaddexp(0.0, lines) @ batch.total
        assert np.abs(likelihood.log(shifts[None], np.array([slope]))[0] - rows).max() < likelihood.error_at(slope)


def test_a_level_is_unknown_where_steeper_lines_than_are_looked_at_may_leave_it_open():
    z = np.linspace(-4.0, 3.0, 100)
    batch = cells_of(z, sigmoid(-3.0 * z), 100)
    sequence = LineSequence.first(batch).after(batch, ALPHA)
    assert sequence.slope[0] is None
    assert sequence.level == (None, None)


@pytest.mark.filterwarnings("error")
def test_scores_that_are_all_wrong_have_an_end():
    low, high = sequence_of(made([1e-16, 1.0 - 1e-15, *np.full(500, 1e-6)], np.ones(502))).level
    assert low > 10.0
    assert high is None


def test_scores_of_0_and_1_have_no_part():
    p, y = drawn(100)
    certain = sequence_of(made([0.0, *p, 1.0], [1.0, *y, 1.0]))
    np.testing.assert_array_equal(certain.ends, sequence_of(made(p, y)).ends)
    only = sequence_of(made([0.0, 1.0], [0.0, 1.0]))
    assert only.level == only.slope == (None, None)
    assert only.likelihood.centre == 0.0


def test_goes_through_json_bit_by_bit():
    p, y = drawn(50)
    for sequence in (LineSequence.first(made(p, y)), sequence_of(made(p, y)), sequence_of(made(p, np.zeros(50)))):
        back = LineSequence.from_dict(json.loads(json.dumps(sequence.to_dict(), allow_nan=False)))
        assert back.level == sequence.level
        np.testing.assert_array_equal(back.common, sequence.common)
        np.testing.assert_array_equal(back.after(made(p, y), ALPHA).ends, sequence.after(made(p, y), ALPHA).ends)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("panels", [3, 3], "must increase"),
        ("panels", [1e9], r"panels\[0\] must be a whole number from -74 to 74"),
        ("ends", [[0.0, 1.0]], "list of 2 values"),
        ("masses", [], "numbers"),
    ],
)
def test_refuses_what_is_no_sequence(name, value, said):
    values = sequence_of(made(*drawn(50))).to_dict() | {name: value}
    with pytest.raises(ValueError, match=said):
        LineSequence.from_dict(values)


@pytest.mark.parametrize(("n", "share"), [(1e6, 1e-3), (1e8, 5e-3)])
def test_cells_of_the_usual_width_hardly_move_an_end(n, share):
    z = norm.ppf(np.linspace(0.0, 1.0, 4002)[1:-1]) - 1.0
    for slope in (0.5, 1.0, 2.0):
        rates = sigmoid(slope * (z + 1.0) - 1.0)
        weights = n / z.size * np.stack((1.0 - rates, rates), axis=1).ravel()
        sums = CellSums.of_rows(sigmoid(np.repeat(z, 2)), np.tile([0.0, 1.0], z.size), weights, Resolution(exact=True))
        first = LineSequence.first(Batch.of(sums, exact=True))
        of_rows, of_cells = (first.after(Batch.of(sums, exact=exact), ALPHA).ends for exact in (True, False))
        assert np.all(np.abs(of_cells - of_rows) < share * np.diff(of_rows, axis=1))
