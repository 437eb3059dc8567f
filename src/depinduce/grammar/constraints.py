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


def non_heads_among(tags: Vocabulary, names: Sequence[str]) -> np.ndarray | None:
    """Which tags are the non-heads of these names; None if none is. [tag] bool"""
    forbidden = np.isin(np.array(tags.symbols), called(tags, names))
    return forbidden if forbidden.any() else None


def allowed_heads(tags: Vocabulary, non_heads: Sequence[str], corpus: Corpus) -> np.ndarray | None:
    """Which words may have children if the non-heads may not, unless they are known to; None: all. [token]"""
    forbidden = non_heads_among(tags, non_heads)
    return None if forbidden is None else allowed_among(forbidden, corpus.tags, corpus.offsets, corpus.known)


def allowed_among(
    non_heads: np.ndarray, tags: np.ndarray, offsets: np.ndarray, known: KnownHeads | None = None
) -> np.ndarray:
    """The same of words that are given by their tags. [token] bool

    non_heads: [tag] bool, tags: [token], offsets: [sentence + 1]
    """
    allowed = may_head(tags, offsets, non_heads)
    if known is not None:
        has_head = known.heads > 0
        allowed[(np.repeat(offsets[:-1], np.diff(offsets)) + known.heads - 1)[has_head]] = True
    return allowed


def keep_heads(known: KnownHeads | None, offsets: np.ndarray) -> Factors | None:
    """Factors under which words have the heads that are known, and not those that they are known not to have."""
    if known is None or not known.informed.any():
        return None
    root, arc = (np.where(possible, 0.0, -np.inf) for possible in known.possible(offsets))
    return Factors(root=root, arc=np.repeat(arc[:, None], 2, axis=1))
