"""What the benchmarks say of their numbers: the tables of the synthetic study, and that a run goes on where it was."""

import ast
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from fitontest.datasets import SHAPES, Derivate
from fitontest.measures.plug_in import PlugIn
from fitontest.truth import rank_correlation, true_error
from tests.published import figures

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def test_every_script_has_a_line_in_the_readme():
    index = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
    for script in sorted(BENCHMARKS.glob("*.py")):
        docstring = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
        sentence = " ".join(docstring.split("\n\n")[0].split())
        assert f"| `{script.name}` | {sentence} |" in index, script.name


@pytest.fixture
def study(monkeypatch):
    """Import the scripts, which import one another as scripts do."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    import study_methods
    import study_tables
    import synthetic_study

    yield synthetic_study, study_tables, study_methods
    for name in ("synthetic_study", "study_tables", "study_methods", "report"):
        sys.modules.pop(name, None)


METHODS = {
    "ES_15": (fot.Slope1(15), True),
    "ES_sweep": (fot.Slope1("sweep"), True),
    "isotonic": (fot.Isotonic(), False),
    "Platt": (fot.Platt(smoothing=True, eps=1e-8), False),
}


@pytest.fixture(scope="module")
def drawn():
    """Return what draws the data sets of the tables, which keeps those of one shape for all methods."""
    yield draw_as_published
    draw_as_published.cache_clear()


@lru_cache(maxsize=315)
def draw_as_published(shape, error, n, seed):
    """Return sample and true error of a data set; nobody changes it."""
    y, p, c = Derivate(shape, error).draw_as_published(n, seed)
    return fot.ScoreSample(y, p), true_error(p, c)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("shape", ["square", "stairs"])
def test_published_estimates_are_reproduced_in_every_printed_digit(name, shape, drawn):
    """Tables 25 and 27 of the fit-on-test paper, over the 315 data sets of a shape."""
    family, debias = METHODS[name]
    misses, rankings = [], []
    for n in (1000, 3000, 10_000):
        for seed in range(5):
            estimates, truths = [], []
            for error in np.arange(0, 0.10001, 0.005):
                sample, truth = drawn(shape, round(float(error), 3), n, seed)
                estimates.append(float(PlugIn(family, debias=debias).estimate(sample)))
                truths.append(truth)
            misses += np.abs(np.subtract(estimates, truths)).tolist()
            rankings.append(rank_correlation(estimates, truths))
    published = figures("synthetic_tables")
    assert round(1000 * np.mean(misses), 2) == published["25"][name][shape]
    assert round(np.mean(rankings), 4) == published["27"][name][shape]


def test_published_ranks_are_those_of_the_published_numbers():
    """A slip in a transcribed number would show in the mean ranks, which the paper prints as well."""
    published = figures("synthetic_tables")
    for name, sign in (("24", 1), ("25", 1), ("26", 1), ("27", -1)):
        table = pd.DataFrame(published[name]).T
        ranks = (sign * table[list(SHAPES)]).rank().mean(axis=1)
        # a rank of unrounded numbers may differ by a half where printed ones are equal
        assert (ranks - table["avg rank"]).abs().max() <= 0.31, name


def test_tables_are_means_and_a_run_goes_on_where_it_was(study, tmp_path):
    script, tables, _ = study
    units = [
        script.Unit(shape, error, (0, 1), ("Platt", "beta")) for shape in ("square", "stairs") for error in (0, 0.1)
    ]
    for unit in units:
        assert not script.is_done(unit, tmp_path)
    monkey = script.SIZES, script.FRESH
    script.SIZES, script.FRESH = (200,), 2000
    script.fresh_truth.cache_clear()
    try:
        for unit in units:
            script.finish(unit, tmp_path)
            assert script.is_done(unit, tmp_path)
        other = script.Unit("square", 0, (0, 1), ("Platt",))
        assert not script.is_done(other, tmp_path)  # other methods: not the same results
    finally:
        script.SIZES, script.FRESH = monkey
    results = pd.concat([pd.read_csv(tmp_path / f"{unit.label}.csv") for unit in units])
    assert len(results) == 4 * 2 * 2
    found = tables.tables(results)
    one = results[(results["method"] == "beta") & (results["shape"] == "stairs")]
    assert found["24"].loc["beta", "stairs"] == pytest.approx(1000 * one["map_error"].mean())
    assert found["25"].loc["beta", "stairs"] == pytest.approx(1000 * (one["estimate"] - one["ce"]).abs().mean())
    by_seed = [rank_correlation(sets["estimate"], sets["ce"]) for _, sets in one.groupby("seed")]
    assert found["27"].loc["beta", "stairs"] == pytest.approx(np.mean(by_seed))
    means = tables.summary(results)
    assert means["bias"].to_numpy() == pytest.approx((means["estimate"] - means["ce"]).to_numpy())
    with pytest.raises(ValueError, match="NaN"):
        tables.tables(results.assign(estimate=np.nan))


def test_every_registered_family_is_in_the_study(study):
    families = {type(method.family) for method in study[2].methods()}
    assert {type(fot.families.make(name)) for name in fot.families.names("two")} <= families


@pytest.fixture
def mutations(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import mutated_inputs

    yield mutated_inputs
    for name in ("mutated_inputs", "mutated_parquet"):
        sys.modules.pop(name, None)


@pytest.mark.exhaustive
def test_damaged_files_are_refused_or_read_as_they_are(mutations):
    """A small part of the study of mutated inputs; the rest is for the benchmark."""
    for name in mutations.KINDS:
        found = mutations.study(name, 40, seed=1, every=20)
        assert found.wrong == []
        assert found.accepted >= 3
        assert found.refused.total() == 40 - found.accepted - found.unjudged


def test_what_is_read_wrongly_is_found(mutations, tmp_path, monkeypatch):
    """The checks of the study see a reader that drops a row, and a map with another value."""
    raw = b"y,p,w,t\n1,0.5,1,a\n0,0.25,1,b\n"
    assert mutations.check_table(raw, tmp_path) is None
    monkeypatch.setattr(mutations, "read_table", lambda *_: fot.ScoreSample([0], [0.25]))
    assert mutations.check_table(raw, tmp_path) == "read as other scores or weights"
    text = mutations.MAPS[4].to_json().encode()
    assert mutations.check_map(text, tmp_path) is None
    monkeypatch.setattr(fot.CalibrationMap, "from_json", lambda text: mutations.MAPS[6])
    assert mutations.check_map(text, tmp_path).startswith("read as other values")


def test_other_numbers_of_parquet_and_cells_are_found(mutations, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    pd.DataFrame({"y": [0, 1, 1], "p": [0.2, 0.4, 0.8], "w": [1, 2, 1]}).to_parquet(tmp_path / "b.parquet")
    raw, kind = (tmp_path / "b.parquet").read_bytes(), mutations.KINDS["Parquet"]
    assert kind.check(raw, tmp_path) is None
    read = {
        "--label": np.array([0, 1, 1]),
        "--prob": np.array([0.2, 0.4, 0.8 + 1e-15]),
        "--weight": np.array([1, 2, 1]),
    }
    monkeypatch.setattr("mutated_parquet.read_columns", lambda *_: read)
    assert kind.check(raw, tmp_path).startswith("column p read as [0.2, 0.4, 0.800000000000001")
    text = fot.Cells.of(rng.integers(0, 2, 5), rng.random(5)).to_json()
    assert mutations.check_cells(text.encode(), tmp_path) is None
    other = fot.Cells.of([0, 1], [0.5, 0.6])
    monkeypatch.setattr(fot.Cells, "from_json", lambda text: other)
    assert mutations.check_cells(text.encode(), tmp_path).startswith("read as other values")


@pytest.fixture
def golden(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # which the script sets for itself
        monkeypatch.setenv(name, "1")
    import same_numbers

    yield same_numbers
    for name in ("same_numbers", "real_predictions"):
        sys.modules.pop(name, None)


@pytest.mark.exhaustive
@pytest.mark.parametrize("group", ["binned", "drift", "simulations"])
def test_numbers_are_the_same_when_they_are_computed_again(golden, group, capsys):
    """The quick groups; the others are for the benchmark."""
    numbers = {group: golden.GROUPS[group]()}
    assert golden.differences(numbers, {group: golden.GROUPS[group]()}) == 0
    assert f"{group}: 0 of {len(numbers[group])} results differ, 0 new, 0 gone" in capsys.readouterr().out


def test_a_number_that_differs_or_is_gone_is_told(golden, capsys):
    before = {"maps": {"beta": [(0.5).hex()], "platt": [(0.25).hex()], "gate": ["fail"]}}
    after = {"maps": {"beta": [np.nextafter(0.5, 1).hex()], "gate": ["pass"], "spline": [(0.5).hex()]}}
    assert golden.differences(after, before) == 3
    told = capsys.readouterr().out
    assert "maps: 2 of 3 results differ, 1 new, 1 gone" in told
    assert "beta: 0.5000000000000001, was 0.5" in told
    assert "gate: 'pass', was 'fail'" in told
    assert "gone: platt" in told


def test_records_are_told_apart_by_what_they_are_called(golden):
    records = {
        "rows": [{"family": "beta", "value": 0.5, "note": None}, {"family": "platt", "value": 0.25}],
        "chosen": "beta",
    }
    numbers = {"rows / beta / value": [(0.5).hex()], "rows / platt / value": [(0.25).hex()], "chosen": ["beta"]}
    assert golden.of_values(records) == numbers


@pytest.fixture
def groups(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    import group_cases
    import group_coverage

    yield group_cases, group_coverage
    for name in ("group_cases", "group_coverage", "report", "two_versions"):
        sys.modules.pop(name, None)


def test_labels_of_groups_have_the_true_rate_and_are_alike(groups):
    cases, _ = groups
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(40_000), 2)
    for case, concordant in ((cases.Groups(40_000, 2, icc=0.5), 2 / 3), (cases.Groups(40_000, 2), 1 / 2)):
        half = np.full(80_000, 0.5)
        y = cases.labels_of(case, half, half, group, rng)
        assert y.mean() == pytest.approx(0.5, abs=0.01)
        # of two normal numbers with correlation r both are positive, or both negative, with 1/2 + arcsin(r) / pi
        assert np.mean(y[::2] == y[1::2]) == pytest.approx(concordant, abs=0.01)
    sloped = cases.Groups(40_000, 2, icc=0.1, slopes=0.35)
    high = np.full(80_000, 0.9)
    y = cases.labels_of(sloped, high, np.full(80_000, 0.8), group, rng)
    assert y.mean() == pytest.approx(0.8, abs=0.01)
    assert np.mean(y[::2] == y[1::2]) > 0.8**2 + 0.2**2 + 0.02


@pytest.mark.usefixtures("groups")
def test_rough_truths_in_groups_have_labels_and_scores_that_are_alike():
    import rough_cases

    y, p, c, group = rough_cases.draw_in_groups("wavy8", 100_000, np.random.default_rng(0))
    assert np.bincount(group).tolist() == [1000] * rough_cases.GROUP_COUNT
    by_group = [np.bincount(group, values) / 1000 for values in (p, y - c)]
    independent = np.sqrt([np.var(p) / 1000, np.mean(c * (1 - c)) / 1000])
    assert np.all(np.std(by_group, axis=1) > 5 * independent)
    for low in (0.0, 0.25, 0.5, 0.75):
        rows = (p >= low) & (p < low + 0.25)
        assert y[rows].mean() == pytest.approx(c[rows].mean(), abs=0.06)  # of 100 groups: 3 standard errors
    y, p, c, _ = rough_cases.draw_in_groups("piles .05", 1000, np.random.default_rng(0))
    assert np.mean(y[p == 0]) == pytest.approx(0.05, abs=0.04)  # scores of 0, whose logit is infinite
    sys.modules.pop("rough_cases")


def test_scores_of_groups_are_as_alike_as_asked(groups):
    cases, _ = groups
    for case in cases.CASES:
        for error in cases.ERRORS:
            rows = cases.draw(case, error, 1)
            about, sizes = cases.CASES[case], np.bincount(rows.group)
            assert sizes.size == about.number
            assert (sizes.min() < sizes.max()) == about.geometric
            assert (rows.weight is not None) == (about.importances > 0)
            assert rows.error == pytest.approx(error, abs=0.02)
            if about.icc_of_scores == 1.0:
                assert np.unique(rows.p).size == about.number
    again, other = cases.draw("100 x 10, ICC .05", 0.05, 0), cases.draw("100 x 10, ICC .05", 0.05, 1)
    assert {again.shape, other.shape} == {*cases.SHAPES}
    assert cases.draw("100 x 10, ICC .05", 0.05, 0).y.tolist() == again.y.tolist() != other.y.tolist()
    assert cases.draw("100 x 10, ICC .05", 0.05, 0, offset=7).p[0] != again.p[0]


def test_a_stopped_run_of_groups_goes_on_where_it_was(groups, tmp_path, monkeypatch):
    _, script = groups
    path, computed = tmp_path / "readings.jsonl", []

    def reading_of(key):
        computed.append(key)
        case, error, named, offset, number = key
        numbers = {"raw": 0.02, "debiased": 0.01, "low": 0.0, "high": 0.04 + 0.01 * (named == "named"), "p": 0.5}
        return {
            "cell": case,
            "error": error,
            "groups": named,
            "offset": offset,
            "set": number,
            "true": error,
            "families": dict.fromkeys(script.FAMILIES, numbers),
            "verdict": 0.01 if error else 0.5,
            "gate": {"low": 0.0, "high": 0.04, "persistent": 0.06},
            "rho": 0.1,
        }

    monkeypatch.setattr(script, "reading_of", reading_of)
    keys = script.keys_of([script.MAIN, script.INDEPENDENT[0]], [0.0, 0.05], ["named", "ignored"], 3, pace=2, offset=0)
    assert len({*keys}) == len(keys) == 2 * 2 * 2 * 3
    assert [key[4] for key in keys[:8]] == [0] * 4 + [1] * 4  # both kinds of both errors, and then the next set
    assert {key[0] for key in keys[:16]} == {script.MAIN, script.INDEPENDENT[0]}  # all cells at the same pace
    script.compute(path, keys[:10], workers=1)
    text = path.read_text()
    path.write_text(text[:-20])  # stopped while it wrote the tenth
    script.compute(path, keys, workers=1)
    assert computed == keys[:10] + keys[9:]
    assert len(script.read(path)) == len(keys)
    tables = script.tables_of(script.read(path))
    short, coverage = (
        [line for line in part.splitlines() if line.startswith("| 100 x 30, ICC .15")]
        for part in tables.split("Coverage of")
    )
    assert "| ignored | 3 + 3 | 50.0 ± 20.4 (50)" in short[0]
    assert "| named   | 3 + 3 | 100.0 ± 8.3 (100)" in short[1]
    assert coverage[0].count("100.0 ± 16.7 -> 100.0 ± 16.7") == 5  # the error 0 lies in both intervals
    assert coverage[1].count("0.0 ± 16.7 -> 100.0 ± 16.7") == 5  # .05 in the wider one alone
    assert "+50.0 ± 20.4" in tables
    assert "NOT MET" in tables


@pytest.mark.exhaustive
def test_a_reading_of_groups_has_what_the_tables_need(groups):
    _, script = groups
    found = [
        script.reading_of((script.SMALL, error, named, 0, 0)) for error in (0.0, 0.05) for named in ("ignored", "named")
    ]
    assert f"| {script.SMALL} " in script.tables_of(found)
    for reading in found:
        assert all(each["low"] <= each["debiased"] <= each["high"] for each in reading["families"].values())
        assert reading["gate"]["low"] <= reading["gate"]["high"]
    ignored, named = found[2:]
    assert ignored["shape"] == "overconfident"
    assert ignored["rho"] is None
    assert 0.0 <= named["rho"] < 0.5
    assert {name: each["raw"] for name, each in ignored["families"].items() if name != "spline"} == {
        name: each["raw"] for name, each in named["families"].items() if name != "spline"
    }  # whose knots are chosen by folds, of whole groups or of rows


@pytest.fixture
def pseudo_real(monkeypatch):
    """Import the scripts of the pseudo-real study, at a size for tests."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    import pseudo_real_data
    import pseudo_real_problems
    import pseudo_real_study
    import pseudo_real_tables

    monkeypatch.setattr(pseudo_real_data, "TRAIN", 400)
    monkeypatch.setattr(pseudo_real_study, "CALIBRATION", 400)
    monkeypatch.setattr(pseudo_real_study, "FRESH", 4000)
    few = {"Platt": fot.Platt, "isotonic": fot.Isotonic}
    monkeypatch.setattr(pseudo_real_problems, "CLASSWISE", few)
    monkeypatch.setattr(pseudo_real_problems, "WHOLE", {"TempS": lambda: fot.families.Temperature(mix=False)})
    monkeypatch.setattr(pseudo_real_study, "CALIBRATORS", ("none", "TempS", "Platt"))
    yield pseudo_real_study, pseudo_real_problems, pseudo_real_data, pseudo_real_tables
    names = ("data", "problems", "evaluators", "study", "tables")
    for name in (
        *(f"pseudo_real_{name}" for name in names),
        "synthetic_study",
        "study_methods",
        "study_tables",
        "report",
    ):
        sys.modules.pop(name, None)


def three_classes(n=1500):
    """Return a table whose features have ties, skew and correlation, and labels that depend on them."""
    rng = np.random.default_rng(5)
    z = rng.normal(size=(n, 2)) @ [[1.0, 0.8], [0.0, 0.6]]
    x = np.column_stack([np.exp(z[:, 0]), np.rint(2 * z[:, 1])])
    return x, np.digitize(z[:, 0] + rng.normal(0, 0.7, n), [-0.5, 0.8])


def test_a_copula_keeps_values_shares_and_order(pseudo_real):
    _, _, data, _ = pseudo_real
    x, _ = three_classes()
    drawn = data.Copula.of(x, np.random.default_rng(0)).draw(20_000, np.random.default_rng(1))
    assert set(drawn[:, 1]) <= set(x[:, 1])
    for value in np.unique(x[:, 1]):
        share = np.mean(x[:, 1] == value)
        assert abs(np.mean(drawn[:, 1] == value) - share) < 5 * np.sqrt(share * (1 - share) / 20_000)
    for q in (0.1, 0.5, 0.9):
        assert abs(np.mean(drawn[:, 0] <= np.quantile(x[:, 0], q)) - q) < 0.012
    assert abs(rank_correlation(*drawn.T) - rank_correlation(*x.T)) < 0.04


def test_labels_have_the_probabilities_of_the_label_model(pseudo_real):
    _, _, data, _ = pseudo_real
    rows = data.Generator.of(*three_classes(), seed=0).draw(30_000, np.random.default_rng(2))
    for k in range(3):
        for low in (0.0, 0.3, 0.7):
            part = (rows.truth[:, k] >= low) & (rows.truth[:, k] < low + 0.3)
            expected = rows.truth[part, k].mean()
            assert abs(np.mean(rows.y[part] == k) - expected) < 4.5 * np.sqrt(expected * (1 - expected) / part.sum())


def test_true_maps_are_near_a_known_truth(pseudo_real):
    _, problems, _, _ = pseudo_real
    rng = np.random.default_rng(3)
    p = np.append(rng.random(200_000), np.full(50_000, 0.25))  # an atom among scores that are all different
    c = np.where(p == 0.25, 0.6, p**2)
    maps = problems.TrueMaps.of(problems.Binary(p, c, (rng.random(p.size) < c).astype(int)))
    at = maps.at(np.array([0.25, 0.5, 0.9]))
    assert at[1] == pytest.approx([0.6, 0.25, 0.81], abs=0.005)  # by the label model
    assert at[2:, 1:] == pytest.approx(np.array([[0.25, 0.81]] * 2), abs=0.05)
    assert maps.errors()[1] == pytest.approx(np.mean(np.abs(c - p)), abs=1e-3)
    grid = maps.grid()
    assert grid.p.size <= problems.GRID
    assert grid.weight.sum() == pytest.approx(1.0)
    assert grid.errors() == pytest.approx(maps.errors(), abs=2e-4)


@pytest.mark.exhaustive
def test_a_pseudo_real_study_goes_on_where_it_was(pseudo_real, tmp_path, monkeypatch):
    study, problems, _, tables = pseudo_real
    x, y = three_classes()
    np.savez(tmp_path / "three.npz", X=x, y=y)
    model, folder = study.Model("three", "logistic regression"), tmp_path / "problems"
    folder.mkdir()
    model.prepare(tmp_path, folder)
    monkeypatch.setattr(study, "CALIBRATORS", ("none", "TempS", "Platt", "isotonic"))
    assert model.left(folder) == ["isotonic"]
    model.prepare(tmp_path, folder)
    errors = pd.read_csv(model.done(folder))
    assert not errors.duplicated(["task", "calibrator"]).any()
    assert set(errors["task"]) == {"class 0", "class 1", "class 2", problems.CONFIDENCE}
    assert errors["distance, isotonic"].max() == 0.0
    files = sorted(folder.glob("*.npz"))
    assert len(files) == 4 * len({"Platt", "isotonic"})
    names, numbers = ("ES_15", "isotonic", "identity (defaults)"), tmp_path / "numbers"
    numbers.mkdir()
    units = [study.Unit(path, 0, names, (1000,)) for path in files]
    for unit in units:
        unit.run(numbers)
    texts = [path.read_text() for path in sorted(numbers.glob("*"))]
    whole = sorted(numbers.glob("*"))[0]
    whole.write_text(texts[0][:-20])  # stopped within a line
    for unit in units:
        unit.run(numbers)
    again = study.results(units, numbers)
    assert len(again) == len(files) * len(names)
    without_time = [line.split('"seconds"')[0] for text in texts for line in text.splitlines()]
    now = [line.split('"seconds"')[0] for path in sorted(numbers.glob("*")) for line in path.read_text().splitlines()]
    assert now == without_time
    judged = problems.Judged.load(files[0])
    row = again[(again["evaluator"] == "identity (defaults)") & (again["calibrator"] == files[0].stem.split("__")[-1])]
    first = row[row["task"] == files[0].stem.split("__")[-2]].iloc[0]
    assert first["estimate"] == 0.0
    assert first["map_errors, isotonic"] == pytest.approx(np.abs(judged.grid.c - judged.grid.p)[0] @ judged.grid.weight)
    assert first["ce, flat"] == pytest.approx(np.abs(judged.truths[3, :1000] - judged.test.p[:1000]).mean())
    nearest = tables.nearest(tables.prepared(again), "map")
    assert all(name in nearest for name in names)


def test_the_published_numbers_of_the_pseudo_real_study_have_their_published_ranks():
    """The mean ranks are printed too, of each network apart, so that those of their means are only near."""
    published = figures("pseudo_real_tables")
    for name in ("6", "8", "10", "11", "14", "15"):
        table = pd.DataFrame(published[name]).T
        ranks = table.drop(columns="avg rank").rank().mean(axis=1)
        assert (ranks - table["avg rank"]).abs().max() <= 3.0, name
        assert rank_correlation(ranks, table["avg rank"]) > 0.9


def test_the_page_of_all_tables_is_made_of_the_other_pages(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import reproduced

    assert reproduced.PAGE.read_text(encoding="utf-8") == reproduced.page()
    pairs = list(reproduced.pairs_below("measurements/known_truth.md", "PL_DE, on a tenth of the sets"))
    assert (len(pairs), pairs[0]) == (20, (15.85, 14.88))
    with pytest.raises(ValueError, match="must have a line 'no such table' once, got 0"):
        list(reproduced.pairs_below("measurements/tce.md", "no such table"))
    sys.modules.pop("reproduced", None)


@pytest.fixture
def scripts(monkeypatch):
    """Import the league and CalArena; what they ask of other packages is imported when it is asked."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    known = set(sys.modules)
    import calarena
    import calarena_experiments
    import league

    yield league, calarena, calarena_experiments
    for name in set(sys.modules) - known:
        if (BENCHMARKS / f"{name}.py").exists():
            sys.modules.pop(name)


def test_what_the_league_has_measured_is_kept(scripts, tmp_path):
    league, _, _ = scripts
    kept, measured = league.Kept(tmp_path), []

    def rows_of(skipped):
        measured.append(skipped)
        skipped.add("slow", "isotonic from n = 100,000", "more than 2 s expected")
        one = {"operation": "isotonic", "peer": "other", "pairs": 3, "difference": 0.0, "remark": "", "ours_ms": 1.0}
        return [one | {"n": n, "theirs_ms": 1 / r, "ratio": r} for n, r in ((10_000, 2.0), (100_000, 0.5))]

    for _ in range(2):
        kept.find("speed", "isotonic", rows_of)
    assert len(measured) == 1
    text = league.told(kept)
    assert "**2.00** (1.00 / 0.500) | 0.500 (1.00 / 2.00)" in text
    assert "faster in 1 of 2 measurements" in text
    assert "slow (isotonic from n = 100,000): more than 2 s expected" in text
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- league -->\nold\n<!-- end of league -->\nafter\n")
    for _ in range(2):
        league.put(page, "league", text)
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-1], "old" in lines) == ("before", "after", False)
    with pytest.raises(ValueError, match="calarena"):
        league.put(page, "calarena", text)


def test_every_operation_of_the_league_has_an_answer_of_ours(scripts):
    league, _, _ = scripts
    for operation in league.OPERATIONS.values():
        assert operation.entries
        if operation.name != "polygon of 3":  # which takes seconds
            answer = operation.bind(operation.ours, *operation.data(500))()
            assert np.isfinite(np.asarray(answer)).all(), operation.name
    assert set(league.IN_MEMORY) <= set(league.OPERATIONS)


def test_wins_are_shares_of_the_others_with_a_higher_loss(scripts):
    _, arena, _ = scripts
    losses = np.array([[1.0, 2.0, 3.0], [1.0, 1.0, np.nan]])
    assert arena.win_shares(losses).tolist() == [[1.0, 0.5, 0.0], [0.0, 0.0, 0.0]]
    of_two = np.array([True, True, False])
    assert arena.win_shares(losses, of_two).tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    low, high = arena.bootstrap(np.array([[0.0, 1.0], [1.0, 1.0], [0.5, 1.0]]), ["a", "b", "b"])
    assert (low[1], high[1]) == (1.0, 1.0)
    assert (low[0], high[0]) == (0.0, 0.75)  # three rows of a, or three of b


def test_calarena_goes_on_where_it_was(scripts, tmp_path, monkeypatch):
    _, arena, parts = scripts
    rng = np.random.default_rng(0)
    p = rng.random(600).astype(np.float32)
    y = (rng.random(600) < p**2).astype(np.int32)
    experiment = parts.Experiment("squares", "-", p[:300], y[:300], p[300:], y[300:])
    asked = []

    def brier(experiment, probabilities):
        asked.append(probabilities.shape)
        q = probabilities[:, 1]
        return dict.fromkeys(arena.METRICS["binary"], float(np.mean((q - experiment.y_test) ** 2)))

    def broken():
        raise ImportError("needs a package")

    monkeypatch.setattr(arena, "metrics", brier)
    monkeypatch.setitem(
        arena.THEIRS, "binary", {arena.BASE: lambda: None, "Broken": broken, "TS": fot.families.Temperature}
    )
    monkeypatch.setitem(arena.OURS, "binary", {"ours": fot.Platt})
    for _ in range(2):
        records = arena.answers("squares-binary", [experiment], tmp_path)
        assert [record["calibrator"] for record in records] == [arena.BASE, "Broken", "TS", "ours"]
    assert asked == [(300, 2)] * 3
    other = parts.Experiment("other", "-", p[:300], y[:300], p[300:], y[300:])
    assert {record["dataset"] for record in arena.answers("squares-binary", [other], tmp_path)} == {"other"}
    table = arena.tabled(records, "binary")
    assert "Left out: Broken (ImportError: needs a package)" in table
    assert "| ours       | 1.000 (1.00-1.00) |" in table
    monkeypatch.setitem(arena.THEIRS["binary"], "Broken", fot.Platt)  # now its package is there
    assert not any("failed" in record for record in arena.answers("squares-binary", [experiment], tmp_path))


def test_calibration_rows_are_predicted_without_themselves(scripts):
    """A classifier that remembers its rows would be right of all of them."""
    _, _, parts = scripts
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    x, y = rng.random((300, 2)), rng.integers(0, 2, 300)
    p_cal, y_cal, p_test, y_test = parts._predicted(lambda: KNeighborsClassifier(1), x, y)
    assert (p_cal.size, y_cal.size, p_test.size, y_test.size) == (200, 200, 100, 100)
    assert 0.3 < np.mean((p_cal > 0.5) == y_cal) < 0.7


def test_a_table_of_coverage_goes_on_behind_a_whole_line(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import interval_coverage

    path = tmp_path / "intervals.csv"
    path.touch()  # a run was stopped before its first data sets were done
    cell = ("spline", 300, "Rare", "l1", "smooth")
    interval_coverage.compute(path, [cell], 0, 1)
    assert path.read_text() == ",".join(interval_coverage.COLUMNS) + "\n"
    row = ",".join(map(str, (*cell, 0, *range(6), 0.5)))
    with path.open("a", newline="") as file:
        file.write(f"{row}\r\n{row[:-9]}")
    interval_coverage.compute(path, [cell], 0, 1)
    assert [found["cpu"] for found in interval_coverage.rows_by_cell(path)[cell]] == ["0.5"]


def test_families_of_one_reading_have_the_intervals_that_they_have_alone(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import interval_coverage

    cells = [(family, 120, "square .1", "l1", "smooth") for family in ("slope1_15", "isotonic", "spline")]
    y, p, c = interval_coverage.CASES["square .1"]().draw(
        120, np.random.default_rng([interval_coverage.SEED, interval_coverage.crc32(b"square .1"), 120, 1])
    )
    for cell, row in zip(cells, interval_coverage.rows_of(cells, range(1, 2)), strict=True):
        family = interval_coverage.FAMILIES[cell[0]]()
        error = fot.calibration_error(y, p, family=family, interval="always")
        ends = error.interval.low, error.interval.high
        assert row[:6] == (*cell, 1)
        expected = [np.abs(c - p).mean(), error.value, error.debiased, *ends, error.null.p_value]
        np.testing.assert_allclose(row[6:-1], expected, rtol=1e-9)
