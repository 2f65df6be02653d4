"""What one map of all rows makes of parts of them, such as segments, on rows that it was not fitted to."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.counted_sample import count_rows
from fitontest.data.samples import Key, Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segment_unions import union
from fitontest.evaluation.comparison.paired import Difference
from fitontest.numerics.significance.normal import quantile
from fitontest.numerics.standard_error import mean_and_error
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.event_ratio import EventRatio, event_ratio, rarer_label
from fitontest.uncertainty.joint import UNLIKELY

FOLDS = 5
PART = "part"  # what the fact is called that says of which part a row is


@dataclass(frozen=True)
class PartAfter:
    """A part of the rows after one map of all rows, out of fold.

    Attributes
    ----------
    sample : ScoreSample
        With the predictions as scores.
    before, after : EventRatio or None
        The ratio of observed to expected events by the scores, and by the predictions.
    loss : Difference
        By how much the log loss of the predictions is larger than that of the scores.
    parts : int
        Of how many parts it is one.
    """

    sample: ScoreSample
    before: EventRatio | None
    after: EventRatio | None
    loss: Difference
    parts: int

    @property
    def is_worse(self) -> bool:
        """Whether its loss is larger than before, with 95 % for all parts together."""
        return self.loss.mean > quantile(1.0 - UNLIKELY / self.parts) * self.loss.se


def apply_one_map(family: Any, parts: Samples, seed: int) -> dict[Key, PartAfter]:
    """Return what a family that is fitted to all rows makes of each part, five-fold out of fold.

    Parameters
    ----------
    family : Family
    parts : Samples
        Of one score in each row, which share no rows.
    seed : int
        Of the folds.
    """
    marked = [sample.with_facts(**{PART: np.full(len(sample.p), k)}) for k, sample in enumerate(parts.values())]
    of = rarer_label(parts.whole)
    with without_warnings():
        rows, folds = count_rows(union(marked)).in_order().in_folds(FOLDS, seed)
        predictions = np.clip(rows.hold_out(family, folds), 0.0, 1.0)
    code = rows.present.facts[PART]
    found = {}
    for k, key in enumerate(parts):
        part: Any = rows.take(code == k)
        q = predictions[code == k]
        groups = None if part.groups is None else part.groups.code
        loss = mean_and_error(part.losses("log_loss", q) - part.losses("log_loss"), part.w, part.w2, groups)
        after: Any = part.rescored(q)
        ratios = event_ratio(part, of=of), event_ratio(after, of=of)
        found[key] = PartAfter(after, *ratios, Difference(*loss), len(parts))
    return found
