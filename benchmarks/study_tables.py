"""From the results of the synthetic study to Tables 24 to 27 of the paper, the published numbers beside ours."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from fitontest.truth import rank_correlation
from report import markdown

FIGURES = Path(__file__).parents[1] / "tests" / "reference" / "synthetic_tables.json"
TITLES = {
    "24": "Table 24: the reliability diagram. Mean |c_hat - c| at a million fresh points, x 1000",
    "25": "Table 25: the estimate. Mean |estimate - CE|, x 1000 (estimates of binning debiased)",
    "26": "Table 26: the estimate of the squared error. Mean |estimate - CE|, x 1000",
    "27": "Table 27: the ranking. Spearman's correlation over the expected errors, mean over seeds and sizes",
}
DIGITS = {"24": 2, "25": 2, "26": 2, "27": 4}
SETS = ["shape", "error", "n", "seed"]


def published() -> dict[str, dict[str, dict[str, float]]]:
    """Return the printed numbers by table, method and shape ("avg rank" among the shapes)."""
    return {name: table for name, table in json.loads(FIGURES.read_text()).items() if name in TITLES}


def tables(results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return our numbers by table, methods by shapes, in the units of the paper."""
    with_errors = results.assign(
        map_error=1e3 * results["map_error"],
        absolute=1e3 * (results["estimate"] - results["ce"]).abs(),
        squared=1e3 * (results["estimate_squared"] - results["ce_squared"]).abs(),
    )
    columns = {"24": "map_error", "25": "absolute", "26": "squared"}
    found = {
        name: with_errors.pivot_table(index="method", columns="shape", values=column, aggfunc="mean", sort=False)
        for name, column in columns.items()
    }
    one_ranking = results.groupby(["method", "shape", "n", "seed"], sort=False)
    spearman = one_ranking[["estimate", "ce"]].apply(lambda sets: rank_correlation(sets["estimate"], sets["ce"]))
    if results[["map_error", "estimate", "estimate_squared"]].isna().any(axis=None):
        raise ValueError("results must be numbers, got NaN")
    ranking = spearman.reset_index(name="value").pivot_table(index="method", columns="shape", values="value")
    return {**found, "27": ranking.reindex(index=found["24"].index, columns=found["24"].columns)}


def ranks(table: pd.DataFrame, *, largest_first: bool) -> pd.Series:
    """Return the mean over the shapes of the methods' ranks, 1 for the best."""
    return table.rank(ascending=not largest_first).mean(axis=1)


def side_by_side(name: str, ours: pd.DataFrame) -> str:
    """Return one table in Markdown: ours, and behind a slash what was published."""
    theirs, digits = published()[name], DIGITS[name]
    shapes = list(ours.columns)
    both = [method for method in ours.index if method in theirs]
    rank = ranks(ours.loc[both], largest_first=name == "27")
    their_rank = ranks(pd.DataFrame(theirs).T.loc[both, shapes], largest_first=name == "27")
    rows = []
    for method in [*ours.index, *(method for method in theirs if method not in ours.index)]:
        a = ours.loc[method] if method in ours.index else pd.Series(np.nan, shapes)
        b = pd.Series(theirs[method])[shapes] if method in theirs else pd.Series(np.nan, shapes)
        cells = [_pair(a[shape], b[shape], digits) for shape in shapes]
        mean = _pair(a.mean(skipna=False), b.mean(skipna=False), digits)
        rows.append([method, *cells, mean, _pair(rank.get(method, np.nan), their_rank.get(method, np.nan), 1)])
    header = ["ours / published", *shapes, "mean", "mean rank among those with both"]
    return f"{TITLES[name]}\n\n{markdown(header, rows)}"


def differing(name: str, ours: pd.DataFrame) -> dict[str, float]:
    """Return by method the largest difference between our rounded numbers and the printed ones."""
    theirs = published()[name]
    return {
        method: float(np.max([abs(round(ours.loc[method, s], DIGITS[name]) - theirs[method][s]) for s in ours.columns]))
        for method in ours.index
        if method in theirs
    }


def seconds(results: pd.DataFrame) -> str:
    """Return in Markdown where the time went, by method and number of rows."""
    sums = results.pivot_table(index="method", columns="n", values="fit_seconds", aggfunc="mean", sort=False)
    totals = results.groupby("method", sort=False)[["fit_seconds", "evaluate_seconds"]].sum()
    rows = [
        [method, *(f"{1e3 * value:.1f}" for value in sums.loc[method]), f"{fit:.0f}", f"{evaluate:.0f}"]
        for method, (fit, evaluate) in zip(totals.index, totals.to_numpy(), strict=True)
    ]
    rows.append(["all", *[""] * sums.shape[1], *(f"{value:.0f}" for value in totals.sum())])
    header = ["method", *(f"fit, n = {n:,} (ms)" for n in sums.columns), "fits, in all (s)", "evaluation, in all (s)"]
    return markdown(header, rows)


def summary(results: pd.DataFrame) -> pd.DataFrame:
    """Return the means over the seeds: what figures are drawn from."""
    keys = ["shape", "error", "n", "method"]
    errors = results.assign(bias=results["estimate"] - results["ce"]).assign(
        abs_error=lambda frame: frame["bias"].abs()
    )
    return errors.groupby(keys, sort=False)[["map_error", "ce", "estimate", "bias", "abs_error", "n_bins"]].mean()


def _pair(ours: float, theirs: float, digits: int) -> str:
    a, b = (f"{value:.{digits}f}" if np.isfinite(value) else "-" for value in (ours, theirs))
    return f"{a} / {b}"
