"""A report: what the rows say of the calibration of their scores, as one page for readers."""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fitontest.checks import choose
from fitontest.comparison.compare import Options, compare_candidates
from fitontest.comparison.comparison import Comparison
from fitontest.data.predictions import ClassSamples, ReadBefore, Reduction, read_classes, read_data
from fitontest.data.sample import Sample
from fitontest.evaluation import Evaluation, evaluate, evaluation_of, measures_of
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family
from fitontest.numerics.random import one_seed
from fitontest.reporting.figures import (
    Picture,
    class_pictures,
    comparison_picture,
    reliability_pictures,
    tce_pictures,
)
from fitontest.reporting.page import render
from fitontest.results.table import Section
from fitontest.results.text import short
from fitontest.typing import ArrayInput, Label, RandomState
from fitontest.uncertainty.redrawing import Redrawing
from fitontest.uncertainty.verdict import Verdict

DEFAULT_FAMILIES = ("spline", "slope1", "isotonic", "beta", "platt")
CANDIDATES = ("platt", "beta", "spline", "isotonic", "temperature")  # none needs jax, so that a report takes seconds
TCE_ROWS = 100_000  # rows above which the test of each score is left out, because it then rejects nearly all
MEASURES, COMPARED, CLASSES, SEGMENTS = "Measures", "Calibrators compared", "Classes", "Segments"  # headings
PACKAGES = ("fitontest", "numpy", "scipy", "scikit-learn", "matplotlib")


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A report on the calibration of scores: a verdict in words, diagrams and tables, as one HTML page.

    Attributes
    ----------
    title : str
    evaluation : Evaluation
        Of the sample that is judged.
    comparison : Comparison or None
        Of calibrators, where asked.
    classes : Evaluation or None
        Of each class against the rest, of several classes.
    options : dict
        With which it was made.

    Notes
    -----
    In a notebook it shows itself. ``report.save("report.html")`` writes a page that needs no other file and asks for
    nothing from anywhere; the same data and options give the same bytes.
    """

    title: str
    evaluation: Evaluation
    comparison: Comparison | None = None
    classes: Evaluation | None = None
    segments: Any = None
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """What the rows say, in words."""
        found = self.evaluation.verdict
        assert found is not None
        return found

    @property
    def sample(self) -> Sample:
        """The rows that are judged."""
        return self.evaluation.sample

    @property
    def sentences(self) -> list[str]:
        """What a reader wants to know, a sentence or two each, after the headline of the verdict."""
        first, *others = self.verdict.reasons
        return [first[0].upper() + first[1:], *others, self._rows, *self._gain]

    @property
    def glance(self) -> dict[str, str]:
        """The numbers of the headline by what they are called."""
        one, sample = self.verdict.estimate, self.sample
        assert one.interval is not None
        level = f"{100 * one.interval.level:g} % interval"
        share = "accuracy" if one.reduction == "confidence" else "share of positives"
        return {
            "rows": f"{one.n:,}",
            share: short(sample.base_rate),
            "mean score": short(float(sample.w @ sample.p) / sample.total),
            "calibration error": short(one.value if one.debiased is None else one.debiased),
            level: f"{short(one.interval.low)} to {short(one.interval.high)}",
            "p-value of calibration": short(self.verdict.p_value, 2),
        }

    @property
    def _rows(self) -> str:
        """How many rows there are, and how many would say more."""
        one = self.verdict.estimate
        assert one.interval is not None
        n, width = one.n, one.interval.high - one.interval.low
        text = f"These are {n:,} rows; with four times as many the interval would be about half as wide"
        if self.verdict.calibrated:
            return (
                f"{text} ({short(width / 2)}). An error up to {short(one.interval.high)} could be hidden in the noise."
            )
        return f"{text} ({short(width / 2)})."

    @property
    def _gain(self) -> list[str]:
        """What a calibrator would gain."""
        if self.comparison is None:
            return []
        best = self.comparison[self.comparison.chosen]
        if best.name == self.comparison.do_nothing:
            return ["No calibrator of those compared is shown to do better than to leave the scores as they are."]
        row = best.to_dict()
        gain, se = -row["to_identity"], row["to_identity_se"]
        loss = "log loss" if self.comparison.scoring == "log_loss" else "Brier score"
        text = f"Calibration by {best.name} would lower the {loss} by {short(gain)}"
        return [f"{text} (standard error {short(se, 2)}) on rows that it was not fitted to."]

    @cached_property
    def html(self) -> str:
        """The page."""
        with without_warnings():
            return render(self)

    def diagrams(self) -> list[Picture]:
        """Return the reliability diagrams, and the test-based one where there is one."""
        seed = self.options["random_state"]
        return [*reliability_pictures(self.evaluation, self.verdict, "map", seed), *tce_pictures(self.evaluation)]

    def part_pictures(self) -> dict[str, Picture]:
        """Return the diagrams of the further tables, by their headings."""
        found = {}
        if self.comparison is not None:
            found[COMPARED] = comparison_picture(self.comparison)
        if self.classes is not None:
            found[CLASSES] = class_pictures(self.classes)
        return found

    def tables(self) -> dict[str, list[Section]]:
        """Return the tables by their headings."""
        found = {MEASURES: [part for part in self.evaluation.sections() if part.header]}
        if self.comparison is not None:
            found[COMPARED] = self.comparison.sections()
        if self.classes is not None:
            found[CLASSES] = self.classes.sections()
        if self.segments is not None:
            found[SEGMENTS] = self.segments.sections()
        return found

    @property
    def facts(self) -> dict[str, str]:
        """Versions and options: enough to repeat the report."""
        python = ".".join(map(str, sys.version_info[:3]))
        versions = {"Python": python, **{name: version(name) for name in PACKAGES}}
        options = {name: json.dumps(value, default=str) for name, value in self.options.items()}
        return {**versions, **options}

    def save(self, path: str | Path) -> Path:
        """Write the page to a file whose name ends in .html, and return its path."""
        target = Path(path)
        choose(target.suffix.lower(), (".html", ".htm"), "the ending of path")
        target.write_text(self.html, encoding="utf-8", newline="\n")
        return target

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the pictures as JSON-ready values."""
        found: dict[str, Any] = {"title": self.title, "verdict": self.verdict.to_dict(), "sentences": self.sentences}
        found["evaluation"] = self.evaluation.to_dict()
        for name in ("comparison", "classes", "segments"):
            part = getattr(self, name)
            found[name] = None if part is None else part.to_dict()
        return {**found, "facts": self.facts}

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style does not touch the notebook."""
        from html import escape

        return (
            f'<iframe title="{escape(self.title, quote=True)}" srcdoc="{escape(self.html, quote=True)}" '
            'style="width:100%;height:46em;border:1px solid #8888"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Report({self.title!r}: {self.verdict.headline})"


def report(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    title: str = "Calibration report",
    families: Iterable[str | Family] | None = None,
    compare: bool = False,
    by: ArrayInput = None,
    interval: float = 0.95,
    random_state: RandomState = 0,
    reduction: Reduction | None = None,
    labels: ArrayInput = None,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> Report:
    """Return a report on the calibration of scores.

    It says in words how far the scores are from calibrated, how sure that is and in which direction they are wrong,
    whether calibrated scores could look so, what a calibrator would gain, and how many rows would say more. Diagrams,
    tables and all settings follow.

    Parameters
    ----------
    y_true, y_prob, labels, sample_weight, pos_label
        As for `calibration_error`; `Cells` in place of both.
    title : str
    families : iterable of str or Family, optional
        Whose errors are listed; by default spline, slope1, isotonic, beta and platt.
    compare : bool, default=False
        Compare platt, beta, spline, isotonic and temperature as calibrators of these scores, out of fold.
    by : array-like of shape (n,), optional
        Values of a column: each is a segment of the rows, listed with an error of its own.
    interval : float in (0, 1), default=0.95
        Level of the intervals.
    random_state : int, RandomState or None, default=0
    reduction : {"confidence", "classwise", "binary"}, optional
        How a matrix of scores is read. "confidence" and "classwise" judge the confidence, and list the classes.

    Returns
    -------
    Report

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> report = fot.report(rng.random(1000) < p**1.5, p, title="Model A")
    >>> report
    Report('Model A': Too high)
    >>> report.save("report.html")  # doctest: +SKIP
    """
    seed = one_seed(random_state)
    chosen = list(DEFAULT_FAMILIES if families is None else families)
    columns = (y_true, y_prob, sample_weight)
    classes: Evaluation | None = None
    with without_warnings():
        redrawing = Redrawing(interval=interval, random_state=seed)
        measures = measures_of(chosen, None, "l1", seed)
        if reduction in ("confidence", "classwise") and not isinstance(y_true, ReadBefore):
            predictions = read_classes(columns, labels)
            data: Sample | ClassSamples = predictions.confidence()
            quick = measures_of(["slope1", "isotonic"], None, "l1", seed)
            classes = evaluation_of(predictions, quick, "classwise", Redrawing(random_state=seed))
            judged: str | None = "confidence"
        else:
            data, judged = read_data(columns, reduction, labels, pos_label), reduction
        if not isinstance(data, Sample):
            raise ValueError("y_true must be the cells of one sample for a report, got those of several classes")
        evaluation = evaluation_of(data, measures, judged, redrawing)
        if evaluation.verdict is None:
            raise ValueError("families must hold one whose error has an interval, got none")
        if data.whole and data.n <= TCE_ROWS:
            tested = evaluation_of(
                data, measures_of(None, ["tce"], "l1", seed), judged, Redrawing(100, random_state=seed)
            )
            evaluation = evaluation.joined(tested)
        comparison = _compared(data, seed) if compare else None
        segments = (
            None
            if by is None
            else evaluate(
                *columns[:2],
                by=by,
                families=[evaluation.verdict.family],
                sample_weight=sample_weight,
                pos_label=pos_label,
                random_state=seed,
            )
        )
    options = {
        "families": [str(one) for one in chosen],
        "interval": interval,
        "compare": compare,
        "reduction": reduction,
        "random_state": seed,
    }
    return Report(title, evaluation, comparison, classes, segments, options)


def _compared(sample: Sample, seed: int) -> Comparison:
    options = Options.of(list(CANDIDATES), 10, 1, "log_loss", "one_se", (), None, seed)
    return compare_candidates(sample, options)
