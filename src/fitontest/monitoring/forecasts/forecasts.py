"""Whether another forecast is better than the scores, by evidence that may be looked at after every row."""

from typing import Any

import numpy as np

from fitontest.checks import brief, is_real, is_whole
from fitontest.data.arrays import as_scores, check_same_length, is_missing
from fitontest.data.indices import check_same_order
from fitontest.data.score_sample import ScoreSample
from fitontest.monitoring.forecasts.forecast_evidence import ForecastEvidence
from fitontest.monitoring.forecasts.interleaved import mean_products
from fitontest.monitoring.nulls.another_forecast import AnotherForecast
from fitontest.monitoring.settings import read_fraction
from fitontest.typing import ArrayInput, FloatArray, Label

WEIGHT = 0.75


def forecast_evidence(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    y_other: ArrayInput,
    *,
    weight: float = WEIGHT,
    lag: int = 1,
    alpha: float = 0.05,
    pos_label: Label | None = None,
) -> ForecastEvidence:
    r"""Say whether another forecast of the same events is better than yours, by evidence that may be looked at any day.

    What is tested is that the other forecast q is in no row nearer to the true rate c than the score p:
    (c_i - p_i)^2 <= (c_i - q_i)^2, c_i being the probability of a positive given all that was known when the forecasts
    were made. The evidence is bet on r = weight q + (1 - weight) p, against the nearest rate allowed, (p + q) / 2:

        E = product over rows of (r / p_0)^y ((1 - r) / (1 - p_0))^(1 - y),    p_0 = (p + q) / 2.

    If that is true the mean of each factor is at most 1, and E ever reaches 1 / alpha with probability at most alpha.
    Scores may come from anywhere, and depend on earlier labels. For "q is no worse" swap the two.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes, in the order of time. None, NaN or NA: the label is missing, and the row has the factor
        1; with a lag it must stay, since it keeps the rows apart that share a product.
    y_prob, y_other : array-like of shape (n,)
        The scores, and the other forecast, probabilities of the positive class.
    weight : float in (0.5, 1], default=0.75
        Of the other forecast in the bet. With 1 a single forecast of 0 or 1 that is wrong makes the evidence 0 for
        ever.
    lag : int, default=1
        After how many rows a label is known: 1 if before the next forecasts are made. With a lag of h the evidence is
        the mean of h products, each over every h-th row.
    alpha : float in (0, 1), default=0.05
        The probability of a false alarm.
    pos_label : label, optional
        The positive class, needed unless labels are booleans, {0, 1} or {-1, 1}.

    Returns
    -------
    ForecastEvidence
        ``log_es``, ``p_values`` and ``alarm_since`` have the evidence after each row.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found; no label at all.

    Notes
    -----
    With a lag of h each product is valid at any time, and their mean for a number of rows that was fixed beforehand. At
    any time the p-value is a_h / (the mean of the largest values of the products so far), with a_2 = 2, a_3 = 2.75 and
    a_10 = 4.6: a label that is not yet known to the forecasts of its product is known to others, so that stopping when
    the mean is large is not covered by its bound.

    To refute "never better" does not say that q is better on average, but it is so in some rows.

    References
    ----------
    Henzi, Ziegel (2022), Valid sequential inference on probability forecast performance, Biometrika 109(3).
    https://doi.org/10.1093/biomet/asab047
    Vovk, Wang (2020), Combining p-values via averaging, Biometrika 107(4). https://doi.org/10.1093/biomet/asaa027

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> c = rng.random(500)
    >>> evidence = fot.forecast_evidence(rng.random(500) < c, 0.5 * c + 0.25, c)
    >>> evidence.alarm, evidence.alarm_since, round(evidence.log_e, 2)
    (True, 171, 7.23)
    """
    if not is_real(weight) or not 0.5 < weight <= 1.0:
        raise ValueError(f"weight must be a number in (0.5, 1], got {brief(weight)}")
    if not is_whole(lag) or lag < 1:
        raise ValueError(f"lag must be a whole number of rows, at least 1, got {brief(lag)}")
    read_fraction(alpha, "alpha")
    check_same_order(y_true=y_true, y_prob=y_prob, y_other=y_other)
    y, p = _read_rows(y_true, y_prob, pos_label)
    other = as_scores(y_other, "y_other")
    check_same_length(y_true=y, y_other=other)
    log_factors = AnotherForecast(p, other).log_factors(y, float(weight))
    log_es, log_sups = mean_products(log_factors, int(lag))
    return ForecastEvidence(log_es, log_sups, int((~np.isnan(y)).sum()), float(weight), int(lag), float(alpha))


def _read_rows(y_true: ArrayInput, y_prob: ArrayInput, pos_label: Label | None) -> tuple[FloatArray, FloatArray]:
    """Return labels, NaN where they are missing, and scores, both of shape (n,)."""
    values = _as_list(y_true)
    missing = np.array([is_missing(value) for value in values], dtype=bool)
    if missing.all():
        raise ValueError(f"y_true must hold a label that is not missing, got {len(values)} rows without one")
    some = values[int(np.argmin(missing))]
    sample = ScoreSample(
        [some if absent else value for value, absent in zip(values, missing, strict=True)], y_prob, pos_label=pos_label
    )
    return np.where(missing, np.nan, sample.y), np.asarray(sample.p)


def _as_list(values: Any) -> list[Any]:
    """Return the values of a column, None or NaN among them."""
    for name in ("to_list", "tolist", "to_pylist"):  # of pandas and polars, numpy and torch, pyarrow
        if hasattr(values, name):
            made = getattr(values, name)()
            return made if isinstance(made, list) else [made]
    try:
        return list(values)
    except TypeError as error:
        raise ValueError(f"y_true must be a column of labels, got {brief(values)}") from error
