"""The monitor of a stream of batches: is the model still calibrated? An answer that may be looked at every day."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from fitontest.data.weights import WeightType
from fitontest.families.base import Family, check_family
from fitontest.maps.base import CalibrationMap
from fitontest.monitor.batches.intake import read_update
from fitontest.monitor.batches.layout import Layout
from fitontest.monitor.evidence.evidence import MonitorEvidence
from fitontest.monitor.nulls.hypothesis import read_null
from fitontest.monitor.proposal import Proposal, propose
from fitontest.monitor.settings import Settings, read_families, read_fraction, read_run_length
from fitontest.monitor.state import MonitorState
from fitontest.monitor.stored.as_made import check_as_made
from fitontest.monitor.stored.file import locked, read_state, write_state
from fitontest.monitor.stored.state import state_of_dict, state_to_dict
from fitontest.results.checks import brief, check_level, false_alarms
from fitontest.results.serialising import as_text, from_text
from fitontest.results.typing import ArrayInput, Label

RUN_LENGTH = 1000.0


class Monitor:
    r"""Monitor the calibration of a model by evidence that may be looked at after every batch, for ever.

    The evidence E begins at 1. Bettors turn scores p into rates q by what they learnt from earlier batches, and a batch
    multiplies the evidence of each by

        product over rows of (q / p_0)^y ((1 - q) / (1 - p_0))^(1 - y),

    p_0 being the rate nearest to q that the hypothesis allows: q itself within the tolerance, p where scores are to be
    exact. Whatever the true rates are, if the hypothesis allows them the mean of this factor is at most 1 whatever was
    before, and the probability that the mixture of all bettors ever reaches 1 / alpha is at most alpha = 1 - `level`
    (Ville's inequality). log E is what the mixture gained in log loss over the nearest rates that are allowed, on
    labels that it had not seen.

    Bets are made on a shift of all logits, on a line in them, on shifts by band of the score, and on maps of `families`
    that are fitted to cells of the past, in which a batch counts 0.8 of the one after it.

    Parameters
    ----------
    level : float in [0.5, 1), default=0.95
        With which probability there is no false alarm at any time in the life of a model: .95 means 5 % false alarms.
    max_error : float in (0, 1), optional
        What is tested is then "in every batch the mean of |c - p| over its rows is at most this", c being the true
        rates; with segments also in every one of them. Rows of a group count as one row together, and importances by
        their size. Without it every row is to be right, to `tolerance`.
    tolerance : float, default=0.1
        By how much the true rate c of each row may differ from its score p. What is tested is that every c is within;
        which one it is may differ between rows and batches. 0 is exact calibration. With `max_error` or `reference`
        there is no tolerance.
    tolerance_unit : {"ratio", "probability", "logit"}, default="ratio"
        The unit of `tolerance`. In ratio |c - p| <= tolerance min(p, 1 - p): at every score O:E of the label that is
        rarer there is within 1 - tolerance to 1 + tolerance; so it is then of any rows together, as `ratio` of
        `fitontest.uncertainty.Tolerance` has it. In probability |c - p| <= tolerance. In logits c is within `tolerance`
        of p after both are turned into logits.
    reference : ScoreSample, Cells or tuple (y_true, y_prob), optional
        Rows of a time when the model was accepted. What is tested is then that the true rates still lie between the
        limits that these rows leave to them at all scores at once, if rates never fall with the score. Half of alpha
        is spent on the limits, so that an alarm needs 2 / alpha. Its rows must be independent, and of weights that
        count rows.
    by : str, sequence of str or bool, optional
        The columns of segments, where batches are data frames or files; of others True, for batches without segments to
        be refused. By default the first batch says whether there are any. Each segment has evidence of its own.
    groups : str or bool, optional
        The column of what rows belong to, such as a patient, where batches are data frames or files; else as for `by`.
    families : sequence of str, or dict from str to float, default=("spline", "isotonic")
        The names of the families whose maps bet; a dict has their prior weights, beside 0.3 for the bet that scores are
        right and 0.42 for the others. One that cannot be fitted to the past bets that scores are right.
    weights : {"auto", "counts", "importances"}, default="auto"
        What weights of rows mean. Whole numbers that count independent rows ("counts") multiply the evidence as so many
        rows; importances are divided by `max_weight`. "auto": importances if there is one, else weights are refused.
    max_weight : float, optional
        The largest weight that a row can have, declared before it is seen. An exponent above 1 would not be valid.
        `Cells` hold sums alone: they are refused where the sum of squares over the sum of the weights of a cell is
        above it, but a larger weight among many small ones does not show there.
    reduction : {"confidence", "binary", "classwise"}, optional
        How a matrix of scores is read, see `calibration_error`. With "classwise" each class is a segment.
    labels : sequence, optional
        The class of each column of scores.
    pos_label : label, optional
        The positive class, needed unless labels are booleans, {0, 1} or {-1, 1}.
    exact : bool, default=False
        Whether each distinct score of a batch is a cell of its own. By default scores share cells of 1/64 in
        probability and in logit, which is valid as well.
    once : bool, default=False
        Whether rows of a group that an earlier batch had are left out, in place of an error: a group enters once.
    run_length : float, default=1000
        CUSUM, the evidence since the likeliest onset, is said to be large from this value on, which calibrated scores
        reach once in so many batches or more rarely, on average. No alarm is made of it.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Notes
    -----
    Given the scores of a batch and all that was before, its labels must be independent. Scores may drift, depend on
    each other and on earlier labels. What breaks this: rows that belong together (say so by ``groups=``), shocks
    beyond the tolerance that all rows of a batch share, labels that come sooner for one class than for the other (wait
    until all labels of a batch are there), and cutting the rows into other batches after a look at the labels.

    The exact hypothesis, `tolerance=0`, is refuted by any trifle, once there are rows enough: say by `tolerance` or
    `max_error` what would matter.

    References
    ----------
    Ville (1939), Etude critique de la notion de collectif, Gauthier-Villars.
    Ramdas, Grunwald, Vovk, Shafer (2023), Game-theoretic statistics and safe anytime-valid inference, Statistical
    Science 38(4). https://doi.org/10.1214/23-STS894
    Arnold, Henzi, Ziegel (2023), Sequentially valid tests for forecast calibration, Annals of Applied Statistics 17(3).
    https://doi.org/10.1214/22-AOAS1697

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> monitor = fot.monitor.Monitor()
    >>> for month in range(12):
    ...     z = rng.normal(-1, 1, 1000)
    ...     c = 1 / (1 + np.exp(-z - (0.5 if month >= 6 else 0)))
    ...     evidence = monitor.update(rng.random(1000) < c, 1 / (1 + np.exp(-z)))
    >>> monitor.alarm, monitor.alarm_since
    (True, 7)
    """

    def __init__(
        self,
        level: float = 0.95,
        *,
        max_error: float | None = None,
        tolerance: float | None = None,
        tolerance_unit: str = "ratio",
        reference: Any = None,
        by: str | Sequence[str] | bool | None = None,
        groups: str | bool | None = None,
        families: Any = ("spline", "isotonic"),
        weights: WeightType = "auto",
        max_weight: float | None = None,
        reduction: str | None = None,
        labels: Sequence[Label] | None = None,
        pos_label: Label | None = None,
        exact: bool = False,
        once: bool = False,
        run_length: float = RUN_LENGTH,
    ) -> None:
        alpha = false_alarms(check_level(level))
        max_error = None if max_error is None else read_fraction(max_error, "max_error")
        settings = Settings(
            alpha,
            read_null(
                tolerance,
                tolerance_unit,
                reference,
                max_error,
                alpha,
                reduction=reduction,
                labels=labels,
                pos_label=pos_label,
            ),
            max_error,
            read_families(families),
            read_run_length(run_length),
            layout=Layout(by, groups, weights, max_weight, reduction, labels, pos_label, exact, once),  # type: ignore[arg-type]
        )
        self._state = MonitorState.first(settings)

    def update(
        self,
        y_true: Any,
        y_prob: ArrayInput = None,
        *,
        batch: str | int | date | None = None,
        time: str | float | date | None = None,
        sample_weight: ArrayInput = None,
        groups: ArrayInput = None,
        by: Any = None,
        label: str | None = None,
        prob: str | Sequence[str] | None = None,
        weight: str | None = None,
    ) -> MonitorEvidence:
        """Add a batch, and return the evidence so far; a batch that is refused changes nothing.

        What the first batch with rows holds (segments, groups, weights, the columns of a table), all later ones must
        hold. Columns that it named need not be named again.

        Parameters
        ----------
        y_true : array-like of shape (n,), data frame, str, Path, Cells, ClassCells, dict of Cells, or a sample
            Labels; or a data frame or file, whose columns `label` and `prob` name; or cells, in a dict by segment; or
            what `read` returns. A batch without rows changes no evidence, but has a record.
        y_prob : array-like of shape (n,) or (n, K), optional
            Predicted probabilities of the positive class in [0, 1], or with a reduction those of all classes.
        batch : str, int or date, optional
            The name of the batch; by default its number. No name is taken twice.
        time : datetime, date, number or str, optional
            When the batch was, not before the batches that were added earlier. Numbers, ISO dates and ISO times, as
            texts too, are compared as these, a date and a time by their days, other texts as texts.
        sample_weight : array-like of shape (n,), optional
            Weights, see `weights` and `max_weight` of the monitor. A row of weight 0 is absent.
        groups : array-like of shape (n,), or str, optional
            Which rows of the batch belong together: ids, or of a frame or file the name of a column. A row then counts
            as 1 / the rows of its group in the batch (in a segment: in the segment), so that evidence holds whatever
            the dependence inside groups. Groups must be texts, numbers, dates, times, UUIDs or tuples of these (5 and
            "5" are one group); of each the monitor keeps a digest of 8 bytes for ever.
        by : array-like of shape (n,) or (n, k), dict of columns, str or list of str, optional
            The segment of each row; of a frame or file names of columns.
        label, prob, weight : str, optional
            Of a frame or file the columns of labels, scores (with a reduction a list of them) and weights.

        Returns
        -------
        MonitorEvidence
            What all batches so far say.

        Raises
        ------
        ValueError
            Naming the argument, the rule and what was found: what `read` refuses; a name that was there before; the
            rows of a batch that was counted before under another name (unless labels like these come up by chance
            with a probability above 1e-9); a time before that of the last batch; segments, groups, weights or columns
            that earlier batches had and this one lacks, or the other way round; groups of an earlier batch without
            ``once=True``; weights without a rule, or above `max_weight`.

        Examples
        --------
        >>> import polars, fitontest as fot
        >>> monitor = fot.monitor.Monitor(by="region")
        >>> frame = polars.DataFrame({"y": [0, 1, 1], "p": [0.2, 0.4, 0.9], "region": ["a", "b", "b"]})
        >>> evidence = monitor.update(frame, label="y", prob="p", batch="2026-09", time="2026-09-30")
        >>> list(monitor.update(frame[:0], batch="2026-10").segments)
        ['a', 'b']
        """
        columns = {"sample_weight": sample_weight, "groups": groups, "by": by}
        columns |= {"label": label, "prob": prob, "weight": weight}
        self._state = self._state.after(read_update(self._state, y_true, y_prob, batch=batch, time=time, **columns))
        return self.evidence

    @property
    def evidence(self) -> MonitorEvidence:
        """The evidence so far."""
        return MonitorEvidence.of(self._state)

    @property
    def alarm(self) -> bool:
        """Whether there was an alarm so far."""
        return self.evidence.alarm

    @property
    def alarm_since(self) -> int | None:
        """The place, from 0, of the batch of the first alarm."""
        return self.evidence.alarm_since

    def propose(self, family: str | Family = "spline") -> Proposal:
        """Return a calibration map fitted to the discounted past, and what maps of its family would have gained.

        Parameters
        ----------
        family : str or Family, default="spline"
            What it would have gained is known of those that bet.

        Raises
        ------
        ValueError
            No such family; fewer than 10 positives or negatives so far.
        """
        check_family(family)
        return propose(self._state.together, family)

    def restart(self, map: CalibrationMap | None = None) -> None:  # noqa: A002 - what it is
        """Begin another life, for a model that was recalibrated or replaced: the evidence is 1 again.

        The batches so far stay known, so that none is counted twice, and their records are kept. alpha = 1 - `level` is
        that of one life: over all lives the probability of a false alarm is at most alpha if life j has
        alpha / (j (j + 1)).

        Parameters
        ----------
        map : CalibrationMap, optional
            What was put behind the model, such as ``monitor.propose().map``. The scores of later batches must be those
            after the map. What is past is then moved by it, and keeps informing the maps that bet; without it the past
            is forgotten.

        Raises
        ------
        ValueError
            Something else than a map of scores; no batch so far.
        """
        if map is not None and not isinstance(map, CalibrationMap):
            raise ValueError(f"map must be a CalibrationMap or None, got {brief(map)}")
        if not self._state.log_es:
            raise ValueError("a monitor must have a batch since it began to be restarted, got none")
        self._state = self._state.restarted(None if map is None else map.evaluate)

    def __repr__(self) -> str:
        evidence = self.evidence
        batches, since = len(evidence.batches), evidence.alarm_since
        alarm = "no alarm" if since is None else f"alarm since batch {evidence.batches[since]}"
        level = evidence.settings.level
        return f"Monitor(level={level:g}, {batches} batch{'es' * (batches != 1)}, n={evidence.n:,}, {alarm})"

    def to_dict(self) -> dict[str, Any]:
        """Return all that the monitor knows as JSON-ready values, of which `from_dict` makes the same monitor.

        There are no rows among them: counts by range of the score, weights, and a record of each batch.

        Returns
        -------
        dict
            ``schema`` 1, ``kind`` "monitor" and the ``version`` of this package; ``settings``; ``together``, the
            evidence of all rows, and ``segments``, that of each; ``log_es`` after each batch; ``seen``, names, times
            and digests of batches; ``groups``, digests of groups; ``lives`` before this one. Every number is finite.

        Raises
        ------
        ValueError
            Segments that are called by something else than texts, numbers and booleans.
        """
        return state_to_dict(self._state)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Monitor":
        """Return the monitor of values that `to_dict` returned; the next batch makes of it what it would have made.

        Parameters
        ----------
        values : dict
            What `to_dict` returned.

        Raises
        ------
        ValueError
            Values that are no state of a monitor, or of another schema; calibration maps of a family that is not
            registered.
        """
        monitor = cls.__new__(cls)
        monitor._state = state_of_dict(values)
        return monitor

    def to_json(self) -> str:
        """Return all that the monitor knows as one line of strict JSON, of which `from_json` makes the same monitor.

        Raises
        ------
        ValueError
            As `to_dict`.
        """
        return as_text(self.to_dict(), "state")

    @classmethod
    def from_json(cls, text: str) -> "Monitor":
        """Return the monitor of a text that `to_json` returned, equal to it bit by bit.

        Parameters
        ----------
        text : str
            What `to_json` returned.

        Raises
        ------
        ValueError
            A text that is no strict JSON, and what `from_dict` refuses.

        Examples
        --------
        >>> import numpy as np, fitontest as fot
        >>> monitor = fot.monitor.Monitor(level=0.99)
        >>> p = np.linspace(0.1, 0.9, 500)
        >>> evidence = monitor.update(np.arange(500) % 3 == 0, p, batch="January")
        >>> again = fot.monitor.Monitor.from_json(monitor.to_json())
        >>> again.evidence.log_e == monitor.evidence.log_e
        True
        """
        return cls.from_dict(from_text(text, "text"))

    def save(self, path: str | Path) -> None:
        """Write all that the monitor knows to a file, whole or not at all.

        The file is replaced when the new text is on the disk: an error, a full disk or the end of the process leaves
        the old one. Where several processes add batches, use `updating`, so that none overwrites what another added.

        Parameters
        ----------
        path : str or Path
            The file.

        Raises
        ------
        ValueError
            A folder that is not there, and as `to_dict`.
        OSError
            A file that cannot be written.
        """
        write_state(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> "Monitor":
        """Return the monitor in a file that `save` wrote.

        Parameters
        ----------
        path : str or Path
            The file.

        Raises
        ------
        ValueError
            A file that is not there, or does not hold the state of a monitor.
        """
        text = read_state(path)
        try:
            return cls.from_json(text)
        except ValueError as error:
            raise ValueError(f"path must hold the state of a monitor, got {str(path)!r}: {error}") from error

    @classmethod
    @contextmanager
    def updating(cls, path: str | Path, **settings: Any) -> "Iterator[Monitor]":
        """Give the monitor in a file, and write it back at the end of the block, while no other process does so.

        The file is made if it is not there. It stays as it was where the block ends by an error. Others that update the
        same file wait for the end of the block, for five minutes at most, so that no batch is lost.

        Parameters
        ----------
        path : str or Path
            The file.
        **settings
            Those of `Monitor`. Of a file that is there already they must be what it was made with; those left out are.

        Yields
        ------
        Monitor
            The monitor.

        Raises
        ------
        ValueError
            Settings that are not those of the file; what `load` refuses.
        TimeoutError
            Others take longer.

        Examples
        --------
        >>> import numpy as np, tempfile, fitontest as fot
        >>> y, p = np.arange(500) % 3 == 0, np.linspace(0.1, 0.9, 500)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for month in ("January", "February"):
        ...         with fot.monitor.Monitor.updating(f"{folder}/churn.json", level=0.99) as monitor:
        ...             evidence = monitor.update(np.roll(y, len(month)), p, batch=month)
        >>> len(evidence.rows())
        2
        """
        with locked(path):
            if Path(path).exists():
                monitor = cls.load(path)
                check_as_made(monitor._state, cls(**settings)._state, settings)
            else:
                monitor = cls(**settings)
            yield monitor
            monitor.save(path)
