"""The three ways in which a chart adds and multiplies; every recurrence is written once for all of them.

    SUM   probabilities: sums and products        fast; only where no cell can leave the range of a double
    LOG   log probabilities: log-sum-exp and +    right at any length
    MAX   log probabilities: max and +            the best tree

A recurrence is a function that uses the names below (`plus`, `times`, ...). `in_semiring` gives its copy
for one of the three. The names in this module itself are those of SUM.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from depinduce.chart import lanes
from depinduce.compiled import compiled, compiled_entry, compiled_part, specialise

# In SUM every cell and every rule is 0 or lies in this range: then no product of three can underflow
# or overflow, so that a zero is a true zero and every cell is right to full precision.
LOWEST, HIGHEST = 1e-100, 1e100

PARTS = ("inside_group", "expand")  # of passes: large, and the same in several of one chart


class Semiring(NamedTuple):
    """The meaning of the names that recurrences use."""

    name: str
    SCALED: bool  # are numbers kept in range by a scale on every token?
    EXACT: bool  # are potentials rounded so that sums of them have no rounding error?
    ZERO: float
    ONE: float
    plus: Callable  # of Lanes
    times: Callable
    probability: Callable  # a posterior weight, taken out of log space
    plus_scalar: Callable  # the same of single numbers
    times_scalar: Callable
    divide_scalar: Callable
    as_probability: Callable
    log_scalar: Callable

    @property
    def meanings(self) -> dict[str, object]:
        return {name: value for name, value in self._asdict().items() if name != "name"}


@compiled
def _same(x):
    return x


@compiled
def _sum(x, y):
    return x + y


@compiled
def _difference(x, y):
    return x - y


@compiled
def _product(x, y):
    return x * y


@compiled
def _quotient(x, y):
    return x / y


@compiled
def _larger(x, y):
    return x if x > y else y


@compiled
def _exponential(x):
    return math.exp(x)


@compiled
def _logarithm(x):
    return math.log(x) if x > 0.0 else -math.inf


SUM = Semiring(
    "sum", True, False, 0.0, 1.0,
    lanes.add, lanes.multiply, _same,
    _sum, _product, _quotient, _same, _logarithm,
)  # fmt: skip
LOG = Semiring(
    "log", False, False, -math.inf, 0.0,
    lanes.log_add, lanes.add, lanes.exponential,
    lanes.log_add_scalar, _sum, _difference, _exponential, _same,
)  # fmt: skip
MAX = Semiring(
    "max", False, True, -math.inf, 0.0,
    lanes.maximum, lanes.add, lanes.exponential,
    _larger, _sum, _difference, _exponential, _same,
)  # fmt: skip

(
    _, SCALED, EXACT, ZERO, ONE, plus, times, probability,
    plus_scalar, times_scalar, divide_scalar, as_probability, log_scalar,
) = SUM  # fmt: skip


def in_semiring(
    semiring: Semiring, chart_name: str, templates: Iterable[Callable], **names: object
) -> dict[str, Callable]:
    """The compiled copies, by name, of templates that call each other (callees first) and `names`.

    chart_name: tells the copies of two charts apart on disk
    """
    made: dict[str, Callable] = {}
    for template in templates:
        copy = specialise(template, f"{chart_name}_{semiring.name}", **semiring.meanings, **names, **made)
        made[template.__name__] = _how(template.__name__)(copy)
    return made


def _how(name: str) -> Callable:
    """How a template is compiled: passes are called from Python, and share large parts."""
    if name.endswith("_pass"):
        return compiled_entry
    return compiled_part if name in PARTS else compiled
