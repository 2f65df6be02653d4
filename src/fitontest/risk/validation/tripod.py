"""The checklist TRIPOD+AI for the evaluation of a model: what a validation answers, and what its author must add."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fitontest.results.frames import Records
from fitontest.results.quoting import in_decimals
from fitontest.results.table import Section, Table
from fitontest.results.text import count, sentence
from fitontest.risk.validation.paragraph import (
    CALIBRATION,
    DISCRIMINATION,
    OVERALL,
    benefits_at,
    computed_with,
    events_of,
    listed,
    rows_in_words,
)
from fitontest.risk.validation.pooled import METHOD, Pooled
from fitontest.risk.validation.statistics import PRINTED

#: Items that an evaluation reports, each with its topic and with what no data say. Items of development alone are
#: left out: 9a, 12a to 12c, 15, 22, 27a and 27b.
ITEMS = {
    "1": ("title", "that a model is evaluated, the population that it is for, and the outcome"),
    "2": ("abstract", "what the list for abstracts asks for"),
    "3a-c": ("background", "the context and other models, the intended use and users, and known inequalities"),
    "4": ("objectives", "the objectives, and whether the model is developed in the same study"),
    "5a": ("sources of data", "where the rows come from, apart from those of development, and whom they represent"),
    "5b": ("dates", "start and end of accrual, and end of follow-up"),
    "6a": ("setting", "the setting, and the number and place of centres"),
    "6b": ("eligibility", "who was eligible"),
    "6c": ("treatments", "which treatments were given: who is treated because of the model has fewer events"),
    "7": (
        "data preparation",
        "preprocessing and checks of quality, and whether they were alike in all groups of people",
    ),
    "8a": ("outcome", "its definition and time horizon, how and when it was assessed"),
    "8b-c": ("assessment of the outcome", "who assessed it, and whether blind to the predictors"),
    "9b-c": ("predictors", "those of the model, how, when and by whom they were measured"),
    "10": ("sample size", "how it was arrived at, and why it suffices"),
    "11": ("missing data", "how missing values were handled, and why rows were left out"),
    "12d": ("centres, methods", "how differences between centres were handled"),
    "12e": ("measures and plots", "why these measures, and where the thresholds come from"),
    "12f": ("updating, methods", "whether and how the model was recalibrated"),
    "12g": ("predictions", "how the risks were computed: by a formula, code or a service"),
    "13": ("class imbalance", "whether classes were resampled in development, and how risks were corrected for it"),
    "14": ("fairness", "approaches to fairness, and the groups of people that they are about"),
    "16": ("development and evaluation", "how their data differ in setting, eligibility, outcome and predictors"),
    "17": ("ethics", "approval and consent"),
    "18a-d": ("funding to registration", "funding, interests, protocol and registration"),
    "18e-f": ("data and code", "where both can be had"),
    "19": ("patients and public", "how they were involved"),
    "20a": ("flow of participants", "who was left out and why, and the time of follow-up"),
    "20b": ("characteristics", "a table of predictors, dates, treatments and missing values, by source and group"),
    "20c": ("comparison with development", "predictors and outcome beside those of the development data"),
    "21": ("numbers in each analysis", ""),
    "23a": ("performance", "the figures, and groups of people that matter"),
    "23b": ("centres, results", "how performance differs between them (validate(by=...) pools them), and why"),
    "24": ("updating, results", "the updated model and its performance in new rows"),
    "25": ("interpretation", "what it means for the objectives, for fairness, and beside other studies"),
    "26": ("limitations", "what may bias the results, and to whom they apply"),
    "27c": ("next steps", "what research should follow"),
}


NONE = "none by this validation"
Answer = tuple[str, str]  # of what, or "", and the text


@dataclass(frozen=True, eq=False, repr=False)
class Tripod(Table):
    """The items of TRIPOD+AI that the evaluation of a model reports, with the answers of a validation.

    Attributes
    ----------
    answers : dict of str to list of tuple
        By item, as far as the validation answers it: of what the answer is, such as of a segment, or "", and the
        answer.

    References
    ----------
    Collins et al. (2024), TRIPOD+AI statement, BMJ 385. https://doi.org/10.1136/bmj-2023-078378

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> checklist = fot.risk.validate(rng.random(500) < p, p).tripod()
    >>> [row["item"] for row in checklist.rows() if row["item"].startswith("23")]
    ['23a', '23b']
    >>> checklist.answers["20a"]
    [('', '500 rows (263 events, 53 %), 237 without the event')]
    """

    answers: Mapping[str, Sequence[Answer]]

    @classmethod
    def of(
        cls,
        whole: Any,
        parts: Mapping[str, Any] | None = None,
        pooled: Pooled | None = None,
    ) -> "Tripod":
        """Return the checklist of a validation.

        Parameters
        ----------
        whole : Validation
            Of all rows, or of one of several models.
        parts : dict of Validation, optional
            By what they are called: models, classes, or segments.
        pooled : Pooled, optional
            Of segments.
        """
        named = {} if parts is None or pooled is None else parts
        models = {"": whole} if parts is None or pooled is not None else parts
        answers = {
            "10": _said(rows_in_words(whole)),
            "12d": _on_centres(whole, pooled),
            "12e": _said(_measures(whole)),
            "12f": _said(NONE),
            "12g": _said("" if whole.optimism is None else "by the estimator, fitted to these rows"),
            "18e-f": _said(computed_with()),
            "20a": _said(_flow(whole)),
            "20b": _said(_risks(whole)),
            "21": _said(f"{rows_in_words(whole)}, in each analysis"),
            "23a": [
                *(_named(name, of, text) for name, model in models.items() for of, text in _performance(model)),
                *((name, listed(part, (*DISCRIMINATION, *CALIBRATION[:2]))) for name, part in named.items()),
            ],
            "23b": _said("" if pooled is None else pooled.in_words),
            "24": _said(NONE),
            "25": [(name, model.headline) for name, model in models.items()],
            "26": [answer for text in whole.cautions for answer in _said(text)],
        }
        return cls({item: found for item, found in answers.items() if found})

    def rows(self) -> Records:
        """Return a record for each item: what the validation answers, and what the author adds."""
        said = {item: [f"{of}: {text}" if of else text for of, text in found] for item, found in self.answers.items()}
        return [
            {"item": item, "topic": topic, "answered": "; ".join(said.get(item, ())) or None, "add": add or None}
            for item, (topic, add) in ITEMS.items()
        ]

    def sections(self) -> list[Section]:
        """Return the answers, and what the author must add."""
        answered = [
            [item, of or ITEMS[item][0], sentence(text)] for item, found in self.answers.items() for of, text in found
        ]
        left = [[item, topic, sentence(add)] for item, (topic, add) in ITEMS.items() if add]
        return [
            Section("TRIPOD+AI, answered by this validation:", ["item", "topic", "answer"], answered, left=3),
            Section("For the author to add:", ["item", "topic", "what"], left, left=3),
        ]


def _said(text: str) -> list[Answer]:
    return [("", text)] if text else []


def _named(name: str, of: str, text: str) -> Answer:
    return f"{name}: {of}" if name else of, text


def _on_centres(whole: Any, pooled: Pooled | None) -> list[Answer]:
    found = _said("" if pooled is None else f"{count(pooled.centres)} segments were pooled ({METHOD})")
    return found + _said("" if whole.groups is None else "groups, not rows, were taken for independent")


def _measures(whole: Any) -> str:
    names = ", ".join(called for name, (called, _) in PRINTED.items() if name in whole.statistics)
    decisions = f", net benefit at {', '.join(f'{t:g}' for t in whole.thresholds)}" if whole.thresholds else ""
    curves = f"curves: .plot(){', .curve.plot()' if whole.thresholds else ''}"
    return f"{names}{decisions}; ICI to Emax by the family {whole.family}; {curves}"


def _flow(whole: Any) -> str:
    if not whole.sample.whole:
        return rows_in_words(whole)
    return f"{rows_in_words(whole)}, {count(round(whole.sample.total) - events_of(whole))} without the event"


def _risks(whole: Any) -> str:
    p = whole.sample.rows.p
    low, mean, high = in_decimals([float(p.min()), whole.sample.mean_score, float(p.max())], "score")
    return f"risks from {low} to {high}, mean {mean}"


def _performance(validation: Any) -> list[Answer]:
    """Return discrimination, calibration, overall performance and decisions."""
    found = [
        ("discrimination", listed(validation, DISCRIMINATION)),
        ("calibration", listed(validation, CALIBRATION)),
        ("overall performance", listed(validation, OVERALL)),
    ]
    for threshold in validation.thresholds:
        benefit, beyond, loss = benefits_at(validation, threshold)
        texts = f"net benefit {benefit}; beyond treating all {beyond}; lost by miscalibration {loss}"
        found.append((f"decisions at {threshold:g}", f"{texts}; per 1,000 rows"))
    return [(of, text) for of, text in found if text]
