"""The text of a comparison, and its other forms."""

import json
import re

import numpy as np
import pytest

import fitontest as fot
from tests.comparison.test_compare import draw, quick


def test_what_was_chosen_and_by_how_much():
    comparison = quick(*draw(2000), evaluators=["slope1", "isotonic"])
    text = str(comparison)
    assert repr(comparison) == text
    gain = comparison[comparison.chosen].held_out.to_identity
    sentence = re.search(r"Chosen \(\*\): (\w+)\. Its log loss is (\S+) \(s\.e\. (\S+)\) less than", text)
    assert sentence[1] == comparison.chosen
    assert float(sentence[2]) == pytest.approx(-gain.mean, abs=0.06 * gain.se)
    assert float(sentence[3]) == pytest.approx(gain.se, rel=0.06)
    assert "Log loss clips predictions to [1e-06, 1 - 1e-06]." in text
    for one in comparison:
        assert len(re.findall(rf"^{one.name}( \*)? ", text, flags=re.M)) == 2  # a row in each table
        assert f"{one.held_out.score:.5f}" in text
        assert f"{one.errors['isotonic']:.5f}" in text


def test_other_forms_hold_the_same():
    comparison = quick(*draw(300))
    assert json.loads(comparison.to_json()) == json.loads(json.dumps(comparison.to_dict()))
    assert comparison.to_frame()["family"].tolist() == [one.name for one in comparison]
    html = comparison._repr_html_()
    assert html.count("<table>") == 2
    assert f"<td>{comparison.chosen} *</td>" in html
    assert "Chosen (*)" in html


def test_the_simplest_of_equals():
    kinds = set()
    for seed in range(8):
        comparison = quick(*draw(2000, seed))
        first = comparison.calibrators[0].name
        assert ("has the fewest parameters" in str(comparison)) == (first not in (comparison.chosen, "identity"))
        near = [one.name for one in comparison if one.held_out.to_best.mean <= one.held_out.to_best.se]
        others = [name for name in near if name not in (comparison.chosen, first)]
        sentence = f"Not clearly worse than {first} either, by that measure: {', '.join(others)}."
        assert (sentence in str(comparison)) == bool(others)
        kinds.add((first == comparison.chosen, bool(others)))
    assert len(kinds) >= 2  # several of the cases were seen


def test_doing_nothing():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    comparison = quick((rng.random(300) < p).astype(int), p)
    assert comparison.chosen == "identity"
    assert "Chosen (*): identity, to do nothing." in str(comparison)
    first = comparison.calibrators[0]
    if first.name != "identity":
        assert f"that of {first.name}, is only" in str(comparison)


def test_no_family_is_better_than_nothing():
    comparison = fot.compare_calibrators([0, 1, 0, 1], [0.3, 0.6, 0.3, 0.6], families=[fot.Identity()], evaluators=[])
    assert "No family has a smaller log loss." in str(comparison)


def test_on_a_test_set():
    comparison = quick(*draw(2000), test=draw(3000, seed=2))
    paired = comparison[comparison.chosen].test
    text = str(comparison)
    assert f"On the test set (3000 rows): log loss {paired.score:.5f}" in text
    oracle = min(comparison, key=lambda one: one.test.score)
    expected = (
        "No family does better there." if oracle.name == comparison.chosen else f"The best there, {oracle.name}, is"
    )
    assert expected in text


def test_worse_on_the_test_set_is_in_capitals():
    y, p = draw(2000)
    fresh = np.random.default_rng(5).random(2000)
    comparison = quick(y, p, test=((np.random.default_rng(6).random(2000) < fresh).astype(int), fresh))
    assert "MORE than that of doing nothing" in str(comparison)


def test_few_rows_of_a_class_are_pointed_out():
    y, p = draw(300)
    rare = np.arange(300) < 20
    assert "only 20 rows are of the smaller class" in str(quick(rare.astype(int), p))
    assert "smaller class" not in str(quick(y, p))


def test_the_brier_score_is_not_clipped():
    text = str(quick(*draw(200), scoring="brier"))
    assert "clips" not in text
    assert "Brier score" in text
