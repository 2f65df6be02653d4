"""The bump chart of ranks: how each of several evaluators orders the same models."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import rankdata

from fitontest.displays.curve import CurveDisplay, Panel
from fitontest.displays.lines import Line
from fitontest.displays.palette import SERIES
from fitontest.displays.scaling import Scaling
from fitontest.results.checks import brief
from fitontest.results.typing import FloatArray

FEWEST = 2  # models that can be ordered
PER_EVALUATOR, PER_MODEL = 0.85, 0.42  # inches
MARGINS = (2.6, 1.9)  # inches, for the names on both sides and below
APART = 0.07  # of a rank: lines of models that share a rank everywhere are drawn beside one another


def rank_curves(values: Mapping[str, Mapping[str, float]], *, largest_first: bool = False) -> CurveDisplay:
    """Return the bump chart: how each evaluator ranks the models, with a line for each model; ``plot`` draws it.

    Rank 1, at the top, is the smallest value, or the largest with `largest_first`. Equal values share the mean of their
    ranks, as in Spearman's correlation. A line that crosses others says that the choice of the evaluator decides which
    model looks better.

    Parameters
    ----------
    values : dict of dict of float
        By evaluator, the value of each model; all evaluators have the same models. A data frame of pandas with a column
        for each evaluator and the models as its index is read alike.
    largest_first : bool, default=False
        Whether the largest value is the best, as of an accuracy.

    Returns
    -------
    CurveDisplay
        Its part "ranks" has value and rank of each model by each evaluator.

    Raises
    ------
    ValueError
        Fewer than two models, no evaluator, other models for one evaluator than for another, or a value that is no
        finite number.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of
    classifiers, Machine Learning 114, figure 15. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import fitontest as fot
    >>> chart = fot.displays.rank_curves({"ECE": {"a": 0.02, "b": 0.05}, "isotonic": {"a": 0.04, "b": 0.03}})
    >>> [(row["evaluator"], row["model"], row["rank"]) for row in chart.rows("ranks")]
    [('ECE', 'a', 1.0), ('ECE', 'b', 2.0), ('isotonic', 'a', 2.0), ('isotonic', 'b', 1.0)]
    """
    evaluators, models, numbers = _read(values)
    ranks = rankdata(-numbers if largest_first else numbers, axis=1)
    at, heights, n = np.arange(float(len(evaluators))), _drawn_apart(ranks), len(models)
    lines = [
        Line(model, at, heights[:, k], color=SERIES[k % len(SERIES)], marker="o", dashed=k >= len(SERIES),
             named_beside=True)
        for k, model in enumerate(models)
    ]  # fmt: skip
    rows = [
        {"evaluator": evaluator, "model": model, "value": value, "rank": rank}
        for evaluator, own, places in zip(evaluators, numbers.tolist(), ranks.tolist(), strict=True)
        for model, value, rank in zip(models, own, places, strict=True)
    ]
    first = [model for model, is_first in zip(models, (ranks == 1.0).all(axis=0).tolist(), strict=True) if is_first]
    title = f"All evaluators rank {first[0]} first" if first else "No model is ranked first by all evaluators"
    return CurveDisplay(
        [Panel(lines, Scaling("Rank (1: best)", (n + 0.5, 0.5), {k: str(k) for k in range(1, n + 1)}))],
        Scaling("", (-0.3, len(evaluators) - 0.7), dict(enumerate(evaluators)), slanted=True),
        {"ranks": rows}, title=title, second=f"{n} models by {len(evaluators)} evaluators",
        kind="Ranks of models by evaluator",
        size=(MARGINS[0] + PER_EVALUATOR * len(evaluators), MARGINS[1] + PER_MODEL * n),
    )  # fmt: skip


def _read(values: object) -> tuple[list[str], list[str], FloatArray]:
    """Return evaluators, models, and their values."""
    to_dict = getattr(values, "to_dict", None)
    if callable(to_dict) and not isinstance(values, Mapping):
        for name, labels in (("columns", list(values.columns)), ("index", list(values.index))):  # type: ignore[attr-defined]
            _check_differ(labels, f"values must be a data frame whose {name} differ")
    table = to_dict() if callable(to_dict) and not isinstance(values, Mapping) else values
    if not isinstance(table, Mapping) or not all(isinstance(column, Mapping) for column in table.values()):
        raise ValueError(f"values must be a dict of dicts, the value of each model by evaluator; got {brief(values)}")
    if not table:
        raise ValueError("values must have at least one evaluator, got none")
    first, models = next((str(name), list(column)) for name, column in table.items())
    if len(models) < FEWEST:
        raise ValueError(f"values must have at least two models, got {models!r}")
    for name, column in table.items():
        if set(column) != set(models):
            raise ValueError(
                f"values must have the same models for each evaluator, got {list(column)!r} for {name!r} and "
                f"{models!r} for {first!r}"
            )
    _check_differ([str(name) for name in table], "values must have evaluators that differ as texts")
    _check_differ([str(model) for model in models], "values must have models that differ as texts")
    numbers = [[_number(column[model], str(name), str(model)) for model in models] for name, column in table.items()]
    return [str(name) for name in table], [str(model) for model in models], np.array(numbers)


def _check_differ(labels: list[Any], rule: str) -> None:
    """Raise ValueError if a label occurs twice."""
    twice = [label for k, label in enumerate(labels) if label in labels[:k]]
    if twice:
        raise ValueError(f"{rule}, got {twice[0]!r} twice")


def _number(value: object, evaluator: str, model: str) -> float:
    """Return a value as a float, or refuse it."""
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise ValueError(f"values must be finite numbers, got {brief(value)} for {model!r} by {evaluator!r}")
    return number


def _drawn_apart(ranks: FloatArray) -> FloatArray:
    """Return the heights of the marks: ranks, with those of models of one rank a little apart so that both show."""
    heights = ranks.copy()
    for row in heights:
        for rank in np.unique(row):
            same = np.flatnonzero(row == rank)
            row[same] += APART * (np.arange(same.size) - (same.size - 1) / 2) * 2
    return heights
