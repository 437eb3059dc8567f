"""A posterior constraint: which trees of a sentence gain when most dependencies should match a rule set."""

from __future__ import annotations

import numpy as np

from depinduce.chart.problems import Problem
from depinduce.grammar.knowledge import Knowledge, load_knowledge
from depinduce.grammar.multinomials import Multinomials, uniform_counts
from depinduce.grammar.rules import Order, RuleTable
from depinduce.grammar.trees import tree_log_potentials
from depinduce.learning.posterior_constraint import ShareConstraint, tilt_of
from drawing.sheet import Sheet
from drawing.toy_corpus import SHORTEST, TAGS, all_trees, batch_of
from drawing.tree_panels import corner, panel, sheet_height

BARS = 2


def picture() -> str:
    """A grammar that knows nothing yet finds all trees equally probable; the rule set changes that."""
    trees, knowledge = all_trees(len(SHORTEST)), load_knowledge("ud")
    knows_nothing = uniform_counts(Order.FIRST, len(TAGS))
    table = Multinomials.smoothed(Order.FIRST, len(TAGS), 0.0).estimate(knows_nothing)
    log_p, matches = _log_p_and_matches(table, knowledge, trees)
    batch = batch_of(Order.FIRST, [SHORTEST])
    tilt = tilt_of(knowledge.matches(TAGS), batch.column, batch.offsets)
    constraint = ShareConstraint(knowledge.share, len(SHORTEST), tilt)

    def expect() -> tuple[None, float]:
        tilted = tilt.applied(Problem(table, batch), constraint.dual)
        return None, tilt.matched(tilted.expect(positions=True))

    constraint.meet(expect)
    p, q = (_shares(log_p + dual * matches) for dual in (0.0, constraint.dual))
    ranked = sorted(zip(q, p, trees, matches, strict=True), key=lambda tree: (-round(tree[0], 9), tree[2]))
    sheet = Sheet(
        sheet_height(len(trees), BARS),
        "How rules that most dependencies should match tilt the trees of a sentence",
        f"The seven trees of {' '.join(SHORTEST)}. Under a grammar that knows nothing, p, each has 14%. Tilted so that "
        f"{knowledge.share:.0%} of all dependencies match the rules, q, they have "
        + ", ".join(f"{after:.0%} ({count:.0f} of {len(SHORTEST)} match)" for after, _, _, count in ranked)
        + ".",
    )
    for number, (after, before, heads, count) in enumerate(ranked):
        panel(sheet, number, heads, [(before, ""), (after, "draw-blue")], f"matches: {count:.0f}")
    _legend(sheet, *corner(len(ranked), BARS), constraint.dual, knowledge.share)
    return sheet.svg()


def _shares(log_weights: np.ndarray) -> np.ndarray:
    weights = np.exp(log_weights)
    return weights / weights.sum()


def _log_p_and_matches(table: RuleTable, knowledge: Knowledge, trees: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """log p(sentence, tree), and how many dependencies match a rule. [tree] each"""
    batch, heads = batch_of(Order.FIRST, [SHORTEST] * len(trees)), np.concatenate(trees)
    one_each = tilt_of(knowledge.matches(TAGS), batch.column, batch.offsets).factors(1.0)
    log_p = tree_log_potentials(table, batch, heads)
    return log_p, np.round(tree_log_potentials(table, batch, heads, one_each) - log_p)


def _legend(sheet: Sheet, x: float, y: float, dual: float, share: float) -> None:
    for line, (kind, text) in enumerate((("", "p: nothing learned yet"), ("draw-blue", "q: tilted by the rules"))):
        sheet.bar(x + 8, y + 46 + 24 * line, 14, 10, kind)
        sheet.text(x + 30, y + 55.5 + 24 * line, text)
    sheet.text(x + 8, y + 110, f"λ = {dual:.2f}", "draw-head")
    sheet.text(x + 8, y + 132, f"{share:.0%} match in expectation")
