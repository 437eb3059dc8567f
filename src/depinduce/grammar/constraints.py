"""Constraints that remove trees from a grammar's sentences without touching its rules: tags that head nothing, and
heads that are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from depinduce.corpus import Corpus, Vocabulary
from depinduce.corpus.known_heads import KnownHeads
from depinduce.corpus.tags import called
from depinduce.grammar.rules import GO, Batch, Factors, multiplied

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


def constraint(tags: Vocabulary, non_heads: tuple[str, ...], corpus: Corpus, batch: Batch) -> Factors | None:
    """The factors that keep the non-heads from heading anything and words to their known heads; None without either."""
    allowed = allowed_heads(tags, non_heads, corpus)
    factors = None if allowed is None else forbid_heads(batch, allowed)
    return multiplied(factors, keep_heads(corpus.known, corpus.offsets))


def allowed_heads(tags: Vocabulary, non_heads: Sequence[str], corpus: Corpus) -> np.ndarray | None:
    """Which words may have children if the non-heads may not, unless they are known to; None: all. [token]"""
    forbidden = np.isin(np.array(tags.symbols), called(tags, non_heads))
    if not forbidden.any():
        return None
    allowed = may_head(corpus.tags, corpus.offsets, forbidden)
    if corpus.known is not None:
        has_head = corpus.known.heads > 0
        allowed[(np.repeat(corpus.offsets[:-1], corpus.lengths) + corpus.known.heads - 1)[has_head]] = True
    return allowed


def keep_heads(known: KnownHeads | None, offsets: np.ndarray) -> Factors | None:
    """Factors under which words have the heads that are known, and not those that they are known not to have."""
    if known is None or not known.informed.any():
        return None
    root, arc = (np.where(possible, 0.0, -np.inf) for possible in known.possible(offsets))
    return Factors(root=root, arc=np.repeat(arc[:, None], 2, axis=1))
