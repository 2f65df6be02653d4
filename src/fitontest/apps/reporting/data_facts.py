"""What a page says of its data: how many rows, which scores, which weights, and that none was left out in silence."""

from typing import Any

import numpy as np

from fitontest.data.known_groups import KnownGroups
from fitontest.results.text import percent, short

NONE_DROPPED = "none dropped: missing and invalid values are refused, not skipped"
RHO = (
    "Rows that belong together: labels of one group, such as a patient, a user or a site, are alike beyond what their "
    "scores say. rho is their correlation (0: rows are as good as independent), the design effect by how much the "
    "variance of the mean residual is larger than that of independent rows. Labels are redrawn with this correlation, "
    "folds hold out whole groups, and standard errors are those of sums over groups, so that intervals, p-values and "
    "comparisons allow for it."
)
TARGET = (
    "The error is that of rows of all groups like these. Where these very groups are meant, such as a few named "
    "hospitals, ask for segments instead."
)


def data_facts(data: Any, whole: Any, segments: Any, groups: KnownGroups | None = None) -> dict[str, str]:
    """Return the facts of the rows that are judged, by what they are called.

    Parameters
    ----------
    data : ScoreSample, SimplexSample or Samples
        What is judged.
    whole : ScoreSample, SimplexSample or Samples
        What was read.
    segments : Samples or None
        By segment.
    groups : KnownGroups or None, optional
        Of the rows.
    """
    facts = {"rows": _rows(data)}
    if groups is not None:
        facts["groups"] = groups.in_words().removeprefix("groups: ")
    if whole.classes:
        facts["classes"] = f"{len(whole.classes)}: {_listed(whole.classes)}"
    if not data.is_by_class:
        facts |= _of_scores(data.confidence)
    facts["weights"] = "all rows weigh the same" if data.weighting is None else str(data.weighting)
    if data.rows_note:
        facts["dependent rows"] = data.rows_note
    if segments is not None:
        facts["segments"] = f"{len(segments) + len(segments.empty)} by {segments.name}"
    return facts


def reading_notes(groups: KnownGroups) -> list[str]:
    """Return how numbers on rows that belong together are to be read, a paragraph each."""
    if groups.sizes.are_single:
        return []
    return [RHO, TARGET]


def _rows(data: Any) -> str:
    """Return how many rows there are, and how many of them have weight 0 and no part in anything."""
    sample = data.shared
    absent = 0 if getattr(sample, "aggregated", False) else len(sample.w) - sample.n
    left = f", beside {absent:,} of weight 0, which have no part" if absent else ""
    return f"{data.n:,}{left}; {NONE_DROPPED}"


def _of_scores(sample: Any) -> dict[str, str]:
    """Return the facts of scores, or of confidences."""
    is_confidence = sample.reduction == "confidence"
    kind = "confidence" if is_confidence else "score"
    rate = "accuracy" if is_confidence else "share of positives"
    means = f"{short(sample.base_rate)}; mean {kind} {short(sample.mean_score)}"
    p, w = sample.distinct.p, sample.distinct.w
    distinct = f"{p.size:,}"
    if sample.has_pooled_scores:
        distinct = f"rows are reduced to {p.size:,} cells of scores"
    ends = f"{_share(w, p == 0.0, sample)}, {_share(w, p == 1.0, sample)}"
    extremes = f"{short(float(p[0]))} to {short(float(p[-1]))}"
    return {
        rate: means,
        f"{kind}s of exactly 0, exactly 1": ends,
        f"distinct {kind}s": distinct,
        f"smallest and largest {kind}": extremes,
    }


def _share(w: Any, chosen: Any, sample: Any) -> str:
    weight = float(w[chosen].sum())
    if weight == 0.0:
        return "none"
    number = f"{weight:,.0f}" if sample.whole else "some"
    return f"{number} ({percent(weight / float(np.sum(w)))})"


def _listed(classes: Any, most: int = 12) -> str:
    names = [str(label) for label in classes[:most]]
    return ", ".join(names) + (", ..." if len(classes) > most else "")
