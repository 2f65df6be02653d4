"""All families for every class."""

import json

import numpy as np
import pytest
from matplotlib.figure import Figure

import fitontest as fot
from fitontest.results.text import short


def three_classes(n=300, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1, 2, 3], n)
    codes = (rng.random(n)[:, None] > np.cumsum(p, axis=1)[:, :2]).sum(axis=1)
    return np.array(["cat", "dog", "eel"])[codes], p


@pytest.fixture(scope="module")
def found():
    y, p = three_classes()
    w = np.random.default_rng(1).integers(0, 3, y.size)
    return fot.evaluate(
        y, p, reduction="classwise", norm="l2", sample_weight=w, families=["slope1", "platt", "isotonic"]
    )


@pytest.mark.exhaustive
def test_every_class_has_the_evaluation_of_itself_against_the_rest(found):
    y, p = three_classes()
    w = np.random.default_rng(1).integers(0, 3, y.size)
    assert isinstance(found, fot.evaluation.Evaluation)
    assert [*found.classes] == ["cat", "dog", "eel"]
    assert len(found) == 3
    for k, label in enumerate(found.classes):
        alone = fot.evaluate(
            y == label, p[:, k], interval=None, norm="l2", sample_weight=w, families=["slope1", "platt", "isotonic"]
        )
        assert [float(error) for error in found[label]] == [float(error) for error in alone]
        assert {error.reduction for error in found[label]} == {"classwise"}
        np.testing.assert_array_equal(found[label].sample.p, p[:, k])
        np.testing.assert_array_equal(found[label].sample.y, y == label)


def test_means_are_those_of_the_class_wise_error(found):
    y, p = three_classes()
    w = np.random.default_rng(1).integers(0, 3, y.size)
    assert [*found.means] == ["slope1", "platt", "isotonic"]
    for family, mean in found.means.items():
        error = fot.calibration_error(y, p, family=family, norm="l2", sample_weight=w, reduction="classwise")
        assert mean == pytest.approx(float(error), abs=1e-15)


@pytest.mark.exhaustive
def test_the_records_the_frame_and_the_json_agree(found):
    rows = found.rows()
    assert [(row["class"], row["family"]) for row in rows] == [
        (label, family) for label in found.classes for family in found.means
    ]
    assert found.to_frame()["value"].tolist() == [row["value"] for row in rows]
    assert found.to_frame("polars")["class"].to_list() == [row["class"] for row in rows]
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert (read["reduction"], read["means"]) == ("classwise", found.means)
    assert [{"class": one["class"], **row} for one in read["classes"] for row in one["estimates"]] == rows


def test_the_printed_table(found):
    _, table = str(found.table()).split("\n\n")
    title, header, rule, *body = table.splitlines()
    assert title == f"class-wise calibration error (l2): mean over 3 classes, n = {found['cat'].estimates[0].n}"
    assert header.split()[:9] == ["family", "mean", "error", "smallest", "in", "class", "largest", "in", "class"]
    for line, (family, mean) in zip(body, found.means.items(), strict=False):
        errors = {label: float(found[label][family]) for label in found.classes}
        least, most = min(errors, key=errors.get), max(errors, key=errors.get)
        nulls = [found[label][family].null.mean for label in found.classes]
        values = [family, short(mean), short(errors[least]), least, short(errors[most]), most, short(np.mean(nulls))]
        assert line.split() == values
        assert len(line) == len(rule)
    assert "not a ranking" in str(found.table())
    assert repr(found) == str(found)


@pytest.mark.exhaustive
def test_verdicts_on_classes_are_adjusted_for_their_number():
    y, p = three_classes(600)
    swapped = np.where((y == "eel") & (np.arange(600) % 3 == 0), "dog", y)
    options = {"reduction": "classwise", "families": ["spline"]}
    for labels in (y, swapped):
        found = fot.evaluate(labels, p, **options)
        verdicts = found.class_verdicts
        each = np.array([one.p_value for one in verdicts.verdicts.values()])
        by_rank = np.maximum.accumulate(np.sort(each) * np.arange(3, 0, -1)).clip(max=1.0)
        assert sorted(verdicts.adjusted_p_values.values()) == pytest.approx(by_rank)
        for label, interval in ((label, found[label]["spline"].interval) for label in found.classes):
            line = next(text for text in str(found).splitlines() if text.startswith(f"class {label} "))
            assert f"{interval.low:.3f} to {interval.high:.3f}" in line
            assert len(str(found).splitlines()) <= 8
        records = found.to_dict()["classes"]
        assert [one["adjusted_p_value"] for one in records] == [*verdicts.adjusted_p_values.values()]
    assert verdicts.shown == ["dog", "eel"]
    assert str(found).startswith("Miscalibration is shown in classes dog, eel of 3 classes (Holm p-value")
    assert verdicts.headline_of("cat") == "No miscalibration shown"
    assert str(fot.evaluate(y, p, **options)).startswith("No miscalibration is shown in any of 3 classes: the smallest")


@pytest.mark.exhaustive
def test_many_classes_can_show_what_one_of_them_shows():
    rng = np.random.default_rng(0)
    p = np.column_stack((rng.uniform(0.2, 0.4, 1000), rng.dirichlet(np.full(7, 9.0), 1000) * 0.7))
    p /= p.sum(axis=1, keepdims=True)
    y = (p.cumsum(axis=1) < rng.random((1000, 1))).sum(axis=1)
    y[rng.random(1000) < 0.15] = 0
    found = fot.evaluate(y, p, reduction="classwise", families=["platt"])
    assert 0 in found.class_verdicts.shown
    assert found.class_verdicts.verdicts[0].test.draws >= 40 * 8


def test_intervals_that_are_not_asked_for_and_those_of_very_many_classes():
    y, p = three_classes(60)
    quick = fot.evaluate(y, p, reduction="classwise", families=["platt"], interval=None)
    assert quick.class_verdicts is None
    assert str(quick).startswith("class-wise calibration error")
    assert "verdict" not in quick.to_dict()["classes"][0]
    many = np.full((63, 21), 1 / 21)
    found = fot.evaluate(np.arange(63) % 21, many, reduction="classwise", families=["identity"])
    assert found.class_verdicts is None
    by_segment = fot.evaluate(y, p, reduction="classwise", families=["platt"], by=np.arange(60) % 2)
    assert by_segment.total.class_verdicts is None


def test_a_list_of_families_may_be_an_iterator_and_hold_one_twice():
    y, p = three_classes(100)
    once = fot.evaluate(
        y, p, interval=None, reduction="classwise", families=iter(["beta", fot.Slope1(3), fot.Slope1(5)])
    )
    assert [error.family for error in once["eel"]] == ["beta", "Slope1(n_bins=3)", "Slope1(n_bins=5)"]
    assert [*once.means] == ["beta", "Slope1(n_bins=3)", "Slope1(n_bins=5)"]
    with pytest.raises(ValueError, match="families must be a non-empty list of families"):
        fot.evaluate(y, p, interval=None, reduction="classwise", families="slope1")


def test_classes_that_are_numbers():
    _, p = three_classes(30)
    found = fot.evaluate(np.arange(30) % 3, p, reduction="classwise", families=["identity"])
    assert [*found.classes] == [0, 1, 2]
    assert found.to_dict()["means"] == {"identity": 0.0}


@pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")  # of two classes of three
@pytest.mark.parametrize(("reduction", "share"), [("confidence", "accuracy"), ("binary", "share of positives")])
def test_one_sample_is_an_evaluation_that_says_how_it_was_reduced(reduction, share):
    y, p = three_classes()
    if reduction == "binary":
        y, p = y[y != "eel"], p[y != "eel"][:, :2]
    given = {"pos_label": "dog"} if reduction == "binary" else {}
    found = fot.evaluate(y, p, interval=None, reduction=reduction, families=[fot.Slope1(4), "platt"], **given)
    assert isinstance(found, fot.evaluation.Evaluation)
    rate = found.estimates[0].base_rate
    title = str(found).splitlines()[0]
    assert title == f"calibration error (l1), reduction {reduction}, n = {y.size}, {share} {short(rate)}"
    assert found.to_dict() == {"reduction": reduction, "estimates": found.rows(), "notes": found.notes}
    if reduction == "confidence":
        assert rate == np.mean(p.argmax(axis=1) == np.searchsorted(["cat", "dog", "eel"], y))


@pytest.mark.exhaustive
def test_a_class_can_be_drawn(found, tmp_path):
    several = found["dog"].diagrams()
    several.save(tmp_path / "dog.png", dpi=40)
    assert several.ax_.get_ylabel() == "Observed frequency of the class"


@pytest.mark.exhaustive
def test_the_classes_are_drawn_under_one_family():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 400)
    y = (p.cumsum(axis=1) > rng.random((400, 1))).argmax(axis=1)
    found = fot.evaluate(y, p, interval=None, families=["isotonic", "beta"], reduction="classwise")
    several = found.plot("beta", ax=Figure())
    assert [*several.diagrams] == ["class 0", "class 1", "class 2"]
    assert [display.error for display in several.diagrams.values()] == [found[k]["beta"] for k in range(3)]
    first = found.plot(ax=Figure())
    assert [display.error for display in first.diagrams.values()] == [found[k]["isotonic"] for k in range(3)]
    with pytest.raises(ValueError, match="families must be one of 'isotonic', 'beta'; got 'slope1'"):
        found.plot("slope1")
