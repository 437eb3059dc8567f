"""The passes that the engine calls: made once for every chart and semiring, compiled when they are first called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from depinduce.chart import derivations, passes
from depinduce.chart.functions import Chart, ChartFunctions
from depinduce.chart.semirings import Semiring, in_semiring


class Kernels(NamedTuple):
    """The passes over one chart in one semiring.

    All begin with a share of the sentences: the arrays of the problem, groups, a workspace, and where to mark what must
    be done again.
    """

    expectation_pass: Callable  # (*share, with_outside, log_z, counts, posteriors), see `passes`
    tree_pass: Callable  # (*share, seeds, log_z, heads), see `derivations` for this and the rest
    entropy_pass: Callable  # (*share, log_z, entropies)
    k_best_pass: Callable  # (*share, k, log_z, heads)


@cache
def kernels(chart: Chart, semiring: Semiring) -> Kernels:
    """The passes, given the functions of the chart and the meanings of the semiring."""
    own = in_semiring(semiring, chart.name, chart.templates)
    functions = chart.functions._asdict() | own
    compiled = (functions[name] for name in ChartFunctions._fields)
    templates = (*passes.TEMPLATES, *derivations.TEMPLATES)
    made = in_semiring(semiring, chart.name, templates, chart=ChartFunctions(*compiled))
    return Kernels(*(made[name] for name in Kernels._fields))
