"""One candidate on trial: predictions for rows it has not seen, their losses, and what is left of the error."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from fitontest.comparison.decomposition import Parts, decomposed
from fitontest.comparison.held_out import Judging, out_of_fold, unit
from fitontest.comparison.known_truth import Quality, Truth, quality, true_probabilities
from fitontest.data.sample import Sample
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family
from fitontest.measures.plug_in import PlugIn
from fitontest.typing import FloatArray, IntArray, RowLoss


@dataclass(frozen=True, eq=False)
class Trial:
    """What was found of one candidate.

    Attributes
    ----------
    family : Family
        Fitted to all rows, in `fit_seconds`.
    held_out, on_test : arrays
        The loss of each sorted row out of fold, and of each row of the test set, if there is one.
    parts, errors, quality, certain
        Of the judging rows: the test set, if there is one, else the rows themselves, whose parts and errors are those
        of the predictions out of fold.
    """

    family: Family
    fit_seconds: float
    held_out: FloatArray
    on_test: FloatArray | None
    parts: Parts
    errors: dict[str, float]
    quality: Quality | None
    certain: float


class Court:
    """The rows that judge, and by what: the same for every candidate.

    Parameters
    ----------
    sample : Sample
        The rows to fit to, and out of fold to judge by.
    test : Sample or None
        Other rows.
    truth : callable, array or None
        The true probability of the judging rows.
    folds : list of lists of int arrays
        Of each repeat.
    """

    def __init__(
        self,
        sample: Sample,
        test: Sample | None,
        truth: Truth,
        folds: list[list[IntArray]],
        loss: RowLoss,
        evaluators: Mapping[str, Family],
        decomposition: Family,
    ) -> None:
        self.sample, self.folds, self.loss = sample, folds, loss
        self.evaluators, self.decomposition = evaluators, decomposition
        self.own, self.tested = Judging.by(sample), test is not None
        self.judge = self.own if test is None else Judging.by(test)
        judges = (sample, "y_prob") if test is None else (test, "test[1]")
        self.truth = None if truth is None else true_probabilities(truth, *judges)

    def hear(self, family: Family) -> Trial:
        """Try one candidate, which is left fitted to all rows."""
        predictions = out_of_fold(family, self.sample, self.folds)
        held_out = self.own.losses(predictions, self.loss)
        start = perf_counter()
        family.fit_sample(self.sample)
        seconds = perf_counter() - start
        rows, on_test = self.judge.rows, None
        q = unit(family.map_, rows.p)
        if self.tested:
            predictions = q[None, :]
            on_test = self.judge.losses(predictions, self.loss)
        judged = [Sample(rows.y, each, rows.w) for each in predictions]
        return Trial(
            family,
            seconds,
            held_out,
            on_test,
            self._parts(judged),
            self._errors(judged),
            None if self.truth is None else quality(q, self.truth, self.judge),
            self.judge.mean(((q == 0) | (q == 1)).astype(np.float64)),
        )

    def _parts(self, judged: list[Sample]) -> Parts:
        parts = [decomposed(sample, self.decomposition, self.loss) for sample in judged]
        return Parts(
            float(np.mean([part.calibration for part in parts])), float(np.mean([part.refinement for part in parts]))
        )

    def _errors(self, judged: list[Sample]) -> dict[str, float]:
        with without_warnings():
            return {
                name: float(np.mean([float(PlugIn(family).estimate(sample)) for sample in judged]))
                for name, family in self.evaluators.items()
            }
