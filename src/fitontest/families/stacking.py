"""Stacking: the convex mixture of several families' maps that predicts held-out labels best."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from fitontest.data.entries import Entries, in_tie_order
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.base import Family, Solution, shares_fits
from fitontest.families.few_rows import remembered
from fitontest.families.fits import Fits, SharedFits
from fitontest.families.listed import read_families
from fitontest.families.mixing import likelihood_weights, square_weights
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.multiclass.either import EitherFamily
from fitontest.families.multiclass.one_vs_rest import read_class_families
from fitontest.families.registry import register
from fitontest.maps.mixture import MixtureMap
from fitontest.maps.multiclass.mixture import MulticlassMixtureMap
from fitontest.numerics.losses import LOG_LOSS_EPS
from fitontest.numerics.random import check_cv
from fitontest.results.checks import check_not_negative, choose, is_whole
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import FloatArray, IntArray, RandomState

ROOM = 2**22  # held-out values of labellings that are fitted at once
MEMBERS = ("identity", "platt", "beta", "isotonic", "spline")
ALL_MEMBERS = (*MEMBERS, "pl", "pl3")
CLASS_MEMBERS = ("identity", "temperature", "vector", "one_vs_rest", "shared_isotonic")


@register("stacking")
@dataclass(eq=False, repr=False)
class Stacking(EitherFamily):
    """Mix the calibration maps of several families by how well they predict held-out labels.

    That is c_hat(p) = sum_j w_j c_j(p).

    Each of the J members is fitted to all rows, and predicts each fold by a map that was fitted without it, q_ij. With
    q_i = sum_j w_j q_ij the weights maximise sum_i log(q_i if y_i = 1 else 1 - q_i) + (prior / J) sum_j log w_j over
    w_j >= 0 with sum_j w_j = 1, to a duality gap of 1e-10 for each row. For the Brier score they minimise
    sum_i (y_i - q_i)^2 + (prior / J) sum_j w_j^2. Rows count by their weights; importances, of any scale, as
    (sum of weights)^2 / sum of squared weights rows in all.

    A column of scores means two classes, a matrix with K >= 2 columns K classes: the members are then families of
    several classes, or families of two fitted to each class against the rest, and q_i is the probability of the label.
    For the Brier score (y_i - q_i)^2 is half the sum over the classes, which of two classes is the same.

    Parameters
    ----------
    families : "all" or list of str, Family or MulticlassFamily, optional
        The members. By default identity, platt, beta, isotonic and spline, and of K classes identity, temperature,
        vector, one_vs_rest (of beta) and shared_isotonic. With the identity among them the map of calibrated scores is
        nearer to it; without it less of a small error is hidden. A fit takes a tenth of a second. "all" adds pl and
        pl3, which cost two seconds at first (jax), and gain a little on scores that crowd at 0 and 1; of K classes it
        is the default.
    cv : int, default=10
        Folds of the held-out predictions, at most n. Members that are averages over the same folds, as "pl" is, make
        these predictions on the way.
    loss : {"log_loss", "brier"}, default="log_loss"
        What the held-out predictions of the mixture minimise. Predictions are clipped to [1e-6, 1 - 1e-6].
    prior : float, default=1.0
        Total weight of pseudo-rows that draw the weights to equal ones; of log loss each member has its share of rows
        that it alone predicts, so that no member has weight 0, and a row that the others are sure of, and wrong, costs
        less. 0 is maximum likelihood.
    random_state : int, RandomState or None, default=0
        Seed of the folds, and of the members given by name.

    Attributes
    ----------
    map_ : MixtureMap or MulticlassMixtureMap
        The weighted mean of the maps of the members.
    classes_ : array of shape (K,)
        Of K classes: the class of each column.
    members_ : dict of str to Family or MulticlassFamily
        The members by name, fitted to all rows.
    weights_ : array
        Their weights, of sum 1.
    n_parameters_ : float
        Those of the members, averaged with the weights, and one for each member of positive weight but the first.

    Notes
    -----
    All members see the same scores, so that a mixture of their maps is a map. That linear pools of calibrated forecasts
    are not calibrated (Gneiting, Ranjan 2013) is said of forecasts that know different things.

    Values of slope-1 bins beyond 0 and 1 are clipped for the weights, and not in the map.

    The number of segments of pl is chosen on the folds that then are predicted, for it is the mean over folds
    that chooses. Of a single row nothing can be held out: all members weigh the same.

    References
    ----------
    Wolpert (1992), Stacked generalization, Neural Networks 5(2). https://doi.org/10.1016/S0893-6080(05)80023-1
    van der Laan, Polley, Hubbard (2007), Super learner, Statistical Applications in Genetics and Molecular Biology
    6(1). https://doi.org/10.2202/1544-6115.1309

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> stacking = fot.families.Stacking(["identity", "platt", "beta"]).fit(p, rng.random(2000) < p**2)
    >>> dict(zip(stacking.members_, stacking.weights_.round(2).tolist()))
    {'identity': 0.02, 'platt': 0.68, 'beta': 0.3}
    >>> stacking.predict([0.3, 0.5, 0.7]).round(1)
    array([0.1, 0.2, 0.5])
    """

    evaluator = False
    mixes = True

    families: Sequence[str | Family | MulticlassFamily] | Literal["all"] | None = None
    cv: int = 10
    loss: Literal["log_loss", "brier"] = "log_loss"
    prior: float = 1.0
    random_state: RandomState = 0

    def _count_parameters(self) -> float:
        """Return the parameters of the members, averaged with their weights, and the weights but one."""
        pairs = zip(self.weights_, self.members_.values(), strict=True)
        present = [weight * member.n_parameters_ for weight, member in pairs if weight > 0]
        return float(sum(present)) + len(present) - 1.0

    def make_members(self) -> dict[str, Family]:
        """Return the members of two classes by name, not yet fitted, and check the other settings.

        Raises
        ------
        ValueError
            A setting that is refused; `families` that are no list, or hold no family.
        """
        return read_families(self._listed(ALL_MEMBERS if self._takes_all else MEMBERS), "families", self.random_state)

    def make_class_members(self) -> dict[str, MulticlassFamily]:
        """Return the members of several classes, as `make_members` returns those of two."""
        return read_class_families(self._listed(CLASS_MEMBERS), "families", self.random_state)

    @property
    def _takes_all(self) -> bool:
        return isinstance(self.families, str) and self.families == "all"

    def _listed(self, default: Sequence[str]) -> Sequence[str | Family | MulticlassFamily]:
        """Return the families as they were listed, and check the other settings."""
        check_cv(self.cv)
        choose(self.loss, ("log_loss", "brier"), "loss")
        check_not_negative(self.prior, "prior")
        listed = default if self.families is None or self._takes_all else self.families
        if not isinstance(listed, Sequence | np.ndarray):
            raise ValueError(f"families must be a list of names of families or of families, got {listed!r}")
        if len(listed) == 0:
            raise ValueError("families must hold at least one family, got none")
        return listed

    def stand_in(self) -> Family | None:
        """Return a faster mixture, where a member has a faster approximation."""
        members = list(self.make_members().values())
        quick = [member.stand_in() or member for member in members]
        if all(one is other for one, other in zip(quick, members, strict=True)):
            return None
        different = list({str(member): member for member in quick}.values())
        return clone(self).set_params(families=different)  # type: ignore[no-any-return]

    def solve(self, sample: Any) -> Solution:
        """Return the mixture, its members and their weights."""
        return sample.either(self._solve_scores, self._solve_classes)(sample)  # type: ignore[no-any-return]

    def _solve_scores(self, sample: ScoreSample) -> Solution:
        members = self.make_members()
        sample, folds = sample.in_folds(self.cv, self.random_state) if sample.n > 1 else (sample, [])
        held_out = []
        for member in members.values():
            solution, values = member.solve_and_hold_out(sample, folds)
            member.adopt(solution)
            held_out.append(values)
        weights = self.weigh(np.stack(held_out, axis=1), sample.rows.y, sample.rows.w / sample.row_weight)
        fitted = MixtureMap(weights, tuple(member.map_ for member in members.values()))
        return Solution(fitted, None, {"members_": members, "weights_": weights})

    def _solve_classes(self, rows: SimplexSample) -> Solution:
        members = self.make_class_members()
        folds = rows.in_folds(self.cv, self.random_state)[1]
        held_out = np.stack([rows.hold_out(member, folds) for member in members.values()], axis=-1)
        weights = self.weigh(held_out[: len(rows) if folds else 0], rows.codes, rows.w / rows.row_weight)
        maps = tuple(member.fit_sample(rows).map_.for_classes(None) for member in members.values())
        return Solution(MulticlassMixtureMap(weights, maps), None, {"members_": members, "weights_": weights})

    def fit_many(self, entries: Entries, positives: IntArray) -> Fits:
        """Return the mixtures fitted to each of many sets of labels, at once if all members are."""
        if not self._is_shared(entries):
            return super().fit_many(entries, positives)
        return SharedFits(self.fit_map, entries, positives, self._values)

    def _values(self, entries: Entries, positives: IntArray) -> FloatArray:
        return remembered(entries, str(self), positives, lambda labels: self._mixed(entries, labels))

    def _mixed(self, entries: Entries, positives: IntArray) -> FloatArray:
        """Return these values, of labellings whose folds are in common."""
        values = np.zeros((entries.distinct_p.size, positives.shape[1]))
        members = list(self.make_members().values())
        most = max(1, ROOM // (len(entries) * len(members)))
        for first in range(0, positives.shape[1], most):
            columns = slice(first, first + most)
            labels = positives[:, columns]
            weights = self._weigh_columns(members, entries, labels)
            for member, weight in zip(members, weights, strict=True):
                values[:, columns] += weight * member.fit_many(entries, labels).at()
        return values

    def _is_shared(self, entries: Entries) -> bool:
        """Tell whether all members are fitted to many labellings at once, and predict folds by maps of the other rows.

        The labellings must have folds in common: entries are rows, and the order within ties is that of y.
        """
        rows = entries.single and entries.behind is None and (entries.placed or not entries.tied)
        if not rows or len(entries) < 2 or not is_whole(self.random_state):
            return False
        return all(shares_fits(member) and _holds_out_plainly(member) for member in self.make_members().values())

    def _weigh_columns(self, members: list[Family], entries: Entries, positives: IntArray) -> FloatArray:
        """Return the weights for each labelling, shape (members, B)."""
        labels = in_tie_order(entries, positives)
        held_out = np.empty((len(members), *labels.shape))
        with without_warnings():  # the fits to all rows warn of the same data
            for rows, others in self._folds(entries):
                kept = np.delete(labels, rows, axis=0)
                for j, member in enumerate(members):
                    held_out[j, rows] = member.fit_many(others, kept).at(entries.p[rows])
        w = entries.w / entries.unlabelled.row_weight
        columns = (self.weigh(held_out[:, :, b].T, labels[:, b].astype(np.float64), w) for b in range(labels.shape[1]))
        return np.stack(list(columns), axis=1)

    def _folds(self, entries: Entries) -> list[tuple[IntArray, Entries]]:
        """Return the rows of each fold, and the entries of all others."""
        key = ("stacking", self.cv, self.random_state)
        if key not in entries.memory:
            folds = entries.hold_out(self.cv, self.random_state)
            entries.memory[key] = [(rows, entries.without(rows)) for rows in folds]
        return entries.memory[key]  # type: ignore[no-any-return]

    def weigh(self, held_out: FloatArray, labels: NDArray[Any], w: FloatArray) -> FloatArray:
        """Return the weights under which predictions of held-out rows have the least loss.

        Parameters
        ----------
        held_out : array of shape (n, members) or (n, K, members)
            The members' predictions of rows that they were not fitted to: scores, or probabilities of all classes.
        labels : array of shape (n,)
            0 or 1; of probabilities of all classes the columns of the labels.
        w : array of shape (n,)
            Weights of the rows, in units of one row.

        Returns
        -------
        weights : array of shape (members,)
            At least 0; they add up to 1.
        """
        n_members = held_out.shape[-1]
        if len(held_out) < 2:
            return np.full(n_members, 1.0 / n_members)
        log = self.loss == "log_loss"
        terms, w = (_likelihoods(held_out, labels), w) if log else _residuals(held_out, labels, w)
        if self.prior > 0:
            terms = np.concatenate((terms, np.eye(n_members)))
            w = np.concatenate((w, np.full(n_members, self.prior / n_members)))
        return likelihood_weights(terms, w) if log else square_weights(terms, w)


def _likelihoods(held_out: FloatArray, labels: NDArray[Any]) -> FloatArray:
    """Return the probability that each member gave to what happened in each row, shape (n, members)."""
    if held_out.ndim == 3:
        return np.asarray(np.clip(held_out[np.arange(labels.size), labels], LOG_LOSS_EPS, 1.0 - LOG_LOSS_EPS))
    q, y = np.clip(held_out, LOG_LOSS_EPS, 1.0 - LOG_LOSS_EPS), labels[:, None]
    return np.asarray(y * q + (1.0 - y) * (1.0 - q))


def _residuals(held_out: FloatArray, labels: NDArray[Any], w: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the labels less the predictions, of all classes one after another, and the weight of each residual."""
    if held_out.ndim == 2:
        return np.asarray(labels[:, None] - np.clip(held_out, LOG_LOSS_EPS, 1.0 - LOG_LOSS_EPS)), w
    _, n_classes, n_members = held_out.shape
    missed = np.eye(n_classes)[labels][:, :, None] - held_out
    return missed.reshape(-1, n_members), np.repeat(w / 2.0, n_classes)


def _holds_out_plainly(member: Family) -> bool:
    """Tell whether a member has no folds of its own, of which it would make the held-out predictions on the way."""
    return type(member).solve_and_hold_out is Family.solve_and_hold_out
