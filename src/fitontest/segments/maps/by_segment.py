"""Maps that move scores by segment: an offset for each rule that a row meets, or the line of the last one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.maps.base import finite_number, frozen_array
from fitontest.maps.expressions import Expression, Number, Where, line, shared, sigmoid_of, total
from fitontest.maps.rules.columns import Columns
from fitontest.maps.rules.conditions import Rule, read_rule
from fitontest.maps.stored import register
from fitontest.numerics.links import sigmoid
from fitontest.results.checks import as_list, brief
from fitontest.results.typing import FloatArray
from fitontest.segments.maps.base import FeatureMap
from fitontest.segments.maps.reach import cut_expression, cut_logits, read_reach


@register
@dataclass(frozen=True, eq=False)
class SegmentOffsetsMap(FeatureMap):
    """A logistic line in the logit of the score, with an offset for each segment that a row is in.

    q = sigmoid(intercept + slope x + sum of the offsets of the rules that the row meets), x the logit of its score.

    Parameters
    ----------
    intercept, slope : float
        0 and 1 leave scores as they are where no rule is met.
    rules : sequence of m Rule
        Or what `Rule.to_dict` wrote.
    offsets : array-like of shape (m,)
        In logits.
    reach : float, optional
        Logits are cut at this size on both sides, as those of scores of exactly 0 or 1 must be; by default none is.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> women = {"conditions": [{"column": "sex", "relation": "in", "levels": ["f"]}]}
    >>> c_hat = SegmentOffsetsMap(0.0, 1.0, [women], [1.0])
    >>> c_hat({"sex": ["f", "m", None]}, [0.5, 0.5, 0.5]).round(3)
    array([0.731, 0.5  , 0.5  ])
    """

    kind: ClassVar[str] = "segment_offsets"
    optional: ClassVar[tuple[str, ...]] = ("reach",)
    intercept: float
    slope: float
    rules: tuple[Rule, ...]
    offsets: FloatArray
    reach: float | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "intercept", finite_number(self.intercept, "intercept"))
        put(self, "slope", finite_number(self.slope, "slope"))
        put(self, "rules", tuple(read_rule(rule) for rule in as_list(self.rules, "rules", empty=True)))
        put(self, "offsets", frozen_array(self.offsets, "offsets") if np.size(self.offsets) else np.empty(0))
        put(self, "reach", read_reach(self.reach))
        if len(self.rules) != self.offsets.size:
            raise ValueError(
                f"offsets must have a number for each of {len(self.rules)} rules, got {brief(self.offsets)}"
            )

    @property
    def decreasing(self) -> bool:
        """Whether probabilities fall where scores rise."""
        return self.slope < 0.0

    @property
    def n_parameters(self) -> int:
        """The offsets, and the line where it moves anything."""
        return len(self.rules) + (0 if (self.intercept, self.slope) == (0.0, 1.0) else 2)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns of the rules."""
        return tuple(dict.fromkeys(name for rule in self.rules for name in rule.columns))

    def evaluate(self, columns: Columns, logits: FloatArray) -> FloatArray:
        """Return the probabilities."""
        x = self.intercept + self.slope * cut_logits(logits, self.reach)
        for rule, offset in self._pairs():
            x = x + offset * rule.meets(columns)
        return sigmoid(x)

    def expression(self, x: Expression) -> Expression:
        """Return the same formula, with a choice for each rule."""
        terms = [line(self.intercept, self.slope, cut_expression(x, self.reach))]
        terms += [Where(rule, Number(offset), Number(0.0)) for rule, offset in self._pairs()]
        (z,) = shared([total(terms)])
        return sigmoid_of(z)

    def _pairs(self) -> Iterator[tuple[Rule, float]]:
        return zip(self.rules, self.offsets.tolist(), strict=True)


@register
@dataclass(frozen=True, eq=False)
class SegmentLinesMap(FeatureMap):
    """A logistic line in the logit of the score for each segment of the rows, such as a node of a tree.

    q = sigmoid(intercept_k + slope_k x), with x the logit of the score and k the last rule that the row meets.

    Parameters
    ----------
    rules : sequence of m Rule
        Or what `Rule.to_dict` wrote. The first has no condition, so that all rows meet it; of a tree a node stands
        behind its parent, and has the conditions of all nodes above it too.
    intercepts, slopes : array-like of shape (m,)
        0 and 1 leave scores as they are.
    reach : float, optional
        Logits are cut at this size on both sides, as those of scores of exactly 0 or 1 must be; by default none is.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> older = {"conditions": [{"column": "age", "relation": ">", "value": 50.0}]}
    >>> c_hat = SegmentLinesMap([{"conditions": []}, older], [0.0, 1.0], [1.0, 0.5])
    >>> c_hat({"age": [20, 60, None]}, [0.5, 0.5, 0.5]).round(3)
    array([0.5  , 0.731, 0.5  ])
    """

    kind: ClassVar[str] = "segment_lines"
    optional: ClassVar[tuple[str, ...]] = ("reach",)
    rules: tuple[Rule, ...]
    intercepts: FloatArray
    slopes: FloatArray
    reach: float | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "rules", tuple(read_rule(rule) for rule in as_list(self.rules, "rules")))
        put(self, "intercepts", frozen_array(self.intercepts, "intercepts"))
        put(self, "slopes", frozen_array(self.slopes, "slopes"))
        put(self, "reach", read_reach(self.reach))
        if self.rules[0].conditions:
            raise ValueError(f"rules must begin with one without conditions, got {brief(str(self.rules[0]))}")
        for name in ("intercepts", "slopes"):
            values = getattr(self, name)
            if values.size != len(self.rules):
                raise ValueError(f"{name} must have a number for each of {len(self.rules)} rules, got {brief(values)}")

    @property
    def decreasing(self) -> bool:
        """Whether probabilities fall in some segment where scores rise."""
        return bool((self.slopes < 0.0).any())

    @property
    def n_parameters(self) -> int:
        """Intercepts and slopes."""
        return 2 * len(self.rules)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns of the rules."""
        return tuple(dict.fromkeys(name for rule in self.rules for name in rule.columns))

    def evaluate(self, columns: Columns, logits: FloatArray) -> FloatArray:
        """Return the probabilities."""
        last = np.zeros(logits.size, dtype=np.intp)
        for place, rule in enumerate(self.rules):
            last[rule.meets(columns)] = place
        return sigmoid(self.intercepts[last] + self.slopes[last] * cut_logits(logits, self.reach))

    def expression(self, x: Expression) -> Expression:
        """Return the same formula, with a choice for each rule."""
        (z,) = shared([self._last(self.intercepts) + self._last(self.slopes) * cut_expression(x, self.reach)])
        return sigmoid_of(z)

    def _last(self, values: FloatArray) -> Expression:
        """Return the value of the last rule that a row meets."""
        listed: Sequence[float] = values.tolist()
        found: Expression = Number(listed[0])
        for rule, value in zip(self.rules[1:], listed[1:], strict=True):
            found = Where(rule, Number(value), found)
        return found
