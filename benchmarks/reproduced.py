"""What the four papers print, beside what we get: the page docs/reproduced.md, from the tables of the other pages.

Usage: ``python benchmarks/reproduced.py [--check]``.

Every row is counted from tables of docs/measurements/, which the script that is named beside it has printed: numbers of
the form "ours / published" are compared in the digits that are printed. ``--check`` writes nothing, and says whether
the page is that of the tables.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

import numpy as np

from report import markdown

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "reproduced.md"
NUMBER = r"([-+]?[\d.,]+)"
PAIR = re.compile(rf"^\**{NUMBER}%?\s*/\s*{NUMBER}%?\**$")
HEAD = """---
nosearch: true
---

# Every table of the papers

What the four papers print that this package goes back to, beside what it gets, with the script that prints both.
`python benchmarks/reproduced.py` makes this page from the tables of the [measurements](measurements.md).

*Equal* counts the numbers that are the same in every printed digit. The *means* are over all numbers of these tables
that both have. Where the data are others than the paper's, numbers cannot be equal; the order of the methods can be
compared.
"""
KNOWN, PSEUDO, TCE, TREES = (f"measurements/{name}.md" for name in ("known_truth", "pseudo_real", "tce", "families"))


@dataclass(frozen=True)
class Entry:
    """Some tables of a paper, and where ours stand.

    Attributes
    ----------
    names : str
        Of the tables or figures, as the paper numbers them.
    what : str
        What they show.
    script : str
        Which prints ours.
    page : str
        The page under docs/ that quotes it.
    titles : tuple of str
        The heading above each table of the page; none where it has no pairs to count.
    other_data : bool
        Whether ours are of other data than the paper's.
    said : str
        What is to be said of the numbers beside the counts.
    """

    names: str
    what: str
    script: str
    page: str
    titles: tuple[str, ...] = ()
    other_data: bool = False
    said: str = ""

    def row(self) -> list[str]:
        """Return its row of the page."""
        pairs = np.array([pair for title in self.titles for pair in pairs_below(self.page, title)])
        equal, means = "", ""
        if len(pairs):
            count = f"{int((pairs[:, 0] == pairs[:, 1]).sum()):,} of {len(pairs):,}"
            equal = f"other data, {len(pairs)} numbers" if self.other_data else count
            means = f"{pairs[:, 0].mean():.4g} / {pairs[:, 1].mean():.4g}"
        return [self.names, self.what, equal, means, self.said, f"`{self.script}`, [here]({self.page})"]


@dataclass(frozen=True)
class Paper:
    """A paper: its tables, and what of it could not be had."""

    title: str
    link: str
    entries: tuple[Entry, ...]
    left: tuple[str, ...]

    def section(self) -> str:
        """Return its part of the page."""
        header = ["of the paper", "what", "equal", "means, ours / published", "notes", "script and page"]
        table = markdown(header, [entry.row() for entry in self.entries])
        left = "\n".join(f"* {one}" for one in self.left)
        return f"## {self.title}\n\n<{self.link}>\n\n{table}\n\nNot here, and why:\n\n{left}"


def pairs_below(page: str, title: str) -> Iterator[tuple[float, float]]:
    """Yield the pairs of numbers, ours and published, of the first table below a heading; ranks are left out."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    places = [i for i, line in enumerate(lines) if line.lstrip("# ") == title]
    if len(places) != 1:
        raise ValueError(f"{page} must have a line {title!r} once, got {len(places)}")
    start = next(i for i in range(places[0], len(lines)) if lines[i].startswith("|"))
    header, _, *rows = takewhile(lambda line: line.startswith("|"), lines[start:])
    kept = [i for i, name in enumerate(header.split("|")) if "rank" not in name and name.strip() != "mean"]
    for row in rows:
        cells = row.split("|")
        for i in kept:
            if found := PAIR.match(cells[i].strip()):
                yield float(found[1].replace(",", "")), float(found[2].replace(",", ""))


def tables_of(numbers: range | tuple[int, ...]) -> tuple[str, ...]:
    """Return the headings of the tables of the TCE paper with these numbers."""
    lines = (DOCS / TCE).read_text(encoding="utf-8").splitlines()
    titles = [line.lstrip("# ") for line in lines if line.startswith("## Table ")]
    return tuple(title for title in titles if int(title.split()[1].rstrip(":")) in numbers)


TCE_TABLES, READABLE = "benchmarks/tce_tables.py", "benchmarks/interpretability_study.py"
SIMULATED = (2, 6, 7, 8, 9, 10, 12, 13)
ABOVE = "as above"
SYNTHETIC, REAL = "benchmarks/synthetic_study.py", "benchmarks/pseudo_real_study.py"
FIT_ON_TEST = Paper(
    "Kängsepp, Valk, Kull: fit-on-test",
    "https://doi.org/10.1007/s10994-024-06652-6",
    (
        Entry(
            "Table 1",
            "families and their numbers of parameters",
            "tests/test_contracts.py",
            "families.md",
            said="each is registered; `n_parameters_` counts",
        ),
        Entry(
            "Tables 2 and 5",
            "true error behind each calibrator",
            REAL,
            PSEUDO,
            ("Tables 2 and 5: true error of the scores behind each calibrator, x 1000",),
            other_data=True,
        ),
        Entry(
            "Tables 3 and 14",
            "distance of the maps, by rows",
            REAL,
            PSEUDO,
            ("Tables 3 and 14: |c_hat - c| x 1000",),
            other_data=True,
        ),
        Entry(
            "Tables 3 and 6",
            "the same, by task",
            REAL,
            PSEUDO,
            ("Tables 3 and 6: |c_hat - c| x 1000 by task",),
            other_data=True,
            said="Tables 16 to 19 (loss, scheme of the bins) are rows of it",
        ),
        Entry(
            "Table 4",
            "distance of the numbers, and ranking",
            REAL,
            PSEUDO,
            ("Table 4: |number - CE| x 1000 and ranking",),
            other_data=True,
        ),
        Entry(
            "Tables 7 to 11",
            "squares, numbers, other truths",
            REAL,
            PSEUDO,
            other_data=True,
            said="by real table, with the mean ranks of both",
        ),
        Entry(
            "Tables 12 and 13",
            "Table 4 by other truths",
            REAL,
            PSEUDO,
            ("Table 12: the same by slope-1 truths", "Table 13: the same by flat truths"),
            other_data=True,
        ),
        Entry(
            "Table 15",
            "distance of the numbers, by rows",
            REAL,
            PSEUDO,
            ("Table 15: |number - CE| x 1000",),
            other_data=True,
        ),
        Entry("Tables 20 and 21", "the 0.1 % rule", REAL, PSEUDO, said="and on the synthetic shapes, same page"),
        Entry(
            "Tables 22 and 23",
            "spread over the seeds",
            REAL,
            PSEUDO,
            ("Tables 22 and 23: spread over the seeds, x 1000",),
            other_data=True,
        ),
        Entry(
            "Table 24",
            "maps, synthetic",
            SYNTHETIC,
            KNOWN,
            ("Table 24: the reliability diagram. Mean |c_hat - c| at a million fresh points, x 1000",),
            said="PL and PL3 are fitted in another way; beta of betacal stops early",
        ),
        Entry(
            "Table 25",
            "numbers, synthetic",
            SYNTHETIC,
            KNOWN,
            ("Table 25: the estimate. Mean |estimate - CE|, x 1000 (estimates of binning debiased)",),
            said=ABOVE,
        ),
        Entry(
            "Table 26",
            "squared numbers, synthetic",
            SYNTHETIC,
            KNOWN,
            ("Table 26: the estimate of the squared error. Mean |estimate - CE|, x 1000",),
            said=ABOVE,
        ),
        Entry(
            "Table 26, KCE",
            "the kernel error",
            "benchmarks/kernel_study.py",
            KNOWN,
            said="all five are equal",
        ),
        Entry(
            "Table 27",
            "ranking, synthetic",
            SYNTHETIC,
            KNOWN,
            ("Table 27: the ranking. Spearman's correlation over the expected errors, mean over seeds and sizes",),
            said=ABOVE,
        ),
        Entry(
            "Tables 24 to 27, PL_DE",
            "differential evolution",
            SYNTHETIC,
            KNOWN,
            ("PL_DE, on a tenth of the sets",),
            said="ours of a tenth of the sets",
        ),
        Entry("Table 28", "bias, by rows", REAL, PSEUDO, ("Table 28: mean of number - CE, x 1000",), other_data=True),
        Entry("Figure 4", "one binned diagram, three errors", "docs/_ext/pictures.py", "diagrams.md"),
        Entry("Figure 14", "beta maps in logits", "docs/_ext/pictures.py", "theory.md"),
        Entry(
            "Figure 15",
            "order of calibrators by evaluators",
            "docs/_ext/pictures.py",
            "diagrams.md",
            said="`EvaluatedModels.plot_ranks`, on other scores",
        ),
        Entry(
            "Theorems 1 and 3",
            "the identities",
            "benchmarks/study_identities.py",
            KNOWN,
            said="equal to rounding",
        ),
    ),
    (
        "CIFAR-5m and its networks, which are not public: Tables 2 to 23 are of four real tables and models of them.",
        "The CIFAR networks of Table 28 and Figure 15: nobody knows their truth, and the files may not be passed on.",
        "KDE as the authors ran it: its errors of .04 to .10 are those of another bandwidth.",
    ),
)
TCE_PAPER = Paper(
    "Matsubara, Tax, Mudd, Guy: TCE",
    "https://doi.org/10.48550/arXiv.2306.14343",
    (
        Entry("Table 1", "error within bins", TCE_TABLES, TCE, tables_of((1,))),
        Entry(
            "Tables 2, 6 to 10, 12, 13",
            "simulated",
            TCE_TABLES,
            TCE,
            tables_of(SIMULATED),
        ),
        Entry(
            "Table 11",
            "binomial and t-test",
            TCE_TABLES,
            TCE,
            tables_of((11,)),
            said="the published t-test divides by a variance; with this slip all are equal",
        ),
        Entry(
            "Tables 3 and 14",
            "classifiers on UCI sets",
            TCE_TABLES,
            TCE,
            tables_of((3, 14)),
            said="classifiers were trained again; why a cell differs stands beside it",
        ),
        Entry("Table 5", "ImageNet, two of five networks", TCE_TABLES, TCE, tables_of((5,)), said="five are seconds"),
        Entry("Figures 2 to 4", "bins side by side", TCE_TABLES, TCE, said="Figure 4 on another set"),
    ),
    (
        "Table 4 (webpage), and coil_2000, isolet and mammography of Table 14: no features and no predictions.",
        "The three ResNets of Table 5: no predictions.",
    ),
)
TREES_PAPER = Paper(
    "Torabian, Urner: calibration and interpretability",
    "https://doi.org/10.48550/arXiv.2412.00943",
    (
        Entry(
            "Table 1",
            "what merging cells and averaging scores do",
            "tests/partitions/test_merging.py",
            "measures.md",
            said="tested as properties of the measures",
        ),
        Entry("Table 2", "the data sets", READABLE, TREES, said="24 of 36 are there"),
        Entry(
            "Table 3",
            "wins of four calibrators",
            READABLE,
            TREES,
            said="counts of 23 tables beside those of 36; 19 wins of PDE could not be reached",
        ),
        Entry(
            "Figures 2 to 6",
            "probabilistic counts",
            "tests/measures/test_probabilistic_count.py",
            "measures.md",
            said="each worked example is a test",
        ),
        Entry(
            "Figures 7 to 10",
            "bias of ECE and PDE",
            "benchmarks/interpretability_bias.py",
            TREES,
            said="seen from the paper's reference, not from the calibration error",
        ),
        Entry("Figure 11", "size of a tree", "benchmarks/tree_size.py", TREES, said="25 of 38 tables"),
    ),
    (
        "Twelve of the 36 tables, which are not among the data here.",
        "The synthetic generators, which the paper does not describe.",
    ),
)
KERNELS = Paper(
    "CalibrationErrors.jl, and Widmann, Lindsten, Zachariah: calibration tests",
    "https://devmotion.github.io/CalibrationErrors.jl/stable/",
    (
        Entry(
            "ECE",
            "uniform and median-variance bins",
            "tests/golden/test_simplex.py",
            "several_classes.md",
            said="the asserted examples of its tests are golden values",
        ),
        Entry(
            "SKCE",
            "unbiased, biased and block estimators, tests",
            "tests/measures/test_kernel_tests.py",
            "measures.md",
            said="the worked example of the sister package is a golden value",
        ),
    ),
    ("The Julia packages themselves: their printed examples are compared, not their runs.",),
)
PAPERS = (FIT_ON_TEST, TCE_PAPER, TREES_PAPER, KERNELS)


def page() -> str:
    """Return the page."""
    return "\n\n".join([HEAD.strip(), *(paper.section() for paper in PAPERS)]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if not given.check:
        PAGE.write_text(page(), encoding="utf-8")
    elif PAGE.read_text(encoding="utf-8") != page():
        sys.exit(f"{PAGE.name} is not the page of the tables: run this script without --check")


if __name__ == "__main__":
    main()
