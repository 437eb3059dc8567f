"""The trees on which several grammars agree: minimum-risk trees of the mean of their arc posteriors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from depinduce.chart.engine import trees_of_posteriors
from depinduce.chart.problems import AnyProblem, ArcPosteriors, mean_posteriors
from depinduce.corpus.known_heads import KnownHeads
from depinduce.corpus.ragged import pairs


def agreed_trees(
    problems: Sequence[AnyProblem], offsets: np.ndarray, known: KnownHeads | None = None, *, threads: int = 1
) -> np.ndarray:
    """One tree per sentence, the one with the most right heads if any of the grammars is as likely right. [token]

    Of the grammars only the half (rounded up) that makes the sentences most probable is asked: learning sometimes
    ends in a poor optimum, which shows in its likelihood.
    """
    by_likelihood = sorted(problems, key=lambda problem: -problem.log_partition(threads=threads).mean())
    asked = by_likelihood[: (len(problems) + 1) // 2]
    opinions = [problem.posteriors(threads=threads) for problem in asked]
    return minimum_risk_trees(mean_posteriors(opinions), offsets, known, threads=threads)


def minimum_risk_trees(
    posteriors: ArcPosteriors, offsets: np.ndarray, known: KnownHeads | None = None, *, threads: int = 1
) -> np.ndarray:
    """The tree of every sentence with the most right heads in expectation, among those with the known heads. [token]"""
    root, arc = posteriors.root, posteriors.arc
    if known is not None and known.informed.any():
        root, arc = _favoured(root, arc, offsets, known)
    return trees_of_posteriors(offsets, root, arc, threads=threads).heads[0]


def _favoured(
    root: np.ndarray, arc: np.ndarray, offsets: np.ndarray, known: KnownHeads
) -> tuple[np.ndarray, np.ndarray]:
    """Posteriors to which so much is added where words have heads that they may have that no tree does without.

    Posteriors alone do not suffice: each arc goes with what is known, but two of them may not go with it together.
    """
    sentence, _, child = pairs(offsets)
    may_be_root, may_be_arc = known.possible(offsets)
    bonus = np.where(known.informed, float(np.diff(offsets).max(initial=0)), 0.0)  # more than a whole tree can have
    return root + bonus * may_be_root, arc + bonus[offsets[sentence] + child] * may_be_arc
