"""Measuring one call against another: paired times, and the peak of memory.

On a machine that does other work the speed drifts, so two calls are run in turn, A B A B ..., and compared pair by
pair: the median of the pairwise ratios is the answer, and a drift that is slower than a pair cancels. Before each
run there is a short rest: the threads of BLAS and OpenMP spin for a while after their work is done, and would slow
down whatever runs next.
"""

import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter, sleep
from typing import Any

Call = Callable[[], Any]
Clock = Callable[[], float]

REST = 0.1  # seconds; most of what spins has stopped by then


@dataclass(frozen=True)
class Paired:
    """Seconds that two calls took, pair by pair."""

    ours: tuple[float, ...]
    theirs: tuple[float, ...]

    @property
    def ours_ms(self) -> float:
        """Median time of the first call in milliseconds."""
        return 1e3 * median(self.ours)

    @property
    def theirs_ms(self) -> float:
        """Median time of the second call in milliseconds."""
        return 1e3 * median(self.theirs)

    @property
    def ratio(self) -> float:
        """Median of the pairwise ratios, first over second."""
        return median(a / b for a, b in zip(self.ours, self.theirs, strict=True))


def paired(ours: Call, theirs: Call, pairs: int, clock: Clock = perf_counter) -> Paired:
    """Time both calls in turn; the caller has run each once, so that neither pays for first use.

    The clock `process_time` counts the seconds of all cores, and not those in which other processes had them.
    """
    seconds = []
    for i in range(pairs):  # each comes first in every other pair: what one leaves in the caches helps the next
        first, second = (seconds_of(call, clock) for call in ((ours, theirs) if i % 2 == 0 else (theirs, ours)))
        seconds.append((first, second) if i % 2 == 0 else (second, first))
    return Paired(*zip(*seconds, strict=True))


def seconds_of(call: Call, clock: Clock = perf_counter) -> float:
    """Return how long one call takes after a rest, the release of its result left out."""
    sleep(REST)
    start = clock()
    result = call()
    stop = clock()
    del result
    return stop - start


def peak_bytes(call: Call) -> int:
    """Return the most memory that Python and numpy held for the call at any moment, beyond what was there before."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
