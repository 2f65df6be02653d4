"""The stack of calibrators that see features: a mixture by held-out likelihood, or the scores as they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.base import clone

from fitontest.families.base import Solution
from fitontest.families.mixing import likelihood_weights
from fitontest.families.registry import family_name, register, seeded
from fitontest.numerics.adjusting import line_of
from fitontest.numerics.losses import LOG_LOSS_EPS
from fitontest.numerics.standard_error import mean_and_error
from fitontest.results.checks import as_list, brief, meant
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import FloatArray
from fitontest.segments.features.folds import DealtRows, dealt_rows
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.maps.base import FeatureMap
from fitontest.segments.maps.by_segment import SegmentOffsetsMap
from fitontest.segments.maps.mixture import FeatureMixtureMap
from fitontest.segments.maps.reach import cut_logits
from fitontest.segments.repair.boosted import Boosted
from fitontest.segments.repair.certified_offsets import CertifiedOffsets
from fitontest.segments.repair.feature_family import FeatureFamily
from fitontest.segments.repair.logits import reach_of
from fitontest.segments.repair.segment_offsets import SegmentOffsets
from fitontest.segments.repair.settings import check_at_least, check_number
from fitontest.segments.repair.tree_of_maps import TreeOfMaps


class Unchanged(FeatureFamily):
    """Leave the scores as they are."""

    def fit_map(self, rows: FeatureRows) -> SegmentOffsetsMap:  # noqa: ARG002 - rows of any kind
        """Return the identity."""
        return SegmentOffsetsMap(0.0, 1.0, (), np.empty(0))


class LogisticLine(FeatureFamily):
    """Recalibrate by a logistic line in the logit of the score, near the identity where rows are few."""

    def fit_map(self, rows: FeatureRows) -> SegmentOffsetsMap:
        """Return the line."""
        reach = reach_of(rows.logits)
        intercept, slope = line_of(rows.y, cut_logits(rows.logits, reach), rows.w)
        return SegmentOffsetsMap(intercept, slope, (), np.empty(0), reach)


IDENTITY = "identity"
ROUNDING = 1e-12  # of a mean log likelihood: what a mixture of the same probabilities may seem to gain
KNOWN: dict[str, type[FeatureFamily]] = {
    IDENTITY: Unchanged,
    "logistic": LogisticLine,
    "segment_offsets": SegmentOffsets,
    "tree_of_maps": TreeOfMaps,
    "boosted": Boosted,
    "certified_offsets": CertifiedOffsets,
}
MEMBERS = (IDENTITY, "logistic", "segment_offsets", "tree_of_maps", "boosted")


@register("multicalibrated")
@take_descriptions(FeatureFamily, "Attributes", "Notes")
@dataclass(eq=False, repr=False)
class Multicalibrated(FeatureFamily):
    """Calibrate scores in all segments that the features make, where held-out rows show that it helps.

    q(x, p) = sum_j w_j q_j(x, p), a mixture of the calibrators below.

    Each member predicts the rows of each fold by a fit that was made wholly without them, q_ij. With l_ij = q_ij where
    y_i = 1 and 1 - q_ij where y_i = 0, the weights maximise sum_i log(sum_j w_j l_ij) over w_j >= 0 with sum_j w_j = 1.

    The scores stay as they are unless held-out rows ask for a change: the mixture must gain log likelihood over them,
    by more than 1.645 standard errors. By chance that happens in one of twenty sets of calibrated scores, at most.

    Parameters
    ----------
    members : list of str or FeatureFamily, optional
        What is mixed: "identity", the scores as they are; "logistic", a logistic line in logit p; "segment_offsets",
        "tree_of_maps", "boosted" and "certified_offsets", which have classes of their own. By default all but the last.
        Without "boosted" the map can be written as SQL.
    folds : int, default=5
        Folds of the held-out predictions, and of what members choose by folds. Rows of one group share a fold, and so
        do copies of a row.
    least_gain : float, default=1.645
        Standard errors by which the mixture must gain; 0 where it must gain anything, and -inf for the mixture always.

    Attributes
    ----------
    map_ : FeatureMixtureMap
        Of the members of positive weight.
    weights_ : dict of str to float
        The weight of each member in the map.
    members_ : dict of str to FeatureMap
        The maps of the members, fitted to all rows.
    gain_, gain_se_ : float
        Mean log likelihood of held-out rows under the mixture less that of the scores, with weights of the other folds,
        and its standard error; of rows in groups that of sums over groups.
    kept_identity_ : bool
        Whether the scores stay as they are.

    Notes
    -----
    Members that choose something by folds choose it for each held-out fold by the other folds alone. What sees no label
    is the same for all folds: where numbers are cut, and where logits of scores of exactly 0 or 1 are.

    Likelihoods are those of probabilities clipped to [1e-6, 1 - 1e-6]. A mixture of probabilities of forecasters that
    know different things is not calibrated as a rule (Gneiting, Ranjan 2013); these members know the same rows.

    Where nothing can be held out, as of two rows, the scores stay as they are.

    References
    ----------
    Hebert-Johnson, Kim, Reingold, Rothblum (2018), Multicalibration: calibration for the computationally-identifiable
    masses, ICML. https://doi.org/10.48550/arXiv.1711.08513
    Wolpert (1992), Stacked generalization, Neural Networks 5(2). https://doi.org/10.1016/S0893-6080(05)80023-1
    van der Laan, Polley, Hubbard (2007), Super learner, Statistical Applications in Genetics and Molecular Biology
    6(1). https://doi.org/10.2202/1544-6115.1309

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> X = {"age": rng.integers(20, 80, 2000), "sex": rng.choice(["f", "m"], 2000)}
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < np.where(X["sex"] == "f", p**0.5, p)
    >>> calibrator = fot.segments.Multicalibrated(["identity", "logistic", "segment_offsets"]).fit(X, y, scores=p)
    >>> {name: round(weight, 1) for name, weight in calibrator.weights_.items()}, calibrator.kept_identity_
    ({'identity': 0.0, 'logistic': 0.0, 'segment_offsets': 1.0}, False)
    >>> calibrator.predict_proba({"age": [50, 50], "sex": ["f", "m"]}, scores=[0.36, 0.36])[:, 1].round(1)
    array([0.6, 0.4])
    """

    mixes: ClassVar[bool] = True
    members: Sequence[str | FeatureFamily] | None = None
    folds: int = 5
    least_gain: float = 1.645

    def check_settings(self) -> None:
        """Raise ValueError for a parameter that cannot be used."""
        super().check_settings()
        check_at_least(self.folds, "folds", 2)
        check_number(self.least_gain, "least_gain")
        for member in self.make_members().values():
            member.check_settings()

    def make_members(self) -> dict[str, FeatureFamily]:
        """Return the members by name, not yet fitted.

        Raises
        ------
        ValueError
            `members` that are no list, hold what is no member, or one name twice.
        """
        found: dict[str, FeatureFamily] = {}
        for member in as_list(MEMBERS if self.members is None else self.members, "members"):
            if isinstance(member, FeatureFamily):
                name, made = family_name(member), clone(member)
            elif isinstance(member, str) and member in KNOWN:
                name, made = member, seeded(KNOWN[member](), self.random_state)
            else:
                raise ValueError(
                    f"members must be among {', '.join(map(repr, KNOWN))}, or families of features; got "
                    f"{brief(member)}{meant(member, KNOWN)}"
                )
            if name in found:
                raise ValueError(f"members must have different names, got {name!r} twice")
            found[name] = made
        return found

    def solve(self, rows: FeatureRows) -> Solution:
        """Return the mixture of the members, or the identity, and how it was decided.

        Parameters
        ----------
        rows : FeatureRows
            Checked rows in an order of their own.
        """
        dealt = dealt_rows(rows, self.folds, self.random_state)
        members = self.make_members()
        if dealt.folds < 2:
            maps: dict[str, FeatureMap] = {name: member.fit_map(rows) for name, member in members.items()}
            return _solution(maps, None, (np.nan, np.nan))
        found = {name: member.solve_and_hold_out(dealt) for name, member in members.items()}
        likelihoods = _likelihoods([values for _, values in found.values()], dealt.rows.y)
        gain = _gain(dealt, likelihoods)
        weights = likelihood_weights(likelihoods, dealt.rows.w) if self._gains_enough(*gain) else None
        return _solution({name: solution.map for name, (solution, _) in found.items()}, weights, gain)

    def _gains_enough(self, gain: float, error: float) -> bool:
        """Return whether the mixture takes the place of the scores."""
        if np.isinf(self.least_gain):
            return self.least_gain < 0.0
        return gain - ROUNDING > self.least_gain * error


def _solution(maps: dict[str, FeatureMap], weights: FloatArray | None, gain: tuple[float, float]) -> Solution:
    """Return the mixture; without weights the identity."""
    if weights is None:
        fitted = FeatureMixtureMap(np.ones(1), (SegmentOffsetsMap(0.0, 1.0, (), np.empty(0)),))
        of_members = {name: float(name == IDENTITY) for name in maps}
    else:
        parts = tuple(one for one, weight in zip(maps.values(), weights.tolist(), strict=True) if weight > 0.0)
        fitted = FeatureMixtureMap(weights[weights > 0.0], parts)
        of_members = dict(zip(maps, weights.tolist(), strict=True))
    results = {"weights_": of_members, "members_": maps, "gain_": gain[0], "gain_se_": gain[1]}
    return Solution(fitted, None, {**results, "kept_identity_": weights is None})


def _likelihoods(values: Sequence[FloatArray], y: FloatArray) -> FloatArray:
    """Return the probability that each member gave to the label of each row, shape (n, members)."""
    q = np.clip(np.stack(values, axis=1), LOG_LOSS_EPS, 1.0 - LOG_LOSS_EPS)
    return np.where(y[:, None] > 0.5, q, 1.0 - q)


def _gain(dealt: DealtRows, likelihoods: FloatArray) -> tuple[float, float]:
    """Return the mean gain of held-out rows under mixtures that other folds weighed, and its standard error."""
    rows = dealt.rows
    gains = -np.log(_likelihoods([rows.q], rows.y)[:, 0])
    for held_out in dealt.held_out():
        weights = likelihood_weights(likelihoods[~held_out], rows.w[~held_out])
        gains[held_out] += np.log(likelihoods[held_out] @ weights)
    return mean_and_error(gains, rows.w, rows.w2, rows.group_codes)
