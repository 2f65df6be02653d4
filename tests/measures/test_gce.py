"""The general calibration error: five points of one space, by hand, by other functions, and at the edges."""

import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import brier_score_loss

import fitontest as fot
from tests.quick_families import quick
from tests.strategies import WHOLE_WEIGHTS, as_counts, noisy, samples

pytestmark = pytest.mark.multiplies

LOSSES = [*fot.bin_losses.names(), "callable"]
PARTITIONS = fot.partitions.names("two")
every_loss = pytest.mark.parametrize("loss", LOSSES)
every_partition = pytest.mark.parametrize("partition", PARTITIONS)


def squares(y, p, sample_weight=None):
    return float(np.average((y - p) ** 2, weights=sample_weight))


def gce(y, p, loss="bias", w=None, interval=None, **options):
    loss = squares if loss == "callable" else loss
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)  # of heavy ties, and where all scores are 0 or 1
        return fot.gce(y, p, loss=loss, sample_weight=w, interval=interval, **options)


def allowed(loss, p):
    """Return scores that a loss takes whatever the labels: of certain ones the chi-square may be infinite."""
    return 0.05 + 0.9 * p if loss == "chi_square" else p


def by_hand(loss, y, p, partition):
    """Return the losses of the occupied bins and their sizes, one bin and one row at a time; whole weights of one."""
    index = partition.locate(p)
    losses, sizes = [], []
    for b in sorted(set(index.tolist())):
        rows = index == b
        ybar, q, n, k = y[rows].mean(), p[rows].mean(), int(rows.sum()), int(y[rows].sum())
        if loss == "bias":
            losses.append(abs(ybar - p[rows].mean()))
        elif loss == "deviation":
            losses.append(np.abs(p[rows] - ybar).mean())
        elif loss == "rejection":
            losses.append(np.mean([binomtest(k, n, score).pvalue <= 0.05 for score in p[rows].tolist()]))
        elif loss == "callable":
            losses.append(np.mean((y[rows] - p[rows]) ** 2))
        else:
            losses.append((ybar - q) ** 2 / (q * (1.0 - q)))
        sizes.append(n)
    return np.array(losses), np.array(sizes)


@every_loss
@every_partition
def test_every_loss_and_norm_by_hand(loss, partition):
    y, p = noisy(250, ties=2)
    p = allowed(loss, p)
    found = gce(y, p, loss, partition=partition)
    losses, sizes = by_hand(loss, y, p, found.partition)
    share = sizes / sizes.sum()
    norms = {"l1": share @ losses, "squared": share @ losses**2, "l2": np.sqrt(share @ losses**2), "max": losses.max()}
    for norm, expected in norms.items():
        assert float(gce(y, p, loss, partition=partition, norm=norm)) == pytest.approx(expected, abs=1e-12)
    np.testing.assert_allclose(found.losses[found.table.occupied], losses, rtol=0, atol=1e-12)
    shares = gce(y, p, loss, partition=partition, norm=lambda values, w: float(values @ w / w.sum()))
    assert float(shares) == pytest.approx(norms["l1"], abs=1e-12)


@pytest.mark.parametrize("scheme", ["equal_width", "equal_mass"])
@pytest.mark.parametrize("closed", ["left", "right"])
@settings(max_examples=25)  # of each scheme and closure
@given(data=samples())
def test_named_errors_are_points_of_the_space(scheme, closed, data):
    y, p, w = data
    w = as_counts(w)
    bins = fot.families.make("slope1", n_bins=7, scheme=scheme, closed=closed).fit(p, y, w)
    for norm in ("l1", "l2", "squared", "max"):
        ece = fot.measures.PlugIn(bins, norm=norm).estimate(fot.ScoreSample(y, p, w))
        assert float(gce(y, p, w=w, partition=bins, norm=norm)) == pytest.approx(float(ece), abs=1e-12)
    pde = fot.measures.PlugIn(fot.Flat(7, scheme, closed)).estimate(fot.ScoreSample(y, p, w))
    assert float(gce(y, p, "deviation", w, partition=bins)) == pytest.approx(float(pde), abs=1e-12)


@every_loss
@every_partition
@settings(max_examples=10)  # of each loss and partition
@given(data=samples(weights=WHOLE_WEIGHTS))
def test_weight_is_repetition(loss, partition, data):
    y, p, w = data
    p, k = allowed(loss, p), w.astype(int)
    weighted = gce(y, p, loss, w, partition=partition)
    repeated = gce(np.repeat(y, k), np.repeat(p, k), loss, partition=partition)
    assert weighted.partition == repeated.partition
    np.testing.assert_allclose(weighted.losses, repeated.losses, rtol=0, atol=1e-12)
    if loss == "rejection":
        assert float(weighted) == float(repeated)
        assert [r["rejected"] for r in weighted.rows()] == [r["rejected"] for r in repeated.rows()]


@every_loss
@every_partition
@settings(max_examples=10)  # of each loss and partition
@given(
    data=samples(weights=WHOLE_WEIGHTS),
    seed=st.integers(0, 99),
    dtype=st.sampled_from([bool, np.int8, np.uint8, np.float32]),
)
def test_row_order_and_dtype_change_nothing(loss, partition, data, seed, dtype):
    y, p, w = data
    p = allowed(loss, p)
    order = np.random.default_rng(seed).permutation(y.size)
    first = gce(y, p, loss, w, partition=partition)
    again = gce(y[order], p[order], loss, w[order], partition=partition)
    assert again.to_dict() == first.to_dict()  # bit by bit
    assert gce(y.astype(dtype), p, loss, w, partition=partition).to_dict() == first.to_dict()


def test_float32_scores_are_what_they_are():
    y, p = noisy(300)
    p32 = p.astype(np.float32)
    assert float(fot.tce(y, p32, null_draws=0)) == float(fot.tce(y, p32.astype(float), null_draws=0))


@pytest.mark.parametrize(
    "family",
    [fot.Slope1(5), fot.Flat("sweep"), fot.Isotonic(), fot.PavaBlocks(), fot.PL3(2), fot.families.CrossValidated(cv=3)],
    ids=repr,
)
def test_the_bins_of_any_fitted_family(family):
    y, p = noisy(200)
    family = family.fit(p, y)
    error = fot.tce(y, p, partition=family, null_draws=0)
    assert error.partition == family.partition_
    assert float(error) == float(fot.tce(y, p, partition=family.partition_, null_draws=0))
    assert float(error) == pytest.approx(float(fot.gce(y, p, loss="rejection", partition=family)), abs=1e-12)


@pytest.mark.parametrize("family", fot.families.names("two"))
def test_which_families_have_bins(family):
    y, p = noisy(300)
    fitted = quick(family).fit(p, y)
    assert hasattr(fitted, "partition_") == fitted.has_partition
    with pytest.raises(NotFittedError):
        fot.gce(y, p, partition=fot.families.make(family))
    if not fitted.has_partition:
        with pytest.raises(ValueError, match=r"partition must be a family that has bins \(flat, isotonic, pava_bc, pl"):
            fot.gce(y, p, partition=fitted)


def test_a_metric_of_scikit_learn_is_a_loss():
    y, p = noisy(200)
    w = np.random.default_rng(0).integers(0, 3, 200).astype(float)
    found = fot.gce(y, p, loss=brier_score_loss, sample_weight=w, partition=[0.5])
    low = p < 0.5
    expected = [brier_score_loss(y[m], p[m], sample_weight=w[m]) for m in (low, ~low)]
    np.testing.assert_allclose(found.losses, expected, rtol=1e-12)
    assert found.loss == "brier_score_loss"


def test_rejections_of_single_predictions():
    y, p = noisy(500, ties=2)
    error = fot.tce(y, p, null_draws=0)
    table = error.partition.summarise(fot.ScoreSample(y, p))
    at = error.partition.locate(p)
    expected = [binomtest(int(table.sum_y[b]), int(table.n[b]), q).pvalue for b, q in zip(at, p.tolist(), strict=True)]
    np.testing.assert_allclose(error.p_values(p), expected, rtol=1e-11)
    np.testing.assert_array_equal(error.rejects(p), np.array(expected) <= 0.05)
    assert float(error) == pytest.approx(error.rejects(p).mean(), abs=1e-12)
    assert sum(row["rejected"] for row in error.rows()) == error.rejects(p).sum()
    with pytest.raises(ValueError, match="y_prob must be one-dimensional"):
        error.rejects(np.stack([1 - p, p], axis=1))  # predict_proba: no column is guessed
    assert error.rejects([]).size == 0


def test_empty_bins_have_no_loss():
    error = fot.gce([0, 1], [0.1, 0.12], loss="rejection", partition=[0.2, 0.5, 0.9])
    assert np.isnan(error.losses[1:]).all()
    assert error.rows()[2]["empirical_probability"] is None
    assert not error.rejects([0.3, 0.99]).any()
    assert error.p_values([0.3, 0.99]).tolist() == [1.0, 1.0]
    json.dumps(error.to_dict(), allow_nan=False)


@pytest.mark.parametrize("test", ["binomial", "t"])
def test_one_row_and_one_class(test):
    def tce(y, p, **options):
        return fot.measures.make("tce", test=test, **options).estimate(fot.ScoreSample(y, p)).value

    assert tce([1], [0.0]) == (1.0 if test == "binomial" else 0.0)
    assert tce([1, 1, 1], [0.0, 1.0, 1.0], partition="equal_width", n_bins=1) == pytest.approx(1 / 3)
    assert tce([0, 0], [0.0, 0.0]) == 0.0


def test_the_table():
    y, p = noisy(400)
    w = np.random.default_rng(1).integers(0, 3, 400)
    error = fot.tce(y, p, sample_weight=w, null_draws=3)
    rows = error.rows()
    assert sum(row["n"] for row in rows) == w.sum()
    assert sum(row["positives"] for row in rows) == (w * y).sum()
    assert [row["share_rejected"] for row in rows] == pytest.approx([row["rejected"] / row["n"] for row in rows])
    for backend in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(backend)
        assert len(error.to_frame(backend)) == error.n_bins
    assert "rejected" in str(error)
    assert "expected if calibrated" in str(error)
    json.dumps(error.to_dict(), allow_nan=False)
    assert float(pickle.loads(pickle.dumps(error))) == float(error)
    assert f"{error:.1f}" == f"{error.value:.1f}"
    assert f"{error}" == str(error)


def test_borders_have_six_digits_and_more_where_these_are_equal():
    edges = [0.123456789, 1 / 3, 0.5, 0.5 + 1e-9]
    lines = str(fot.gce([0, 1, 0, 1, 1], [0.1, 0.3, 0.4, 0.5, 0.9], partition=edges, interval=None)).splitlines()
    bins = [line.split(")")[0].split("]")[0] for line in lines[4:-1]]
    assert bins == [
        "[0, 0.123457", "[0.123457, 0.333333", "[0.333333, 0.500000000", "[0.500000000, 0.500000001", "[0.500000001, 1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"loss": "square"}, "loss must be one of 'bias', 'chi_square', 'deviation', 'rejection' or a callable"),
        ({"loss": int}, "loss must be one of"),
        ({"loss": lambda y, p: np.nan}, "loss must return a finite number"),
        ({"loss": lambda y, p: y}, "loss must return a finite number"),
        ({"norm": "l3"}, "norm must be one of"),
        ({"norm": lambda values, w: None}, "norm must return a finite number"),
        ({"partition": "bins"}, "partition must be one of"),
        ({"partition": "pl3"}, "the name of a family"),
        ({"partition": 7}, "partition must be the name of a partition"),
        ({"partition": [0.5, 0.2]}, "edges must be strictly increasing"),
        ({"partition": fot.partitions.PavaBC}, "partition must be an instance, got the class PavaBC"),
        ({"partition": "pava", "n_bins": 5}, "n_bins must be left at 10"),
        ({"partition": fot.partitions.EqualMass(5), "n_bins": 7}, "n_bins must be left at 10"),
        ({"n_bins": 0}, "n_bins must be a whole number"),
        ({"alpha": 0.1}, "alpha must be left at 0.05 unless"),
        ({"test": "t"}, "test must be left at 'binomial' unless"),
        ({"loss": "rejection", "alpha": 5}, "alpha must be a fraction"),
        ({"loss": "rejection", "test": "z"}, "test must be one of"),
        ({"loss": "rejection", "sample_weight": [0.5, 1.0]}, "sample_weight must be counts for loss"),
        ({"null_draws": -1}, "null_draws must be a whole number"),
        ({"null_draws": 1.5}, "null_draws must be a whole number"),
        ({"reduction": "top"}, "reduction must be one of 'confidence', 'classwise', 'binary', 'canonical'; got 'top'"),
        ({"labels": [0, 1]}, "labels must be left out unless reduction is given"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        fot.gce([0, 1], [0.2, 0.7], **options)


def test_family_bins():
    y, p = noisy(400)
    for family in ("isotonic", fot.Slope1(5)):
        fitted = (fot.families.make(family) if isinstance(family, str) else family).fit(p, y)
        refitted = fot.gce(y, p, partition=fot.families.FamilyBins(family), interval=None).to_dict()
        of_fitted = fot.gce(y, p, partition=fitted, interval=None).to_dict()
        assert refitted | {"measure": None} == of_fitted | {"measure": None}
    with pytest.raises(ValueError, match="family must be a family that has bins"):
        fot.gce(y, p, partition=fot.families.FamilyBins("platt"))
    with pytest.raises(ValueError, match="family must be the name of a family or a Family"):
        fot.gce(y, p, partition=fot.families.FamilyBins(7))


def test_weights_beyond_exact_counts():
    for w in ([1e16, 1e16], [1e19, 1e19], [1e100, 1.0]):
        with pytest.raises(ValueError, match="sample_weight must be counts for loss"):
            fot.tce([0, 1], [0.2, 0.3], sample_weight=w)
        row = fot.gce([0, 1], [0.2, 0.3], sample_weight=w, n_bins=1, null_draws=2).rows()[0]
        assert (row["n"], row["weight"], row["positives"]) == (2, sum(w), w[1])


def test_results_are_themselves_and_read_only():
    first, second = (fot.gce([0, 1], [0.4, 0.6], loss=loss, partition=[0.5]) for loss in ("bias", "deviation"))
    assert first == second == 0.4
    assert first is not second
    assert hash(first) == hash(0.4)
    assert first > 0.3 >= fot.gce([0, 1], [0.2, 0.8]) < first
    assert not first <= 0.1
    assert first >= first
    with pytest.raises(ValueError, match="read-only"):
        first.losses[0] = 9


def test_alpha_of_any_float_type_is_json_ready():
    json.dumps(fot.tce([0, 1], [0.4, 0.6], alpha=np.float32(0.05), null_draws=1).to_dict(), allow_nan=False)
    with pytest.raises(ValueError, match=r"alpha must be left at 0\.05"):
        fot.gce([0, 1], [0.4, 0.6], alpha=np.array([0.1, 0.2]))
    with pytest.raises(ValueError, match="random_state must be a whole number"):
        fot.tce([0, 1], [0.4, 0.6], random_state="x")
    with pytest.raises(ValueError, match="backend must be one of"):
        fot.gce([0, 1], [0.4, 0.6]).to_frame("dask")


def test_only_rejections_have_tests():
    with pytest.raises(ValueError, match="loss must be 'rejection'"):
        fot.gce([0, 1], [0.2, 0.7]).rejects([0.5])
