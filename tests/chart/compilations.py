"""Everything that the tests have compiled, in parts that take about the same time."""

from functools import partial

from chart.enumeration import random_problem

from depinduce.chart.engine import best_trees, entropy, expectations, k_best_trees, sample_trees
from depinduce.chart.states import state_expectations, tiny_problem
from depinduce.grammar.rules import Order


def sums(order: Order, space: str) -> None:
    """All passes that sum over trees."""
    table, batch, _ = random_problem(order, [2], 2, seed=1)
    expectations(table, batch, space=space)
    entropy(table, batch, space=space)
    sample_trees(table, batch, 1, space=space)


def best(order: Order) -> None:
    """All passes that look for the best trees."""
    table, batch, _ = random_problem(order, [2], 2, seed=1)
    best_trees(table, batch)
    k_best_trees(table, batch, 2)


def hidden_states() -> None:
    state_expectations(*tiny_problem())


# With two workers, every other one: the first has one chart, the second has the other.
COMPILATIONS = [
    partial(sums, Order.FIRST, "auto"),
    partial(sums, Order.SIBLING, "auto"),
    partial(best, Order.FIRST),
    partial(best, Order.SIBLING),
    partial(sums, Order.FIRST, "log"),
    partial(sums, Order.SIBLING, "log"),
    hidden_states,
]
