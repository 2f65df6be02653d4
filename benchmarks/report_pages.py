"""The reports of five made data sets, to be looked at on a screen, on a phone and on paper.

``python benchmarks/report_pages.py FOLDER`` writes the pages; with ``--chromium PATH`` also what a browser of 1280 x
800, one of 390 x 844 and a printer make of each.
"""

import argparse
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import fitontest as fot
from fitontest.numerics.links import logit, sigmoid

SIZES = {"screen": (1280, 800), "page": (1280, 3200), "phone": (390, 844), "phone_page": (390, 6000)}
DAY = "2026-11-28"


def fine(rng: np.random.Generator) -> fot.apps.Report:
    """Return the report of calibrated scores of two classes."""
    p = rng.beta(2, 3, 4000)
    return fot.report(rng.random(4000) < p, p, title="Calibration of churn", date=DAY, model="forest 2.1")


def bad(rng: np.random.Generator) -> fot.apps.Report:
    """Return the report of overconfident scores that are too low."""
    p = rng.beta(0.6, 1.2, 5000)
    y = rng.random(5000) < sigmoid(0.45 * logit(p, 1e-9) - 0.2)
    return fot.report(y, p, title="Calibration of churn", date=DAY, model="naive Bayes")


def rare(rng: np.random.Generator) -> fot.apps.Report:
    """Return the report of rare events, too many in one segment, and too many in all since August."""
    n = 120_000
    frame = pd.DataFrame(
        {
            "segment": rng.choice(["retail", "card", "mortgage", "sme", "auto"], n, p=[0.35, 0.3, 0.15, 0.1, 0.1]),
            "month": rng.choice(pd.date_range("2024-01-01", "2024-12-31").to_numpy(), n),
            "pd": sigmoid(rng.normal(-5.0, 1.0, n)),
        }
    )
    shift = np.where(frame.segment == "sme", 0.5, np.where(frame.segment == "auto", -0.35, 0.0))
    shift = shift + np.where(frame.month >= np.datetime64("2024-08-01"), 0.4, 0.0)
    frame["default"] = rng.random(n) < sigmoid(logit(frame["pd"].to_numpy(), 1e-9) + shift)
    return fot.report(
        frame, label="default", prob="pd", by="segment", time="month", title="Calibration of pd", date=DAY
    )


def stated(rng: np.random.Generator) -> fot.apps.Report:
    """Return the report of the probabilities that a language model states, of which there are six."""
    p = rng.choice([0.5, 0.7, 0.8, 0.9, 0.95, 1.0], 1500, p=[0.05, 0.1, 0.2, 0.3, 0.2, 0.15])
    task = rng.choice(["code", "law", "medicine", "trivia"], 1500)
    y = rng.random(1500) < np.clip(0.25 + 0.62 * p - 0.12 * (task == "law"), 0, 1)
    return fot.report(y, p, by=pd.Series(task, name="task"), title="Stated confidence", date=DAY)


def six(rng: np.random.Generator) -> fot.apps.Report:
    """Return the report of overconfident probabilities of six classes."""
    z = rng.normal(size=(3000, 6)) * 1.5
    truth, stated_p = (np.exp(k * z) / np.exp(k * z).sum(axis=1, keepdims=True) for k in (1.0, 1.7))
    labels = np.array(["bird", "cat", "deer", "dog", "frog", "ship"])
    y = labels[(truth.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1)]
    return fot.report(y, stated_p, reduction="confidence", labels=labels, title="Calibration of pictures", date=DAY)


PAGES = {"fine": fine, "bad": bad, "rare": rare, "stated": stated, "six": six}


def shoot(chromium: str, page: Path) -> None:
    """Save what a browser shows and prints of a page beside it."""
    base: list[Any] = [chromium, "--headless", "--no-sandbox", "--hide-scrollbars", "--disable-gpu"]
    for name, (width, height) in SIZES.items():
        picture = page.with_name(f"{page.stem}_{name}.png")
        size = f"--window-size={width},{height}"
        subprocess.run([*base, f"--screenshot={picture}", size, page.as_uri()], check=True, capture_output=True)
    printed = f"--print-to-pdf={page.with_suffix('.pdf')}"
    subprocess.run([*base, printed, "--no-pdf-header-footer", page.as_uri()], check=True, capture_output=True)


def main() -> None:
    """Write the pages that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=PAGES, action="append")
    parser.add_argument("--chromium")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.only or PAGES:
        report = PAGES[name](np.random.default_rng(7))
        page = report.save(options.folder.resolve() / f"{name}.html")
        print(f"{name}: {report.verdict.headline}. {report.advice.title}.")
        if options.chromium is not None:
            shoot(options.chromium, page)


if __name__ == "__main__":
    main()
