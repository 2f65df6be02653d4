"""Hypothesis strategies and data makers that the tests share."""

import numpy as np
from hypothesis import strategies as st

from fitontest.data.counted_sample import sample_of_rows

# scores as they come: rounded to few decimals (ties, edges), at the ends, next to them, and anywhere
SCORES = st.one_of(
    st.sampled_from([0.0, 1.0, 0.5, 1e-300, 1e-9, 1 - 1e-9, np.nextafter(1.0, 0.0), 0.1, 0.2, 0.3, 0.7]),
    st.integers(0, 20).map(lambda i: i / 20),
    st.floats(0.0, 1.0),
)
WHOLE_WEIGHTS = st.integers(0, 5).map(float)
WEIGHTS = st.one_of(WHOLE_WEIGHTS, st.floats(1e-3, 1e3))


@st.composite
def samples(draw, weights=WEIGHTS, min_size=1, max_size=40):
    """Draw (y, p, w) with ties, extreme scores and zero weights; the weights have a positive sum."""
    n = draw(st.integers(min_size, max_size))
    p = np.array(draw(st.lists(SCORES, min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    w = np.array(draw(st.lists(weights, min_size=n, max_size=n)))
    if w.sum() == 0:
        w[draw(st.integers(0, n - 1))] = 1.0
    if np.all(w == np.floor(w)) and w.sum() > 10 * np.count_nonzero(w):
        w *= 0.3  # counts or importances? of such there is a warning
    return y, p, w


def as_counts(w):
    """Return whole weights as counts, however large they are; others as they are."""
    from fitontest.data.weights import Weights

    return Weights(w, counts=True) if np.all(w == np.floor(w)) else w


def noisy(n=400, seed=0, ties=None, power=1.4):
    """Return (y, p): scores whose true calibration map is p ** power."""
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    if ties is not None:
        p = np.round(p, ties)
    return (rng.random(n) < p**power).astype(int), p


def aggregated(y, p, w=None):
    """Return the rows as entries that count those of one score and label, in a sample; all rows weigh w."""
    from fitontest.data.ordering import Rows

    pairs, n = np.unique(np.column_stack((p, y)).astype(float), axis=0, return_counts=True)
    each = 1.0 if w is None else float(w)
    rows = Rows(pairs[:, 0].copy(), pairs[:, 1].copy(), n * each, n, n * (each if w is None else each**2))
    return sample_of_rows(rows, whole=w is None)
