"""The one door: arrays, frames, files and cells become samples, and what it refuses it names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fitontest as fot

RNG = np.random.default_rng(0)
P = RNG.random(300)
Y = (RNG.random(300) < P).astype(int)
W = RNG.integers(0, 3, 300)
REGION = np.where(P < 0.5, "north", "south")
BOTH = np.stack([1 - P, P], axis=1)
COLUMNS = {"y": Y, "p": P, "q": 1 - P, "w": W, "region": REGION}


def same(one, other):
    return bool(np.array_equal(one.p, other.p) and np.array_equal(one.w, other.w))


def test_arrays_become_the_sample_that_they_are():
    sample = fot.read(Y, P, sample_weight=W, weights="importances")
    assert same(sample, fot.ScoreSample(Y, P, W, weights="importances"))
    assert (sample.whole, sample.said, sample.reduction) == (False, True, None)
    assert fot.read(sample) is sample
    with pytest.raises(ValueError, match="y_prob must be left out where y_true is ScoreSample"):
        fot.read(sample, P)


@pytest.mark.parametrize("reduction", ["confidence", "binary", "canonical"])
def test_a_reduction_makes_one_sample_of_a_matrix(reduction):
    sample = fot.read(Y, BOTH, reduction=reduction, sample_weight=W)
    assert sample.n == np.count_nonzero(W)
    assert fot.read(sample, reduction=reduction) is sample
    with pytest.raises(ValueError, match=r"reduction must be left out where y_true is .*; got 'classwise'"):
        fot.read(sample, reduction="classwise")


def test_distributions_are_shown_in_short():
    sample = fot.read(Y, BOTH, reduction="canonical")
    assert repr(sample) == "SimplexSample(n=300, 2 classes)"


def test_weights_that_only_leave_rows_out_are_not_spoken_of():
    sample = fot.read(Y, BOTH, reduction="canonical", sample_weight=np.arange(300) % 2)
    assert (sample.n, sample.weighting) == (150, None)


def test_classes_are_made_one_at_a_time():
    samples = fot.read(Y, BOTH, reduction="classwise")
    assert (samples.kind, list(samples), samples.size, repr(samples)) == ("class", [0, 1], 600, "Samples(2 classes)")
    assert samples[1] is not samples[1]
    assert samples[1].p.tolist() == P.tolist()
    assert 2 not in samples


@pytest.mark.parametrize("reduction", [None, "confidence", "classwise", "binary", "canonical"])
def test_segments_are_as_their_rows_alone(reduction):
    scores = P if reduction is None else BOTH
    by_region = fot.read(Y, scores, reduction=reduction, by=REGION, sample_weight=W)
    assert (by_region.kind, list(by_region)) == ("segment", ["north", "south"])
    for region, sample in by_region.items():
        rows = (region == REGION) & (W > 0)  # a row of weight 0 is absent
        alone = fot.read(Y[rows], scores[rows], reduction=reduction, sample_weight=W[rows])
        pairs = [(sample[k], alone[k]) for k in alone] if reduction == "classwise" else [(sample, alone)]
        assert all(same(*pair) for pair in pairs)
    two = fot.read(Y, P, by={"region": REGION, "heavy": W > 1}, sample_weight=W)
    assert two.name == "region, heavy"
    assert list(two) == [("north", False), ("north", True), ("south", False), ("south", True)]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
def test_a_frame_is_its_columns(make):
    frame = make(COLUMNS)
    sample = fot.read(frame, label="y", prob="p", weight="w", cells="never")
    assert same(sample, fot.read(Y, P, sample_weight=W))
    cells = fot.read(frame, label="y", prob="p", weight="w", cells="always")
    assert cells.n == sample.n
    assert cells.total == sample.total
    assert fot.read(frame, label="y", prob=["q", "p"], reduction="canonical").n == 300
    classes = fot.read(frame, label="y", prob=["q", "p"], reduction="classwise", by="region", cells="always")
    assert (list(classes), list(classes["north"]), list(classes.whole)) == (["north", "south"], [0, 1], [0, 1])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_is_its_columns(tmp_path, ending):
    path = tmp_path / f"scores.{ending}"
    frame = pl.DataFrame(COLUMNS)
    (frame.write_csv if ending == "csv" else frame.write_parquet)(path)
    assert same(fot.read(path, label="y", prob="p", weight="w"), fot.read(Y, P, sample_weight=W))
    assert same(fot.read(str(path), label="y", prob="p", by=["region"])["north"], fot.read(Y, P, by=REGION)["north"])
    confidence = fot.read(path, label="y", prob=["q", "p"], reduction="confidence", labels=["0", "1"])
    assert same(confidence, fot.read(Y, BOTH, reduction="confidence"))
    if ending == "parquet":
        cells = fot.read(tmp_path / "*.parquet", label="y", prob="p", pos_label="1")
        assert same(cells, fot.Cells.of_frame(frame, label="y", prob="p").sample())


def test_cells_are_samples():
    cells = fot.Cells.of(Y, P)
    assert fot.read(cells) is cells.sample()
    by_half = fot.read({"first": fot.Cells.of(Y[:150], P[:150]), "second": fot.Cells.of(Y[150:], P[150:])})
    assert by_half.whole.n == 300
    frame = pl.DataFrame(COLUMNS)
    classes = fot.Cells.of_frame(frame, label="y", prob=["q", "p"], labels=[0, 1], reduction="classwise")
    assert list(fot.read(classes)) == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((Y, P), {"sep": ";"}, "sep must be left out unless a file is read"),
        ((Y, P), {"cells": "always"}, "cells must be left out unless a data frame or a file is read; got 'always'"),
        ((Y, P), {"cells": "no"}, "cells must be one of"),
        ((fot.read(Y, P, sample_weight=W),), {"weights": "counts"}, "weights must be left out where y_true is ScoreS"),
        ((Y, P), {"reduction": "top"}, "reduction must be one of"),
        ((Y, BOTH / 2), {}, "y_prob must be one column of scores, or two that add up to 1"),
        (("scores.csv",), {}, "label and prob must both name a column of the file"),
        ((pl.DataFrame(COLUMNS),), {"label": "y"}, "label and prob must both name a column of the data frame"),
        (
            (pl.DataFrame(COLUMNS), P),
            {"label": "y", "prob": "p"},
            "y_prob must be left out where y_true is a file or data frame",
        ),
        ((pl.DataFrame(COLUMNS),), {"label": "y", "prob": "z"}, "prob must be a column of the frame, got 'z'"),
        (
            (pl.DataFrame(COLUMNS),),
            {"label": "y", "prob": ["p", "q"]},
            "prob must be one column of scores unless reduction is given, got 2",
        ),
        ((pl.DataFrame(COLUMNS),), {"label": "y", "prob": ["p", "p"]}, "prob must name every column once"),
        ((pl.DataFrame(COLUMNS),), {"label": "w", "prob": "p"}, "label column 'w' must have"),
        ((pl.DataFrame(COLUMNS),), {"label": "y", "prob": "p", "decimal": ","}, "decimal must be left out of a data"),
        ((pl.DataFrame(COLUMNS),), {"label": "y", "prob": "p", "cells": "no"}, "cells must be one of"),
        (
            (pl.DataFrame(COLUMNS),),
            {"label": "y", "prob": ["q", "p"], "reduction": "canonical", "cells": "always"},
            "cells must not be 'always' with 'canonical'",
        ),
        (({"a": 1},), {}, "y_true must be labels, or a dict from segments to"),
    ],
)
def test_what_is_refused_is_named(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        fot.read(*arguments, **options)
