"""Draws the pictures of the pages with the package itself, each for light and for dark pages."""

import io
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from themes import FOLDER, files_of, in_processes, is_up_to_date, save_both

HERE = Path(__file__)
DOCS = HERE.parents[1]
PAGES = {  # that functions read
    "language_models": "language_models",
    "stated_probabilities": "stated_probabilities",
    "ratios": "benchmarks",
}


@cache
def digits() -> tuple[Any, Any]:
    """Return whether each handwritten digit is odd, and what naive Bayes says of it, out of fold."""
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline

    images, digit = load_digits(return_X_y=True)
    model = make_pipeline(PCA(12, random_state=0), GaussianNB())
    return digit % 2, cross_val_predict(model, images, digit % 2, method="predict_proba")[
        :, 1
    ]


@cache
def tumours() -> tuple[Any, Any]:
    """Return whether each breast tumour is benign, and what naive Bayes says of it, out of fold."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    x, y = load_breast_cancer(return_X_y=True)
    return y, cross_val_predict(GaussianNB(), x, y, method="predict_proba")[:, 1]


@cache
def rare_events() -> tuple[Any, Any]:
    """Return labels and scores of simulated rare events."""
    from fitontest.datasets import Rare

    return Rare().draw(30_000, random_state=0)[:2]


@cache
def calibrated() -> tuple[Any, Any]:
    """Return labels and scores that are calibrated."""
    from fitontest.datasets import Planted

    return Planted(lambda rng, n: rng.beta(0.7, 0.7, n), lambda p: p).draw(
        2000, random_state=0
    )[:2]


def beside(*panels: tuple[tuple[Any, Any], dict[str, Any]]) -> Any:
    """Return a figure of reliability diagrams side by side, from labels and scores and the settings of each."""
    import matplotlib.pyplot as plt

    import fitontest as fot

    figure = plt.figure(figsize=(4.4 * len(panels), 5.4), layout="constrained")
    for ax, ((y, p), settings) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True
    ):
        fot.ReliabilityDisplay.from_predictions(y, p, ax=ax, **settings)
    return figure


def first() -> Any:
    """Draw what the quick start draws."""
    return beside((tumours(), {}))


def sketch(*panels: tuple[str, Callable[[Any], Any], str]) -> Any:
    """Return a sketch of maps against the diagonal: a title, the map, and what it says, side by side."""
    import matplotlib.pyplot as plt
    import numpy as np

    figure = plt.figure(figsize=(2.9 * len(panels), 3.4), layout="constrained")
    p = np.linspace(0, 1, 201)
    for ax, (title, c, said) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True
    ):
        ax.plot(p, p, color=ax.xaxis.label.get_color(), linewidth=1, linestyle=(0, (4, 3)))
        ax.plot(p, c(p), color="#3a9bdc", linewidth=2.5)
        ax.fill_between(p, p, c(p), color="#D55E00", alpha=0.35, linewidth=0)
        ax.set(
            xlim=(0, 1), ylim=(0, 1), xticks=(0, 0.5, 1), yticks=(0, 0.5, 1), box_aspect=1
        )
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel(f"Score\n{said}", fontsize="small")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    figure.axes[0].set_ylabel("Observed frequency")
    return figure


def sides() -> Any:
    """Draw a map below the diagonal, and one above it."""
    return sketch(
        ("Scores too high", lambda p: p**2, "0.7 is said, 0.5 happens"),
        ("Scores too low", lambda p: 1 - (1 - p) ** 2, "0.3 is said, 0.5 happens"),
    )


def slopes() -> Any:
    """Draw a map that is flatter than the diagonal, and one that is steeper."""
    import numpy as np

    def steep(p: Any) -> Any:
        return 1 / (
            1 + np.exp(-2.4 * np.log(np.clip(p, 1e-9, 1 - 1e-9) / np.clip(1 - p, 1e-9, 1)))
        )

    return sketch(
        (
            "Overconfident",
            lambda p: 0.5 + 0.45 * (p - 0.5),
            "predictions too extreme,\nslope below 1",
        ),
        ("Underconfident", steep, "predictions too cautious,\nslope above 1"),
    )


def reading() -> Any:
    """Draw the default diagram, and bins."""
    import fitontest as fot

    return beside((digits(), {}), (digits(), {"family": fot.Slope1(10)}))


def bands() -> Any:
    """Draw consistency bands of scores that are not calibrated, and of scores that are."""
    settings = {
        "family": "isotonic",
        "scale": "probability",
        "band": "consistency",
        "band_draws": 50,
    }
    return beside((digits(), settings), (calibrated(), settings))


def rare() -> Any:
    """Draw rare events on the square, and as observed over expected."""
    return beside(
        (rare_events(), {"family": "beta", "scale": "probability"}),
        (rare_events(), {"family": "beta"}),
    )


def validating() -> Any:
    """Draw the validation of the page on it: risks of tumours that a regression on a hundred others states."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import fitontest as fot

    tumours = load_breast_cancer()
    x, malignant = tumours.data[:, [1, 4, 5, 8]], (tumours.target == 0).astype(int)
    x_old, x_new, y_old, y = train_test_split(
        x, malignant, train_size=100, stratify=malignant, random_state=0
    )
    model = make_pipeline(StandardScaler(), LogisticRegression(C=1e6)).fit(x_old, y_old)
    risk = model.predict_proba(x_new)[:, 1]
    return fot.risk.validate(y, risk, thresholds=[0.1, 0.2]).plot().figure_


def thresholds() -> Any:
    """Draw the decision curve of the page on thresholds."""
    import numpy as np
    from scipy.special import expit, logit

    import fitontest as fot

    rng = np.random.default_rng(1)
    risk = expit(rng.normal(-0.9, 1, 2000))
    y = rng.random(2000) < risk
    p = expit(1.5 * logit(risk) - 0.3)
    chosen = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3]
    return fot.risk.decision_curve(y, p, thresholds=chosen).plot(show="loss").figure_


def monitoring() -> Any:
    """Draw the monitor of the page on it: a year of scores that are too low from August on."""
    import numpy as np
    from scipy.special import expit

    import fitontest as fot

    rng = np.random.default_rng(1)
    monitor = fot.monitor.Monitor(level=0.95)
    for month in [f"2025-{month:02d}" for month in range(1, 13)]:
        logits = rng.normal(-3.4, 1.0, 2000)
        true_logits = logits + (0.5 if month >= "2025-08" else 0.0)
        monitor.update(rng.random(2000) < expit(true_logits), expit(logits), batch=month)
    return monitor.evidence.plot().figure_


def segments() -> Any:
    """Draw the segment that is found on the page on them, before and after its repair."""
    import numpy as np
    from scipy.special import expit, logit

    import fitontest as fot

    rng = np.random.default_rng(7)
    X = {
        "age": rng.integers(18, 90, 6000),
        "site": rng.choice(["north", "south", "west"], 6000, p=[0.5, 0.3, 0.2]),
        "visits": rng.poisson(2, 6000),
        "smoker": rng.random(6000) < 0.3,
    }
    p = expit(rng.normal(-1.2, 1.0, 6000))
    off = (X["age"] > 70) & (X["site"] == "west")
    y = rng.random(6000) < expit(logit(p) + 1.2 * off)
    found = fot.segments.find_segments(y, p, X)
    return found.plot(after=found.map_(X, p)).figure_


def same_bars() -> Any:
    """Draw three classifiers with the same shares of positives in five bins, whose errors differ."""
    import numpy as np

    import fitontest as fot

    shares, n = np.array([0.18, 0.38, 0.5, 0.62, 0.82]), 200
    places = {
        "mean scores as the shares": shares,
        "mean scores in the middle": np.array([0.1, 0.3, 0.5, 0.7, 0.9]),
        "mean scores far off": np.array([0.03, 0.23, 0.5, 0.77, 0.97]),
    }
    rng = np.random.default_rng(0)
    y = np.concatenate([rng.permutation(n) < n * share for share in shares]).astype(int)
    spread = np.tile(np.linspace(-0.015, 0.015, n), shares.size)  # within each bin
    family = fot.Slope1(5, "equal_width")
    return beside(
        *(
            (
                (y, np.repeat(means, n) + spread),
                {"family": family, "scale": "probability", "band": None, "name": name},
            )
            for name, means in places.items()
        )
    )


def beta_in_logits() -> Any:
    """Draw beta maps on the logit scale with the two lines that each is near."""
    import matplotlib.pyplot as plt
    import numpy as np
    from scipy.special import expit, logit

    import fitontest as fot

    figure = plt.figure(figsize=(8.4, 4.0), layout="constrained")
    x = np.linspace(-8, 8, 401)
    for ax, (a, b, c) in zip(
        figure.subplots(1, 2), ((0.4, 1.4, 0.3), (1.8, 0.6, -0.5)), strict=True
    ):
        calibrated = logit(fot.maps.BetaMap(a, b, c, eps=1e-12).evaluate(expit(x)))
        ax.plot(x, calibrated, color="#3a9bdc", linewidth=2.5, label="beta map")
        ax.plot(
            x, np.where(x < 0, a * x, b * x) + c, color="#D55E00", linestyle=(0, (4, 2)),
            label="two lines that meet at 0",
        )  # fmt: skip
        ax.plot(x, x, color=ax.xaxis.label.get_color(), linewidth=0.8)
        ax.set(title=f"a = {a}, b = {b}, c = {c}", xlabel="Logit of the score")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    figure.axes[0].set_ylabel("Logit of the calibrated score")
    figure.axes[0].legend(frameon=False)
    return figure


def raw_and_debiased() -> Any:
    """Draw raw errors, debiased ones and intervals by the number of rows, of scores without and with an error."""
    import matplotlib.pyplot as plt
    import numpy as np

    import fitontest as fot

    truths = {
        "Calibrated scores": lambda p: p,
        "Scores that are too high": lambda p: p**1.2,
    }
    sizes, draws = (100, 300, 1000, 3000), 8
    figure = plt.figure(figsize=(8.4, 3.6), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    middle = (np.arange(10_000) + 0.5) / 10_000
    rng = np.random.default_rng(0)
    for ax, (title, c) in zip(axes, truths.items(), strict=True):
        true = np.mean(np.abs(c(middle) - middle))
        ink = ax.xaxis.label.get_color()
        ax.axhline(true, color=ink, linewidth=1, linestyle=(0, (4, 3)), label="true error")
        places, errors = [], []
        for k, n in enumerate(sizes):
            for draw in range(draws):
                p = rng.random(n)
                y = rng.random(n) < c(p)
                places.append(k + 0.09 * (draw - (draws - 1) / 2))
                errors.append(
                    fot.calibration_error(y, p, family="isotonic", interval="always")
                )
        ends = np.array([[error.interval.low, error.interval.high] for error in errors]).T
        ax.vlines(places, *ends, color="#3a9bdc", linewidth=1.2, label="interval")
        ax.plot(
            places, [error.debiased for error in errors], "o", color="#3a9bdc", markersize=3.5,
            label="debiased",
        )  # fmt: skip
        ax.plot(
            places,
            list(map(float, errors)),
            "D",
            color="#D55E00",
            markersize=3,
            label="raw",
        )
        ax.set_xticks(range(len(sizes)), [f"{n:,}" for n in sizes])
        ax.set(title=title, xlabel="Rows")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0].set_ylim(-0.005, None)
    axes[0].set_ylabel("Calibration error (isotonic)")
    axes[1].legend(frameon=False)
    return figure


def known_truths() -> Any:
    """Draw true maps of simulated problems, and maps that are fitted to one draw of labels of each."""
    import matplotlib.pyplot as plt
    import numpy as np

    import fitontest as fot
    from fitontest.datasets import Derivate

    figure = plt.figure(figsize=(9.6, 3.6), layout="constrained")
    axes = figure.subplots(1, 3, sharex=True, sharey=True)
    grid = np.linspace(0, 1, 1001)
    for ax, kind in zip(axes, ("stairs", "sqrt", "square"), strict=True):
        problem = Derivate(kind, error=0.1)
        y, p, _ = problem.draw(1000, random_state=0)
        ink = ax.xaxis.label.get_color()
        ax.plot(grid, problem.truth(grid), color=ink, linewidth=2, label="truth")
        for name, color in (
            ("isotonic", "#D55E00"),
            ("spline", "#3a9bdc"),
            ("platt", "#009E73"),
        ):
            fitted = fot.families.make(name).fit(p, y).map_
            ax.plot(grid, fitted(grid), color=color, linewidth=1.4, label=name)
        ax.set(title=kind, xlabel="Score", box_aspect=1)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0].set_ylabel("Probability")
    axes[0].legend(frameon=False, fontsize="small")
    return figure


def ratios() -> Any:
    """Draw the ratios of the first two tables of the page on benchmarks, read from the page itself."""
    import matplotlib.pyplot as plt

    panels = []
    for chapter in ("Beside other packages", "Beside the building blocks"):
        rows = read_table(DOCS / "benchmarks.md", chapter)
        panels.append(
            (chapter, [(row[0], row[-2], row[-1]) for row in rows])
            if len(rows[0]) == 4
            else (chapter, [(f"{row[0]}, n = {row[1]}", row[3], row[4]) for row in rows])
        )
    heights = [len(rows) for _, rows in panels]
    figure = plt.figure(figsize=(8.6, 0.3 * sum(heights) + 1.6), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, height_ratios=heights)
    for ax, (chapter, rows) in zip(axes, panels, strict=True):
        for k, (_, peer, ratio) in enumerate(rows):
            value = float(ratio.strip("* "))
            ax.barh(k, value - 1, left=1, color="#3a9bdc" if value < 1 else "#D55E00")
            ax.annotate(
                re.sub(r":? ?[\d,.]+( \(.*)?$", "", peer), (1, k), (6 if value < 1 else -6, 0),
                textcoords="offset points", va="center", ha="left" if value < 1 else "right", fontsize="x-small",
            )  # fmt: skip
        ax.set_yticks(range(len(rows)), [name for name, _, _ in rows], fontsize="small")
        ax.invert_yaxis()
        ax.set_xscale("log")
        ax.axvline(1, color=ax.xaxis.label.get_color(), linewidth=1)
        ax.set_title(chapter, fontsize="medium", loc="left")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[-1].set_xticks([0.03, 0.1, 0.3, 1, 3], ["0.03", "0.1", "0.3", "1", "3"])
    axes[-1].set_xlabel("Time, ours / theirs (left of 1: ours takes less)")
    return figure


def read_table(page: Path, chapter: str) -> list[list[str]]:
    """Return the cells of the rows of the first table of a chapter of a page."""
    text = page.read_text(encoding="utf-8").partition(f"## {chapter}\n")[2]
    lines = [
        line for line in text.partition("\n## ")[0].splitlines() if line.startswith("|")
    ]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def language_models() -> Any:
    """Draw the confidences of choices, and the stated ones, of the page on language models."""
    page = run_page("language_models", "knew")
    return beside(
        (
            (page["answer"], page["proba"]),
            {"reduction": "confidence", "labels": page["letters"]},
        ),
        ((page["knew"], page["stated"] / 100), {}),
    )


def stated_probabilities() -> Any:
    """Draw what Ann states on the page on stated probabilities, and an average of eight forecasters."""
    page = run_page("stated_probabilities", "average")
    return beside(
        ((page["event"], page["ann"]), {}), ((page["happens"], page["average"]), {})
    )


@cache
def run_page(page: str, name: str) -> dict[str, Any]:
    """Return the names of the examples of a page, which are run up to the one that gives a name."""
    names: dict[str, Any] = {"__name__": page}
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        with redirect_stdout(io.StringIO()):
            exec(compile(block, page, "exec"), names)
        if name in names:
            return names
    raise ValueError(f"no example of {page} gives {name}")


def make_pictures(_: Sphinx) -> None:
    """Draw the pictures that are older than the sources, or not there."""
    drawers = (
        first,
        sides,
        slopes,
        reading,
        bands,
        rare,
        validating,
        thresholds,
        monitoring,
        segments,
        same_bars,
        beta_in_logits,
        raw_and_debiased,
        known_truths,
        ratios,
        language_models,
        stated_probabilities,
    )
    in_processes(save, (draw for draw in drawers if not is_drawn(draw)))


def is_drawn(draw: Callable[[], Any]) -> bool:
    """Return whether the pictures of a function are those of this file, the package and the page that it reads."""
    pages = [DOCS / f"{PAGES[draw.__name__]}.md"] if draw.__name__ in PAGES else []
    return is_up_to_date(files_of(FOLDER, draw.__name__), HERE, *pages)


def save(draw: Callable[[], Any]) -> None:
    """Save what a function of this module draws."""
    save_both(FOLDER, draw.__name__, draw)


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw before the pages are read."""
    app.connect("builder-inited", make_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
