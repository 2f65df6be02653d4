"""Finding the segments in which scores are wrong, though nobody named them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from fitontest.data.indices import check_same_order
from fitontest.data.known_groups import KnownGroups
from fitontest.data.read import one_sample
from fitontest.data.reading.options import reading_of
from fitontest.data.reading.read import read
from fitontest.data.repeated_rows import Repeats
from fitontest.data.row_groups import GROUP
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import read_family
from fitontest.maps.base import CalibrationMap
from fitontest.maps.identity import IdentityMap
from fitontest.maps.logistic import LogisticMap
from fitontest.maps.rules.columns import CategoricalFeatures, Columns
from fitontest.numerics.links import LOGIT_EPS, logit
from fitontest.numerics.random import one_seed
from fitontest.results.checks import check_level, choose, false_alarms, is_whole
from fitontest.results.options import spell_out
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.segments.features.given import columns_of
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.features.search import Found, FoundSegment
from fitontest.segments.found_segments import Against, FoundSegments
from fitontest.segments.maps.by_segment import SegmentOffsetsMap
from fitontest.segments.uncertainty.honest_tree import HALVES, tree_segments
from fitontest.segments.uncertainty.segment_scan import scan_segments
from fitontest.uncertainty.null import check_draws
from fitontest.uncertainty.options import Options

AGAINST = ("logistic", "scores")
PAIRS = 2  # conditions of a segment that are all looked at; more are those of a tree


@spell_out("interval", "null_draws", "reduction", "labels", "label", "prob", "weight", draws=500)
def find_segments(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    X: Any = None,
    *,
    against: Against = "logistic",
    most: int = 20,
    conditions: int = PAIRS,
    categorical_features: CategoricalFeatures = "from_dtype",
    **options: Unpack[Options],
) -> FoundSegments:
    """Find the groups of rows for which scores are wrong, and say how sure that is.

    Segments are described by conditions on the features: a number is at most a value or above it, a category has a
    level, a value is missing. All single conditions and all pairs of conditions on two columns are looked at, by the
    sum of their residuals; beside that single conditions by how residuals add up along the score (ECCE), which names
    errors whose sign changes. The labels are simulated many times, and of all segments the one that stands out most is
    held against those that stand out most there: p-values are adjusted for thousands of segments by what these have to
    do with each other. What stands out is taken into account by an offset, and the search goes on.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n,)
        Labels of two classes, and predicted probabilities of the positive class; or what `read` returns in place of
        both.
    X : data frame, dict of columns, or array of shape (n, d)
        Features of the rows, used by the model or not: numbers, texts, booleans or categories. Values may be missing.
        Of an array columns are called x0, x1, ...
    against : {"logistic", "scores"}, default="logistic"
        What segments are tested against: scores after one logistic map of all rows, so that an error that all rows
        share makes no segment guilty; or the scores as they are. Where all scores are the same the map is a constant.
    level : float in [0.5, 1), default=0.95
        With a probability of 1 - level, at most, any segment is found where none is wrong. Half of it is for levels,
        half for errors along the score.
    draws : int, default=500
        Sets of labels that are simulated, at least 2 / (1 - level) - 1, and 6 / (1 - level) - 1 where a tree is grown.
    most : int, default=20
        Segments that are named at most, of the scan and the walks together, and as many nodes of trees. Where another
        stands out, the result says that the search stopped.
    conditions : int, default=2
        Conditions of a segment at most. With 3 or more a tree of that depth is grown in either half of the rows, and
        its nodes are tested in the other half; each of the three parts of the search then has a third of 1 - level.
    categorical_features : "from_dtype", or iterable of str, int or bool, default="from_dtype"
        Which columns of X are categories whatever they hold, as in scikit-learn's ``HistGradientBoostingClassifier``;
        by default those of texts, booleans and categorical types.

    Returns
    -------
    FoundSegments
        ``len(found)`` is the number of segments that stand out; ``found.nearest`` is the best that does not.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found: X of another length, without a usable column, or with values
        that are no features.

    Notes
    -----
    With L the 0/1 matrix of the conditions, r = w (y - q) and v = w^2 q (1 - q), the sums of all pairs are the entries
    of L' diag(r) L and L' diag(v) L, and z = R / sqrt(V) wherever V is at least 5: smaller segments of rare events
    would own the largest |z|. The p-value is (1 + #{max |z*| >= |z|}) / (draws + 1), for the whole sample serves both
    the search and the test, times 2 for its two parts. The p-value of a node of a tree is step-down among all nodes of
    that tree, by the ECCE, times 2 for the two halves and 3 for the parts.

    A pair of conditions gives way to one of the two that stands out by itself, with the same sign, unless the other
    adds more than the best of many would by chance: unless z^2 of the pair exceeds that of the condition by 2 log m,
    with m the number of conditions that could have been joined to it.

    The first segment is tested exactly, whatever the features have to do with each other. Later ones rest on offsets
    that were fitted to the same rows, and are approximate. Against a logistic map the test is conservative, since the
    map is not fitted to simulated labels again. Residuals of what is found are shrunk by 1 - 1 / z^2, because the
    largest of many is larger than the truth; the intervals of `FoundSegments.plot` are those of all segments together.

    Numbers are cut at the quantiles .05, .1, .2, ..., .9, .95. With more than 400 conditions cuts are coarser, and then
    columns are chosen by one half of the rows and tested in the other; the result says so. Constant columns, and
    conditions that are met by the same rows as one before, are left out.

    A label that contradicts a tested score of exactly 0 or 1 is beyond chance. Its row is left out of all sums, which
    say something of the other rows then, and the result says how many there are and in which conditions.

    Where rows belong to `groups`, simulated labels of one group depend on each other as much as the real ones do.

    References
    ----------
    Westfall, Young (1993), Resampling-based multiple testing, Wiley.
    Kim, Ghorbani, Zou (2019), Multiaccuracy: black-box post-processing for fairness in classification, AIES.
    https://doi.org/10.1145/3306618.3314287
    Guy et al. (2025), Measuring multi-calibration. https://doi.org/10.48550/arXiv.2506.11251

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> X = {"age": rng.integers(20, 80, 4000), "site": rng.choice(["north", "south", "west"], 4000)}
    >>> p = rng.random(4000)
    >>> y = rng.random(4000) < np.where((X["age"] > 50) & (X["site"] == "west"), p**0.5, p)
    >>> found = fot.segments.find_segments(y, p, X)
    >>> print(found)
    1 segment differs from the map of all rows (91 tried, family-wise 5 %).
    age > 50 and site = west  O:E  1.39  (95 % CI 1.32 to 1.46)   666 rows
    all rows                  O:E  1.06  (1.04 to 1.09)           4,000 rows
    More: .table(), .explain(), .plot()
    >>> round(float(found.map_({"age": [60], "site": ["west"]}, [0.5])[0]), 2)
    0.74
    """
    choose(against, AGAINST, "against")
    reading, draws = reading_of(options), options["draws"]
    level = check_level(options["level"])
    alarms = false_alarms(level)
    parts = _checked_parts(alarms, draws, most, conditions)
    seed = one_seed(options["random_state"])
    check_same_order(
        y_true=y_true, y_prob=y_prob, X=X, sample_weight=reading["sample_weight"], groups=reading["groups"]
    )
    data = read(y_true, y_prob, **reading)
    sample = one_sample(data)
    columns = columns_of(X, sample, categorical_features)
    Repeats.of(sample).warn()
    c_hat: CalibrationMap = IdentityMap() if against == "scores" else _logistic_map(sample)
    rows = _feature_rows(sample, columns, c_hat.evaluate(sample.p))
    line = None if against == "scores" else _line_of(c_hat, rows.logits)
    scan = scan_segments(rows, alarms=alarms / parts, draws=draws, most=most, seed=seed, walks=True, line=line)
    found, nearest, stopped = list(scan.found.segments), [scan.found.nearest], scan.found.stopped
    if conditions > PAIRS and not scan.is_refused:
        left = rows.at(_logits_after(scan.found, rows.columns, logit(sample.p[sample.w > 0], LOGIT_EPS)))
        left = left.take(~rows.contradicted)
        of_tree, other = tree_segments(left, conditions, alarms / parts, draws, seed, most + 1)
        stopped |= len(of_tree) > most
        found, nearest = found + of_tree[:most], [*nearest, other]
    misses = [_adjusted(segment, parts) for segment in nearest if segment is not None]
    return FoundSegments(
        items=tuple(_adjusted(segment, parts) for segment in found),
        nearest=min(misses, key=lambda segment: segment.p_value, default=None),
        against=against,
        map_=_map_of(scan.found.line, found),
        scanned=scan.found.scanned,
        critical=scan.found.critical,
        critical_shape=scan.found.critical_shape,
        level=level,
        draws=draws,
        cut=scan.cut,
        sample=sample,
        rows_=rows,
        groups=KnownGroups.of(sample, scan.dependence),
        contradicted=scan.contradicted,
        stopped_at=int(most) if stopped else None,
    )


def _adjusted(segment: FoundSegment, parts: int) -> FoundSegment:
    """Return a segment with the p-value of all parts of the search."""
    return replace(segment, p_value=min(1.0, parts * segment.p_value))


def _line_of(c_hat: CalibrationMap, logits: FloatArray) -> tuple[float, float]:
    """Return intercept and slope of the map of all rows, whose slope is 0 where all scores are the same."""
    if isinstance(c_hat, LogisticMap):
        return c_hat.intercept, c_hat.slope
    return float(logits[0]), 0.0  # a constant map


def _map_of(line: tuple[float, float], found: Sequence[FoundSegment]) -> SegmentOffsetsMap:
    """Return the map that repairs scores: the line of all rows, and the offsets of what was found."""
    moved = [segment for segment in found if segment.offset != 0.0]
    offsets = np.array([segment.offset for segment in moved])
    return SegmentOffsetsMap(*line, tuple(segment.rule for segment in moved), offsets)


def _logits_after(found: Found, columns: Columns, scores: FloatArray) -> FloatArray:
    """Return the logits of rows with all that a search found taken into account."""
    logits = found.line[0] + found.line[1] * scores
    for segment in found.moves:
        at = segment.rule.meets(columns)
        logits[at] = segment.moved(logits[at])
    return logits


def _checked_parts(alarms: float, draws: object, most: object, conditions: object) -> int:
    """Return how many parts a search has: a scan of levels, walks along the score, and a tree where it was asked for.

    Raises
    ------
    ValueError
        A number of draws, of segments or of conditions that is none.
    """
    if not is_whole(conditions) or conditions < PAIRS:
        raise ValueError(f"conditions must be a whole number, at least {PAIRS}; got {conditions!r}")
    parts, tests = (2, 2) if conditions == PAIRS else (3, 3 * HALVES)
    check_draws(draws, "draws", max(1, int(-(-tests // alarms)) - 1))
    if not is_whole(most) or most < 1:
        raise ValueError(f"most must be a whole number, at least 1; got {most!r}")
    return parts


def _logistic_map(sample: ScoreSample) -> CalibrationMap:
    """Return the logistic map of all rows."""
    if sample.base_rate in (0.0, 1.0):
        raise ValueError(
            "against must be 'scores' where all labels are of one class, of which no logistic map can be fitted; got "
            f"'logistic' with {sample.n:,} rows of one class"
        )
    c_hat: CalibrationMap = read_family("platt").fit_sample(sample).map_
    return c_hat


def _feature_rows(sample: ScoreSample, columns: Columns, q: FloatArray) -> FeatureRows:
    """Return the rows of positive weight with their features and the logits of what is tested.

    Importances are in units of one row, since their scale means nothing.
    """
    groups = sample.facts.get(GROUP) if sample.groups is not None else None
    rows = FeatureRows(columns, sample.y, logit(q, LOGIT_EPS), sample.w, sample.whole, groups)
    return rows if sample.unit else rows.take(sample.w > 0).in_row_units()
