"""The largest value of each measure, at which its intervals end: no truth exceeds it, and one reaches it."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.entries import Entries
from fitontest.measures.pairs import EntryPairs
from fitontest.numerics.simplex_distances import names as names_of_distances
from fitontest.uncertainty.local_error import LocalError

pytestmark = pytest.mark.multiplies

M = fot.measures
NORMS = ("l1", "l2", "squared", "max", "q50", "q90")
PAIRS = EntryPairs.of(Entries(np.array([0.2, 0.7]), np.ones(2), np.ones(2, dtype=int), whole=True))  # of no truth
REACHED = {
    **{f"plug_in {norm}": M.PlugIn("isotonic", norm=norm) for norm in NORMS},
    **{f"levels {norm}": LocalError(M.PlugIn(norm=norm).total, 0, PAIRS) for norm in NORMS},
    **{f"ece {norm}": M.make("ece", norm=norm) for norm in NORMS[:3]},
    **{f"decision loss {t}": fot.risk.DecisionLoss(t) for t in (0.01, 0.1, 0.5, 0.9)},
    **{f"cost {a}, {b}": fot.risk.CostWeightedError(a, b) for a, b in ((1.0, 1.0), (2.0, 8.0), (0.5, 0.5), (9.0, 1.0))},
    "ecce": M.make("ecce"),
    "ks": M.make("ks"),
    "eci": M.ECI(),
}
BOUNDED = {
    "normalised eci": M.ECI(normalised=True),
    "smooth ece": M.SmoothECE(),
    "smooth ece 0.05": M.SmoothECE(0.05),
    **{
        f"kernel {name} {scale}": M.KernelError(name, length_scale=scale)
        for name in ("exponential", "rbf")
        for scale in (0.05, 1.0)
    },
}
SCORES = {
    "both sides": [0.02, 0.15, 0.3, 0.45, 0.55, 0.8, 0.99],
    "below 1/2": [0.01, 0.02, 0.11, 0.2, 0.3, 0.4, 0.49],
    "ends": [0.0, 0.0, 0.1, 0.5, 0.5, 1.0, 1.0],
}  # fmt: skip


def sample_of(p, w=None):
    return fot.ScoreSample(np.zeros(len(p), dtype=int), np.asarray(p, dtype=float), w)


@pytest.mark.parametrize("p", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("measure", [*REACHED.values(), *BOUNDED.values()], ids=[*REACHED, *BOUNDED])
def test_of_all_truths_of_zeros_and_ones_the_worst_is_at_the_ceiling(measure, p):
    for w in (None, [1, 3, 2, 1, 1, 2, 5], [0.3, 1.7, 1.0, 0.2, 2.5, 1.0, 0.6]):
        sample = sample_of(p, w)
        values = [measure.target(sample, np.array(c, dtype=float)) for c in product((0, 1), repeat=len(p))]
        ceiling = measure.ceiling(sample)
        assert max(values) <= ceiling * (1 + 1e-9)
        if measure in REACHED.values():
            assert max(values) == pytest.approx(ceiling, abs=1e-12)
        elif max(p) < 0.5 and not isinstance(measure, M.ECI):  # residuals of one sign
            assert max(values) == pytest.approx(ceiling, rel=1e-3)


@given(
    name=st.sampled_from([*REACHED, *BOUNDED]),
    rows=st.lists(st.tuples(*[st.floats(0, 1)] * 2, st.floats(0.01, 10)), min_size=1, max_size=8),
)
def test_no_truth_exceeds_the_ceiling(name, rows):
    measure = {**REACHED, **BOUNDED}[name]
    p, c, w = map(np.array, zip(*rows, strict=True))
    sample = sample_of(p, w)
    order = np.argsort(p, kind="stable")
    assert measure.target(sample, c[order]) <= measure.ceiling(sample) * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("distance", names_of_distances())
@pytest.mark.parametrize("norm", ["l1", "l2", "squared", "max"])
def test_of_distributions(distance, norm):
    rng = np.random.default_rng(0)
    P = rng.dirichlet([0.4] * 3, 5)
    corners = [np.eye(3)[list(c)] for c in product(range(3), repeat=5)]
    measures = [M.PlugIn("vector", norm=norm, distance=distance)]
    if norm != "max":
        measures.append(M.make("simplex_ece", norm=norm, distance=distance))
    sample = fot.read([0, 1, 2, 0, 1], P, sample_weight=[1, 2, 1, 3, 1], reduction="canonical")
    for measure in measures:
        ceiling = measure.ceiling(sample)
        assert max(measure.target(sample, c) for c in corners) == pytest.approx(ceiling, abs=1e-12)
        assert max(measure.target(sample, c) for c in rng.dirichlet([0.3] * 3, (50, 5))) <= ceiling + 1e-12


def test_every_measure_that_says_what_it_would_be_of_a_truth_says_how_large_that_is_at_most():
    sample = sample_of(SCORES["both sides"])
    tried = {type(measure) for measure in (*REACHED.values(), *BOUNDED.values())}
    for name in fot.measures.names("two"):
        if name == "probabilistic_kendall_tau":  # it takes a truth, and is no error
            continue
        measure = M.make(name)
        if measure.target(sample, sample.p) is not None:
            assert np.isfinite(measure.ceiling(sample)), name
            assert type(measure) in tried


def test_what_knows_no_largest_value_is_not_cut():
    class Doubled(M.PlugIn):
        def target(self, sample, c):
            return 2 * super().target(sample, c)

        ceiling = fot.Measure.ceiling

    assert Doubled().ceiling(sample_of([0.5])) == np.inf


@pytest.mark.parametrize("t", [0.1, 0.25])
def test_where_all_scores_lie_between_the_threshold_and_one_half(t):
    """Everybody is treated, and labels are rare: the labels on the far side of 1/2 would be no loss at all."""
    rng = np.random.default_rng(0)
    p = rng.uniform(t, 0.45, 1500)
    loss = fot.measure(rng.random(1500) < 0.03, p, "decision_loss", threshold=t)
    true = (t - 0.03) / (1 - t)
    assert loss.interval.low < true < loss.interval.high
    assert loss.interval.low < loss.debiased < loss.interval.high
    assert loss.interval.low < loss.value < loss.interval.high
