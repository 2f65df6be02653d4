"""A loss per bin, a partition and a norm: the triplet that defines a general calibration error, and its measurement."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.sample import Sample
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family
from fitontest.measures.binned_error import BinnedError
from fitontest.measures.binned_sample import BinnedSample, binned_sample
from fitontest.measures.binning import DEFAULT_BINS, find_rule, made
from fitontest.measures.if_calibrated import IfCalibrated, check_draws, generator, redrawn
from fitontest.measures.losses.base import (
    DEFAULT_ALPHA,
    DEFAULT_TEST,
    BinLoss,
    Rejection,
    SignificanceName,
    as_number,
    name_of,
)
from fitontest.numerics.norms import NORMS
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import Partitioner
from fitontest.typing import ArrayInput, FloatArray, RandomState

Follow = Callable[[Iterable[int]], Iterable[int]]


@dataclass(frozen=True, eq=False)
class Triplet:
    """What the user chose; `partition` and `norm` as given."""

    loss: BinLoss
    partition: str | Partitioner | Family | ArrayInput
    norm: object = "l1"
    n_bins: int = DEFAULT_BINS
    percent: bool = False

    def __post_init__(self) -> None:
        named = isinstance(self.norm, str) and self.norm in NORMS
        if not named and (not callable(self.norm) or isinstance(self.norm, type)):
            raise ValueError(f"norm must be one of {', '.join(map(repr, NORMS))} or a callable, got {self.norm!r}")

    def value(self, binned: BinnedSample, losses: FloatArray) -> float:
        """Return the norm of the losses of the occupied bins."""
        scale = 100.0 if self.percent else 1.0
        kept = binned.table.occupied
        losses, w = losses[kept], binned.table.w[kept]
        if isinstance(self.norm, str):
            return scale * NORMS[self.norm](np.abs(losses), w)
        function: Any = self.norm
        return scale * as_number(function(losses, w), "norm")


def tce_triplet(
    partition: str | Partitioner | Family | ArrayInput = "pava_bc",
    n_bins: int = DEFAULT_BINS,
    alpha: float = DEFAULT_ALPHA,
    test: SignificanceName = DEFAULT_TEST,
) -> Triplet:
    """Return the triplet that is the test-based calibration error."""
    return Triplet(Rejection(alpha, test), partition, "l1", n_bins, percent=True)


def general_error(
    sample: Sample, triplet: Triplet, null_draws: int = 0, random_state: RandomState = 0, follow: Follow = iter
) -> BinnedError:
    """Return the error of a checked sample; `follow` may watch the draws go by (a progress bar)."""
    check_draws(null_draws)
    loss = triplet.loss
    loss.check(sample)
    binned = binned_sample(sample, made(find_rule(triplet.partition, triplet.n_bins), sample))
    losses = loss.per_bin(binned)
    losses.flags.writeable = False
    value = triplet.value(binned, losses)
    rng = generator(random_state)
    null = _null(binned, triplet, value, follow(range(null_draws)), rng) if null_draws else None
    return BinnedError(
        value=value,
        percent=triplet.percent,
        norm=name_of(triplet.norm),
        loss=loss.name,
        n=sample.n,
        base_rate=sample.base_rate,
        partition=binned.partition,
        losses=losses,
        table=binned.table,
        whole=sample.whole,
        alpha=float(loss.alpha) if isinstance(loss, Rejection) else None,
        test=loss.test if isinstance(loss, Rejection) else None,
        null=null,
    )


def _null(
    binned: BinnedSample, triplet: Triplet, observed: float, draws: Iterable[int], rng: np.random.RandomState
) -> IfCalibrated:
    """Return the errors under redrawn labels."""
    rule = find_rule(triplet.partition, triplet.n_bins)
    values = []
    for _ in draws:
        drawn = redrawn(binned.sample, rng)
        with without_warnings():  # the user has heard of heavy ties once
            again = binned_sample(drawn, made(rule, drawn))
        values.append(triplet.value(again, triplet.loss.per_bin(again)))
    return IfCalibrated(observed, np.array(values), refitted=not isinstance(rule, Partition))
