"""Label scores: how many arcs are called what the gold trees call them.

Relations are compared without their subtypes: `nmod:poss` is an `nmod`. A word counts if the gold trees give it a head
and a label, and like attachment scores these leave punctuation out.

- label accuracy: the share of words with the gold label, whatever their head.
- labelled attachment (LAS): the share of words with the gold head and the gold label.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from depinduce.evaluation.files import AlignedTrees
from depinduce.evaluation.scores import Scores, percent, rounded, score
from depinduce.labels import says_more
from depinduce.labels.plain import UNKNOWN


@dataclass(frozen=True)
class Labelling:
    """The labels found for one group of words."""

    words: int
    attached: int  # words with their gold head
    named: int  # words with their gold label
    both: int

    @property
    def uas(self) -> float:
        return percent(self.attached, self.words)

    @property
    def label_accuracy(self) -> float:
        return percent(self.named, self.words)

    @property
    def las(self) -> float:
        return percent(self.both, self.words)

    def to_json(self) -> dict:
        shares = {"label_accuracy": self.label_accuracy, "las": self.las}
        return {"words": self.words} | {name: rounded(share) for name, share in shares.items()}


@dataclass(frozen=True)
class LabelScores:
    """All label scores of one set of predicted trees."""

    overall: Labelling
    by_relation: dict[str, Labelling]  # what the gold trees call it, frequent ones first
    tells_more: bool  # the predicted labels say more than `root` and `dep`

    def to_json(self) -> dict:
        """Plain dictionaries and numbers: the overall scores, then those of each relation."""
        relations = {name: scores.to_json() for name, scores in self.by_relation.items()}
        return {
            "label_accuracy": rounded(self.overall.label_accuracy),
            "las": rounded(self.overall.las),
            "by_relation": relations,
        }


def score_files(trees: AlignedTrees) -> Scores:
    """All scores of the trees of two files."""
    scores = score(trees.gold, trees.predicted, trees.offsets, trees.tags)
    return replace(scores, labels=score_labels(trees))


def score_labels(trees: AlignedTrees) -> LabelScores | None:
    """The label scores of predicted trees; None if the gold trees have no labels but `root` and `dep`."""
    if not any(map(says_more, trees.gold_labels)):
        return None
    groups: dict[str, list[tuple[bool, bool]]] = {}
    columns = zip(trees.gold_labels, trees.predicted_labels, trees.gold.tolist(), trees.predicted.tolist(), strict=True)
    for gold_label, label, gold_head, head in columns:
        if gold_head >= 0 and gold_label != UNKNOWN:
            groups.setdefault(gold_label, []).append((head == gold_head, label == gold_label))
    if not groups:
        return None
    frequent_first = sorted(groups, key=lambda name: (-len(groups[name]), name))
    by_relation = {name: _labelling(groups[name]) for name in frequent_first}
    overall = _labelling([word for words in groups.values() for word in words])
    return LabelScores(overall, by_relation, any(map(says_more, trees.predicted_labels)))


def _labelling(words: list[tuple[bool, bool]]) -> Labelling:
    """words: whether the head of each is right, and whether its label is"""
    attached, named = (sum(found) for found in zip(*words, strict=True))
    return Labelling(len(words), attached, named, sum(map(all, words)))
