"""Draws the pictures of the pages with the package itself, each for a light and for a dark page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sphinx.application import Sphinx
from sphinx.util import logging

Draw = Callable[[], Any]
DARK = {
    "figure.facecolor": "#14181e",  # the background of the theme
    "axes.facecolor": "#14181e",
    "savefig.facecolor": "#14181e",
    "text.color": "#ced6dd",
    "axes.labelcolor": "#ced6dd",
    "axes.edgecolor": "#ced6dd",
    "xtick.color": "#ced6dd",
    "ytick.color": "#ced6dd",
    "legend.edgecolor": "#48566b",
    "grid.color": "#48566b",
}
FOLDER = Path(__file__).parents[1] / "_static" / "pictures"


def digits() -> tuple[Any, Any]:
    """Return whether each handwritten digit is odd, and what naive Bayes says of it, out of fold."""
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline

    images, digit = load_digits(return_X_y=True)
    model = make_pipeline(PCA(12, random_state=0), GaussianNB())
    return digit % 2, cross_val_predict(model, images, digit % 2, method="predict_proba")[:, 1]


def rare_events() -> tuple[Any, Any]:
    """Return labels and scores of simulated events of about one in a hundred."""
    from fitontest.datasets import Rare

    y, p, _ = Rare().draw(30_000, random_state=0)
    return y, p


def pictures() -> dict[str, Draw]:
    """Return what draws each picture, by name."""
    import matplotlib.pyplot as plt

    import fitontest as fot

    draw = fot.ReliabilityDisplay.from_predictions
    odd, p_odd = digits()
    rare, p_rare = rare_events()

    def beside(*settings: dict[str, Any]) -> Draw:
        def figure() -> Any:
            drawn = plt.figure(figsize=(4.4 * len(settings), 5.4), layout="constrained")
            for axes, chosen in zip(drawn.subplots(1, len(settings), squeeze=False)[0], settings, strict=True):
                draw(chosen.get("y", odd), chosen.get("p", p_odd), ax=axes, **chosen["how"])
            return drawn

        return figure

    def test_based() -> Any:
        drawn = plt.figure(figsize=(7, 5.4), layout="constrained")
        fot.TCEDisplay.from_predictions(odd, p_odd, null_draws=50, ax=drawn)
        return drawn

    y, p, _ = fot_datasets_calibrated()
    return {
        "reading": beside({"how": {"family": fot.Slope1(10)}}, {"how": {"family": "spline"}}),
        "bands": beside(
            {"how": {"family": "isotonic", "band_draws": 50}},
            {"y": y, "p": p, "how": {"family": "isotonic", "band_draws": 50}},
        ),
        "rare": beside(
            {"y": rare, "p": p_rare, "how": {"family": "beta"}},
            {"y": rare, "p": p_rare, "how": {"family": "beta", "scale": "logit"}},
        ),
        "test_based": test_based,
    }


def fot_datasets_calibrated() -> Any:
    """Return 2,000 calibrated scores: labels, scores, truth."""
    from fitontest.datasets import Planted

    return Planted(lambda rng, n: rng.beta(0.7, 0.7, n), lambda p: np.asarray(p)).draw(2000, random_state=0)


def make_pictures(_: Sphinx) -> None:
    """Draw what is not there yet."""
    wanted = ("reading", "bands", "rare", "test_based")
    missing = [name for name in wanted if not (FOLDER / f"{name}_dark.svg").exists()]
    if not missing:
        return
    import warnings

    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    import fitontest as fot

    FOLDER.mkdir(parents=True, exist_ok=True)
    drawers = pictures()
    for name in missing:
        logging.getLogger(__name__).info("drawing %s", name)
        for theme, settings in (("light", {}), ("dark", DARK)):
            with mpl.rc_context({**settings, "svg.hashsalt": name}), warnings.catch_warnings():
                warnings.simplefilter("ignore", fot.CalibrationWarning)
                figure = drawers[name]()
                figure.savefig(FOLDER / f"{name}_{theme}.svg", metadata={"Date": None})
                plt.close(figure)


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw before the pages are read."""
    app.connect("builder-inited", make_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
