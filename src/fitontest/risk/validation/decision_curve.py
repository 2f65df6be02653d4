"""Decision curves: the net benefit of models at every threshold, and what recalibration would add to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from fitontest.data.known_groups import KnownGroups
from fitontest.data.read import is_one_sample
from fitontest.data.reading.models import by_model, is_of_models, read_models
from fitontest.data.reading.options import reading_of
from fitontest.data.reading.read import read
from fitontest.data.repeated_rows import Repeats
from fitontest.data.score_sample import ScoreSample
from fitontest.families.base import check_family
from fitontest.families.registry import family_name
from fitontest.measures.notes import data_notes
from fitontest.numerics.random import one_seed
from fitontest.results.checks import check_level, not_among
from fitontest.results.detailed import Detailed, explanation
from fitontest.results.exceptions import NoValueError
from fitontest.results.frames import Records, records
from fitontest.results.options import spell_out
from fitontest.results.table import Section, Table
from fitontest.results.typing import ArrayInput, FloatArray, IntArray, RandomState
from fitontest.risk.measures.decision_regret import FAMILY
from fitontest.risk.measures.net_benefit import possible, variance_of_more_rows
from fitontest.risk.validation.curve import Curve
from fitontest.risk.validation.curve_in_words import (
    TREAT_ALL,
    TREAT_NONE,
    brief_of,
    explain_curve,
    sentences_of,
    tables_of,
)
from fitontest.risk.validation.decided_rows import DecidedRows
from fitontest.risk.validation.recalibrated import decision_losses
from fitontest.risk.validation.thresholds import read_thresholds
from fitontest.uncertainty.options import Options

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.curve import CurveDisplay

MODEL = "model"  # what a single model without a name is called


@dataclass(frozen=True, eq=False, repr=False)
class DecisionCurve(Table):
    """The net benefit of models over thresholds, with bands, and what recalibration would add.

    `decision_curve` makes it. Printing it says where a model is shown to be better than treating everybody and than
    treating nobody, which has a net benefit of 0; ``plot`` draws it, and ``to_frame`` has every
    number.

    Attributes
    ----------
    thresholds : array of shape (T,)
    models : tuple of str
    base_rate : float
        Weighted share of positives.
    n : int
        Rows of positive weight.
    level : float
        Of intervals and bands.
    family : str
        The calibration maps of `recalibrated` and `loss`.
    net_benefit : dict of str to Curve
        Of each model, "treat all" and "treat none".
    standardised : dict of str to Curve
        The same by the share of positives, for models and both strategies.
    against_all : dict of str to Curve
        Of each model the net benefit less that of "treat all", paired.
    interventions_avoided : dict of str to Curve
        Of each model how many fewer rows are treated than by treating everybody at equal benefit, per row:
        (NB - NB_all) (1 - t) / t.
    loss : dict of str to array of shape (T,)
        The decision losses of each model, plug-in: what recalibrating first would gain.
    recalibrated : dict of str to array of shape (T,)
        The net benefit with that gain.
    share_above : dict of str to array of shape (T,)
        Weighted share of the rows whose score reaches the threshold.
    groups : KnownGroups or None
        The groups that rows belong to.
    decided : DecidedRows
        The rows, with how many thresholds each score reaches.
    seed : int
        Of the draws of the bands.
    notes : tuple of str
        What must be known of the rows: that some look like copies, for example.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> risk = rng.beta(1, 3, 2000)
    >>> curve = fot.risk.decision_curve(rng.random(2000) < risk, risk, thresholds=[0.1, 0.2, 0.3])
    >>> print(curve.sentence)
    Better than treating all and none at every threshold.
    >>> curve.net_benefit["model"].value.round(3), curve.loss["model"].round(4)
    (array([0.193, 0.139, 0.098]), array([0.0002, 0.0012, 0.0001]))
    """

    models: tuple[str, ...]
    level: float
    family: str
    decided: DecidedRows = field(repr=False)
    loss: Mapping[str, FloatArray]
    n: int
    seed: int = 0
    groups: KnownGroups | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        samples: Mapping[str, ScoreSample],
        thresholds: ArrayInput = None,
        *,
        level: float = 0.95,
        family: Any = FAMILY,
        random_state: RandomState = 0,
    ) -> "DecisionCurve":
        """Return the curves of samples that were read, each of one model's scores of the same rows.

        Parameters
        ----------
        samples : dict of str to ScoreSample
            By model, each with the same labels and weights, row by row.
        thresholds : float or array-like of shape (T,), optional
            See `decision_curve`.
        level, family, random_state
            See `decision_curve`.
        """
        at = read_thresholds(thresholds)
        check_level(level)
        check_family(family, maps=True)
        if not samples:
            raise ValueError("samples must hold at least one model, got none")
        if reserved := [name for name in samples if name in (TREAT_ALL, TREAT_NONE)]:
            raise ValueError(f"models must not be called {TREAT_ALL!r} or {TREAT_NONE!r}, got {reserved[0]!r}")
        first = next(iter(samples.values()))
        return cls(
            models=tuple(samples),
            level=float(level),
            family=family_name(family),
            decided=DecidedRows.of(samples, at),
            loss={name: decision_losses(sample, family, at) for name, sample in samples.items()},
            n=first.n,
            seed=one_seed(random_state),
            groups=KnownGroups.of(first),
            notes=tuple(data_notes(first.decided, first.weighting, first.rows_note)),
        )

    @property
    def thresholds(self) -> FloatArray:
        """The thresholds, increasing."""
        return self.decided.thresholds

    @property
    def base_rate(self) -> float:
        """Weighted share of positives."""
        return self.decided.base_rate

    @cached_property
    def net_benefit(self) -> dict[str, Curve]:
        """Of each model, "treat all" and "treat none"."""
        return {name: self._gain(name, TREAT_NONE) for name in self._ways}

    @cached_property
    def standardised(self) -> dict[str, Curve]:
        """The net benefit by the share of positives, whose error counts too; none without a positive row."""
        if not self.base_rate > 0.0:
            raise NoValueError("y_true must hold a positive row for a standardised net benefit, got none")
        return {name: self._gain(name, TREAT_NONE, standardised=True) for name in self._ways}

    @cached_property
    def against_all(self) -> dict[str, Curve]:
        """Of each model the net benefit less that of "treat all"."""
        return {name: self._gain(name, TREAT_ALL) for name in self.models}

    @cached_property
    def interventions_avoided(self) -> dict[str, Curve]:
        """Of each model how many fewer rows are treated than by treating everybody at equal benefit, per row."""
        costs = self.decided.costs
        by_cost = np.divide(1.0, costs, out=np.zeros(costs.size), where=costs > 0.0)  # from 0 on none is avoided
        return {name: curve.times(by_cost) for name, curve in self.against_all.items()}

    @property
    def recalibrated(self) -> dict[str, FloatArray]:
        """The net benefit of each model after recalibration: with the decision loss added."""
        return {name: self.net_benefit[name].value + loss for name, loss in self.loss.items()}

    @cached_property
    def share_above(self) -> dict[str, FloatArray]:
        """Weighted share of the rows whose score reaches each threshold."""
        return {name: self.decided.share_above(name) for name in self.models}

    def difference(self, a: str, b: str) -> Curve:
        """Return by how much the net benefit of one model is larger than that of another, paired on the same rows.

        Parameters
        ----------
        a, b : str
            Of `models`, "treat all" or "treat none".
        """
        for argument, name in (("a", a), ("b", b)):
            if name not in self._ways:
                raise ValueError(not_among(name, self._ways, argument))
        return self._gain(a, b)

    @property
    def _ways(self) -> tuple[str, ...]:
        return (*self.models, TREAT_ALL, TREAT_NONE)

    def _gain(self, a: str, b: str, *, standardised: bool = False) -> Curve:
        rows = self.decided
        if a == b:
            nothing = np.zeros(self.thresholds.size)
            return Curve(*[nothing] * 6)
        gain = rows.gain(self._reached(a), self._reached(b), standardised=standardised)
        independent = min((rows.independent[name] for name in (a, b) if name in self.models), default=np.inf)
        added = variance_of_more_rows(rows.costs, independent) / (self.base_rate if standardised else 1.0) ** 2
        if {a, b} == {TREAT_ALL, TREAT_NONE}:
            added = np.zeros_like(added)  # no row could be decided otherwise
        limits = self._limits(b, standardised=standardised)
        return Curve.of(gain.value, gain.covariance, added, limits, self.level, rows.degrees, self.seed)

    def _limits(self, b: str, *, standardised: bool) -> tuple[FloatArray, FloatArray]:
        """Return the least and the largest gain over a way of deciding that there can be at each threshold."""
        cost = self.decided.costs
        if b == TREAT_NONE:
            return possible(cost, self.base_rate if standardised else 1.0)
        if b == TREAT_ALL:
            return possible(cost, over_all=True)
        most = np.maximum(cost, 1.0)  # of rows that one of two models treats
        return -most, most

    def _reached(self, name: str) -> IntArray:
        if name == TREAT_ALL:
            return self.decided.everybody()
        return self.decided.nobody() if name == TREAT_NONE else self.decided.reached[name]

    def rows(self) -> Records:
        """Return a record for each model and threshold."""
        everybody, out = self.net_benefit[TREAT_ALL].value, []
        nothing = np.full(self.thresholds.size, np.nan)
        for name in self.models:
            benefit, against = self.net_benefit[name].columns(), self.against_all[name].columns()
            out += records(
                model=[name] * self.thresholds.size,
                threshold=self.thresholds,
                net_benefit=benefit.pop("value"),
                **benefit,
                treat_all=everybody,
                against_all=against.pop("value"),
                **{f"against_all_{key}": values for key, values in against.items()},
                standardised=self.standardised[name].value if self.base_rate > 0.0 else nothing,
                interventions_avoided=self.interventions_avoided[name].value,
                recalibrated=self.recalibrated[name],
                loss=self.loss[name],
                share_above=self.share_above[name],
            )
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values."""
        return {
            "n": self.n,
            "base_rate": self.base_rate,
            "level": self.level,
            "family": self.family,
            "sentence": self.sentence,
            "groups": None if self.groups is None else self.groups.to_dict(),
            "notes": list(self.notes),
            "rows": self.rows(),
        }

    def plot(self, ax: "AxesOrFigure" = None, **options: Any) -> "CurveDisplay":
        """Draw how much good models do at each threshold, beside treating all and treating none.

        A model is of use where its curve is above those of "treat all" and "treat none". The title says where a
        difference is shown: where its band, which holds at all thresholds at once, leaves out 0. Below each threshold
        stands what it weighs: harm of a false positive to benefit of a true one, t : 1 - t.

        "Treat all" falls without end and is cut off a little below 0. The axis ends at the 99.5 % quantile of the
        scores, of the model whose scores are highest. At most 8 thresholds are points with their intervals.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; by default a new pyplot figure is made.
        **options
            * ``show="loss"``: beside the curves, dashed, those after recalibration, with a shade between the two, and
              below a panel of what miscalibration takes. It is the plug-in estimate, which noise alone makes larger
              than 0: `decision_loss` gives its interval.
            * `kind`: "net benefit" (default) per 1,000 rows; "standardised", divided by the share of positives, so that
              1 is the most there can be; "interventions avoided", how many fewer rows per 1,000 are treated than by
              "treat all" at the same number of true positives, (NB - NB_all) (1 - t) / t; "difference", net benefit of
              the first model minus that of another, paired.
            * `models`: the names of those that are drawn, of a difference two; by default all.
            * `band`: whose band is drawn, "first" (default), "all" or None; with ``simultaneous=True`` it holds the
              true curve at all thresholds at once, else at each.
            * `threshold_range`: the two ends of thresholds of interest, which are shaded.
            * `scale`: "probability" or "logit"; "auto" (default) is logit where the largest threshold is at most 0.3
              and the smallest one less than a twentieth of it, as for rare events. `limits`: the ends of the axis.

        Returns
        -------
        CurveDisplay
            Its part "models" has the values of each model; "treat all" and "treat none" those of these strategies.

        References
        ----------
        Vickers, Elkin (2006), Decision curve analysis, Medical Decision Making 26.
        https://doi.org/10.1177/0272989X06295361

        Van Calster, Vickers (2015), Calibration of risk prediction models: impact on decision-analytic performance,
        Medical Decision Making 35. https://doi.org/10.1177/0272989X14547233

        Examples
        --------
        >>> import numpy as np, fitontest as fot
        >>> from matplotlib.figure import Figure
        >>> rng = np.random.default_rng(0)
        >>> risk = rng.beta(1, 3, 1000)
        >>> curve = fot.risk.decision_curve(rng.random(1000) < risk, np.sqrt(risk), thresholds=[0.1, 0.2, 0.3])
        >>> display = curve.plot(Figure(), show="loss")
        >>> display.to_frame(part="models")[["threshold", "loss"]].round(1).to_numpy().tolist()
        [[0.1, 15.6], [0.2, 34.5], [0.3, 54.2]]
        """
        return self.diagram(**options).plot(ax)

    def diagram(self, **options: Any) -> "CurveDisplay":
        """Return the diagram, not yet drawn; `CurveDisplay.save` draws and saves it.

        Parameters
        ----------
        **options
            Those of `plot`.
        """
        from fitontest.risk.displays.decision import DecisionLines

        return DecisionLines(self, **options).display()

    @property
    def sentence(self) -> str:
        """Where models are shown to be better or worse than each other, and than treating all and none."""
        return "\n".join(sentences_of(self))

    def sections(self) -> list[Section]:
        """Return what is printed: where models are shown to be of use, and their net benefits at one threshold."""
        return brief_of(self)

    def table(self) -> Table:
        """Return net benefits per 1,000 rows at a few thresholds; of two models their difference too.

        Returns
        -------
        Table
            With the same records, of all thresholds; printing it shows more.
        """
        return Detailed(self, tuple(tables_of(self)))

    def explain(self) -> Table:
        """Return what the words and columns of this curve mean, in plain sentences.

        Returns
        -------
        Table
            With the same records; printing it shows the sentences.
        """
        return explanation(self, explain_curve(self))


@spell_out("interval", "draws", "null_draws", "reduction", "labels", "label", "prob", "weight")
def decision_curve(
    y_true: Any,
    y_prob: ArrayInput | Mapping[str, ArrayInput] = None,
    *,
    thresholds: ArrayInput = None,
    family: Any = FAMILY,
    **options: Unpack[Options],
) -> DecisionCurve:
    r"""Return what models are worth in decisions at each threshold, beside treating everybody and treating nobody.

    At the threshold t a row is treated where its score is at least t. Its net benefit is

    NB(t) = TP / n - FP / n * t / (1 - t),

    the share of true positives less that of false ones at what they cost; treating nobody has 0, treating everybody the
    share of positives less that of negatives times t / (1 - t).

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes; or what `read` returns of one model, or `Cells`, without `y_prob`.
    y_prob : array-like of shape (n,), or dict of str to array-like
        Predicted probabilities of the positive class, in [0, 1]; of several models by their names, in a dict or a data
        frame.
    thresholds : float or array-like of shape (T,), optional
        In [0, 1), increasing; by default .01 to .99; at 0 everybody is treated. Give the range in which decisions are
        taken: bands are narrower over fewer thresholds. `fitontest.risk.validation.thresholds.threshold_of_cost` makes
        one of costs.
    family : str, Family or CalibrationMap, default="isotonic"
        Calibration maps, fitted to these rows, by which recalibration is judged; see `DecisionLoss`.

    Returns
    -------
    DecisionCurve

    Raises
    ------
    ValueError
        Thresholds outside [0, 1), that do not increase, or none; what `read` refuses; models of unequal length.

    Notes
    -----
    No map is fitted for the net benefit, whose standard errors are therefore exact. Bands hold the true curve, that of
    the population, at all thresholds at once: in 93 to 97 % of 300 simulated sets of 1,000 rows, over .05 to .6 and
    over .01 to .99, of one model, against treating everybody, and of two models (docs/measurements/decisions.md, by
    `benchmarks/decision_coverage.py`). Rows must be independent, or belong to `groups` that are.

    References
    ----------
    Vickers, Elkin (2006), Decision curve analysis: a novel method for evaluating prediction models, Medical Decision
    Making 26. https://doi.org/10.1177/0272989X06295361
    Van Calster, Vickers (2015), Calibration of risk prediction models: impact on decision-analytic performance, Medical
    Decision Making 35. https://doi.org/10.1177/0272989X14547233

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> risk = rng.beta(1, 3, 2000)
    >>> y = rng.random(2000) < risk
    >>> curve = fot.risk.decision_curve(y, {"risk": risk, "doubled": np.minimum(2 * risk, 1)}, thresholds=[0.2, 0.3])
    >>> difference = curve.difference("risk", "doubled")
    >>> bool((difference.band_low > 0).all())
    True
    """
    by_name: dict[str, Any] = {}
    reading = reading_of(options)
    y_prob = by_model(y_true, y_prob)
    if is_of_models(y_prob):
        samples: Any = read_models(y_true, y_prob, **reading)
    else:
        samples = read(y_true, y_prob, **reading)
    if samples.kind == "model":
        by_name = {str(name): sample for name, sample in samples.items()}
    elif samples.kind is None:
        by_name = {MODEL: samples}
    if not by_name or not all(map(is_one_sample, by_name.values())):
        raise ValueError(
            "y_true must be labels of two classes with one column of scores of all rows, got "
            f"{'samples by ' + samples.kind if samples.kind else 'the scores of several classes'}"
        )
    Repeats.of(next(iter(by_name.values()))).warn()
    drawn: dict[str, Any] = {name: options[name] for name in ("level", "random_state")}
    return DecisionCurve.of(by_name, thresholds, family=family, **drawn)
