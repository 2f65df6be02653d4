"""All families in one table."""

import json

import numpy as np
import pytest

import fitontest as fot
from fitontest.families.base import family_class
from fitontest.results.text import short
from tests.strategies import noisy


@pytest.fixture(scope="module")
def of_all_families():
    return fot.evaluate(*noisy(300), families="all", interval=None, norm="l2")


def test_every_registered_family_is_there_with_its_own_error(of_all_families):
    y, p = noisy(300)
    evaluation = of_all_families
    listed = [name for name in fot.families.names("two") if family_class(name).evaluator]
    assert [error.family for error in evaluation] == listed
    assert len(evaluation) == len(listed)
    assert "slope1" in listed
    assert not {"venn_abers", "identity"} & set(listed)
    for error in evaluation:
        assert float(error) == float(fot.calibration_error(y, p, family=error.family, norm="l2"))
        assert evaluation[error.family] is error
    with pytest.raises(KeyError):
        evaluation["cubic"]


def test_four_families_are_there_unasked():
    assert fot.evaluate(*noisy(60), interval=None).names == ["spline", "slope1", "isotonic", "beta"]
    P = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    y = np.arange(60) % 3
    every = fot.evaluate(y, P, families="all", reduction="canonical", interval=None).names
    assert {"vector", "dirichlet", "temperature"} <= set(every)
    assert "identity" not in every


def test_weights_reach_every_measure():
    y, p = noisy(300)
    w = np.random.default_rng(0).random(300)
    evaluation = fot.evaluate(y, p, interval=None, families=["slope1", "beta"], measures=["ece"], sample_weight=w)
    for family in ("slope1", "beta"):
        assert float(evaluation[family]) == float(fot.calibration_error(y, p, family=family, sample_weight=w))
    assert float(evaluation["ece"]) == float(fot.gce(y, p, sample_weight=w))


def test_names_instances_and_maps():
    y, p = noisy(300)
    evaluation = fot.evaluate(y, p, interval=None, families=["pava", fot.Slope1(7), fot.maps.IdentityMap()])
    assert [error.family for error in evaluation] == ["pava", "slope1", "identity"]
    assert evaluation["slope1"].n_bins == 7
    assert [error.fitted_on_these_rows for error in evaluation] == [True, True, False]


def test_random_state_reaches_the_families_given_by_name():
    y, p = noisy(300)
    for seed in (0, 5):
        named = fot.evaluate(y, p, interval=None, families=["slope1", "platt"], random_state=seed)
        assert named["slope1"].n_bins == fot.Slope1(random_state=seed).fit(p, y).n_bins_


def test_the_frame_the_records_and_the_json_agree(of_all_families):
    evaluation = of_all_families
    rows = evaluation.rows()
    assert json.loads(json.dumps(evaluation.to_dict(), allow_nan=False)) == {"estimates": rows, "notes": []}
    frame = evaluation.to_frame()
    assert frame["family"].tolist() == [row["family"] for row in rows]
    assert frame["value"].tolist() == [row["value"] for row in rows]
    assert evaluation.to_frame(backend="polars")["value"].to_list() == [row["value"] for row in rows]
    assert evaluation.to_frame(backend="pyarrow").num_rows == len(rows)


def test_the_printed_table_is_aligned(of_all_families):
    y, p = noisy(300)
    evaluation = of_all_families.joined(fot.evaluate(y, p, interval=None, families=[fot.maps.IdentityMap()], norm="l2"))
    title, header, rule, *body = str(evaluation).splitlines()
    body, footnote = body[: len(evaluation)], body[len(evaluation) :]
    assert title == f"calibration error (l2), n = 300, share of positives {short(y.mean())}"
    assert header.split() == ["family", "raw", "s.e.", "(map", "fixed)", "bins", "fitted", "here"]
    assert {len(line) for line in (header, rule, *body)} == {len(header)}
    for line, name, error in zip(body, evaluation.names, evaluation, strict=True):
        cells = line.split()
        assert cells[0] == name
        assert float(cells[1]) == pytest.approx(float(error), rel=5e-3)
        assert cells[3] == ("-" if error.n_bins is None else str(error.n_bins))
        assert cells[4] == ("yes" if error.fitted_on_these_rows else "no")
    assert "not an error bar" in " ".join(footnote)
    assert repr(evaluation) == str(evaluation)


def test_small_errors_keep_their_digits():
    rng = np.random.default_rng(0)
    p = rng.random(2000) * 1e-3
    printed = str(fot.evaluate(rng.random(2000) < p, p, interval=None, families=[fot.Slope1(5)]))
    assert "0.00000 " not in printed


@pytest.mark.parametrize("families", [[], "slope1", "All"])
def test_families_must_be_a_list(families):
    with pytest.raises(ValueError, match="families must be a non-empty list of families"):
        fot.evaluate([0, 1], [0.2, 0.9], families=families)


def test_two_settings_of_one_family_are_told_apart():
    y, p = noisy(100)
    evaluation = fot.evaluate(y, p, interval=None, families=[fot.Flat(2), fot.Flat(20), "platt"])
    assert [error.family for error in evaluation] == ["Flat(n_bins=2)", "Flat(n_bins=20)", "platt"]
    with pytest.raises(ValueError, match="families must be a non-empty list"):
        fot.evaluate(y, p, interval=None, families=fot.Flat(2))
