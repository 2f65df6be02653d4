"""``fitontest demo``: two classifiers on real data, in numbers and pictures.

The data are the 1,797 images of handwritten digits that come with scikit-learn; the question is whether a digit is odd.
Every image is scored by a model that has not seen it (cross-fitting). Naive Bayes is known for scores that are too
extreme (overconfident), random forests for scores that are not extreme enough (underconfident).

The families are those that `evaluate` asks by default, one of each kind of map: a smooth one, bins of slope 1, whose
error is the ECE, a monotone one of steps, and a curve of three parameters.
"""

from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.apps.cli.command import command
from fitontest.apps.cli.messages import refusing

FOLDER = Path("fitontest-demo")
QUESTION = "Is the handwritten digit odd? 1,797 images (scikit-learn), each scored by a model that has not seen it."
NEXT = """
Next, on a file of your own with a column of labels and one of scores:
  fitontest evaluate scores.csv --label outcome --prob score
  fitontest report scores.csv --label outcome --prob score -o report.html
  fitontest compare scores.csv --label outcome --prob score --save map.json   # which map repairs them?"""


@command()
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
        evaluation = fot.evaluate(sample)
        click.echo(f"\n{name}\n{evaluation}")
        diagram = fot.ReliabilityDisplay.from_estimate(
            evaluation.estimates[0], sample, name=name, verdict=evaluation.verdict
        )
        written.append(diagram.save(output / f"{name.lower().replace(' ', '_')}_reliability.png"))
    click.echo("\nThe map of overconfident scores is flatter than the diagonal, that of underconfident ones steeper:")
    for path in written:
        click.echo(f"  {path}")
    click.echo(NEXT)


def _scored_classifiers() -> Iterator[tuple[str, fot.ScoreSample]]:
    """Yield the two classifiers with their out-of-fold scores, each when it has been trained."""
    x, digit = load_digits(return_X_y=True)
    y = np.asarray(digit % 2, dtype=np.intp)
    models: dict[str, ClassifierMixin] = {
        "Gaussian naive Bayes": GaussianNB(var_smoothing=0.01),  # as some pixels hardly vary
        "Random forest": RandomForestClassifier(n_estimators=100, random_state=0),
    }
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for name, model in models.items():
        proba = cross_val_predict(model, x, y, cv=folds, method="predict_proba")
        yield name, fot.ScoreSample(y, np.asarray(proba[:, 1], dtype=np.float64))
