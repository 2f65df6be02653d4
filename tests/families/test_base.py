"""The base class and the registry: plugging in a family of one's own."""

import sys

import numpy as np
import pytest
from sklearn.base import is_regressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import fitontest as fot
from fitontest.families.registry import family_name
from tests.quick_families import quick
from tests.strategies import noisy


class Halfway(fot.Family):
    """Moves every score half-way to the base rate."""

    def __init__(self, share=0.5):
        self.share = share

    def fit_map(self, sample):
        rate = sample.base_rate
        return fot.maps.KnotsMap([0, 1], [self.share * rate, 1 - self.share + self.share * rate])


def test_a_family_is_one_class_with_one_method():
    y, p = noisy(100)
    family = Halfway().fit(p, y)
    np.testing.assert_allclose(family.predict(p), 0.5 * p + 0.5 * y.mean())
    assert family.predict_proba(p).shape == (100, 2)
    assert not hasattr(family, "partition_")
    assert float(fot.calibration_error(y, p, family=Halfway())) == pytest.approx(np.mean(np.abs(y.mean() - p)) / 2)
    assert family_name(family) == "Halfway"


def test_registered_it_is_part_of_every_evaluation():
    fot.families.register("halfway", aliases=("half",))(Halfway)
    try:
        assert "halfway" in fot.families.names("two")
        assert "half" not in fot.families.names("two")
        assert isinstance(fot.families.make("half", share=0.1), Halfway)
        y, p = noisy(200)
        assert "halfway" in [error.family for error in fot.evaluate(y, p, families="all", interval=None)]
        assert fot.calibration_error(y, p, family=Halfway()).family == "halfway"
        for taken in ("halfway", "half", "pava", "slope1"):
            with pytest.raises(ValueError, match=f"there is a family called '{taken}' already"):
                fot.families.register(taken)
    finally:
        fot.families.unregister("halfway")
    with pytest.raises(ValueError, match=r"family must be one of 'beta'.*; got 'half'"):
        fot.families.make("half")


def test_only_families_can_be_registered():
    with pytest.raises(TypeError, match="the family 'number' must be a subclass of Family"):
        fot.families.register("number")(int)
    assert "number" not in fot.families.names("two")
    with pytest.raises(ValueError, match=r"name must be a non-empty string, as in .*, got ''"):
        fot.families.register("")


def test_pava_is_another_name_of_isotonic():
    assert isinstance(fot.families.make("pava"), fot.Isotonic)
    assert {"isotonic", "pava"} & set(fot.families.names("two")) == {"isotonic"}


@pytest.mark.parametrize("name", [3, None, "nothing"])
def test_an_unknown_family_is_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match="family must be"):
        fot.families.make(name)


def test_an_unknown_parameter_is_refused_with_those_of_the_family():
    rule = r"settings of slope1 must be among n_bins, scheme, closed, .*; got 'bins'"
    with pytest.raises(ValueError, match=rule):
        fot.families.make("slope1", bins=3)
    with pytest.raises(ValueError, match="settings of pava must be among interpolation; got 'n_bins'"):
        fot.families.make("pava", n_bins=3)  # called by the name that was given
    with pytest.raises(ValueError, match="settings of identity must be among none; got 'n_bins'"):
        fot.families.make("identity", n_bins=3)


def test_a_family_that_takes_any_parameter_is_asked_itself():
    class Open(Halfway):
        def __init__(self, **settings):
            super().__init__(**settings)

    fot.families.register("open")(Open)
    try:
        assert fot.families.make("open", share=0.25).share == 0.25
    finally:
        fot.families.unregister("open")


def test_a_package_plugs_in_through_an_entry_point(tmp_path, monkeypatch):
    (tmp_path / "someones_package.py").write_text(
        "import fitontest as fot\n"
        "class Theirs(fot.Family):\n"
        "    def fit_map(self, sample):\n"
        "        return fot.maps.IdentityMap()\n"
    )
    info = tmp_path / "someones_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: someones-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fitontest.families]\ntheirs = someones_package:Theirs\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "theirs" in fot.families.names("two")
    assert "someones_package" not in sys.modules  # not imported before it is looked up
    try:
        family = fot.families.make("theirs").fit([0.2, 0.8], [0, 1])
        assert family.predict([0.3]).tolist() == [0.3]
        assert family_name(family) == "theirs"
    finally:
        fot.families.unregister("theirs")
        sys.modules.pop("someones_package", None)


def test_an_entry_point_that_is_no_family_is_refused(tmp_path, monkeypatch):
    info = tmp_path / "broken-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fitontest.families]\nbroken = collections:OrderedDict\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TypeError, match="the family 'broken' must be a subclass of Family"):
        fot.families.make("broken")


def test_a_refit_forgets_the_first_fit():
    y, p = noisy(300)
    family = fot.Slope1().fit(p, y)
    assert hasattr(family, "cv_scores_")
    family.set_params(n_bins=4).fit(p, y)
    assert not hasattr(family, "cv_scores_")
    assert family.n_bins_ == 4


def test_a_column_of_scores_is_accepted_and_a_matrix_is_not():
    y, p = noisy(50)
    family = fot.Beta().fit(p[:, None], y)
    np.testing.assert_array_equal(family.predict(p[:, None]), family.predict(p))
    with pytest.raises(ValueError, match=r"p must be one-dimensional, got an array of shape \(50, 2\)"):
        family.predict(np.column_stack([1 - p, p]))
    with pytest.raises(ValueError, match=r"pass the column that list\(classifier.classes_\).index\(pos_label\) gives"):
        family.fit(np.column_stack([1 - p, p]), y)
    with pytest.raises(ValueError, match="p must be one-dimensional"):
        family.predict(0.5)


def test_predicting_nothing_gives_nothing():
    y, p = noisy(50)
    for name in fot.families.names("two"):
        family = quick(name).fit(p, y)
        assert family.predict([]).shape == (0,)
        assert family.predict_proba([]).shape == (0, 2)


def test_in_scikit_learn():
    y, p = noisy(300)
    tags = get_tags(fot.Beta())
    assert tags.input_tags.one_d_array
    assert not tags.input_tags.two_d_array
    assert is_regressor(fot.Beta())
    # score: 1 - Brier score / Brier score of the base rate
    q = fot.Flat(5).fit(p, y).predict(p)
    expected = 1 - np.mean((y - q) ** 2) / np.mean((y - y.mean()) ** 2)
    assert fot.Flat(5).fit(p, y).score(p, y) == pytest.approx(expected, abs=1e-12)
    assert cross_val_score(fot.Beta(), p, y, cv=3).shape == (3,)
    search = GridSearchCV(fot.Flat(), {"n_bins": [1, 3, 10]}, cv=3).fit(p, y)
    assert search.best_params_["n_bins"] in (1, 3, 10)
    chain = make_pipeline(fot.Platt(), fot.Isotonic()).fit(p, y)
    assert np.all(np.diff(chain.predict(np.sort(p))) >= 0)
    np.testing.assert_array_equal(fot.Beta().fit_transform(p, y), fot.Beta().fit(p, y).transform(p))


def test_a_plug_in_that_returns_the_wrong_thing_is_told_so():
    class NoMap(fot.Family):
        def fit_map(self, sample):
            return None

    class NoPartition(fot.partitions.Partitioner):
        def partition(self, sample):
            return [0.5]

    class NoFit(fot.Family):
        pass

    with pytest.raises(TypeError, match=r"NoMap.fit_map must return a CalibrationMap, got None"):
        NoMap().fit([0.2], [1])
    with pytest.raises(TypeError, match=r"a Partitioner must return a Partition, got \[0.5\]"):
        fot.Slope1(scheme=NoPartition()).fit([0.2], [1])
    with pytest.raises(TypeError, match="NoFit must define fit_map or solve"):
        NoFit().fit([0.2], [1])
    with pytest.raises(ValueError, match="name must be that of a registered family, got 'nothing'"):
        fot.families.unregister("nothing")


def test_a_registered_partition_is_a_scheme_by_name():
    @fot.partitions.register("halves")
    class Halves(fot.partitions.Partitioner):
        def partition(self, sample):
            return fot.partitions.Partition([0.5])

    try:
        y, p = noisy(50)
        assert fot.Flat(scheme="halves").fit(p, y).partition_ == fot.partitions.Partition([0.5])
    finally:
        fot.partitions.unregister("halves")


def test_a_map_of_ones_own_can_be_saved():
    from dataclasses import dataclass
    from typing import ClassVar

    @fot.maps.register
    @dataclass(frozen=True, eq=False)
    class Power(fot.CalibrationMap):
        kind: ClassVar[str] = "power"
        exponent: float

        def evaluate(self, p):
            return p**self.exponent

    try:
        assert fot.CalibrationMap.from_dict(Power(2.0).to_dict()) == Power(2.0)
    finally:
        fot.maps.unregister("power")
    assert Power(2.0)(0.5) == 0.25


def test_score_reads_the_labels_as_fit_does():
    y, p = noisy(300)
    expected = fot.Flat(5).fit(p, y).score(p, y)
    assert fot.Flat(5).fit(p, 2 * y - 1).score(p, 2 * y - 1) == pytest.approx(expected, abs=1e-15)
    names = np.where(y == 1, "sick", "well")
    assert fot.Flat(5).fit(p, names, pos_label="sick").score(p, names) == pytest.approx(expected, abs=1e-15)
    flipped = fot.Flat(5, closed="right").fit(1 - p, y, pos_label=0)
    assert flipped.score(1 - p, y) == pytest.approx(expected, abs=1e-12)
    best = [GridSearchCV(fot.Flat(), {"n_bins": [1, 3, 10]}, cv=3).fit(p, t).best_params_ for t in (y, 2 * y - 1)]
    assert best[0] == best[1]
    w = np.random.default_rng(0).integers(0, 3, 300)
    repeated = fot.Flat(5).fit(p, y).score(np.repeat(p, w), np.repeat(y, w))
    assert fot.Flat(5).fit(p, y).score(p, y, w) == pytest.approx(repeated, abs=1e-12)


def test_a_parameter_may_end_in_an_underscore_and_a_failed_refit_keeps_the_fit():
    class Odd(Halfway):
        def __init__(self, share_=0.5):
            self.share_ = share_
            self.share = share_

    y, p = noisy(50)
    assert Odd(0.2).fit(p, y).share_ == 0.2
    family = fot.Slope1(3).fit(p, y)
    with pytest.raises(ValueError, match="n_bins must be"):
        family.set_params(n_bins=0).fit(p, y)
    assert family.n_bins_ == 3
