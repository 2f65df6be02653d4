"""Files and calls as other people made them, and what the package says of each in one line.

`field_cases` runs these functions under two versions. Each function makes data of its own, and returns the line that
matters. What a version refuses is shown as "refused: ..."; that may be the right answer, or the fault.
"""

import re
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, log_softmax, logit, softmax
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

import fitontest as fot

CASES: dict[str, Callable[[], str]] = {}
WIDTH = 230  # of an answer: longer ones are cut


def case(function: Callable[[], str]) -> Callable[[], str]:
    """Enter a case under its name."""
    CASES[function.__name__] = function
    return function


def answer(name: str) -> str:
    """Return what this version says in a case."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = CASES[name]()
        except Exception as error:  # a refusal, or a fault: both are shown
            found = f"refused: {type(error).__name__}: {error}"
    if caught:
        found += f" [warns: {caught[0].message}]"
    short = " ".join(found.split())
    return short if len(short) <= WIDTH else f"{short[: WIDTH - 3]}..."


def command(name: str, frame: pd.DataFrame, *options: str) -> str:
    """Return what a command says of a file that holds a frame, on both streams."""
    from click.testing import CliRunner

    try:
        from fitontest.apps.cli.main import main
    except ModuleNotFoundError:  # of an earlier version
        from fitontest.cli.main import main  # type: ignore[import-not-found, no-redef]

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        frame.to_csv(path, index=False)
        said = CliRunner().invoke(main, [name, str(path), *options], terminal_width=400)
    return said.output.replace(str(path), "rows.csv").strip()


def first(text: str, *patterns: str) -> str:
    """Return the lines that match one of some patterns; or the first line."""
    lines = [line for line in text.splitlines() if any(re.search(pattern, line) for pattern in patterns)]
    return " / ".join(lines) if lines else (text.splitlines() or ["(nothing)"])[0]


def drawn(rng: np.random.Generator, p: Any) -> Any:
    """Return labels of given probabilities."""
    return (rng.random(np.shape(p)) < p).astype(int)


# Numbers and verdicts.


@case
def decision_loss_with_a_cap() -> str:
    """All scores are above the threshold, where the event is rare: true loss .078 at most threshold .1."""
    rng = np.random.default_rng(1)
    p = rng.uniform(0.1, 0.5, 3000).round(4)
    frame = pd.DataFrame({"event": drawn(rng, np.full(p.size, 0.022)), "score": p})
    text = command("check", frame, "--label", "event", "--prob", "score", "--max-decision-loss", "0.1", "0.05")
    return first(text, "decision loss at")


@case
def mirrored_rows_on_several_days() -> str:
    """Ten days of both parties' forecasts of 50 races, calibrated by construction."""
    rng = np.random.default_rng(2)
    p = rng.random(50).round(4)
    won = drawn(rng, p)
    rows = [(s, day, q, y) for s in range(50) for day in range(10) for q, y in ((p[s], won[s]), (1 - p[s], 1 - won[s]))]
    frame = pd.DataFrame(rows, columns=["state", "day", "prob", "won"])
    text = command("evaluate", frame, "--label", "won", "--prob", "prob", "--group", "state")
    return first(text, "alibration error", "two rows", "mirror")


@case
def mirrored_rows_without_groups() -> str:
    """Both teams of 300 games: the mean residual is zero but for rounding."""
    rng = np.random.default_rng(3)
    p = rng.random(300).round(4)
    won = drawn(rng, p)
    frame = pd.DataFrame({"prob": np.r_[p, 1 - p], "won": np.r_[won, 1 - won]})
    return first(command("evaluate", frame, "--label", "won", "--prob", "prob"), "ean residual", "mirror", "two rows")


@case
def few_stated_values() -> str:
    """Ten stated values, n = 7,000: the true error of the fitted map is about .01."""
    rng = np.random.default_rng(4)
    p = rng.integers(1, 11, 7000) / 10
    frame = pd.DataFrame({"event": drawn(rng, 0.05 + 0.75 * p**1.5), "score": p})
    text = command("compare", frame, "--label", "event", "--prob", "score")
    return first(text, "out of fold, |after")


@case
def copies_in_mixed_order() -> str:
    """60 rows, each twenty times, shuffled."""
    rng = np.random.default_rng(5)
    p = rng.random(60)
    y = drawn(rng, p)
    order = rng.permutation(1200)
    frame = pd.DataFrame({"won": np.repeat(y, 20)[order], "prob": np.repeat(p, 20)[order].round(6)})
    return first(command("evaluate", frame, "--label", "won", "--prob", "prob"), "cop", "n = 1,200")


@case
def a_survey() -> str:
    """Answers of 30 experts over 100 quarters; the outcome belongs to the quarter."""
    rng = np.random.default_rng(6)
    base = rng.beta(1, 4, 100)
    outcome = drawn(rng, base)
    p = np.clip(base[:, None] + rng.normal(0, 0.1, (100, 30)), 0, 1).round(2)
    quarters = [f"{1990 + q // 4}Q{q % 4 + 1}" for q in range(100)]
    columns = {"quarter": np.repeat(quarters, 30), "ID": np.tile(np.arange(30), 100)}
    frame = pd.DataFrame(columns | {"prob": p.ravel(), "recession": np.repeat(outcome, 30)})
    return first(command("evaluate", frame, "--label", "recession", "--prob", "prob"), "--group", "groups=")


@case
def groups_named_twice() -> str:
    """Question numbers are unique within a bench only."""
    rng = np.random.default_rng(7)
    p = rng.random(960).round(2)
    columns = {"bench": np.repeat(["a", "b"], 480), "question": np.tile(np.repeat(np.arange(120), 4), 2)}
    frame = pd.DataFrame(columns | {"confidence": p, "correct": drawn(rng, p)})
    options = ("--label", "correct", "--prob", "confidence", "--group", "bench", "--group", "question")
    return first(command("evaluate", frame, *options), "groups: ", "combination")


@case
def coded_segments() -> str:
    """Segments of two coded columns, one with a single row."""
    rng = np.random.default_rng(8)
    race, sex, p = rng.integers(1, 4, 600), rng.integers(0, 2, 600), rng.random(600).round(3)
    frame = pd.DataFrame({"race": race, "sex": sex, "score": p, "y": drawn(rng, np.where(race == 2, p**0.4, p))})
    frame.loc[len(frame)] = [5, 1, 0.85, 0]
    options = ("--label", "y", "--prob", "score", "--by", "race", "--by", "sex")
    lines = command("evaluate", frame, *options).splitlines()
    heads = next((i for i, line in enumerate(lines) if set(line) <= set("- ") and line.strip()), 0)
    return f"{first(chr(10).join(lines), 'segments')} / heads: {lines[heads + 1]}"


@case
def labels_that_are_predictions() -> str:
    """Say that the label is the score cut at .5."""
    rng = np.random.default_rng(9)
    p = rng.random(500).round(3)
    frame = pd.DataFrame({"y_pred": (p >= 0.5).astype(int), "prob": p})
    return first(command("evaluate", frame, "--label", "y_pred", "--prob", "prob"), "prediction", "n = 500")


@case
def few_rows_well_separated() -> str:
    """112 rows, most of them near 0 or 1: the limits of the mean residual and of the error."""
    rng = np.random.default_rng(10)
    p = expit(rng.normal(0, 4, 112)).round(4)
    frame = pd.DataFrame({"y": drawn(rng, p), "p": p})
    text = command("evaluate", frame, "--label", "y", "--prob", "p")
    return first(text, "ean residual", "ruled out", "Calibration error")


@case
def log_probabilities() -> str:
    """Logarithms of probabilities as scores."""
    rng = np.random.default_rng(11)
    p = rng.uniform(0.3, 1, 200)
    frame = pd.DataFrame({"correct": drawn(rng, p), "logprob": np.log(p).round(4)})
    return command("evaluate", frame, "--label", "correct", "--prob", "logprob")


@case
def scores_of_the_rows_of_the_fit() -> str:
    """Score the training rows of a logistic regression."""
    rng = np.random.default_rng(12)
    x = rng.normal(size=(400, 3))
    y = drawn(rng, expit(x @ [1, 0.5, 0] - 0.5))
    p = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(x, y).predict_proba(x)[:, 1]
    return first(command("validate", pd.DataFrame({"y": y, "p": p}), "--label", "y", "--prob", "p"), "fit", "O:E")


@case
def ties_between_classes() -> str:
    """Many rows whose largest score two classes share: accuracy in two orders of the columns."""
    rng = np.random.default_rng(13)
    scores = rng.integers(0, 4, (200, 3)) + 0.0
    scores = scores[scores.sum(axis=1) > 0]
    scores = (scores / scores.sum(axis=1, keepdims=True)).round(4)
    frame = pd.DataFrame(scores, columns=["p_A", "p_B", "p_C"])
    frame["answer"] = [rng.choice(list("ABC"), p=row / row.sum()) for row in scores]
    found = []
    for columns in (["p_A", "p_B", "p_C"], ["p_C", "p_B", "p_A"]):
        options = [part for column in columns for part in ("--prob", column)]
        text = command("evaluate", frame, "--label", "answer", *options, "--reduction", "confidence")
        found.append(first(text, "share of positives", "accuracy", "tied"))
    return " || ".join(found)


@case
def a_gate_and_rounding() -> str:
    """Forecasts at a limit that lies above their interval."""
    rng = np.random.default_rng(14)
    p = rng.choice([0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7], 731, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.05])
    frame = pd.DataFrame({"event": drawn(rng, 0.85 * p), "prob": p})
    return first(command("check", frame, "--label", "event", "--prob", "prob", "--max-error", "0.05"), "error")


@case
def odds_with_a_margin() -> str:
    """Rows that add up to 1.05."""
    rng = np.random.default_rng(15)
    scores = rng.dirichlet([2, 1, 2], 300)
    frame = pd.DataFrame((1.05 * scores).clip(0, 1).round(4), columns=["p_H", "p_D", "p_A"])
    frame["result"] = [rng.choice(list("HDA"), p=row) for row in scores]
    options = ("--label", "result", "--prob", "p_H", "--prob", "p_D", "--prob", "p_A", "--reduction", "classwise")
    return first(command("evaluate", frame, *options), "add up", "1.05")


@case
def decimal_odds() -> str:
    """Odds of a bookmaker as scores."""
    rng = np.random.default_rng(16)
    p = rng.uniform(0.1, 0.8, 300)
    frame = pd.DataFrame({"odds": (0.95 / p).round(2), "home_won": drawn(rng, p)})
    return command("evaluate", frame, "--label", "home_won", "--prob", "odds")


# Calls.


@case
def large_logits() -> str:
    """Logits times 1,000: the temperature must be 1,000 times as large."""
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 1.5, (1000, 4))
    k = np.array([rng.choice(4, p=q) for q in softmax(logits, 1)])
    one, many = (fot.families.Temperature(input="logits", mix=False).fit(s * logits, k) for s in (1, 1000))
    loss = -log_softmax(1000 * logits / many.temperature_, 1)[np.arange(k.size), k].mean()
    return f"T {one.temperature_:.4f} and {many.temperature_:.2f}, log loss {loss:.4f}"


@case
def logits_within_a_millionth() -> str:
    """Shrink the logits to a spread of 1e-7: log loss on new rows, and the accuracy of a classifier."""
    rng = np.random.default_rng(0)
    z = rng.normal(0, 1.5, 4000)
    y, p = drawn(rng, expit(1.3 * z - 0.5)), expit(1e-7 * z)
    losses = []
    for name in ("spline", "platt"):
        q = fot.families.make(name).fit(p[:2000], y[:2000]).predict(p[2000:]).clip(1e-6, 1 - 1e-6)
        losses.append(-np.mean(np.log(np.where(y[2000:] == 1, q, 1 - q))))
    x, label = make_classification(2000, 10, n_informative=5, random_state=0)
    model = fot.CalibratedClassifier(LogisticRegression(C=1e-10, fit_intercept=False), family="spline")
    accuracy = model.fit(x[:1000], label[:1000]).score(x[1000:], label[1000:])
    return f"log loss {losses[0]:.4f} (platt {losses[1]:.4f}); accuracy {accuracy:.3f}"


@case
def perfect_ranking() -> str:
    """Every positive lies above every negative."""
    x = np.sort(np.random.default_rng(0).random(200))
    y = (x > 0.5).astype(int)
    verdict = str(fot.evaluate(y, x, families=["slope1"])).splitlines()[0].split(":")[0]
    return f"{verdict}; gate of the slope: {fot.check_calibration(y, x, slope=(0.8, 1.25)).outcome}"


@case
def slopes_under_uneven_weights() -> str:
    """How often the slope's interval holds 1 under log-normal weights, at about 26 effective rows of 400."""
    held = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        p = expit(rng.normal(0, 1.5, 400))
        y, w = drawn(rng, p), np.exp(2 * rng.normal(size=400))
        interval = fot.measure(y, p, "calibration_slope", sample_weight=w).interval
        if interval is not None:
            held.append(interval.low <= 1 <= interval.high)
    return f"{np.mean(held):.0%} of {len(held)} intervals" if held else "no interval"


@case
def numbers_that_are_arrays() -> str:
    """Give a list of 0-d arrays."""
    return f"{fot.ece([0, 1, 1, 0], [np.array(v) for v in (0.2, 0.7, 0.9, 0.4)]).value:.2f}"


@case
def names_that_are_no_strings() -> str:
    """Columns 0 and 1 of a frame; a column name that stands twice, unused; a MultiIndex."""
    p = np.linspace(0.1, 0.9, 20)
    y = drawn(np.random.default_rng(0), p)
    twice = pd.DataFrame({"y": y, "p": p, "site": 1})
    frames: list[tuple[pd.DataFrame, Any, Any]] = [
        (pd.DataFrame({0: y, 1: p}), 0, 1),
        (pd.concat([twice, twice[["site"]]], axis=1), "y", "p"),
        (pd.DataFrame({("a", "y"): y, ("a", "p"): p}), ("a", "y"), ("a", "p")),
    ]
    return "; ".join(_tried(lambda f=f, a=a, b=b: fot.ece(fot.read(f, label=a, prob=b)).value) for f, a, b in frames)


def _tried(call: Callable[[], float]) -> str:
    try:
        return f"{call():.3f}"
    except Exception as error:
        return f"{type(error).__module__.split('.')[0]} {type(error).__name__}"


@case
def names_of_crossed_segments() -> str:
    """Segments of two columns."""
    rng = np.random.default_rng(0)
    p = rng.random(800)
    by = {"region": rng.choice(["north", "south"], 800), "sex": rng.choice(["m", "f"], 800)}
    return str(fot.evaluate(drawn(rng, p**2), p, by=by, families=["slope1"])).splitlines()[0]


@case
def hints_that_fit_the_argument() -> str:
    """One-hot labels of two classes; weights of two columns."""
    rng = np.random.default_rng(0)
    p = rng.random(50)
    y = drawn(rng, p)
    calls: Sequence[Callable[[], Any]] = (
        lambda: fot.ece(np.eye(2)[y], p),
        lambda: fot.ece(y, p, sample_weight=np.c_[p, p]),
    )
    return " | ".join(_refusal(call) for call in calls)


def _refusal(call: Callable[[], Any]) -> str:
    try:
        return f"{call()}"
    except Exception as error:
        return str(error)


@case
def softmax_over_the_wrong_axis() -> str:
    """Columns that add up to 1, where rows should."""
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, (400, 4))
    k = np.array([rng.choice(4, p=q) for q in softmax(logits / 1.5, 1)])
    return f"{fot.ece(k, softmax(logits, 0), reduction='confidence').value:.3f}"


@case
def probabilities_given_as_logits() -> str:
    """Probabilities where logits are announced."""
    rng = np.random.default_rng(0)
    scores = rng.dirichlet(np.ones(3), 400)
    k = np.array([rng.choice(3, p=q) for q in scores])
    return f"T {fot.families.Temperature(input='logits').fit(scores, k).temperature_:.2f}"


@case
def rounding_above_one() -> str:
    """Give a score of 1.0000000000000002."""
    p = np.linspace(0.1, 0.9, 20)
    y = drawn(np.random.default_rng(0), p)
    fitted = fot.Platt().fit(p, y)
    q = np.r_[1.0000000000000002, p[1:]]
    calls = (lambda: fot.ece(y, q).value, lambda: fot.Platt().fit(q, y).predict(q)[0], lambda: fitted.map_(q)[0])
    return "; ".join(_tried(call) for call in calls)


@case
def why_identity_was_chosen() -> str:
    """One segment is off by a logit."""
    rng = np.random.default_rng(106)
    n = 2000
    segment, age, p = rng.choice(list("abc"), n), rng.integers(18, 90, n).astype(float), rng.beta(1, 2, n)
    y = drawn(rng, expit(logit(p) + ((segment == "b") & (age > 60))))
    features = pd.DataFrame({"seg": segment, "age": age})
    return str(fot.compare_calibrators(y, p, X=features, evaluators=[])).split("\n\n")[0]
