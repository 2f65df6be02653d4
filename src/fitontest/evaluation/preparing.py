"""What families can do before it is their turn, in another thread while others are fitted."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from fitontest.families.base import read_family
from fitontest.measures.measure import Measure


@contextmanager
def preparing(measures: Sequence[Measure]) -> Iterator[None]:
    """Let the families of several measures prepare their fits in one further thread, which ends with the block.

    Parameters
    ----------
    measures : sequence of Measure
        Of one there is nothing else to do meanwhile, and nothing is prepared.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:  # a thread is started when there is something for it to do
        for measure in measures if len(measures) > 1 else ():
            if measure.takes_fits:
                read_family(measure.fitting.family).prepare(pool)
        yield
