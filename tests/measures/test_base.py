"""Measures and estimates: names, evidence, what stays of version 0.1, and families of other packages."""

import json
import pickle
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import fitontest as fot
from fitontest.displays.titles import name_error, value_in_words
from tests.strategies import noisy


class ShiftsHalves(fot.Family):
    """A family of another package: the gap of each half is added to its scores, by a map of its own."""

    def fit_map(self, sample):
        halves = fot.partitions.Partition([0.5])
        table = halves.summarise(sample)
        return fot.maps.BinnedMap(halves, np.where(table.occupied, table.gap, 0.0), np.ones(2))


def test_a_slope_1_family_of_another_package_is_treated_as_ours():
    y, p = noisy(300)
    theirs, ours = (
        fot.calibration_error(y, p, family=one, interval=None) for one in (ShiftsHalves(), fot.Slope1([0.5]))
    )
    assert (float(theirs), theirs.se_map_fixed) == (float(ours), ours.se_map_fixed)
    assert name_error(theirs) == name_error(ours) == "ECE"
    assert value_in_words(theirs) == value_in_words(ours)
    for norm in ("l1", "l2", "squared"):
        debiased = [
            float(fot.calibration_error(y, p, family=one, norm=norm, debias=True))
            for one in (ShiftsHalves(), fot.Slope1([0.5]))
        ]
        assert debiased[0] == debiased[1] < float(fot.calibration_error(y, p, family=ShiftsHalves(), norm=norm))


class ShiftsByHalfTheGap(ShiftsHalves):
    def fit_map(self, sample):
        halves = fot.partitions.Partition([0.5])
        return fot.maps.BinnedMap(halves, halves.summarise(sample).gap / 2, np.ones(2))


def test_a_family_that_shifts_bins_by_something_else_is_neither_debiased_nor_an_ece():
    y, p = noisy(300)
    error = fot.calibration_error(y, p, family=ShiftsByHalfTheGap())
    assert float(error) == pytest.approx(float(fot.calibration_error(y, p, family=ShiftsHalves())) / 2)
    assert name_error(error) == "calibration error"
    with pytest.raises(ValueError, match="debias must be False unless family is slope1"):
        fot.calibration_error(y, p, family=ShiftsByHalfTheGap(), debias=True)


@pytest.mark.parametrize("family", ["flat", "isotonic", "platt", fot.Slope1(3).fit([0.1, 0.9], [0, 1]).map_])
def test_only_bins_that_are_shifted_here_can_be_debiased(family):
    with pytest.raises(ValueError, match="debias must be False unless family is slope1"):
        fot.calibration_error(*noisy(50), family=family, debias=True)


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        (fot.measures.Binned(), "ece"),
        (fot.measures.Binned(partition="equal_mass"), "ace"),
        (fot.measures.make("gce"), "gce"),
        (fot.measures.make("ece", n_bins=15), "ece(n_bins=15)"),
        (fot.measures.make("gce", norm="max"), "mce"),
        (fot.measures.make("mce", n_bins=15), "mce(n_bins=15)"),
        (fot.measures.Binned(norm="l2"), "gce(norm='l2')"),
        (fot.measures.KernelError(estimator="block", random_state=3), "kernel(estimator='block')"),
        (fot.measures.make("tce", alpha=0.1), "tce(alpha=0.1)"),
        (
            fot.measures.Binned(loss=fot.bin_losses.Rejection(0.01)),
            "gce(loss=\"Rejection(alpha=0.01, test='binomial')\")",
        ),
        (fot.measures.PlugIn("pava"), "pava"),
        (fot.measures.PlugIn(fot.Flat(3)), "flat"),
        (fot.measures.PlugIn(fot.maps.IdentityMap()), "identity"),
        (fot.measures.WithinBin(), "within_bin"),
    ],
)
def test_names(measure, name):
    assert measure.name == name
    assert pickle.loads(pickle.dumps(measure)).name == name


def test_a_registered_name_is_the_function_of_that_name():
    y, p = noisy(300)
    sample = fot.ScoreSample(y, p)
    for name, options in {
        "ece": {},
        "ace": {"partition": "equal_mass"},
        "mce": {"norm": "max"},
        "pde": {"loss": "deviation", "partition": "equal_mass"},
        "tce": {"loss": "rejection", "partition": "pava_bc"},
    }.items():
        assert float(fot.measures.make(name).estimate(sample)) == float(fot.gce(y, p, **options))
    assert float(fot.measures.make("plug_in").estimate(sample)) == float(fot.calibration_error(y, p))


def test_losses_are_values():
    y, p = noisy(300)
    for loss in (fot.bin_losses.Bias(), fot.bin_losses.Deviation(), fot.bin_losses.Rejection(0.01, "t")):
        given = {"alpha": loss.alpha, "test": loss.test} if isinstance(loss, fot.bin_losses.Rejection) else {}
        by_value, by_name = fot.gce(y, p, loss=loss).to_dict(), fot.gce(y, p, loss=loss.name, **given).to_dict()
        assert {**by_value, "measure": None} == {**by_name, "measure": None}
        assert pickle.loads(pickle.dumps(loss)) == loss
    with pytest.raises(ValueError, match=r"alpha must be left at 0.05 unless .*; a Rejection has its own"):
        fot.gce(y, p, loss=fot.bin_losses.Rejection(), alpha=0.1)
    with pytest.raises(ValueError, match="alpha must be a fraction"):
        fot.bin_losses.Rejection(alpha=5)


def test_an_evaluation_of_any_measures():
    y, p = noisy(300)
    measures = ["mce", fot.measures.PlugIn("platt", norm="l2"), fot.measures.make("tce", alpha=0.1)]
    evaluation = fot.evaluate(y, p, interval=None, families=["beta"], measures=measures, null_draws=9)
    assert evaluation.names == ["beta", "mce", "platt", "tce(alpha=0.1)"]
    assert all(estimate.null.values.size == 9 for estimate in evaluation)
    assert float(evaluation["platt"]) == float(fot.calibration_error(y, p, family="platt", norm="l2"))
    assert evaluation["tce(alpha=0.1)"].null.mean == fot.tce(y, p, alpha=0.1, null_draws=9).null.mean
    frame = evaluation.to_frame()
    assert frame["measure"].tolist() == evaluation.names
    assert frame["value"].tolist() == [float(estimate) for estimate in evaluation]
    assert json.loads(evaluation.to_json())["estimates"] == evaluation.rows()
    text = str(evaluation)
    assert text.count("p-value\n") == 2  # in the table of the families, and in that of the others
    assert f"{100 * float(evaluation['tce(alpha=0.1)']):#.3g}".rstrip(".") + " %" in text
    assert [*evaluation.diagrams("all").diagrams] == ["beta", "platt"]
    assert evaluation.only(["mce"]).names == ["mce"]
    with pytest.raises(KeyError, match="'ece' is not among"):
        evaluation["ece"]


def test_an_evaluation_of_classes_by_any_measures():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 2, 3], 200)
    y = np.array(["a", "b", "c"])[(rng.random(200)[:, None] > np.cumsum(p, axis=1)[:, :2]).sum(axis=1)]
    evaluation = fot.evaluate(
        y, p, interval=None, families=["platt"], measures=["ece", "tce"], reduction="classwise", null_draws=3
    )
    assert evaluation.names == ["platt", "ece", "tce"]
    assert [*evaluation.classes] == ["a", "b", "c"]
    for k, label in enumerate("abc"):
        alone = fot.evaluate(
            y == label, p[:, k], interval=None, families=["platt"], measures=["ece", "tce"], null_draws=3
        )
        assert evaluation[label].means == alone.means
        assert [one.null.mean for one in evaluation[label]] == [one.null.mean for one in alone]
    assert evaluation.means["ece"] == pytest.approx(np.mean([float(e["ece"]) for e in evaluation.classes.values()]))
    assert len(evaluation.rows()) == 9
    with pytest.raises(AttributeError, match="each has its own"):
        _ = evaluation.sample


def test_a_class_that_is_called_as_a_measure_is_found_among_the_classes():
    y, p = np.array(["ece", "x", "ece"]), np.array([[0.7, 0.3], [0.4, 0.6], [0.8, 0.2]])
    evaluation = fot.evaluate(y, p, interval=None, measures=["ece"], reduction="classwise")
    assert isinstance(evaluation["ece"], fot.measures.Estimate)
    assert isinstance(evaluation.classes["ece"], fot.evaluation.Evaluation)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": []}, "measures must be a non-empty list of measures"),
        ({"measures": "ece"}, "measures must be a non-empty list of measures"),
        ({"measures": ["no_such"]}, "measure must be one of 'ace', .*'ece', .*; got 'no_such'"),
        (
            {"measures": [fot.measures.Binned]},
            "measure must be the name of a measure or a Measure, .*; a class must be called",
        ),
        ({"measures": ["ece"], "null_draws": -1}, "null_draws must be a whole number"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        fot.evaluate([0, 1], [0.2, 0.7], **options)
    with pytest.raises(ValueError, match=r"settings of ece must be among loss, .*; got 'bins'"):
        fot.measures.make("ece", bins=3)


def test_measures_and_estimates_are_frozen_values():
    measure = fot.measures.make("ece")
    with pytest.raises(AttributeError):
        measure.n_bins = 3
    error = measure.estimate(fot.ScoreSample([0, 1], [0.2, 0.7]))
    with pytest.raises(AttributeError):
        error.value = 0.0
    again = pickle.loads(pickle.dumps(error))
    assert again.to_dict() == error.to_dict()
    with pytest.raises(AttributeError, match="no attribute 'losess'"):
        _ = error.losess
    with pytest.raises(KeyError, match="only class-wise estimates have classes"):
        error["a"]


def test_what_a_measure_would_be_if_c_were_the_truth():
    rng = np.random.default_rng(0)
    p, w = rng.random(50), rng.random(50)
    c = p**1.5
    sample = fot.ScoreSample(rng.random(50) < c, p, w)
    for norm in ("l1", "l2", "squared"):
        expected = {"l1": w @ np.abs(c - p), "l2": w @ (c - p) ** 2, "squared": w @ (c - p) ** 2}[norm] / w.sum()
        expected = np.sqrt(expected) if norm == "l2" else expected
        for measure in (fot.measures.PlugIn("beta", norm=norm), fot.measures.Binned(norm=norm)):
            assert measure.target(sample, c) == pytest.approx(expected)
    assert fot.measures.PlugIn("beta", norm="max").target(sample, c) == np.abs(c - p).max()
    for measure in (
        fot.measures.make("tce"),
        fot.measures.make("pde"),
        fot.measures.WithinBin(),
    ):
        assert measure.target(sample, c) is None


def test_greater_may_be_better():
    @dataclass(frozen=True)
    class Accuracy(fot.Measure):
        unit = "fraction"
        greater_is_better = True

        def estimate(self, sample):
            return fot.measures.Estimate.of(self, sample, float(np.mean((sample.p > 0.5) == (sample.y > 0.5))))

    y, p = noisy(200)
    found = fot.evaluate(y, p, interval=None, measures=[Accuracy()], null_draws=19)["Accuracy"]
    assert found.null.p_value == (1 + np.count_nonzero(found.null.values <= found.value)) / 20
    from sklearn.naive_bayes import GaussianNB

    model = GaussianNB().fit(p[:, None], y)
    score = fot.make_scorer(Accuracy())(model, p[:, None], y)
    assert score == np.mean(model.predict(p[:, None]) == y) > 0


def test_an_estimate_is_a_number_in_arithmetic():
    e, other = fot.gce(*noisy(100)), fot.gce(*noisy(100, ties=1), loss="deviation")
    a, b = float(e), float(other)
    assert (e / other, e / 2, 2 / e, -e, abs(e), round(e, 2)) == (a / b, a / 2, 2 / a, -a, a, round(a, 2))
    with pytest.raises(TypeError):
        iter(e)
    by_class = fot.gce([0, 1, 2], 0.7 * np.eye(3) + 0.1, reduction="classwise")
    with pytest.raises(KeyError, match=r"'z' is not among the classes \[0, 1, 2\]"):
        by_class["z"]


def test_what_an_estimate_cannot_be_is_refused():
    @dataclass(frozen=True)
    class Returns(fot.Measure):
        value: float

        def estimate(self, sample):
            return self.value if self.value > 0 else fot.measures.Estimate.of(self, sample, float("nan"))

    with pytest.raises(TypeError, match=r"Returns\.estimate must return an Estimate, got 0.3"):
        fot.evaluate([0, 1], [0.2, 0.8], measures=[Returns(0.3)])
    with pytest.raises(ValueError, match=r"value of Returns\(value=-1\) must be a finite number, got nan"):
        fot.evaluate([0, 1], [0.2, 0.8], measures=[Returns(-1)], null_draws=3)

    class Settings(Returns):
        def __init__(self, value):
            pass

    class Bare(fot.Measure):
        def __init__(self, value):
            pass

    with pytest.raises(TypeError, match="the measure 'bare' must be a dataclass"):
        fot.measures.register("bare")(Bare)

    class OneNumber(fot.bin_losses.BinLoss):
        name = "one number"

        def per_bin(self, binned):
            return 1.0

    with pytest.raises(TypeError, match=r"OneNumber.per_bin must return an array of shape \(10,\)"):
        fot.gce([0, 1], [0.2, 0.8], loss=OneNumber())


def test_norms_and_debiasing_are_told_apart():
    y, p = noisy(200)
    measures = [
        fot.measures.PlugIn("slope1"),
        fot.measures.PlugIn("slope1", norm="max"),
        fot.measures.PlugIn("slope1", debias=True),
    ]
    evaluation = fot.evaluate(y, p, interval=None, families=["beta"], norm="l2", measures=measures)
    assert evaluation.names == ["beta", "slope1", "slope1, norm max", "slope1, debiased"]
    first, header, _, *rows = str(evaluation).splitlines()
    assert first.startswith("calibration error, n = ")
    assert header.split()[1] == "norm"
    assert [row[18:].split()[0].strip(",") for row in rows[:4]] == ["l2", "l1", "max", "l1"]
    assert "debiased" in rows[3][18:]
    of_one = str(fot.evaluate(y, p, interval=None, measures=[fot.measures.PlugIn("slope1", debias=True)]))
    assert of_one.startswith("calibration error (l1, debiased), n = 200")


def test_the_seed_reaches_measures_given_by_name():
    y, p = noisy(300)
    fot.measures.register("blocks", estimator="block", block_size=10)(fot.measures.KernelError)
    try:
        values = [
            float(fot.evaluate(y, p, interval=None, measures=["blocks"], random_state=seed)["blocks"])
            for seed in (1, 1, 2)
        ]
    finally:
        fot.measures.unregister("blocks")
    assert values[0] == values[1] != values[2]
    kept = fot.measures.KernelError(estimator="block", block_size=10, random_state=1)
    assert float(fot.evaluate(y, p, interval=None, measures=[kept], random_state=2).estimates[0]) == values[0]


def test_class_wise_tables_tell_what_to_expect_of_calibrated_scores():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 100)
    y = rng.integers(0, 3, 100)
    options = {"families": ["beta"], "measures": ["ece"], "reduction": "classwise"}
    evaluation = fot.evaluate(y, p, interval=None, null_draws=4, **options)
    mean = np.mean([evaluation["ece"][label].null.mean for label in range(3)])
    row = next(line for line in str(evaluation).splitlines() if line.startswith("ece"))
    assert str(evaluation).count("mean if calibrated") == 2
    assert row.split()[-1] == f"{mean:#.3g}"
    assert "if calibrated" not in str(fot.evaluate(y, p, interval=None, **options))


def test_an_evaluation_is_asked_by_the_name_it_was_given():
    y, p = noisy(200)
    evaluation = fot.evaluate(y, p, interval=None, measures=["plug_in", "gce"])
    assert evaluation.names == ["spline", "gce"]
    assert evaluation["plug_in"] is evaluation["spline"]
    with pytest.raises(ValueError, match=r"none of .* has a map to draw"):
        fot.evaluate(y, p, interval=None, measures=["gce"]).plot()


def test_packages_plug_in_through_entry_points(tmp_path, monkeypatch):
    (tmp_path / "a_package.py").write_text(
        "from dataclasses import dataclass\n"
        "import fitontest as fot\n"
        "@dataclass(frozen=True)\n"
        "class Theirs(fot.Measure):\n"
        "    scale: float = 2.0\n"
        "    def estimate(self, sample):\n"
        "        return fot.measures.Estimate.of(self, sample, self.scale * sample.base_rate)\n"
    )
    info = tmp_path / "a_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: a-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fitontest.measures]\ntheirs = a_package:Theirs\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    y, p = [0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8]
    try:
        measure = fot.measures.make("theirs", scale=4.0)
        assert measure.name == "theirs(scale=4.0)"
        assert float(fot.evaluate(y, p, interval=None, measures=["theirs"])["theirs"]) == 1.5
    finally:
        fot.measures.unregister("theirs")
        sys.modules.pop("a_package", None)
