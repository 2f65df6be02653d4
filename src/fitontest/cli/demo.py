"""``fitontest demo``: two classifiers on real data, in numbers and pictures.

The data are the 569 breast tumours that come with scikit-learn; the question is whether a tumour is malignant. Every
tumour is scored by a model that has not seen it (cross-fitting). Naive Bayes is known for scores that are too extreme,
random forests for scores that are not extreme enough.

The families are one of each kind of map: bins of slope 1, whose error is the ECE; flat bins, as in the classic diagram;
a monotone map without bins; a smooth curve of three parameters. ``pl`` and ``pl3`` are not shown, because compiling
their fits takes as long as all the rest.
"""

from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.cli.evaluate import NULL_DRAWS, TCE
from fitontest.cli.messages import refusing
from fitontest.displays.small_multiples import SmallMultiples

FOLDER = Path("fitontest-demo")
FAMILIES = ("slope1", "flat", "isotonic", "beta")
QUESTION = "Is the tumour malignant? 569 breast tumours (scikit-learn), each scored by a model that has not seen it."


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=FOLDER,
    show_default=True,
    help="Folder for the figures, made if it is not there.",
)
@refusing
def demo(output: Path) -> None:
    """Show the calibration of two classifiers on real data, with diagrams."""
    output.mkdir(parents=True, exist_ok=True)
    click.echo(QUESTION)
    written = []
    for name, sample in _scored_classifiers():
        evaluation = fot.evaluate(sample, families=FAMILIES)
        evaluation = evaluation.joined(fot.evaluate(sample, measures=[TCE], interval=None, null_draws=NULL_DRAWS))
        click.echo(f"\n{name}\n{evaluation}")
        stem = name.lower().replace(" ", "_")
        diagrams = SmallMultiples(evaluation.diagrams().displays, title=name)
        written.append(diagrams.save(output / f"{stem}_reliability.png"))
        written.append(fot.TCEDisplay(evaluation[TCE], sample, name=name).save(output / f"{stem}_tce.png"))
    click.echo(
        "\nerror: mean distance between the scores and the fitted calibration map; flat bins also count the spread of\n"
        "the scores within a bin. bins: how many, chosen from the data where a family has bins. tce: the share of the\n"
        "predictions that the labels of their bin contradict, beside what calibrated scores would have."
    )
    click.echo("\nReliability diagrams of these families, and test-based ones, are in")
    for path in written:
        click.echo(f"  {path}")
    click.echo("\nAll families on your own scores: fitontest evaluate, fitontest plot --family all.")


def _scored_classifiers() -> Iterator[tuple[str, fot.ScoreSample]]:
    """Yield the two classifiers with their out-of-fold scores, each when it has been trained."""
    x, benign = load_breast_cancer(return_X_y=True)
    y = 1 - np.asarray(benign, dtype=np.intp)
    models: dict[str, ClassifierMixin] = {
        "Gaussian naive Bayes": GaussianNB(),
        "Random forest": RandomForestClassifier(n_estimators=100, random_state=0),
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for name, model in models.items():
        proba = cross_val_predict(model, x, y, cv=folds, method="predict_proba")
        yield name, fot.ScoreSample(y, np.asarray(proba[:, 1], dtype=np.float64))
