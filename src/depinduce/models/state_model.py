"""HDP-DEP: a first-order grammar whose symbols have hidden refinements (Naseem, Chen, Barzilay and Johnson 2010).

Every symbol is refined into subsymbols, the states of the chart. What the model keeps of its rules are their expected
log probabilities under the variational posterior, and the counts from which these were made.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from depinduce.chart.problems import StateProblem
from depinduce.chart.states import VALENCES, StateRules
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.grammar.constraints import allowed_heads
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import Order, RuleCounts
from depinduce.models.model import Model, OpenRules
from depinduce.models.model_files import how_made, new_model, numbers_of, write_numbers
from depinduce.models.refinement import Refinement
from depinduce.models.sound_numbers import require_expected_logs, require_finite, require_kind
from depinduce.models.tag_model import GrammarModel

SMOOTHING = 0.1  # of the view as a plain grammar


@dataclass(frozen=True)
class HdpModel(Model):
    """A grammar with hidden states that can parse."""

    refinement: Refinement
    rules: StateRules  # expected log probabilities
    counts: StateRules  # expected, in the training sentences
    shares: np.ndarray  # [symbol, state] of the subsymbols in general: the top level of the process
    non_heads: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    history: dict = field(default_factory=dict)

    kind: ClassVar[str] = "hdp-dep"
    why_no_single_trees: ClassVar[str] = (
        "this model has hidden states, and its chart sums over all trees and all states together: it does not tell the "
        "probability of a single tree, which is a sum over its states"
    )
    about_rules: ClassVar[str] = "These are its rules without the hidden refinements of tags: the mean of all of them."

    @property
    def order(self) -> Order:
        return Order.FIRST

    @property
    def about(self) -> str:
        return "HDP-DEP: a first-order grammar with hidden states"

    @property
    def tags(self) -> Vocabulary:
        return self.refinement.tags

    @property
    def words(self) -> Vocabulary:
        return self.refinement.words

    @cached_property
    def _with_unknown(self) -> StateRules:
        """With one more symbol, the average of all, and one more item, that every state emits."""
        root, child, decision, emission = (np.exp(part) for part in self.rules)
        root = np.append(root, root.mean(axis=0, keepdims=True), axis=0)
        child = np.append(child, child.mean(axis=4, keepdims=True), axis=4)
        child = np.append(child, child.mean(axis=1, keepdims=True), axis=1)
        decision = np.append(decision, decision.mean(axis=1, keepdims=True), axis=1)
        emission = np.append(emission, np.ones((1, emission.shape[1])), axis=0)
        with np.errstate(divide="ignore"):
            return StateRules(*(np.log(part) for part in (root, child, decision, emission)))

    def problem(self, corpus: Corpus) -> StateProblem:
        return StateProblem(self._with_unknown, self.refinement.batch_without_heads(corpus, self.non_heads))

    def rule_view(self) -> GrammarModel:
        """What it learned, without the hidden states: a first-order grammar over its symbols."""
        root, child, decision = self.counts.root.sum(axis=1), self.counts.child.sum(axis=(2, 5)), self.counts.decision
        decision = decision.sum(axis=2)
        child, decision = (np.stack([part[:, :, 0], part[:, :, 1:].sum(axis=2)], axis=2) for part in (child, decision))
        symbols = self.refinement.symbols
        family = Multinomials.smoothed(Order.FIRST, len(symbols), SMOOTHING)
        table = family.estimate(RuleCounts(root, child.reshape(-1, len(symbols)), decision.reshape(-1, 2)))
        return GrammarModel(Order.FIRST, symbols, table, self.non_heads, self.reading, self.history)

    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        """Its rules without the hidden states, whose product is no probability of a tree."""
        grammar, symbols = self.rule_view().with_non_heads(()), self.refinement.symbols_in(corpus)
        seen = replace(corpus, tags=np.where(symbols == len(grammar.tags), -1, symbols).astype(np.int32))
        (rules,) = grammar.open_rules(seen)
        allowed = allowed_heads(self.tags, self.non_heads, corpus)
        return [replace(rules, title="the grammar without its hidden states", may_head=allowed)]

    def with_non_heads(self, tags: tuple[str, ...]) -> HdpModel:
        return replace(self, non_heads=tags)

    def save(self, directory: str | Path) -> None:
        with new_model(directory, self, {"refinement": self.refinement.to_json()}) as folder:
            arrays = {f"{kind}.{name}": part for kind in ("rules", "counts")
                      for name, part in getattr(self, kind)._asdict().items()}  # fmt: skip
            write_numbers(folder, arrays | {"shares": self.shares})

    @classmethod
    def read(cls, directory: Path, description: dict) -> HdpModel:
        arrays = numbers_of(directory, description)
        parts = {
            kind: StateRules(**{name: arrays[f"{kind}.{name}"] for name in StateRules._fields})
            for kind in ("rules", "counts")
        }
        refinement = Refinement.from_json(description["refinement"])
        for rules in parts.values():
            _require_shape(rules, refinement, arrays["shares"])
        _require_sound(parts["rules"], parts["counts"], arrays["shares"])
        return cls(refinement=refinement, shares=arrays["shares"], **parts, **how_made(description))


def _require_shape(rules: StateRules, refinement: Refinement, shares: np.ndarray) -> None:
    """A chart does not check its indices."""
    symbols, states = len(refinement.symbols), shares.shape[-1]
    context = (2, symbols, states, VALENCES)
    wanted = ((symbols, states), (*context, symbols, states), (*context, 2), (len(refinement.items), states))
    if tuple(part.shape for part in rules) != wanted:
        raise ValueError(f"the rules are not those of {symbols} symbols")


def _require_sound(rules: StateRules, counts: StateRules, shares: np.ndarray) -> None:
    """Rules are expected log probabilities, the rest weights."""
    rows = {
        "root": rules.root.ravel(),  # a symbol and a state, as a child is
        "child": rules.child.reshape(*rules.child.shape[:4], -1),
        "decision": rules.decision,
        "emission": rules.emission[..., None],  # of one item at a time: their sum is 1 for each symbol
    }
    require_expected_logs(rows)
    weights = {**counts._asdict(), "shares": shares}
    require_kind(weights)
    require_finite(weights)
    if any((part < 0).any() for part in weights.values()):
        raise ValueError("a number of times or a share is negative")
