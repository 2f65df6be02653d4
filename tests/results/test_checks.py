"""Names that are not on offer: which one was probably meant, in every place where names are looked up."""

import pytest
from click.testing import CliRunner
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.data.predictions import REDUCTIONS
from fitontest.data.weights import WEIGHT_TYPES
from fitontest.evaluation.comparison.calibrators import RULES
from fitontest.numerics.losses import LOSSES
from fitontest.results.checks import check_known, choose, meant
from fitontest.results.other_names import NAMES
from fitontest.uncertainty.options import Options

ROOMS = [fot.families, fot.measures, fot.partitions, fot.maps, fot.norms, fot.distances, fot.bin_losses]
LISTS = [
    *(room.names() for room in ROOMS),
    [*REDUCTIONS, "canonical"],
    RULES,
    LOSSES,
    WEIGHT_TYPES,
    [*Options.__annotations__],
]
Y, P = [0, 1, 0, 1], [0.2, 0.7, 0.4, 0.6]
FEATURES = [[1.0], [2.0], [3.0], [4.0]]
NAIVE = GaussianNB()


@pytest.mark.parametrize("typed", NAMES)
def test_what_others_call_a_thing_is_one_of_the_names_here_and_is_offered_where_it_is(typed):
    target = NAMES[typed].partition(",")[0]
    offering = [names for names in LISTS if target in names and typed not in names]
    assert offering, "nowhere is the name unknown and the one that is meant known"
    for names in offering:
        assert meant(typed, names).startswith(f": did you mean {target!r}")
        assert meant(typed.upper().replace("_", " "), names) == meant(typed, names)
    assert target not in meant(typed, ["something else"])


@pytest.mark.parametrize(
    ("value", "names", "expected"),
    [
        ("isotnic", ["beta", "isotonic"], ": did you mean 'isotonic'?"),
        ("Beta", ["beta", "isotonic"], ": did you mean 'beta'?"),
        ("equal-mass", ["equal_mass", "equal_width"], ": did you mean 'equal_mass'?"),
        ("equal_mas", ["equal_mass", "equal_max"], ": did you mean 'equal_mass' or 'equal_max'?"),
        ("spl", ["pl", "spline"], ": did you mean 'spline' or 'pl'?"),
        ("unlike", ["beta", "isotonic"], ""),
        ("", ["beta"], ""),
        (3, ["beta"], ""),
        (None, ["none"], ""),
        ("b" * 10_000, ["b"], ""),
    ],
)
def test_near_misses(value, names, expected):
    assert meant(value, names) == expected


CALLS = [
    (lambda: fot.families.make("ece"), "got 'ece': did you mean 'slope1', the family whose error is the ECE"),
    (
        lambda: fot.families.make("histogram_binning"),
        "got 'histogram_binning': did you mean 'flat', which gives a bin its share",
    ),
    (lambda: fot.families.make("temperature_scaling"), "got 'temperature_scaling': did you mean 'temperature'"),
    (lambda: fot.calibration_error(Y, P, family="isotnic"), "family must be one of .*: did you mean 'isotonic'"),
    (lambda: fot.evaluate(Y, P, families=["platt_scaling"]), "did you mean 'platt'"),
    (lambda: fot.evaluate(Y, P, measures=["brier_score"]), "measure must be one of .*: did you mean 'brier'"),
    (lambda: fot.measure(Y, P, "roc_auc"), "did you mean 'auc'"),
    (lambda: fot.measures.make("ece", bins=3), "settings of ece must be among .*; got 'bins': did you mean 'n_bins'"),
    (lambda: fot.gce(Y, P, partition="quantile"), "partition must be one of .*: did you mean 'equal_mass'"),
    (lambda: fot.gce(Y, P, norm="L2"), "norm must be one of .*: did you mean 'l2'"),
    (lambda: fot.gce(Y, P, loss="biass"), "loss must be one of .* or a callable; got 'biass': did you mean 'bias'"),
    (lambda: fot.gce(Y, P, reduction="top-label"), "reduction must be one of .*: did you mean 'confidence'"),
    (
        lambda: fot.evaluation.proper_error(Y, P, loss="neg_log_loss"),
        "loss must be one of .*: did you mean 'log_loss', which is",
    ),
    (lambda: fot.compare_calibrators(Y, P, rule="one-se"), "rule must be one of .*: did you mean 'one_se'"),
    (lambda: fot.CalibratedClassifier(NAIVE, family="platt_scaling").fit(FEATURES, Y), "did you mean 'platt'"),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_every_look_up_says_which_name_was_meant(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_checks_of_names():
    with pytest.raises(ValueError, match="scale must be one of 'logit'; got 'logits': did you mean 'logit'"):
        choose("logits", ["logit"], "scale")
    with pytest.raises(ValueError, match="options must be among n_bins; got 'nbins': did you mean 'n_bins'"):
        check_known(["nbins"], ["n_bins"], "options")


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        (("--norm", "linf"), "did you mean 'max'?"),
        (("--reduction", "marginal"), "did you mean 'classwise'?"),
        (("--weight-type", "count"), "did you mean 'counts'?"),
        (("--family", "histogram_binning"), "did you mean 'flat', which gives a bin its share of positives?"),
        (("--measure", "brier_score"), "did you mean 'brier'?"),
    ],
)
def test_the_command_line_says_it_too(options, hint, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("y,p\n0,0.2\n1,0.7\n")
    found = CliRunner().invoke(main, ["evaluate", str(path), "--label", "y", "--prob", "p", *options])
    assert found.exit_code == 2
    assert hint in found.output
