"""A measure: the plug-in unit of errors.

A measure is a frozen dataclass of its settings that knows one thing: how to make an `Estimate` of a sample. Class-wise
means, null distributions, scorers, the command line and the titles of diagrams are made of the estimate, so that a new
kind of error is one class with one method.
"""

from abc import abstractmethod
from dataclasses import is_dataclass, replace
from typing import Any, ClassVar, Literal, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.redraws import Labels, Redraws, value_or_nan
from fitontest.families.registry import registry as families
from fitontest.measures.words import Described
from fitontest.results.companions import modules_of
from fitontest.results.registry import Registry, Shelf, are_among, changed_settings, plain_setting, settings_of
from fitontest.results.typing import FloatArray, RandomState

M = TypeVar("M", bound="Measure")
Unit: TypeAlias = Literal[
    "fraction", "nats", "count", "correlation", "standard deviations", "ratio", "logits", "chi-square", "deviance"
]


class ExactBounds(Protocol):
    """Between which values an error lies by labels alone, whatever an interval of redrawn labels says."""

    @property
    def least(self) -> float:
        """The smallest value."""

    @property
    def most(self) -> float:
        """The largest value."""

    def around(self, low: float, high: float) -> tuple[float, float]:
        """Return the ends of an interval by redrawn labels, cut or widened."""


class Measure(Described):
    """Base class of the measures, such as calibration errors and losses.

    Subclasses are frozen dataclasses of their settings.

    A subclass defines ``estimate(sample)``. It may define ``target(sample, c)``: what it would be if c were the true
    probabilities; and ``values(redraws, labels)``, the values of many labellings of the same predictions, where these
    can share work: nulls and intervals are faster then, and must be the same. One class serves scores and whole
    distributions where its formula does: ``sample.classes`` is None for scores, and lists the classes else.

    Attributes
    ----------
    classes : {"two", "any", "both"}
        Of the class: whether `estimate` takes a sample of two classes, or predictions of any number, with
        ``reduction="canonical"``, or both.
    unit : {"fraction", "nats", "count", "correlation", "standard deviations", ...}
        Of the class. An error is a fraction, never percent.
    greater_is_better : bool
        Of the class: False for errors.
    two_sided : bool
        Of the class: whether values on either side of what calibrated scores would have speak against calibration. True
        for measures of accuracy, which calibrated scores do not have best.
    has_own_interval : bool
        Of the class: whether the interval of the value has a formula (`Evidence.interval_at`), so that no labels are
        redrawn for it.
    ideal : float or None
        Of the class: the value of calibrated scores, where it is one and not 0 as of errors: 1 of a slope. None:
        there is none, or errors say it.
    is_seminorm : bool
        Of the class: whether the value is a seminorm of the residuals w (y - p), as the ECCE is, so that the noise of
        simulated labels gives its interval without a calibration map (`fitontest.uncertainty.seminorm`).
    uses_labels : bool
        Of the class: whether the value depends on the labels. Without them there is nothing to redraw, and no null.
    words : Words
        How it is called, where that does not follow from its fields: a class attribute such as
        ``words = fot.measures.Words(title="SKCE")``, or a property.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import fitontest as fot
    >>> @dataclass(frozen=True)
    ... class Bias(fot.Measure):
    ...     "Mean label less mean score."
    ...     def estimate(self, sample):
    ...         mean_score = float(sample.w @ sample.p / sample.total)
    ...         return fot.measures.Estimate.of(self, sample, sample.base_rate - mean_score)
    >>> round(fot.evaluate([0, 1, 1], [0.2, 0.5, 0.7], measures=[Bias()])["Bias"].value, 3)
    0.2
    """

    classes: ClassVar[Literal["two", "any", "both"]] = "two"
    unit: ClassVar[Unit] = "fraction"
    greater_is_better: ClassVar[bool] = False
    two_sided: ClassVar[bool] = False
    has_own_interval: ClassVar[bool] = False
    is_seminorm: ClassVar[bool] = False
    ideal: ClassVar[float | None] = None
    uses_labels: ClassVar[bool] = True
    total: Any = None  # the norm, of distances and of bins
    fitting: Any = None  # of the distance from the map of a family how that is fitted, a `Fitting`

    @abstractmethod
    def estimate(self, sample: Any) -> Any:
        """Return the estimate of the measure on checked data.

        They are a `ScoreSample`; a measure of any number of classes takes a `SimplexSample` too.

        Parameters
        ----------
        sample : ScoreSample or SimplexSample
            Checked scores, labels and weights.
        """

    def target(self, sample: Any, c: FloatArray) -> float | None:  # noqa: ARG002 - the signature of every measure
        """Return what the measure would be if c, of shape (n,), were the true probabilities of the rows.

        None where that is not defined: then there is a null distribution, but no interval.

        Parameters
        ----------
        sample : ScoreSample or SimplexSample
            As for `estimate`.
        c : array of shape (n,), or (n, K) of whole distributions
            Probabilities in [0, 1], in the order of the sample's rows.
        """
        return None

    def ceiling(self, sample: Any) -> float:  # noqa: ARG002 - the signature of every measure
        """Return the largest value that `target` can have, whatever the true probabilities: intervals end there.

        By default it is infinite: nothing is known, and nothing is cut. A bound will do where the largest value itself
        is hard to find.

        Parameters
        ----------
        sample : ScoreSample or SimplexSample
            As for `estimate`.
        """
        return float(np.inf)

    def exact_bounds(  # the signature of every measure
        self,
        sample: Any,  # noqa: ARG002
        entries: Entries,  # noqa: ARG002
        direction: FloatArray,  # noqa: ARG002
        level: float,  # noqa: ARG002
    ) -> "ExactBounds | None":
        """Return between which values the labels alone leave `target`, exactly; None where nothing is known.

        Parameters
        ----------
        sample : ScoreSample
            As for `estimate`.
        entries : Entries
            Its pooled rows, with scores that increase.
        direction : array of shape (m,)
            A map at the entries that is known to fit the labels.
        level : float in (0, 1)
            With (1 + level) / 2 of which each end holds.
        """
        return None

    def for_sample(self, sample: Any) -> "Measure":  # noqa: ARG002 - the signature of every measure
        """Return the measure with the settings that it leaves to the kind of data.

        Parameters
        ----------
        sample : ScoreSample or SimplexSample
            As for `estimate`.
        """
        return self

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the values for several sets of labels of the same predictions, shape (B,).

        A subclass sets this where labellings can share work; by default each is estimated by itself.

        Parameters
        ----------
        redraws : Redraws
            The points: of scores ``redraws.entries`` has them sorted, with their weights and the rows behind each; of
            distributions ``redraws.sample`` has them.
        labels : int array of shape (m, B), or sequence of Labelling
            Of scores how many of the rows behind each entry are positive, in each labelling; of distributions for each
            labelling how many rows of which entry have which label.
        """
        return np.array([value_or_nan(self, sample) for sample in redraws.samples(labels)])

    @property
    def takes_fits(self) -> bool:
        """Whether the value is computed from the calibration map alone (`values_of_fits`)."""
        return False

    def values_of_fits(self, redraws: Redraws, c_hat: FloatArray) -> FloatArray:
        """Return the values of calibration maps that are fitted already, so that several measures share the fits.

        Parameters
        ----------
        redraws : Redraws
            Of scores.
        c_hat : array of shape (G, B)
            The map of each labelling at the distinct scores. It must stay as it is.

        Returns
        -------
        array of shape (B,)
        """
        raise NotImplementedError(f"{type(self).__name__} is not computed from maps alone")

    @property
    def chain_measure(self) -> "Measure | None":
        """The measure by whose size the truths of the interval are chosen; None: this one.

        Measures of one family with the same one have intervals of the same redrawn labels, and share their fits.
        """
        return None

    @property
    def is_raw(self) -> bool:
        """Whether label noise adds to the value, so that it is called raw beside a debiased one."""
        return False

    @property
    def is_family_error(self) -> bool:
        """Whether it is the distance of the predictions from a calibration map: tables list these by family."""
        return False

    @property
    def of_bins(self) -> bool:
        """Whether it is a total of the losses of bins."""
        return False

    @property
    def in_percent(self) -> bool:
        """Whether values are printed as percent: shares of rejected predictions are."""
        return False

    @property
    def squared(self) -> bool:
        """Whether the value is a square, so that its root is an error on the scale of the scores."""
        return False

    @property
    def name(self) -> str:
        """The registered name that stands for these settings, with those that differ, such as ``tce(alpha=0.1)``."""
        return self.words.name or registry.describe(self, self.made_as)

    @property
    def made_as(self) -> str | None:
        """The registered name by which it was made, if by one."""
        return self.__dict__.get("_made_as")

    @property
    def held_fixed(self) -> str:
        """What stays the same for other labels, such as a given calibration map; "" where all is fitted anew."""
        return ""

    def bind(self, sample: Any) -> Any:
        """Return the data with the columns that the settings name, such as the bin of each row, and no others.

        These are the facts of the rows.

        So bound it may be sorted and redrawn. By default settings hold nothing of the kind.

        Parameters
        ----------
        sample : ScoreSample or SimplexSample
            As for `estimate`, in the order in which its rows were given.
        """
        return sample.keep_facts()

    @property
    def refits(self) -> bool:
        """Whether everything behind the measure is fitted anew to other labels."""
        return not self.held_fixed

    def labelled(self, name: str) -> Self:
        """Return the measure under another name, if it can have one.

        Parameters
        ----------
        name : str
            What tables are to call it.
        """
        return self.changed(label=name) if "label" in settings_of(self) and name != self.name else self

    def seeded(self, random_state: RandomState) -> "Measure":
        """Return the measure with that seed for what it draws, if it draws anything.

        Parameters
        ----------
        random_state : int, RandomState or None
            The seed. A measure without such a setting stays as it is.
        """
        if "random_state" not in settings_of(self):
            return self
        return self.changed(random_state=random_state)

    def changed(self, **settings: Any) -> Self:
        """Return the measure with other settings, made as it was.

        Parameters
        ----------
        **settings
            New values of its settings by name.

        Raises
        ------
        TypeError
            A setting that the measure does not have.
        """
        measure: Self = replace(self, **settings)  # type: ignore[type-var]
        return _made_as(measure, self.made_as)


_CANONICAL_MODULES = {  # of measures of any number of classes
    "brier": "fitontest.measures.accuracy",
    "canonical": "fitontest.measures.plug_in",
    "canonical_kernel": "fitontest.measures.kernel",
    "log_loss": "fitontest.measures.accuracy",
    "proper_error": "fitontest.measures.proper_error",
    "simplex_ece": "fitontest.measures.binned",
}
_MODULES = {  # names, and the files in which they are registered
    "ace": "fitontest.measures.binned",
    "auc": "fitontest.measures.auc",
    "auc_v": "fitontest.measures.validity",
    "brier": "fitontest.measures.accuracy",
    "ece": "fitontest.measures.binned",
    "ecce": "fitontest.measures.cumulative",
    "eci": "fitontest.measures.eci",
    "gce": "fitontest.measures.binned",
    "hosmer_lemeshow": "fitontest.measures.hosmer_lemeshow",
    "kernel": "fitontest.measures.kernel",
    "ks": "fitontest.measures.cumulative",
    "log_loss": "fitontest.measures.accuracy",
    "mce": "fitontest.measures.binned",
    "observed_expected": "fitontest.measures.observed_expected",
    "pairs": "fitontest.measures.pairs",
    "pde": "fitontest.measures.binned",
    "plug_in": "fitontest.measures.plug_in",
    "probabilistic_count": "fitontest.measures.probabilistic_count",
    "probabilistic_kendall_tau": "fitontest.measures.probabilistic_kendall_tau",
    "rmse": "fitontest.measures.accuracy",
    "smooth_ece": "fitontest.measures.smooth_ece",
    "tce": "fitontest.measures.binned",
    "within_bin": "fitontest.measures.within_bin",
    "zero_one": "fitontest.measures.accuracy",
}


class MeasureRegistry(Registry[type[Measure], Measure]):
    """The registry of measures, which remembers by which of several names for one class a measure was made."""

    def make(self, name: str, /, **settings: Any) -> Measure:
        """Return the measure of this name, made with these settings.

        Parameters
        ----------
        name : str
            One of `names`, or an alias.
        **settings
            Of the measure, beside or instead of those that the name stands for.

        Returns
        -------
        Measure
            For ``measures=`` and `make_scorer`.

        Raises
        ------
        ValueError
            For an unknown name, with the known ones; for a setting that the measure does not have; for a value that it
            refuses.

        Examples
        --------
        >>> import fitontest as fot
        >>> mce = fot.measures.make("mce", n_bins=15)
        >>> round(mce.estimate(fot.ScoreSample([0, 1, 1], [0.2, 0.6, 0.9])).value, 3)
        0.4
        """
        return _made_as(super().make(name, **settings), name)

    def describe(self, measure: Measure, preferred: str | None = None) -> str:
        """Return the registered name that implies most of the settings, with those that it does not imply.

        Settings are those that are not the defaults (`changed_settings`); tce(alpha=0.1) is an example. Of names that
        imply as many the preferred one is taken, or else that which says most, defaults included.
        """
        every, changed = settings_of(measure), changed_settings(measure)
        names = [name for name, known in self._entries.items() if known is type(measure)]
        implied = {name: self._settings[name] for name in names if are_among(self._settings[name], every)}
        said = {name: sum(key in changed for key in settings) for name, settings in implied.items()}
        if not implied:
            name = type(measure).__name__
        elif preferred in implied and said[preferred] == max(said.values()):
            name = preferred
        else:
            name = max(implied, key=lambda name: (said[name], len(implied[name])))
        rest = {key: value for key, value in changed.items() if key not in implied.get(name, {})}
        settings = ", ".join(f"{key}={plain_setting(value)!r}" for key, value in rest.items())
        return f"{name}({settings})" if settings else name

    def _check(self, name: str, entry: object) -> None:
        super()._check(name, entry)
        if entry.__init__ is not object.__init__ and not is_dataclass(entry):  # type: ignore[misc]
            raise TypeError(f"the measure {name!r} must be a dataclass, for its settings to be known; got {entry!r}")


registry = MeasureRegistry(
    "measure",
    Measure,  # type: ignore[type-abstract]
    Shelf({**_MODULES, **modules_of("measures")}, "fitontest.measures", "two", lambda cls: cls.classes != "any"),
    Shelf(_CANONICAL_MODULES, "fitontest.measures", "any", lambda cls: cls.classes != "two"),
)
register = registry.register
unregister = registry.unregister
names = registry.names
make = registry.make


def _made_as(measure: M, name: str | None) -> M:
    """Return the measure after a note of its name: of several names for the same settings the one that was given."""
    object.__setattr__(measure, "_made_as", name)
    return measure


def read_measure(measure: object, random_state: RandomState = 0) -> Measure:
    """Return the measure that a user passed: a name, of which it is made with that seed, or a measure."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        if measure not in registry and measure in families.names("two"):
            raise ValueError(
                f"measure must not be the name of a family: write fot.measures.PlugIn({measure!r}), got {measure!r}"
            )
        return make(measure).seeded(random_state)
    hint = "; a class must be called, to make an instance" if isinstance(measure, type) else ""
    raise ValueError(f"measure must be the name of a measure or a Measure, got {measure!r}{hint}")
