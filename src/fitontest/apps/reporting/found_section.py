"""The part of a report on segments that nobody named: those in which scores are wrong beyond one map for all rows."""

from typing import Any

from fitontest.apps.reporting.advice import REPAIR, Step
from fitontest.apps.reporting.figures import NARROW, Picture, drawn_picture
from fitontest.apps.reporting.options import ReportOptions
from fitontest.data.read import Data, is_one_sample
from fitontest.maps.rules.columns import FROM_DTYPE, CategoricalFeatures
from fitontest.results.text import signed
from fitontest.segments.find import find_segments
from fitontest.segments.found_segments import FoundSegments

HEADING = "Segments found"
MOST_NAMED = 3


def found_in(data: Data, X: Any, categorical_features: CategoricalFeatures, options: ReportOptions) -> Any:
    """Return the segments of features in which scores are wrong; None without features.

    Parameters
    ----------
    data : Data
        What the page judges.
    X : data frame, dict of columns, or array of shape (n, d), or None
    categorical_features
        As for `find_segments`.
    options : ReportOptions

    Raises
    ------
    ValueError
        Features that `find_segments` refuses, or of all classes at once.
    """
    if X is None:
        if not isinstance(categorical_features, str) or categorical_features != FROM_DTYPE:
            raise ValueError(f"categorical_features must be left out without X, got {categorical_features!r}")
        return None
    if not is_one_sample(data):
        raise ValueError("X must be left out where classes are judged one by one or all at once, got features")
    one_class = data.base_rate in (0.0, 1.0)
    return find_segments(
        data,
        X=X,
        against="scores" if one_class else "logistic",
        level=options.level,
        categorical_features=categorical_features,
        random_state=options.seed,
    )


def found_sentence(found: FoundSegments | None) -> str:
    """Return what was found, "" where nothing was looked for."""
    return "" if found is None else f"Segments of the features: {found.sentence()}"


def advise_on_found(found: FoundSegments | None) -> list[Step]:
    """Return what to do about the segments that stand out, or nothing."""
    if not found:
        return []
    named = [f"{item.rule} (mean residual {signed(item.residual)})" for item in found.items[:MOST_NAMED]]
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    text = f"Wrong beyond one map for all rows: {', '.join(named)}{more}."
    remedy = "Calibrators that see the features, such as multicalibrated, repair it; one of scores alone does not."
    return [Step(REPAIR, "Repair segments of the features", (text, remedy))]


def found_pictures(found: FoundSegments) -> list[Picture]:
    """Return the dot plot of the segments whose level is off, where there are any."""
    if not any(item.by != "shape" for item in found):
        return []
    text = "Segments in which scores are wrong, with intervals that hold for all that were looked at."
    return [drawn_picture(found.diagram(), "segments-found", "segments found", text, NARROW)]
