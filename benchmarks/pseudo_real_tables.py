"""From the numbers of the pseudo-real study to the paper's tables, its numbers of CIFAR-5m beside ours."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

import fitontest as fot
from fitontest.truth import rank_correlation
from pseudo_real_evaluators import DEFAULT
from pseudo_real_problems import CONFIDENCE, TRUTHS
from report import markdown
from study_methods import NO_RULE, RULE

FIGURES = Path(__file__).parents[1] / "tests" / "reference" / "pseudo_real_tables.json"
PROBLEM = ["table", "classifier", "task"]
SET = [*PROBLEM, "calibrator", "n", "seed"]
KINDS = {"one-vs-rest": lambda task: task != CONFIDENCE, CONFIDENCE: lambda task: task == CONFIDENCE}
PAPER_TASKS = {"one-vs-rest": ("cars vs rest", "cats vs rest", "dogs vs rest"), CONFIDENCE: (CONFIDENCE,)}
MAIN = ("ES_15", "ES_sweep", "ES_CV", "PL3", "PL", "Platt", "beta", "isotonic", "Spline natural")
RULED = ("ES_CV", *sorted({*RULE.values(), *NO_RULE.values()}))
FIXED = ("ES_10", "ES_15", "ES_20", "ES_25", "ES_30")


def published() -> dict[str, dict[str, dict[str, float]]]:
    """Return the paper's numbers by table, method and column, as means over its three networks."""
    return json.loads(FIGURES.read_text())


def prepared(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers with what the tables are of, in thousandths."""
    found = numbers.copy()
    found["kind"] = np.where(found["task"] == CONFIDENCE, CONFIDENCE, "one-vs-rest")
    for truth in TRUTHS:
        found[f"map, {truth}"] = 1e3 * found[f"map_errors, {truth}"]
        found[f"map squared, {truth}"] = 1e3 * found[f"map_squares, {truth}"]
        found[f"bias, {truth}"] = 1e3 * (found["estimate"] - found[f"ce, {truth}"])
        found[f"error, {truth}"] = found[f"bias, {truth}"].abs()
        found[f"squared, {truth}"] = 1e3 * (found["estimate_squared"] - found[f"ce_squared, {truth}"]).abs()
    return found


def even_mean(frame: pd.DataFrame, value: str, by: Sequence[str]) -> pd.DataFrame:
    """Return evaluators by columns: means in which each problem counts once, and so each table by its tasks."""
    keys = ["evaluator", *by, *[one for one in PROBLEM if one not in by]]
    each = frame.groupby(keys, sort=False)[value].mean().reset_index()
    return each.pivot_table(index="evaluator", columns=list(by), values=value, sort=False)


def ranked(table: pd.DataFrame, *, largest_first: bool = False) -> pd.Series:
    """Return the mean rank of each row over the columns, 1 for the smallest."""
    return table.rank(ascending=not largest_first).mean(axis=1)


def evaluators_by_size(numbers: pd.DataFrame, value: str, paper: str, digits: int = 2) -> str:
    """Return the mean of a value by number of rows, sorted by the mean rank, with the paper's column means."""
    ours = even_mean(numbers, value, ["n"])
    theirs = published()[paper]
    order = ranked(ours).sort_values(kind="stable")
    rows = []
    for name, rank in order.items():
        cells = [_pair(ours.loc[name, n], theirs.get(name, {}).get(str(n)), digits) for n in ours.columns]
        rows.append([str(name), *cells, f"{rank:.1f}"])
    return markdown(["evaluator", *(f"n = {n:,}" for n in ours.columns), "mean rank"], rows)


def evaluators_by_kind(numbers: pd.DataFrame, value: str, paper: str, digits: int = 2) -> str:
    """Return the mean of a value by kind of task, sorted by the mean over both, with the paper's means."""
    ours, theirs = even_mean(numbers, value, ["kind"]), published()[paper]
    rows = []
    for name in ours.mean(axis=1).sort_values(kind="stable").index:
        cells = []
        for kind, tasks in PAPER_TASKS.items():
            known = [theirs[name][task] for task in tasks] if name in theirs else None
            cells.append(_pair(ours.loc[name, kind], None if known is None else float(np.mean(known)), digits))
        rows.append([str(name), *cells])
    return markdown(["evaluator", *PAPER_TASKS], rows)


def estimates_and_ranking(numbers: pd.DataFrame, truth: str, paper: str) -> str:
    """Return Table 4: the error of the number, and Spearman's correlation with the true order of the calibrators."""
    errors, spearman = even_mean(numbers, f"error, {truth}", ["kind"]), correlations(numbers, truth)
    theirs = published()[paper]
    rows = []
    for name in errors.mean(axis=1).sort_values(kind="stable").index:
        cells = []
        for kind in KINDS:
            known = theirs.get(name, {})
            cells.append(_pair(errors.loc[name, kind], known.get(f"{kind}, ECE_diff_abs"), 2))
            cells.append(_pair(spearman.loc[name, kind], known.get(f"{kind}, spearman"), 3))
        rows.append([str(name), *cells])
    header = [f"{kind}, {what}" for kind in KINDS for what in ("error", "Spearman")]
    return markdown(["evaluator", *header], rows)


def correlations(numbers: pd.DataFrame, truth: str) -> pd.DataFrame:
    """Return by evaluator and kind the mean rank correlation, over the calibrators, of its numbers with the truth."""
    sets = numbers.groupby(["evaluator", "kind", *PROBLEM, "n", "seed"], sort=False)
    each = sets[["estimate", f"ce, {truth}"]].apply(lambda six: _correlation(*six.to_numpy().T))
    return each.reset_index(name="value").pivot_table(index="evaluator", columns="kind", values="value")


def _correlation(estimates: np.ndarray, true: np.ndarray) -> float:
    """Return Spearman's correlation; 0 where the evaluator says the same of all."""
    return 0.0 if np.ptp(estimates) == 0.0 else rank_correlation(estimates, true)


def by_table(numbers: pd.DataFrame, value: str, paper: str, digits: int = 2) -> str:
    """Return the mean of a value by real table, with our mean rank and the paper's."""
    ours, theirs = even_mean(numbers, value, ["table"]), published()[paper]
    order = ranked(ours).sort_values(kind="stable")
    rows = [
        [str(name), *(f"{x:.{digits}f}" for x in ours.loc[name]), _pair(rank, theirs.get(name, {}).get("avg rank"), 1)]
        for name, rank in order.items()
    ]
    return markdown(["evaluator", *map(str, ours.columns), "mean rank"], rows)


def by_truth(numbers: pd.DataFrame) -> str:
    """Return the error of map and number by each of the four truths."""
    names = [name for name in (*MAIN, "stacking (defaults)", "spline (defaults)", DEFAULT) if name in _names(numbers)]
    rows = []
    for name in names:
        own = numbers[numbers["evaluator"] == name]
        each = own.groupby(PROBLEM)[[f"{what}, {truth}" for what in ("map", "error") for truth in TRUTHS]].mean()
        cells = each.mean()
        rows.append([name, *(f"{cell:.2f}" for cell in cells)])
    return markdown(["evaluator", *(f"{what}: {truth}" for what in ("map", "number") for truth in TRUTHS)], rows)


def rule(numbers: pd.DataFrame) -> str:
    """Return Tables 20 and 21: with the 0.1 % rule and without, by the number of rows, map and number."""
    names = [name for name in ("PL", "PL3", *RULED) if name in _names(numbers)]
    part = numbers[numbers["evaluator"].isin(names)]
    part = part[part["seed"].isin(part.loc[part["evaluator"] == names[-1], "seed"])]  # the same sets for all
    maps, errors = (even_mean(part, f"{what}, isotonic", ["n"]) for what in ("map", "error"))
    rows = [[name, *(f"{x:.2f}" for table in (maps, errors) for x in table.loc[name])] for name in names]
    return markdown(["", *(f"{what}, n = {n:,}" for what in ("map", "number") for n in maps.columns)], rows)


def spread(numbers: pd.DataFrame) -> str:
    """Return Tables 22 and 23: the standard deviation over the seeds, a mean over the problems and sizes."""
    theirs, rows = published(), []
    keys = ["evaluator", *PROBLEM, "calibrator", "n"]
    deviations = numbers.groupby(keys, sort=False)[["map, isotonic", "error, isotonic"]].std().groupby("evaluator")
    for name, (of_map, of_number) in deviations.mean().sort_values("map, isotonic").iterrows():
        known = [theirs[table].get(str(name)) for table in ("22", "23")]
        paper = [None if one is None else float(np.mean([one[t] for t in _paper_tasks()])) for one in known]
        rows.append([str(name), _pair(of_map, paper[0], 2), _pair(of_number, paper[1], 2)])
    return markdown(["evaluator", "of the map", "of the number"], rows)


def bins(numbers: pd.DataFrame) -> str:
    """Return how many bins cross-validation chose, and which fixed number was best, by the number of rows."""
    rows = []
    for name in [name for name in ("ES_CV", "ES_sweep", "PL", "PL3", "PL_MSE", "PL3_MSE") if name in _names(numbers)]:
        chosen = numbers[numbers["evaluator"] == name].groupby("n")["n_bins"]
        low, middle, high = (chosen.quantile(q) for q in (0.1, 0.5, 0.9))
        rows.append([name, *(f"{middle[n]:.0f} ({low[n]:.0f} to {high[n]:.0f})" for n in middle.index)])
    for what, value in (("best fixed for the map", "map, isotonic"), ("best fixed for the number", "error, isotonic")):
        if not _names(numbers) >= set(FIXED):
            continue
        best = even_mean(numbers[numbers["evaluator"].isin(FIXED)], value, ["n"])
        rows.append([what, *(f"{best[n].idxmin()} ({best[n].min():.2f})" for n in best.columns)])
    return markdown(["", *(f"n = {n:,}" for n in sorted(numbers["n"].unique()))], rows)


def biases(numbers: pd.DataFrame) -> str:
    """Return Table 28: the mean of the number less the truth, by the number of rows."""
    ours, theirs = even_mean(numbers, "bias, isotonic", ["n"]), published()["28"]
    rows = [
        [str(name), *(_pair(ours.loc[name, n], theirs.get(name, {}).get(f"CIFAR-5m, {n}"), 2) for n in ours.columns)]
        for name in ours.abs().mean(axis=1).sort_values(kind="stable").index
    ]
    return markdown(["evaluator", *(f"n = {n:,}" for n in ours.columns)], rows)


def ratios(numbers: pd.DataFrame) -> str:
    """Return the mean number over the mean truth, for each calibrator and evaluator."""
    means = numbers.pivot_table(index="evaluator", columns="calibrator", values=["estimate", "ce, isotonic"])
    ratio = means["estimate"] / means["ce, isotonic"]
    names = [name for name in (*MAIN, "spline (defaults)", "stacking (defaults)", DEFAULT) if name in ratio.index]
    rows = [[name, *(f"{x:.2f}" for x in ratio.loc[name])] for name in names]
    return markdown(["evaluator", *map(str, ratio.columns)], rows)


def nearest(numbers: pd.DataFrame, value: str, truth: str = "isotonic", shown: int = 6) -> str:
    """Return the evaluators that are nearest the truth at each size, and how sure their order is.

    The standard error is of the paired difference from the nearest, over the problems (a table, a classifier and a
    task); calibrators and seeds of a problem share its rows and are averaged first.
    """
    rows = []
    for n, part in numbers.groupby("n"):
        each = part.pivot_table(index=PROBLEM, columns="evaluator", values=f"{value}, {truth}").dropna(axis=1)
        order = each.mean().sort_values(kind="stable").index
        for name in [*order[:shown], *(one for one in (DEFAULT, "ES_15") if one in order[shown:])]:
            away = each[name] - each[order[0]]
            error = away.std(ddof=1) / np.sqrt(len(away))
            place = f"{list(order).index(name) + 1} of {len(order)}"
            told = "" if name == order[0] else f"{away.mean():+.2f} ± {error:.2f}"
            rows.append([f"{n:,}", place, str(name), f"{each[name].mean():.2f}", told])
    return markdown(["n", "place", "evaluator", "mean", "more than the nearest"], rows)


def calibrators(errors: pd.DataFrame) -> str:
    """Return Tables 2 and 5: the true error of the scores behind each calibrator, and how far the truths are apart."""
    theirs = published()["2"] | {"TempS, class against rest": published()["5"]["TempS, class against rest"]}
    errors = errors.assign(kind=np.where(errors["task"] == CONFIDENCE, CONFIDENCE, "one-vs-rest"))
    ours = 1e3 * errors.pivot_table(index="calibrator", columns="kind", values="error, isotonic")
    by_model = 1e3 * errors.pivot_table(index="calibrator", columns="kind", values="error, label model")
    away = 1e3 * errors.pivot_table(index="calibrator", values="distance, label model")
    rows = []
    for name in ours.mean(axis=1).sort_values().index:
        cells = []
        for kind, tasks in PAPER_TASKS.items():
            known = float(np.mean([theirs[name][task] for task in tasks])) if name in theirs else None
            cells += [_pair(ours.loc[name, kind], known, 1), f"{by_model.loc[name, kind]:.1f}"]
        rows.append([str(name), *cells, f"{away.loc[name].item():.1f}"])
    header = [f"{kind}{what}" for kind in PAPER_TASKS for what in ("", ", by the label model")]
    return markdown(["calibrator", *header, "truths apart"], rows)


def report(numbers: pd.DataFrame, errors: pd.DataFrame) -> str:
    """Return every table, in Markdown."""
    ruled = prepared(numbers)
    numbers = ruled[~ruled["evaluator"].isin(set(RULED) - {"ES_CV"})]  # which are of fewer seeds
    parts: list[tuple[str, Callable[[], str]]] = [
        ("Tables 2 and 5: true error of the scores behind each calibrator, x 1000", lambda: calibrators(errors)),
        ("Which evaluator's map is nearest, |c_hat - c| x 1000", lambda: nearest(numbers, "map")),
        ("Which evaluator's number is nearest, |number - CE| x 1000", lambda: nearest(numbers, "error")),
        ("Tables 3 and 14: |c_hat - c| x 1000", lambda: evaluators_by_size(numbers, "map, isotonic", "14")),
        ("Tables 3 and 6: |c_hat - c| x 1000 by task", lambda: evaluators_by_kind(numbers, "map, isotonic", "6")),
        ("Table 4: |number - CE| x 1000 and ranking", lambda: estimates_and_ranking(numbers, "isotonic", "4")),
        ("Table 12: the same by slope-1 truths", lambda: estimates_and_ranking(numbers, "slope 1", "12")),
        ("Table 13: the same by flat truths", lambda: estimates_and_ranking(numbers, "flat", "13")),
        ("Table 6: |c_hat - c| x 1000 by table", lambda: by_table(numbers, "map, isotonic", "6")),
        ("Table 7: (c_hat - c)^2 x 1000 by table", lambda: by_table(numbers, "map squared, isotonic", "7", 3)),
        ("Table 8: |number - CE| x 1000 by table", lambda: by_table(numbers, "error, isotonic", "8")),
        ("Table 9: |number - CE^2| x 1000 by table", lambda: by_table(numbers, "squared, isotonic", "9", 3)),
        ("Tables 10 and 11: by each truth, x 1000", lambda: by_truth(numbers)),
        ("Table 15: |number - CE| x 1000", lambda: evaluators_by_size(numbers, "error, isotonic", "15")),
        ("Tables 20 and 21: the 0.1 % rule", lambda: rule(ruled)),
        ("Tables 22 and 23: spread over the seeds, x 1000", lambda: spread(numbers)),
        ("Appendix F: numbers of bins, median and 10 % to 90 %", lambda: bins(numbers)),
        ("Table 28: mean of number - CE, x 1000", lambda: biases(numbers)),
        ("Mean number over mean CE, by calibrator", lambda: ratios(numbers)),
    ]
    return "\n\n".join(f"## {title}\n\n{make()}" for title, make in parts) + "\n"


def ranks(numbers: pd.DataFrame) -> fot.displays.CurveDisplay:
    """Return how each evaluator orders the calibrators of the first problem, beside the true order (Figure 15)."""
    first = numbers.sort_values(PROBLEM).iloc[0]
    own = numbers[(numbers["n"] == numbers["n"].max()) & (numbers["seed"] == 0)]
    for key in PROBLEM:
        own = own[own[key] == first[key]]
    table = {"truth": own.groupby("calibrator")["ce, isotonic"].first().to_dict()}
    for name in (*MAIN, DEFAULT):
        table[name] = own[own["evaluator"] == name].set_index("calibrator")["estimate"].to_dict()
    return fot.displays.rank_curves({name: column for name, column in table.items() if column})


def _names(numbers: pd.DataFrame) -> set[str]:
    return set(numbers["evaluator"])


def _paper_tasks() -> tuple[str, ...]:
    return tuple(task for tasks in PAPER_TASKS.values() for task in tasks)


def _pair(ours: float, theirs: float | None, digits: int) -> str:
    """Return our number, and behind a slash what was published, if there is any."""
    return f"{ours:.{digits}f}" if theirs is None else f"{ours:.{digits}f} / {theirs:.{digits}f}"
