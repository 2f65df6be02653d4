"""Any registered measure as a function call: its name, its settings, and the arguments that all of them share."""

from typing import Any

from fitontest.data.reading.read import read
from fitontest.evaluation.measuring import measure_one
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure, read_measure, registry
from fitontest.results.checks import brief, not_among
from fitontest.results.options import spell_out
from fitontest.results.typing import ArrayInput
from fitontest.uncertainty.options import Options, split_options


@spell_out(of=Options)
def measure(
    y_true: ArrayInput,
    y_prob: ArrayInput | str | Measure = None,
    name: str | Measure | None = None,
    **settings: Any,
) -> Estimate:
    """Return one number about labels and scores, by name: an error, a loss, or any other registered measure.

    ``measure(y, p, "brier")`` is the Brier score, ``measure(y, p, "kernel", length_scale=0.1)`` the kernel error, and
    ``measure(sample, "brier")`` the Brier score of what `read` returned.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes, or of any number with `reduction`; or what `read` returns, without `y_prob`; or a file or
        a data frame whose columns `label` and `prob` name.
    y_prob : array-like of shape (n,)
        Predicted probabilities of the positive class, in [0, 1]; of shape (n, K) with `reduction`.
    name : str or Measure
        One of ``fot.measures.names()``, or a measure; it must be there. Without `y_prob` it may be the second argument.
    **settings
        Settings of the measure, such as ``n_bins=15`` of "ece"; none beside a measure that is made.

    Returns
    -------
    Estimate
        ``float()`` of it is the value.

    Raises
    ------
    ValueError
        For an unknown name, with the known ones; for a setting that the measure does not have, with those it has; for
        data that `read` refuses.

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 0, 1, 0, 1, 1, 1, 1], [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9]
    >>> for name in ("ece", "brier", "log_loss", "auc"):
    ...     print(name, round(float(fot.measure(y, p, name)), 3))
    ece 0.25
    brier 0.135
    log_loss 0.436
    auc 0.9
    >>> round(float(fot.measure(y, p, "ece", n_bins=2)), 3)
    0.15
    """
    reading, redrawing = split_options({option: settings.pop(option) for option in Options.__annotations__})
    seed = redrawing.random_state
    if name is None and isinstance(y_prob, str | Measure):
        y_prob, name = None, y_prob
    if "by" in settings:
        raise ValueError("by must be left out, since one estimate is of all rows; evaluate takes segments")
    if isinstance(name, str):
        chosen = registry.make(name, **settings).seeded(seed) if settings else read_measure(name, seed)
    elif not isinstance(name, Measure):
        raise ValueError(not_among(name, registry, "name", ", or a Measure"))
    elif settings:
        raise ValueError(f"settings must be left out where name is a measure that is made, got {brief(settings)}")
    else:
        chosen = name
    return measure_one(chosen, read(y_true, y_prob, **reading), redrawing)
