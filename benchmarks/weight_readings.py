"""What is concluded from one calibrated set of weighted rows; imported late, by processes of either version."""

import warnings
from typing import Any

import numpy as np

LIMIT = 0.05
N = 300
NEIGHBOURS = 10
SEED = 33_2026
KINDS = ("survey, whole", "survey + .5", "Pareto(1.5)", "Pareto(1.1)", "counts of 1 to 5")
WHOLE = KINDS[0]
COUNTS = KINDS[-1]


def draw(kind: str, number: int, n: int = N) -> tuple[Any, Any, Any, Any]:
    """Return labels, the scores of two calibrated models, and weights.

    The labels depend on two numbers alike, of which each model knows one. Of counts each score of the first model is
    the truth and has so many labels of its own, and a row for each label that occurs; the second model knows the mean
    of ten neighbouring scores.
    """
    rng = np.random.default_rng([SEED, KINDS.index(kind), number])
    known = rng.random((2, n))
    truth = known.mean(axis=0)
    p, q = (known + 0.5) / 2
    if kind == COUNTS:
        p = np.sort(known[0])
        q = np.repeat(p.reshape(-1, NEIGHBOURS).mean(axis=1), NEIGHBOURS)
        count = rng.integers(1, 6, n)
        positive = rng.binomial(count, p)
        w = np.concatenate((positive, count - positive)).astype(float)
        kept = w > 0
        y = np.repeat([1, 0], n)[kept]
        return y, np.tile(p, 2)[kept], np.tile(q, 2)[kept], w[kept]
    survey = np.ceil(rng.lognormal(3.0, 1.0, n))
    weights = {
        WHOLE: survey,
        "survey + .5": survey + 0.5,
        "Pareto(1.5)": 1.0 + rng.pareto(1.5, n),
        "Pareto(1.1)": 1.0 + rng.pareto(1.1, n),
    }[kind]
    return (rng.random(n) < truth).astype(int), p, q, weights


def read(kind: str, number: int, n: int = N) -> dict[str, Any]:
    """Return the outcome of the gate, unasked and where the kind of the weights is said, and p-values."""
    import fitontest as fot

    y, p, q, w = draw(kind, number, n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evaluation = fot.evaluate(y, p, families=["isotonic"], sample_weight=w)
        return {
            "kind": kind,
            "n": n,
            "set": number,
            "gate": _outcome(y, p, w, {}),
            "gate, said": _outcome(y, p, w, {"weights": "counts" if kind == COUNTS else "importances"}),
            "joint": evaluation.verdict.p_value,
            "isotonic": evaluation["isotonic"].null.p_value,
            "compare": _compare(y, p, q, w),
        }


def _compare(y: Any, p: Any, q: Any, w: Any) -> float:
    import fitontest as fot

    try:
        return float(fot.compare_errors(y, p, q, sample_weight=w).p_value)
    except ValueError:  # one row outweighs all others
        return 1.0


def _outcome(y: Any, p: Any, w: Any, said: dict[str, str]) -> str:
    import fitontest as fot

    try:
        return str(fot.check_calibration(y, p, max_error=LIMIT, sample_weight=w, **said).outcome)
    except (TypeError, ValueError) as error:  # a version before this one knows no `weights`
        return "refused" if "a gate does not guess" in str(error) else "-"
