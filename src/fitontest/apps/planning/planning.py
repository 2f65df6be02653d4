"""Planning an evaluation: which evaluator to trust at a number of rows, and how many rows an answer needs.

Labels are simulated on scores like the user's, under truths of known error (`fitontest.simulation.distortions`), and
evaluated with several families, as `calibration_error` with an interval would evaluate them. That refits the family to
450 redrawn labellings in each evaluation. Here evaluations share them (`Depth` says how many there are):

- the scores of a size are drawn once, for all evaluations of that size;
- where the rows of a pilot belong together, sizes are made of whole groups of it, and labels are redrawn with the
  dependence that its residuals show;
- the p-values compare with one null distribution for each size and family;
- the evaluations under one truth are put in groups of like observed errors. In each group the labels of the middle
  evaluation make the chain of truths from which the intervals of the group come (`fitontest.uncertainty.intervals`):
  towards the spline that is fitted to them, in steps of its observed error. The spread at a step is that over all
  groups.

The direction must come from labels: towards the planted truth itself, the intervals of a family that cannot follow it
would be up to 1.7 times as wide, and its debiased error would miss the bias that it has.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import Any, NamedTuple, Unpack

import numpy as np

from fitontest.apps.planning.evaluation_plan import EvaluationPlan, Unreachable
from fitontest.apps.planning.pilot import Pilot, unlabelled
from fitontest.apps.planning.prospect import ALPHA, CALIBRATED, NULL_DRAWS, Prospect
from fitontest.data.arrays import as_matrix, as_scores
from fitontest.data.columns import Names
from fitontest.data.read import one_sample
from fitontest.data.reading.read import READ, read
from fitontest.data.redraws import SHIFT, STILL
from fitontest.data.score_redraws import BLOCK, ScoreRedraws
from fitontest.families.base import Family
from fitontest.families.binned import Slope1
from fitontest.families.listed import read_families
from fitontest.families.spline import Spline
from fitontest.measures.measure import Measure
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.norms import l1
from fitontest.numerics.random import check_seed, one_seed
from fitontest.numerics.threads import one_blas_thread
from fitontest.results.checks import as_list, brief, is_real, is_whole
from fitontest.results.exceptions import without_warnings
from fitontest.results.options import spell_out
from fitontest.results.progress import track
from fitontest.results.typing import ArrayInput, FloatArray, IntArray, RandomState
from fitontest.simulation.distortions import DISTORTIONS
from fitontest.uncertainty.chain import Redrawn
from fitontest.uncertainty.inversion import find_growing, invert
from fitontest.uncertainty.null import check_draws
from fitontest.uncertainty.options import Options

DEFAULT_N = 1000
DEFAULT_BASE_RATE = 0.5
SIZES = 4  # n, 2 n, 4 n, 8 n
FEWEST = 10  # rows
MOST = 100_000  # rows, up to which sizes are doubled where a requirement is not met
LEAST_DRAWS = 20
STEPS = (0.0, 0.7, 1.1, 1.8)  # true errors of the chain, in units of the observed error
LEVEL = 0.95
REASONS = {
    "classwise": "the scores of each class are evaluated by themselves; plan with the column of each class",
    "canonical": "errors are planted along the scores of one column, and distributions have no such order",
    "binary": "pass the column of the positive class",
}
WIDTH = 0.02  # what is wanted where nothing is said: an interval of +-.01,
POWER = 0.8  # and errors that are found in 80 % of evaluations
SCORES, LABELS, NULL, CHAIN = range(4)  # the streams of random numbers


@dataclass(frozen=True)
class Depth:
    """How much is simulated for a plan.

    Attributes
    ----------
    families : tuple
        Evaluators, where none are named. The quick ones follow errors of any shape. Those of few parameters, such as
        beta, do not see waves, and would need ten times the rows, and most of the time, to find them.
    draws : int
        Evaluations of each family, size and truth, where no number is named.
    groups : int
        Of evaluations of like observed errors, each with a chain of truths.
    chain_draws : int
        Labels drawn from each truth of a chain.
    width_noise : float
        Standard deviation of a mean width between seeds, as a share of it (`benchmarks/plan_depth.py`).
    """

    families: tuple[str | Family, ...]
    draws: int
    groups: int
    chain_draws: int
    width_noise: float

    def noise_at(self, draws: int) -> float:
        """Return the noise of widths with other numbers of evaluations; it grows where there are fewer."""
        return self.width_noise * max(1.0, sqrt(self.draws / draws))


QUICK = Depth(("spline", "isotonic", "slope1"), 100, 10, 10, 0.09)
THOROUGH = Depth((Slope1(15), "slope1", "isotonic", "platt", "beta", "spline"), 200, 20, 20, 0.05)


@spell_out(
    "interval",
    "level",
    "null_draws",
    "sample_weight",
    "weights",
    "labels",
    "pos_label",
    "label",
    "prob",
    "weight",
    draws=None,
)
def plan_evaluation(
    p: ArrayInput = None,
    y_prob: ArrayInput = None,
    *,
    n: int | Iterable[int] | None = None,
    base_rate: float | None = None,
    errors: Iterable[float] = (0, 0.02, 0.05),
    families: Iterable[str | Family] | None = None,
    width: float | None = None,
    power: float | None = None,
    thorough: bool = False,
    **options: Unpack[Options],
) -> EvaluationPlan:
    r"""Return how many test rows a calibration error of a wanted precision takes, and which method measures it best.

    It says how well families evaluate calibration at several numbers of rows.

    Labels are simulated under truths of known calibration error and evaluated: what does the plug-in error say, what
    the debiased one, how wide is the 95 % interval, and how often is the p-value of calibration at most .05?

    =============  =========================================================================================
    scores         true probabilities of mean :math:`\bar c = \bar p` and error mean abs(c - p)
    =============  =========================================================================================
    calibrated     c = p, the truth of error 0
    overconfident  logit c = (1 - s) logit p + b, with s in [0, 1]
    wavy           logit c = logit p + s sin(3 pi r(p)) + b, with s in [0, 2] and r(p) the share of lower scores
    =============  =========================================================================================

    s is solved for the wanted error of the very scores, b for the mean. Errors that no s has are reported as such.

    Parameters
    ----------
    p : array-like of shape (m,) or (m, K), or what `read` returned, optional
        Scores in [0, 1] such as those to be evaluated; of what was read the labels are not looked at. Sizes are drawn
        from them with replacement. By default they are drawn from a beta distribution, see `base_rate`.
    y_prob : array-like of shape (m,) or (m, K), optional
        The scores of a pilot sample whose labels are given first, as in ``plan_evaluation(y_true, y_prob)``. The labels
        are checked and have no part in the plan, but that with `groups` they tell how alike labels of a group are.
    n : int or iterable of int, optional
        Number of rows, at least 10; n, 2 n, 4 n and 8 n are tried. By default that of `p`, or 1000. Several numbers are
        tried as they are.
    base_rate : float in (0, 1), optional
        Mean of the beta distribution of the scores without `p`, by default 0.5. The smaller of its two shapes is 1:
        uniform scores for 0.5; Beta(1, (1 - r) / r) for a rate r below, whose standard deviation nearly is r.
    errors : iterable of float, default=(0, .02, .05)
        True calibration errors, in [0, 1).
    families : iterable of str or Family, optional
        Evaluators. By default spline, isotonic and slope1, which follow errors of any shape; if `thorough` also slope1
        with 15 bins, platt and beta. Each evaluation fits pl and pl3 anew, which takes long.
    width : float in (0, 1), optional
        How many rows make the mean width of the interval at most that, whatever the error? Without `n`, `width` and
        `power` it is .02, an interval of +-.01, and `power` .8.
    power : float in (0, 1), optional
        How many rows make the share of evaluations whose p-value is at most .05 at least that, for each positive error?
    draws : int, optional
        Simulated evaluations of each family, size and truth, at least 20. By default 100, if `thorough` 200.
    thorough : bool, default=False
        Whether to simulate about four times as much, which takes about ten times as long with its six families, and
        halves the simulation error of the widths.
    reduction : {"confidence"}, optional
        That `p` is a matrix of shape (m, K), of which the largest score of each row is evaluated. Of each class against
        the rest there is a plan for each column, and of all classes at once none: errors are planted along scores.

    Returns
    -------
    EvaluationPlan
        A table with a record for each family, size, error and truth.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Notes
    -----
    Where `width` or `power` is not met at the sizes tried, families go on with twice the rows until it is, or until
    100,000 rows would be exceeded. The rows needed are interpolated on the logarithm of the size (widths on theirs too)
    and rounded up to two digits. The range printed beside them holds what other seeds would give in about 95 %:
    for power by the variance of a share of `draws` evaluations and of the 5 % point of 400 drawn null values, for
    widths by their spread between seeds, 9 % of the width (5 % if `thorough`; `benchmarks/plan_depth.py`).

    Of a pilot with groups whole groups are drawn, with replacement, as many as come nearest to each size, and labels
    have the correlation that the labels of the pilot show, of which evaluations are taken to know. An evaluation of
    real rows learns it anew.

    The evaluations of one family, size and truth share the simulated labels behind their p-values and intervals
    (`fitontest.apps.planning.planning`). Mean widths so found, if `thorough`, were within 15 % of those of
    `calibration_error` in 29 of 30 cases of 300 to 2000 rows, and 17 % off in one. The scores of a size are drawn once:
    with few events the figures vary with them, and so with `random_state`.

    Examples
    --------
    >>> import fitontest as fot
    >>> plan = fot.apps.plan_evaluation(n=[100, 800], errors=[0.1], families=["isotonic"], power=0.8, draws=40)
    >>> [(row["n"], row["truth"], round(row["power"], 1)) for row in plan.rows()]
    [(100, 'overconfident', 0.4), (100, 'wavy', 0.5), (800, 'overconfident', 1.0), (800, 'wavy', 1.0)]
    >>> plan.needed[0].met, 100 < plan.needed[0].n < 800
    (True, True)
    """
    given: dict[str, Any] = {name: options[name] for name in ("draws", "random_state", "reduction", "groups")}
    planned = _Options(p, n, base_rate, errors, families, width, power, y_prob=y_prob, thorough=thorough, **given)
    with one_blas_thread():  # many small products: threads would wait for each other
        return planned.simulate()


class Truth(NamedTuple):
    """A true error, and the distortion that has it; `CALIBRATED` for none."""

    error: float
    distortion: str


@dataclass(frozen=True, eq=False)
class _Scores:
    """The scores of one size, and labels drawn for them. Evaluators see the same labels."""

    n: int
    redraws: ScoreRedraws
    seed: int
    spline: Spline = field(default_factory=Spline)
    planted: dict[Truth, FloatArray | None] = field(default_factory=dict)

    @property
    def p(self) -> FloatArray:
        return self.redraws.entries.p

    @property
    def w(self) -> FloatArray:
        return self.redraws.entries.w

    def truth(self, truth: Truth) -> FloatArray | None:
        """Return the true probabilities, None where the distortion does not reach the error."""
        if truth not in self.planted:
            distortion = DISTORTIONS.get(truth.distortion)
            self.planted[truth] = self.p if distortion is None else distortion.plant(self.p, self.w, truth.error)
        return self.planted[truth]

    def directions(self, c: FloatArray, draws: int, chosen: IntArray) -> list[FloatArray]:
        """Return the splines, at the scores, that are fitted to some of the labellings drawn from a truth."""
        entries = self.redraws.entries
        labels = np.empty((len(entries), chosen.size), dtype=np.intp)
        for block in self.redraws.blocks(draws):
            inside = (chosen >= block.start) & (chosen < block.stop)
            if inside.any():
                labels[:, inside] = self._draw([c], block, LABELS)[0][:, chosen[inside] - block.start]
        with without_warnings():
            splines = self.spline.fit_many(entries, labels).at()[entries.place]
        near = np.asarray(sigmoid(logit(self.p, 1e-16) + SHIFT))
        return [g if self.distance(g) >= STILL else near for g in splines.T]

    def distance(self, c: FloatArray) -> float:
        """Return the calibration error if c is the truth."""
        return l1(np.abs(c - self.p), self.w)

    def errors_of(self, measure: Measure, truths: Sequence[FloatArray], draws: int, *stream: int) -> FloatArray:
        """Return the plug-in errors of labels drawn from each truth, shape (truths, draws)."""
        blocks = []
        with without_warnings():  # of labels that nobody gave
            for block in self.redraws.blocks(draws):
                labels = np.concatenate(self._draw(truths, block, *stream), axis=1)
                values = measure.values(self.redraws, labels)
                blocks.append(values.reshape(len(truths), -1))
        return np.concatenate(blocks, axis=1)

    def errors_of_chains(self, measure: Measure, chains: Sequence[Sequence[FloatArray]], draws: int) -> FloatArray:
        """Return the errors of chains of truths, each with labels of its own, shape (chains, truths, draws)."""
        entries, columns = self.redraws.entries, len(chains[0]) * draws
        together = max(1, BLOCK // (len(entries) * columns))
        values = []
        with without_warnings():
            for start in range(0, len(chains), together):
                labels = [
                    each
                    for j, truths in enumerate(chains[start : start + together], start)
                    for each in self._draw(truths, range(draws), CHAIN, j)
                ]
                values.append(measure.values(self.redraws, np.concatenate(labels, axis=1)))
        return np.concatenate(values).reshape(len(chains), -1, draws)

    def _draw(self, truths: Sequence[FloatArray], block: range, *stream: int) -> list[IntArray]:
        return list(self.redraws.draw(truths, block, (self.seed, self.n, *stream)))


@dataclass(frozen=True, eq=False)
class _Simulation:
    """Evaluations with one family of scores of one size."""

    name: str
    measure: PlugIn
    scores: _Scores
    draws: int
    depth: Depth

    @cached_property
    def refitted(self) -> Measure:
        """What is fitted to the redrawn labels in the place of the family."""
        return Redrawn(self.measure, self.scores.redraws, self.scores.seed).refitted

    @cached_property
    def null(self) -> FloatArray:
        """The errors of calibrated scores."""
        return np.asarray(self.scores.errors_of(self.refitted, [self.scores.p], NULL_DRAWS, NULL)[0])

    def prospect(self, truth: Truth) -> Prospect:
        """Return what evaluations are like under a truth."""
        prospect = Prospect(self.name, self.scores.n, truth.error, truth.distortion)
        c = self.scores.truth(truth)
        if c is None:
            return prospect
        raw = self.scores.errors_of(self.measure, [c], self.draws, LABELS)[0]
        bias, spread = float(raw.mean()) - truth.error, float(raw.std(ddof=1))
        prospect = replace(prospect, raw_bias=bias, raw_sd=spread, power=float(np.mean(self._p_values(raw) <= ALPHA)))
        inverted = self._invert(raw, c)
        if inverted is None:
            return prospect
        debiased, widths = inverted
        bias, spread = float(debiased.mean()) - truth.error, float(debiased.std(ddof=1))
        return replace(prospect, debiased_bias=bias, debiased_sd=spread, width=float(widths.mean()))

    def _p_values(self, raw: FloatArray) -> FloatArray:
        as_large = self.null.size - np.searchsorted(np.sort(self.null), raw, side="left")
        return np.asarray((1 + as_large) / (1 + self.null.size))

    def _invert(self, raw: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray] | None:
        """Return the debiased errors and the widths of the intervals, None where redrawn labels do not vary."""
        groups = np.array_split(np.argsort(raw, kind="stable"), self.depth.groups)
        middle = np.array([group[group.size // 2] for group in groups])
        directions = self.scores.directions(c, raw.size, middle)
        least = float(np.median(self.null))
        scales = np.maximum(raw[middle], least)
        if not (scales.min() > 0.0 and all(self.scores.distance(g) > 0.0 for g in directions)):
            return None
        chains = [self._chain(g, scale) for g, scale in zip(directions, scales, strict=True)]
        redrawn = self.scores.errors_of_chains(self.refitted, [chain[1:] for chain in chains], self.depth.chain_draws)
        means = redrawn.mean(axis=2)
        residuals = np.concatenate(list(redrawn - means[:, :, None]), axis=1)
        size = residuals.shape[1]
        residuals *= np.sqrt((size - 1.0) / (size - len(chains)))  # a mean was taken off for each chain
        found = np.empty((2, raw.size))
        for chain, mean, group in zip(chains, means, groups, strict=True):
            errors = np.array([self.scores.distance(truth) for truth in chain])
            values = np.concatenate((self.null[None, :size], mean[:, None] + residuals))
            rising = find_growing(errors)
            for i in group:
                one = invert(float(raw[i]), errors[rising], values[rising], LEVEL, self.scores.redraws.degrees)
                if one is None:
                    return None
                found[:, i] = one.estimate, one.high - one.low
        return found[0], found[1]

    def _chain(self, g: FloatArray, scale: float) -> list[FloatArray]:
        """Return truths on the way to g and beyond, of errors in units of `scale`."""
        whole_way = self.scores.distance(g)
        scale = max(scale, whole_way)  # the family may see little of the error
        return [self.scores.redraws.truth(g, step * scale / whole_way) for step in STEPS]


@dataclass(eq=False)
class _Options:
    """The arguments of `plan_evaluation`, which are read: each holds what it means."""

    p: Any
    n: Any
    base_rate: Any
    errors: Any
    families: Any
    width: float | None
    power: float | None
    draws: Any
    random_state: RandomState
    reduction: str | None = None
    y_prob: Any = None
    thorough: bool = False
    groups: Any = None

    def __post_init__(self) -> None:
        if self.p is None and self.y_prob is not None:
            raise ValueError("y_prob must be given as p where there are no labels: plan_evaluation(y_prob)")
        if self.y_prob is None and self.groups is not None:
            raise ValueError(
                "groups must be left out without labels, which tell how alike the rows of a group are, as in "
                f"plan_evaluation(y_true, y_prob, groups=...); got {brief(self.groups)}"
            )
        if self.p is None and self.reduction is not None:
            raise ValueError(f"reduction must be left out without p, got {self.reduction!r}")
        if not isinstance(self.thorough, bool | np.bool_):
            raise ValueError(f"thorough must be True or False, got {self.thorough!r}")
        self.depth = THOROUGH if self.thorough else QUICK
        self.own_scores = self.p is not None
        if self.own_scores:
            self.p = _read_pilot(self.p, self.reduction, self.y_prob, self.groups)
            if self.base_rate is not None:
                rule = "base_rate must be left out where p is given, whose mean it is"
                raise ValueError(f"{rule}; got {self.base_rate!r}")
            self.base_rate = float(self.p.p.mean())
        else:
            self.base_rate = _in_unit_interval(self.base_rate, "base_rate") or DEFAULT_BASE_RATE
        self.errors = _read_errors(self.errors)
        self.draws = self.depth.draws if self.draws is None else self.draws
        check_draws(self.draws, "draws", LEAST_DRAWS)
        if self.power is not None and not any(self.errors):
            raise ValueError(f"power must be left out unless there are positive errors, got {self.power!r}")
        check_seed(self.random_state)  # refuses what is no seed
        self.seed = one_seed(self.random_state)
        self.sizes = _read_sizes(self.n, self.p.p.size if self.own_scores else DEFAULT_N)
        for size in self.sizes if self.own_scores else ():
            self.p.check_size(size)
        families = self.depth.families if self.families is None else as_list(self.families, "families")
        self.families = read_families(families, "families", self.seed)
        if self.n is None and self.width is None and self.power is None:
            self.width, self.power = WIDTH, POWER if any(self.errors) else None
        self.width = _in_unit_interval(self.width, "width")
        self.power = _in_unit_interval(self.power, "power")

    def simulate(self) -> EvaluationPlan:
        """Return the plan, with more rows for families that do not meet a requirement yet."""
        pending = {name: PlugIn(family) for name, family in self.families.items()}
        scores = [self._scores(size) for size in self.sizes]
        prospects = self._prospects(pending, scores)
        while True:
            plan = self._plan(prospects, scores)
            size = 2 * scores[-1].n
            pending = {name: measure for name, measure in pending.items() if not plan.meets(name)}
            if not pending or size > MOST:
                return plan
            scores.append(self._scores(size))
            prospects += self._prospects(pending, scores[-1:])

    def _prospects(self, measures: Mapping[str, PlugIn], scores: Sequence[_Scores]) -> list[Prospect]:
        simulations = [
            _Simulation(*named, of_size, self.draws, self.depth) for of_size in scores for named in measures.items()
        ]
        steps = [(simulation, truth) for simulation in simulations for truth in self._truths()]
        return [simulation.prospect(truth) for simulation, truth in track(steps, "simulations")]

    def _truths(self) -> list[Truth]:
        return [Truth(error, name) for error in self.errors for name in (DISTORTIONS if error > 0.0 else (CALIBRATED,))]

    def _scores(self, n: int) -> _Scores:
        rng = np.random.default_rng([self.seed, SCORES, n])
        if self.own_scores:
            return _Scores(n, self.p.drawn(n, rng), self.seed)
        smaller = min(self.base_rate, 1.0 - self.base_rate)
        scores = rng.beta(self.base_rate / smaller, (1.0 - self.base_rate) / smaller, n)
        return _Scores(n, unlabelled(scores), self.seed)

    def _plan(self, prospects: list[Prospect], scores: list[_Scores]) -> EvaluationPlan:
        missed = [
            Unreachable(one.n, truth.error, truth.distortion, DISTORTIONS[truth.distortion].largest_error(one.p, one.w))
            for one in scores
            for truth in self._truths()
            if one.truth(truth) is None
        ]
        return EvaluationPlan(
            prospects=tuple(prospects),
            unreachable=tuple(missed),
            base_rate=self.base_rate,
            own_scores=self.own_scores,
            width=self.width,
            power=self.power,
            draws=int(self.draws),
            width_noise=self.depth.noise_at(self.draws),
            groups=self.p.known if self.own_scores else None,
        )


def _read_pilot(p: Any, reduction: Any, y_prob: Any, groups: Any) -> Pilot:
    """Return the scores of rows that were read, of a matrix its largest ones, or those of a column.

    They are in increasing order, so that the order of the rows has no part in what is drawn of them.
    """
    if reduction not in (None, "confidence"):
        reason = REASONS.get(str(reduction), "other reductions are not known")
        raise ValueError(f"reduction must be None or 'confidence', got {reduction!r}: {reason}")
    if y_prob is not None:
        return _pilot_of(read(p, y_prob, reduction=reduction, groups=groups))
    if isinstance(p, READ):
        return _pilot_of(p)
    scores = as_scores(p, "p") if reduction is None else as_matrix(p, "p")[0].max(axis=1)
    if scores.size == 0:
        raise ValueError("p must not be empty, got 0 rows")
    return Pilot(np.sort(scores))


def _pilot_of(data: Any) -> Pilot:
    """Return the scores of rows or cells that were read, each as often as its weight counts it."""
    return Pilot.of(one_sample(read(data), Names(y_true="p")))


def _read_sizes(n: object, default: int) -> tuple[int, ...]:
    """Return the sizes to try, in increasing order."""
    first = default if n is None else n
    sizes = [int(first) << k for k in range(SIZES)] if is_whole(first) else as_list(first, "n")
    for size in sizes:
        if not is_whole(size) or size < FEWEST:
            named = " (of the rows of p; give n for other sizes)" if n is None else ""
            raise ValueError(f"n must be a whole number of rows, at least {FEWEST}; got {size!r}{named}")
    return tuple(sorted({int(size) for size in sizes}))


def _read_errors(errors: object) -> tuple[float, ...]:
    """Return the errors in increasing order."""
    listed = as_list(errors, "errors")
    for error in listed:
        if not (is_real(error) and 0.0 <= error < 1.0):
            raise ValueError(f"errors must be numbers in [0, 1), got {error!r}")
    return tuple(sorted({float(error) for error in listed}))


def _in_unit_interval(value: object, name: str) -> float | None:
    """Return an option between 0 and 1, or None where it was left out."""
    if value is None:
        return None
    if not (is_real(value) and 0.0 < value < 1.0):
        raise ValueError(f"{name} must be a number in (0, 1), got {value!r}")
    return float(value)
