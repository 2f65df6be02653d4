"""Streams of batches that tests of monitoring share, whose true rates leave the scores in a chosen batch."""

import numpy as np
import pytest

from fitontest.monitor.monitor import Monitor

CENTRE, SPREAD = -1.0, 1.0  # of the logits of scores


def stream(n=300, batches=8, *, shift=0.0, slope=1.0, since=0, seed=0, centre=CENTRE):
    """Return labels and scores of each batch, whose logits are centre + shift + slope (z - centre) from `since` on."""
    rng = np.random.default_rng(seed)
    drawn = []
    for k in range(batches):
        z = centre + SPREAD * rng.normal(size=n)
        truth = centre + shift + slope * (z - centre) if k >= since else z
        drawn.append((rng.random(n) < 1.0 / (1.0 + np.exp(-truth)), 1.0 / (1.0 + np.exp(-z))))
    return drawn


def monitored(drawn, **settings):
    """Return a monitor that has seen labels and scores of each batch."""
    monitor = Monitor(**settings)
    for y, p in drawn:
        monitor.update(y, p)
    return monitor


@pytest.fixture(scope="session")
def drifting():
    """Return 8 batches of 300 rows, the rates of the last five 1 logit above the scores."""
    return stream(shift=1.0, since=3)


@pytest.fixture(scope="session")
def calibrated():
    """Return 8 batches of 300 rows, calibrated."""
    return stream(seed=1)
