"""The reliability diagrams of several models on the same rows: a panel for each, on shared axes."""

from typing import Any

from fitontest.data.read import one_sample
from fitontest.data.samples import Samples
from fitontest.displays.canvas import AxesOrFigure
from fitontest.displays.small_multiples import PanelDisplay, SmallMultiples, check_classes_figure
from fitontest.measures.measure import Measure
from fitontest.uncertainty.redrawing import Redrawing, estimate_of


def draw_models(
    display: type[PanelDisplay],
    models: Samples,
    measure: Measure,
    redrawing: Redrawing,
    band: dict[str, Any],
    place: tuple[AxesOrFigure, bool],
    **options: Any,
) -> SmallMultiples:
    """Return the drawn diagrams of the models, each with the error of its scores.

    Parameters
    ----------
    display : type of PanelDisplay
        The kind of diagram.
    models : Samples
        By model, each of one score.
    measure : Measure
        Whose map is drawn.
    redrawing : Redrawing
        Of the labels, for intervals.
    band : dict
        Options of ``add_band``.
    place : tuple of Axes, Figure or None, and bool
        Where they are drawn, and whether the diagrams are left as they are by default.
    **options
        Of ``side_by_side``.
    """
    figure = check_classes_figure(place[0], "a dict of models", plain=place[1])
    samples = {str(name): one_sample(data) for name, data in models.items()}
    measured = [
        (name, estimate_of(measure, sample, sample.reduction, redrawing), sample) for name, sample in samples.items()
    ]
    return display.side_by_side(measured, band=band, **options).plot(figure)
