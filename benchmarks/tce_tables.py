"""Tables 1 to 14 of the TCE paper: ours beside the published numbers; and Figures 2 to 4 as this package draws them.

Usage: ``python benchmarks/tce_tables.py [--data FOLDER] [--tables N ...] [--figures FOLDER] [--results FOLDER]
[--quick]``, with FOLDER a folder of predictions, by default the data folder beside the checkout.

Every table is printed in Markdown, ours / published in each cell. A pair that differs in a printed digit is bold, and
below the table stands how many are equal. Published are Tables 1 to 14 of Matsubara, Tax, Mudd, Guy (2023),
https://doi.org/10.48550/arXiv.2306.14343; TCE is in percent.

* Tables 2 and 6 to 13, the Gaussian simulation, read gda/NAME.npz. A set that is missing is drawn anew from the same
  population (`fitontest.datasets.Gaussian`): its row says so, and is not counted.
* Tables 1, 3 and 14, the UCI sets, read predictions/paper7030_NAME.npz. Classifiers are trained here as the paper says
  where only the table is there, sets/NAME.npz; their scores are kept in ``--results`` (build/tce_tables). Table 4 is of
  a data set that is not among these.
* Table 5 reads predictions/imagenet_tce_MODEL.npz.

Where nothing is found the cell has a dash, and the note says which file is missing.

``--figures`` writes PNG files. ``--quick`` trains no classifier.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

import fitontest as fot
import tce_pictures
from fitontest.results.exceptions import without_warnings
from report import machine_facts, tell
from tce_data import STORED, TRAINED, Predictions, Scores
from tce_published import Ours, Row, is_equal, rows_of, side_by_side, tally
from tce_values import Setting, quantile_edges, times_of, values_of

REFERENCE = Path(__file__).parents[1] / "tests" / "reference"
BESIDE = Path(__file__).parents[2] / "shared" / "data"
TITLES = {
    1: "Table 1: the error within bins, random forest on satimage",
    2: "Table 2: balanced and rare classes, simulated",
    3: "Table 3: abalone",
    4: "Table 4: webpage",
    5: "Table 5: ImageNet, dogs against the rest",
    6: "Table 6: the least weight of a block",
    7: "Table 7: the largest weight of a block",
    8: "Table 8: both bounds of a block",
    9: "Table 9: noise on the logits",
    10: "Table 10: the level of the test",
    11: "Table 11: binomial test (B) and t-test (T)",
    12: "Table 12: the number of rows",
    13: "Table 13: the prevalence",
    14: "Table 14: eight UCI sets",
}
NAMES = {
    1: ["error"],
    2: ["training vs test"],
    3: ["model"],
    4: ["model"],
    5: ["model"],
    6: ["positives in the test", "least"],
    7: ["positives in the test", "largest"],
    8: ["positives in the test", "bins"],
    9: ["positives in the test", "scale"],
    10: ["positives in the test", "level"],
    11: ["positives in the test", "bins"],
    12: ["positives in the test", "rows"],
    13: ["model", "training - test"],
    14: ["data", "model"],
}
IMAGENET = {"AlexNet": "alexnet", "VGG19": "vgg19", "Res18": "resnet18", "Res50": "resnet50", "Res152": "resnet152"}
TIES, OTHER, UNEXPLAINED = "ties", "other predictions", "not explained"
EQUAL_WIDTH = "ECE", "MCE"
ROUNDED = 1e-4  # the values of the paper's bins have four digits
LEGEND = {
    TIES: "the paper's bins cut scores that are equal, ours never do. With its bins these predictions give the printed "
    "number.",
    OTHER: "the classifiers were trained again, and with the paper's bins too these predictions give another number "
    "than printed.",
    UNEXPLAINED: "ECE and MCE are the printed ones, but with the paper's bins these predictions give another number "
    "than printed. Scores are tied, and how the authors ordered such rows is not known.",
}
T_TESTS = "TCE(P)-T", "TCE(Q)-T", "TCE(V)-T"


def gaussian_rows(table: int, rows: list[Row], predictions: Predictions) -> list[Ours]:
    """Return our values of a table of the simulation, whose settings stand beside the golden values."""
    golden = json.loads((REFERENCE / "gda_errors.json").read_text(encoding="utf-8"))
    settings = sorted(
        (row for row in golden if row["table"].rstrip("AB") == f"table{table}"), key=lambda row: row["table"]
    )
    found = []
    for row, about in zip(rows, settings, strict=True):
        scores = predictions.gaussian(about["dataset"])
        setting = Setting(about["n_min"], about["n_max"], about["n_bin"], about["alpha"])
        columns = [*row.printed]
        if table == 11:
            columns += [f"{column}, variance" for column in T_TESTS]
        values = values_of(scores.y, scores.p, setting, columns)
        found.append(Ours(values, scores.origin, comparable=scores.origin == STORED))
    return found


def uci_row(data: str, model: str, row: Row, predictions: Predictions, golden: dict) -> Ours:
    """Return our values on a UCI set, and why they differ from the printed ones where they do."""
    scores = predictions.uci(data, model)
    if scores.p is None:
        return Ours(note=scores.origin)
    values = values_of(scores.y, scores.p, Setting(), row.printed)
    trained_exactly = model == "LR" and scores.origin == TRAINED
    by_paper = golden[data, "LR_exact" if trained_exactly else model]
    reasons = reasons_of(values, row.printed, by_paper, has_ties=np.unique(scores.p).size < scores.p.size)
    words = " and ".join(reason for reason in LEGEND if any(reason in each for each in reasons.values()))
    note = ", ".join(word for word in (words, scores.origin) if word)
    return Ours(values, note, reasons=reasons)


def reasons_of(
    values: dict[str, float], printed: dict[str, str], by_paper: dict[str, float], *, has_ties: bool
) -> dict[str, str]:
    """Return by column why a value differs from the printed one.

    `by_paper` are the values of the paper's bins on these predictions. ECE and MCE, of bins of equal width, do not
    depend on how ties are cut: they tell whether predictions are the same.
    """
    same_here = all(abs(values[column] - by_paper[column]) <= ROUNDED for column in EQUAL_WIDTH)
    same_as_published = all(is_equal(values[column], printed[column]) for column in EQUAL_WIDTH)
    reasons = {}
    for column in (column for column in printed if not is_equal(values[column], printed[column])):
        by_cuts = has_ties and same_here and abs(values[column] - by_paper[column]) > ROUNDED
        if not by_cuts:
            reasons[column] = OTHER
        elif is_equal(by_paper[column], printed[column]):
            reasons[column] = TIES
        else:
            reasons[column] = UNEXPLAINED if same_as_published else f"{TIES} and {OTHER}"
    return reasons


def uci_rows(table: int, rows: list[Row], predictions: Predictions) -> list[Ours]:
    """Return our values of a table of UCI sets; Tables 3 and 4 are of one set."""
    stored = json.loads((REFERENCE / "tce_paper.json").read_text(encoding="utf-8"))
    columns = ("TCE", "TCE(Q)", "ECE", "ACE", "MCE", "MCE(Q)")
    golden = {(row["set"], row["alg"]): dict(zip(columns, row["got"], strict=True)) for row in stored["rows"]}
    one = {3: ("abalone",), 4: ("webpage",)}.get(table, ())
    return [uci_row(*one, *row.label, row, predictions, golden) for row in rows]


def imagenet_rows(_: int, rows: list[Row], predictions: Predictions) -> list[Ours]:
    """Return our values of Table 5, and in its last row the mean seconds over the models that are there."""
    found, there = [], []
    for row in rows[:-1]:
        scores = predictions.imagenet(IMAGENET[row.label[0]])
        if scores.p is None:
            found.append(Ours(note=scores.origin))
            continue
        there.append(times_of(scores.y, scores.p, row.printed))
        found.append(Ours(values_of(scores.y, scores.p, Setting(), row.printed), scores.origin))
    times = {column: float(np.mean([times[column] for times in there])) for column in rows[-1].printed if there}
    return [*found, Ours(times, "of two machines" if there else "", comparable=False)]


def forest(predictions: Predictions) -> Scores:
    """Return the scores of the random forest on satimage, of Table 1 and Figures 2 and 3."""
    return predictions.uci("satimage", "RF")


def within_bin_rows(_: int, rows: list[Row], predictions: Predictions) -> list[Ours]:
    """Return our values of Table 1."""
    scores = forest(predictions)
    if scores.p is None:
        return [Ours(note=scores.origin) for _ in rows]
    bins = {"PAVA": "pava", "PAVA-BC": "pava_bc", "Quantile": quantile_edges(scores.p, 10)}
    sample = fot.ScoreSample(scores.y, scores.p)
    with without_warnings():
        errors = {name: fot.measures.WithinBin(one).estimate(sample) for name, one in bins.items()}
    total, averaged = ({name: float(getattr(e, part)) for name, e in errors.items()} for part in ("total", "averaged"))
    cuts = (np.linspace(0, 1, 11) * scores.p.size).astype(int)[1:-1]
    runs = np.split(scores.y[np.argsort(scores.p, kind="stable")], cuts)
    rest = f"{errors['Quantile'].partition.n_bins} quantile bins, for {TIES}; ten that cut these have"
    return [Ours(total), Ours(averaged, f"{rest} {np.mean([run.var() for run in runs]):.3f}")]


ROWS: dict[int, Callable[[int, list[Row], Predictions], list[Ours]]] = {
    1: within_bin_rows,
    5: imagenet_rows,
    **dict.fromkeys((3, 4, 14), uci_rows),
    **dict.fromkeys((2, *range(6, 14)), gaussian_rows),
}


def table_text(table: int, predictions: Predictions) -> str:
    """Return a table in Markdown with its title and what is equal."""
    rows = rows_of(table)
    ours = ROWS[table](table, rows, predictions)
    parts = [TITLES[table], side_by_side(NAMES[table], rows, ours), tally(rows, ours)]
    given = " ".join(reason for one in ours for reason in one.reasons.values())
    parts += ["\n".join(f"*{reason}*: {words}" for reason, words in LEGEND.items() if reason in given)] * bool(given)
    if table == 11:
        parts += variance_text(rows, ours)
    return "\n\n".join(parts)


def variance_text(rows: list[Row], ours: list[Ours]) -> list[str]:
    """Return the columns of the t-test again, with the slip that the published ones have."""
    only = [replace(row, printed={column: row.printed[column] for column in T_TESTS}) for row in rows]
    slipped = [replace(one, values={column: one.values[f"{column}, variance"] for column in T_TESTS}) for one in ours]
    title = "The t-tests with the variance of a label in place of its standard deviation, as published:"
    return [title, side_by_side(NAMES[11], only, slipped), tally(only, slipped)]


def pictures(predictions: Predictions, folder: Path) -> None:
    """Draw Figures 2 to 4, and say which were left out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, scores, limits in (
        ("satimage", forest(predictions), None),
        ("abalone", predictions.uci("abalone", "RF"), (0.0, 0.7)),  # that of Figure 4, coil_2000, is not to be had
    ):
        if scores.p is None:
            print(f"No picture of {name}: {scores.origin}.\n")
            continue
        title = f"Random forest, {name}, n = {scores.p.size:,}"
        for path in tce_pictures.draw(scores.y, scores.p, title, folder / f"tce_{name}", limits):
            tell(str(path))
        tell("")
        print(f"{title}\n\n{tce_pictures.describe(scores.y, scores.p)}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=BESIDE, help="with gda/, predictions/ and sets/")
    parser.add_argument("--tables", type=int, nargs="+", choices=[*TITLES], default=[*TITLES], metavar="N")
    parser.add_argument("--figures", type=Path, help="folder for the pictures; by default none are drawn")
    parser.add_argument("--results", type=Path, default=Path("build/tce_tables"), help="keeps trained scores")
    parser.add_argument("--quick", action="store_true", help="train no classifier")
    options = parser.parse_args()
    predictions = Predictions(options.data, options.results, options.quick)
    print(machine_facts() + "\n")
    for table in options.tables:
        tell(TITLES[table])
        text = table_text(table, predictions)
        tell("")
        print(text + "\n", flush=True)
    if options.figures:
        pictures(predictions, options.figures)


if __name__ == "__main__":
    main()
