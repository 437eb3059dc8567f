"""Everything that the tests have compiled, in parts that take about the same time."""

from functools import partial

from chart.enumeration import random_problem

from depinduce.chart.engine import best_trees, entropy, expectations, k_best_trees, sample_trees
from depinduce.chart.states import state_expectations, tiny_problem
from depinduce.grammar.rules import Order


def sums(order: Order) -> None:
    """All passes that sum over trees with probabilities."""
    table, batch, _ = random_problem(order, [2], 2, seed=1)
    expectations(table, batch)
    entropy(table, batch)
    sample_trees(table, batch, 1)


def sums_of_logarithms(order: Order) -> None:
    """The pass in log space that the default suite needs; slow tests need the others, too."""
    table, batch, _ = random_problem(order, [2], 2, seed=1)
    expectations(table, batch, space="log")


def best(order: Order) -> None:
    """All passes that look for the best trees."""
    table, batch, _ = random_problem(order, [2], 2, seed=1)
    best_trees(table, batch)
    k_best_trees(table, batch, 2)


def hidden_states() -> None:
    state_expectations(*tiny_problem())


# With two workers, every other one: the first has the sibling chart and the hidden states, the second the larger chart.
COMPILATIONS = [
    partial(sums, Order.SIBLING),
    partial(sums, Order.FIRST),
    partial(best, Order.SIBLING),
    partial(best, Order.FIRST),
    partial(sums_of_logarithms, Order.SIBLING),
    partial(sums_of_logarithms, Order.FIRST),
    hidden_states,
]
