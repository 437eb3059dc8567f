"""Constraints that remove trees from a grammar's sentences without touching its rules."""

from __future__ import annotations

import numpy as np

from depinduce.grammar.rules import GO, Batch, Factors

# Function words take no children under Universal Dependencies' content heads. CONJ is UD 1, CCONJ UD 2.
UD_NON_HEADS = ("ADP", "AUX", "CONJ", "CCONJ", "DET", "PART", "SCONJ")


def may_head(tags: np.ndarray, offsets: np.ndarray, non_heads: np.ndarray) -> np.ndarray:
    """Which tokens may have children. [token] bool

    A sentence made only of non-heads is exempt, for it would have no tree at all.

    tags: [token], offsets: [sentence + 1], non_heads: [tag] bool (an unknown tag, -1, may head)
    """
    allowed = ~np.append(non_heads, False)[tags]
    sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    heads_in_sentence = np.bincount(sentence, weights=allowed, minlength=len(offsets) - 1)
    return allowed | (heads_in_sentence == 0)[sentence]


def forbid_heads(batch: Batch, allowed: np.ndarray) -> Factors:
    """Factors under which the tokens that are not `allowed` never decide to GO."""
    decision = np.zeros((len(batch.column), 2, 2, 2))
    decision[~allowed, :, :, GO] = -np.inf
    return Factors(decision=decision)
