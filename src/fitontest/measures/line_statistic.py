"""Cox's statistic: how much better a line in logits fits the labels than the scores themselves, for many labellings.

It is the root of the likelihood ratio of intercept 0 and slope 1,

    sqrt(2 (l(a, b) - l(0, 1))),    l(a, b) = sum w (y z - ln(1 + e^z)),  z = a + b logit p,

at the line of the largest likelihood less a penalty, which is finite where a threshold separates the classes. Errors
that a shift or a tilt of the logits explains show in it sooner than in any map that can bend.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.data.entries import Entries, labelled_entries
from fitontest.data.redraws import Labels, Redraws
from fitontest.data.score_sample import ScoreSample
from fitontest.families.newton_many import Features, minimise_columns
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, Unit
from fitontest.measures.words import Words
from fitontest.numerics.cells import cell_starts, equal_mass_cells
from fitontest.numerics.links import CERTAIN, SAME, logit, sigmoid
from fitontest.results.typing import FloatArray, IntArray

NODES = 400  # entries, from which on neighbours are taken for one
PENALTY = 1e-3  # of the information of the rows, on either parameter in units of that information
TOLERANCE = 1e-7  # of a gradient per unit weight
MEMORY = "line statistic"


@dataclass(frozen=True)
class LineStatistic(Measure):
    """The statistic of Cox's test of intercept 0 and slope 1, which the joint test draws labels for.

    References
    ----------
    Cox (1958), Two further applications of a model for binary regression, Biometrika 45.
    https://doi.org/10.1093/biomet/45.3-4.562

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> tilted, calibrated = (LineStatistic().estimate(fot.ScoreSample(rng.random(2000) < q, p)) for q in (p**2, p))
    >>> tilted.value > 10, calibrated.value < 3
    (True, True)
    """

    words = Words(title="line statistic")

    unit: ClassVar[Unit] = "standard deviations"

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return the statistic of the labels."""
        entries, positives = labelled_entries(sample)
        return Estimate.of(self, sample, float(LineNodes.of(entries).statistics(positives[:, None])[0]), Evidence())

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the statistic for several sets of labels at once."""
        return LineNodes.of(redraws.entries).statistics(labels)  # type: ignore[attr-defined]


@dataclass(frozen=True, eq=False)
class LineNodes:
    """Uncertain scores of entries, pooled to a few hundred.

    Scores of exactly 0 and 1 are left out: they have no logit, and calibrated labels of theirs do not vary.

    Attributes
    ----------
    kept : int array of shape (m,)
        The entries with an uncertain score.
    first : int array of shape (G,)
        At which of them each node begins.
    w : array of shape (G, 1)
        Weights.
    label_weight : array of shape (m, 1)
        Of one label of each entry.
    features : Features or None
        The logits, standardised by their information, and a one, with the logits as offset; None where no label
        varies.
    """

    kept: IntArray
    first: IntArray
    w: FloatArray
    label_weight: FloatArray
    features: Features | None

    @classmethod
    def of(cls, entries: Entries) -> "LineNodes":
        """Return those of entries, which remember them for other labels."""
        if MEMORY not in entries.memory:
            entries.memory[MEMORY] = cls._of(entries)
        nodes: LineNodes = entries.memory[MEMORY]
        return nodes

    @classmethod
    def _of(cls, entries: Entries) -> "LineNodes":
        kept = np.flatnonzero((entries.p > 0.0) & (entries.p < 1.0))
        p, w = entries.p[kept], entries.w[kept]
        label_weight = (w / entries.n[kept])[:, None]
        if kept.size == 0:
            return cls(kept, kept, w[:, None], label_weight, None)
        first = cell_starts(equal_mass_cells(w, NODES)) if kept.size > NODES else np.arange(kept.size)
        x = np.clip(logit(p, 0.0), -CERTAIN, CERTAIN)
        w, x = np.add.reduceat(w, first), np.add.reduceat(w * x, first) / np.add.reduceat(w, first)
        c = sigmoid(x)
        information = w * c * (1.0 - c)
        centre = float(information @ x) / float(information.sum())
        spread = float(np.sqrt(information @ (x - centre) ** 2 / information.sum()))
        ones = np.ones(x.size)
        shape = (x - centre) / spread if spread > SAME else np.zeros(x.size)
        features = Features(np.column_stack((shape, ones)), PENALTY * float(information.sum()), offset=x[:, None])
        return cls(kept, first, w[:, None], label_weight, features)

    def statistics(self, positives: IntArray) -> FloatArray:
        """Return the statistic of labellings, shape (B,).

        Parameters
        ----------
        positives : int array of shape (entries, B)
            How many of the rows behind each entry are positive.
        """
        features = self.features
        if features is None:
            return np.zeros(positives.shape[1])
        wy = np.add.reduceat(positives[self.kept] * self.label_weight, self.first, axis=0)
        start = np.zeros((2, wy.shape[1]))
        theta, _ = minimise_columns(features, self.w, wy, start, TOLERANCE)
        gain = self._likelihoods(wy, features.logits(theta)) - self._likelihoods(wy, features.logits(start))
        return np.sqrt(np.maximum(2.0 * gain, 0.0))

    def _likelihoods(self, wy: FloatArray, z: FloatArray) -> FloatArray:
        """Return the log likelihood of each labelling for logits z, shape (B,)."""
        return np.asarray((wy * z - self.w * np.logaddexp(0.0, z)).sum(axis=0))
