"""The slow, obvious oracle of the chart with hidden states: every projective tree with its words in every state."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from chart.enumeration import Heads, projective_trees

from depinduce.chart.states import MANY, StateBatch, StateRules
from depinduce.grammar.rules import GO, LEFT, RIGHT, STOP


@dataclass
class EnumeratedStates:
    """Everything that is asked of the chart, tree by tree and state by state."""

    log_z: np.ndarray
    counts: StateRules
    root: np.ndarray
    arc: np.ndarray


def rules_of(heads: Heads, symbols, items, states) -> list[tuple]:
    """The rules that generate a tree whose words are in these states: the part of StateRules, and the place in it."""
    top = heads.index(0)
    used = [("root", (symbols[top], states[top]))]
    used += [("emission", (item, state)) for item, state in zip(items, states, strict=True)]
    for head in range(len(heads)):
        left = [child for child in range(head) if heads[child] == head + 1]  # the farthest first
        right = [child for child in reversed(range(head + 1, len(heads))) if heads[child] == head + 1]
        for direction, children in ((LEFT, left), (RIGHT, right)):
            for number, child in enumerate(children):
                context = (direction, symbols[head], states[head], min(number, MANY))
                used += [("decision", (*context, GO)), ("child", (*context, symbols[child], states[child]))]
            used.append(("decision", (direction, symbols[head], states[head], min(len(children), MANY), STOP)))
    return used


def is_possible(heads: Heads, batch: StateBatch, sentence: int) -> bool:
    """Whether nobody excludes any arc of a tree."""
    if batch.may_be_root is None or batch.may_be_arc is None:
        return True
    n, start = len(heads), int(batch.offsets[sentence])
    first = int((np.diff(batch.offsets)[:sentence] ** 2).sum())
    return all(
        batch.may_be_arc[first + (head - 1) * n + child] if head else batch.may_be_root[start + child]
        for child, head in enumerate(heads)
    )


def enumerate_states(rules: StateRules, batch: StateBatch) -> EnumeratedStates:
    counts = StateRules(*(np.zeros(part.shape) for part in rules))
    lengths = np.diff(batch.offsets)
    arc_offsets = np.concatenate([[0], np.cumsum(lengths**2)])
    log_z, root, arc = np.zeros(len(batch)), np.zeros(len(batch.symbols)), np.zeros(arc_offsets[-1])
    for sentence, n in enumerate(lengths):
        words = slice(batch.offsets[sentence], batch.offsets[sentence + 1])
        symbols, items, may_head = batch.symbols[words], batch.items[words], batch.may_head[words]
        derivations = [
            (heads, rules_of(heads, symbols, items, states))
            for heads in projective_trees(int(n))
            if all(may_head[head - 1] for head in heads if head) and is_possible(heads, batch, sentence)
            for states in product(range(rules.root.shape[1]), repeat=int(n))
        ]
        scores = [sum(getattr(rules, part)[place] for part, place in used) for _, used in derivations]
        log_z[sentence] = np.logaddexp.reduce(scores)
        for (heads, used), score in zip(derivations, scores, strict=True):
            probability = np.exp(score - log_z[sentence])
            for part, place in used:
                getattr(counts, part)[place] += batch.weights[sentence] * probability
            for child, head in enumerate(heads):
                if head == 0:
                    root[batch.offsets[sentence] + child] += probability
                else:
                    arc[arc_offsets[sentence] + (head - 1) * n + child] += probability
    return EnumeratedStates(log_z, counts, root, arc)
