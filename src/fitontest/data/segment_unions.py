"""Segments that overlap: each column by itself, and pairs of columns, as unions of the segments of all columns crossed.

A row is in one segment of all columns crossed, its part. Segments of fewer columns are sets of parts, so that labels
that are redrawn once for all parts are redrawn for every segment, whether rows were read or cells.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np

from fitontest.data.counted_sample import sample_of_rows
from fitontest.data.ordering import Rows
from fitontest.data.sample import changed
from fitontest.data.samples import Key, Samples, Unions
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segment_names import columns_of_several
from fitontest.results.checks import choose

SegmentsOf: TypeAlias = Literal["crossed", "each", "pairs"]
SEGMENTS_OF = ("crossed", "each", "pairs")
ONE_SCORE = "of one score in each row: reduction='binary' and 'confidence' have them"


def segments_of(crossed: Samples, segments: SegmentsOf) -> Samples:
    """Return the segments of columns by themselves, and of pairs of them, of the segments of all columns crossed.

    Parameters
    ----------
    crossed : Samples
        By segment.
    segments : {"crossed", "each", "pairs"}
        "crossed" returns these; "each" the values of each column; "pairs" these, and those of each pair of columns.

    Raises
    ------
    ValueError
        Another word, one column, or segments of several classes.

    Examples
    --------
    >>> import fitontest as fot
    >>> by = {"sex": ["f", "m", "f", "m"], "site": [1, 1, 2, 2]}
    >>> crossed = fot.read([0, 1, 1, 0], [0.2, 0.7, 0.6, 0.3], by=by)
    >>> {key: sample.n for key, sample in segments_of(crossed, "each").items()}
    {'sex = f': 2, 'sex = m': 2, 'site = 1': 2, 'site = 2': 2}
    """
    choose(segments, SEGMENTS_OF, "segments")
    if segments == "crossed":
        return crossed
    keys: list[Any] = list(crossed)
    if not all(isinstance(key, tuple) for key in keys):
        raise ValueError(f"segments must be 'crossed' where by is one column, got {segments!r}")
    if crossed.classes is not None:
        raise ValueError(f"segments must be 'crossed' unless they are {ONE_SCORE}; got {segments!r}")
    columns = columns_of_several(crossed.columns, len(keys[0]))
    places = range(len(columns))
    chosen = [(place,) for place in places] + (list(combinations(places, 2)) if segments == "pairs" else [])
    texts = [_texts([key[place] for key in keys]) for place in places]
    members: dict[Key, list[int]] = {}
    for of in chosen:
        for part in range(len(keys)):
            text = " and ".join(f"{columns[place]} = {texts[place][part]}" for place in of)
            members.setdefault(text, []).append(part)
    parts = list(crossed.values())
    samples = {text: union([parts[part] for part in of]) for text, of in members.items()}
    found = Samples.of_segments(samples, crossed.whole, ", ".join(columns), columns=columns)
    return replace(found, unions=Unions(crossed, tuple(map(tuple, members.values()))))


def _texts(values: Sequence[Key]) -> list[str]:
    """Return values as they are printed, each different from the others."""
    distinct = dict.fromkeys(values)
    printed = str if len({str(value) for value in distinct}) == len(distinct) else repr
    return [printed(value) for value in values]


def union(samples: Sequence[ScoreSample]) -> ScoreSample:
    """Return the sample of all rows of several samples that share none.

    Parameters
    ----------
    samples : sequence of ScoreSample
        With weights of one meaning.

    Examples
    --------
    >>> import fitontest as fot
    >>> union([fot.read([1], [0.7]), fot.read([0, 0], [0.2, 0.9])]).p
    array([0.2, 0.7, 0.9])
    """
    first = samples[0]
    if len(samples) == 1:
        return first
    each = [sample.rows for sample in samples]
    p, y, w, n, w2 = (np.concatenate([getattr(rows, name) for rows in each]) for name in ("p", "y", "w", "n", "w2"))
    order = np.lexsort((w, y, p))
    facts = {name: np.concatenate([sample.present.facts[name] for sample in samples])[order] for name in first.facts}
    rows = Rows(p[order], y[order], w[order], n[order], w2[order])
    joined = sample_of_rows(rows, whole=first.whole, facts=facts)
    pooled = any(sample.has_pooled_scores for sample in samples)
    return changed(joined, reduction=first.reduction, has_pooled_scores=pooled)
