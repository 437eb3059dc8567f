"""What a chart is to those who use it: the functions that `passes` and `derivations` call, and no more."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from types import ModuleType
from typing import NamedTuple, NoReturn

from depinduce.chart import sums


class ChartFunctions(NamedTuple):
    """The functions of one chart that passes over sentences are built on.

    `n` is the length of the longest sentence of a group and `contexts` what `context_count` gives for it; `places` and
    `cells` are the memory of the group. A `lane` is the place of a sentence in its group.
    """

    # (problem, group): how many contexts the chart tells apart
    context_count: Callable
    # (problem, group, n, contexts, places, cells, log_scale): bring the potentials of a group into its charts
    load_rules: Callable
    # (child, columns, n, contexts, places, cells): the inside charts; gives the lanes that left the safe range
    fill_inside: Callable
    # (n, contexts, length, lane, h, cells): of all trees with root h
    root_weight: Callable
    # (n, contexts, cells): zeros in the outside charts
    start_outside: Callable
    # (n, contexts, length, lane, z, cells): the derivatives that the sum over roots hands down
    seed_outside: Callable
    # (problem, n, contexts, lane, places, cells): take a sentence out of its group after the inside pass
    erase_lane: Callable
    # (child, columns, n, contexts, places, cells, child_count, decision_count): the outside charts, expected counts
    fill_outside: Callable
    # (n, contexts, h, lane, cells): the probability that h is the root
    root_posterior: Callable
    # (n, contexts, start, length, arcs_from, lane, cells, arc, decision): posteriors of a sentence by position
    position_posteriors: Callable
    # (n, contexts): how many names of cells there are
    cell_count: Callable
    # (child, columns, n, length, contexts, lane, name, places, cells, edges): all ways to build a cell; their number
    expand: Callable


class Chart(NamedTuple):
    """A chart as its package offers it: `kernels` compiles it for a semiring."""

    name: str
    workspace: Callable[[int, int, bool], tuple[int, int]]
    functions: ChartFunctions
    templates: tuple[Callable, ...]  # those of its functions that differ between semirings, callees first


def make_chart(
    name: str, cells: ModuleType, rules: ModuleType, inside: ModuleType, outside: ModuleType, trees: ModuleType
) -> Chart:
    """The chart whose functions lie in these modules."""
    functions = ChartFunctions(
        context_count=cells.context_count,
        load_rules=rules.load_rules,
        fill_inside=inside.fill_inside,
        root_weight=inside.root_weight,
        start_outside=outside.start_outside,
        seed_outside=outside.seed_outside,
        erase_lane=rules.erase_lane,
        fill_outside=outside.fill_outside,
        root_posterior=outside.root_posterior,
        position_posteriors=outside.position_posteriors,
        cell_count=trees.cell_count,
        expand=trees.expand,
    )
    templates = (module.TEMPLATES for module in (rules, sums, inside, outside, trees))
    return Chart(name, cells.workspace, functions, tuple(chain.from_iterable(templates)))


def _not_given(*arguments: object) -> NoReturn:
    raise NotImplementedError("a function of a chart is called before `kernels` has put it in")


# The chart that `passes` and `derivations` work on: declared here, given its functions by `kernels`.
chart = ChartFunctions(*[_not_given] * len(ChartFunctions._fields))
