"""What a monitor is given of a batch: checked against the batches before, as counts by cell of the score."""

from typing import Any

import numpy as np

from fitontest.data.cells.cell_sums import CellSums
from fitontest.data.segments import MOST_SEGMENTS, check_number
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.batches.exponents import with_exponents
from fitontest.monitor.batches.identity import digest_of, read_name, read_time, refuse_repeated
from fitontest.monitor.batches.layout import Layout
from fitontest.monitor.batches.rows import BatchRows, read_rows
from fitontest.monitor.batches.seen_groups import NO_GROUPS, Digests, are_known, digests_of
from fitontest.monitor.state import MonitorState, Seen, Update
from fitontest.results.checks import brief
from fitontest.results.exceptions import without_printed_notes
from fitontest.results.several import CLASS

COLUMNS = ("sample_weight", "groups", "by", "label", "prob", "weight")
MOST_CLASSES = 100


def read_update(
    state: MonitorState, y_true: Any, y_prob: Any, *, batch: object, time: object, **columns: Any
) -> Update:
    """Return a batch as it was read, or refuse it.

    Parameters
    ----------
    state : MonitorState
        What is known before.
    y_true, y_prob, batch, time, **columns
        As for `Monitor.update`.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.
    """
    name, moment = read_name(batch, state.seen), read_time(time, state.seen)
    known = state.settings.layout
    given = {column: columns.get(column) for column in COLUMNS}
    is_first = not any(each.digest for each in state.seen)  # later ones would give the same warnings every day
    with without_printed_notes():
        rows = read_rows(known, y_true, y_prob, given, hint=is_first)
    layout = known.after(rows.holds)
    _check_keys(state, rows, layout)
    digest = digest_of(rows.together)
    refuse_repeated(rows.together, digest, state.seen)
    old, new = _known_groups(rows.together, state.groups, once=layout.once)
    segments = {key: _batch_of(sums, old, layout) for key, sums in rows.parts.items()}
    segments = {key: each for key, each in segments.items() if each.n}
    per_row = layout.entries_per_row(len(rows.parts))
    together = _batch_of(rows.together, old, layout, per_row)
    return Update(together, segments, Seen(name, moment, digest), layout, new)


def _known_groups(rows: CellSums, seen: Digests, *, once: bool) -> tuple[frozenset[Any], Digests]:
    """Return the groups that a batch before had, or refuse them, and the digests of the others."""
    ids = rows.ids
    if ids is None:
        return frozenset(), NO_GROUPS
    digests = digests_of(ids)
    known = are_known(digests, seen)
    old = ids[known].tolist()
    if old and not once:
        raise ValueError(
            f"groups must be new in every batch, since the labels of a group depend on each other: got {len(old):,} of "
            f"{known.size:,} that a batch before had, such as {', '.join(map(brief, old[:3]))}; with "
            "Monitor(once=True) a group enters once, and its later rows are left out"
        )
    return frozenset(old), np.unique(digests[~known])


def _batch_of(sums: CellSums, old: frozenset[Any], layout: Layout, per_row: int = 1) -> Batch:
    """Return the batch of cells, of which those of old groups are left out."""
    kept = sums
    if old and sums.ids is not None and sums.group is not None:
        is_old = np.array([each in old for each in sums.ids.tolist()], dtype=bool)
        kept = sums.at(~is_old[sums.group])
    left_out = (sums.n - kept.n) // per_row
    return Batch.of(
        with_exponents(kept, layout.divisor, per_row), exact=layout.exact, left_out=left_out, per_row=per_row
    )


def _check_keys(state: MonitorState, rows: BatchRows, layout: Layout) -> None:
    """Raise ValueError for segments that cannot be monitored beside those before."""
    keys = [*dict.fromkeys([*state.segments, *rows.parts])]
    if not keys:
        return
    if layout.keys == CLASS:
        if len(keys) > MOST_CLASSES:
            raise ValueError(
                f"reduction='classwise' must have at most {MOST_CLASSES} classes, each of which is monitored by "
                f"itself, got {len(keys)}"
            )
        return
    if len({len(key) if isinstance(key, tuple) else 1 for key in keys}) > 1:
        raise ValueError(
            f"by must have as many columns as in the batches before, got the segment {brief(keys[-1])} beside "
            f"{brief(keys[0])}"
        )
    known = {_in_words(key): key for key in state.segments}
    for key in rows.parts:
        before = known.get(_in_words(key), key)
        if before != key:
            raise ValueError(
                f"by must have values of one type in all batches, got the segment {key!r} beside {before!r} of a batch "
                "before; a CSV column is read as numbers where all of its cells are"
            )
    check_number(keys, len(keys), rows=state.together.n + rows.n, most=MOST_SEGMENTS)


def _in_words(key: Any) -> tuple[str, ...]:
    return tuple(map(str, key)) if isinstance(key, tuple) else (str(key),)
