"""Results of several models, segments or classes are mappings that share their tables and refusals."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.results.several import Several, grouped

RNG = np.random.default_rng(4)
P = RNG.random(400)
Y = (RNG.random(400) < P).astype(int)
REGION = np.repeat(["north", "south"], 200)
SCORES = RNG.dirichlet(np.ones(3), 300)
LABELS = (SCORES.cumsum(axis=1) > RNG.random(300)[:, None]).argmax(axis=1)


def compare_classes():
    cells = [
        fot.data.ClassCells({k: fot.Cells.of(LABELS[i::2] == k, SCORES[i::2, k]) for k in range(3)}) for i in (0, 1)
    ]
    return fot.monitor.compare_cells(*cells, draws=19)


RESULTS = {
    "models": (lambda: fot.evaluate(Y, {"a": P, "b": P**2}, families=["slope1"], interval=None), ["a", "b"]),
    "segments": (lambda: fot.evaluate(Y, P, by=REGION, measures=["ece"], interval=None), ["north", "south"]),
    "classes": (compare_classes, [0, 1, 2]),
    "validations": (lambda: fot.risk.validate(Y, P, by=REGION), ["north", "south"]),
    "gates": (lambda: fot.check_calibration(Y, P, by=REGION, max_error=0.1), ["north", "south"]),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_mapping(kind):
    make, keys = RESULTS[kind]
    results = make()
    assert isinstance(results, Several)
    assert list(results) == list(results.keys()) == keys
    assert len(results) == len(keys)
    assert all(result is not None for result in results.values())
    assert "absent" not in results
    assert results.get("absent") is None
    with pytest.raises(KeyError, match=r"'absent' is not among the (models|segments|classes) \["):
        results["absent"]


def test_gate_of_a_segment():
    check = fot.check_calibration(Y, np.where(REGION == "south", P**3, P), by=REGION, max_error=0.1)
    assert {name: check[name].outcome for name in check} == {gate.name: gate.outcome for gate in check.gates}
    assert check["south"].outcome == "fail" != check["north"].outcome


def test_segment_without_rows_says_so():
    evaluation = fot.evaluate(Y, P, by=REGION, measures=["ece"], interval=None, sample_weight=REGION == "north")
    with pytest.raises(KeyError, match="'south' has no rows of positive weight"):
        evaluation["south"]


def test_rows_share_their_keys():
    models = fot.evaluate(Y, {"a": P, "b": P**2}, families=["slope1"], measures=["ece"], interval=None)
    rows = models.rows()
    assert [row["model"] for row in rows] == ["a", "a", "b", "b"]
    assert len({tuple(row) for row in rows}) == 1


def test_grouped_keeps_the_order():
    assert grouped([("x", 2), ("y", 1), ("x", 1)]) == {"x": [2, 1], "y": [1]}
    assert list(grouped([("y", 0), ("x", 0)])) == ["y", "x"]
