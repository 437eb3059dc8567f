"""Attachment scores: how many words found their head, by sentence length, by tag and by arc length.

A word is *scored* when its gold head is known (0 for the root, 1..n otherwise; -1 is unknown). So a
caller leaves words out, punctuation for example, by giving them the gold head -1.

- directed (UAS): the share of scored words whose predicted head is the gold head.
- undirected (UUAS): the same, but a word whose gold head is another word also counts when the predicted
  tree has that arc turned round, that is when the predicted head of the gold head is the word itself. An
  arc from the root has no other direction. Every gold arc counts at most once.
- root accuracy: the share of sentences whose predicted root is one of the gold roots; a sentence with
  several predicted roots counts only if all of them are. Sentences without a known gold root are left out.
- exact match: the share of sentences in which every scored word has its gold head.

The length of a sentence is its number of scored words. All shares are in percent; a share of nothing is
nan, and None in JSON.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from depinduce.evaluation.label_scores import LabelScores

LENGTH_CUTS = {"10": 10, "15": 15, "40": 40, "all": None}  # name -> longest sentence
ARC_LENGTHS = {"root": 0, "1": 1, "2": 2, "3": 3, "4-6": 4, "7+": 7}  # name -> shortest arc


def percent(part: int, whole: int) -> float:
    """The share of `part` in `whole`, in percent; nan when `whole` is nothing."""
    return 100.0 * part / whole if whole else math.nan


def rounded(share: float) -> float | None:
    """A share as JSON can hold it."""
    return None if math.isnan(share) else round(share, 4)


@dataclass(frozen=True)
class Attachment:
    """The heads found for one group of words."""

    words: int
    directed: int  # words with their gold head
    undirected: int  # words joined to their gold head in either direction

    @property
    def uas(self) -> float:
        return percent(self.directed, self.words)

    @property
    def uuas(self) -> float:
        return percent(self.undirected, self.words)

    def to_json(self) -> dict:
        return {"words": self.words, "uas": rounded(self.uas), "uuas": rounded(self.uuas)}


@dataclass(frozen=True)
class SentenceScores(Attachment):
    """The heads, the roots and the whole trees found in one group of sentences."""

    sentences: int
    rooted: int  # sentences with a known gold root
    root_found: int
    exact: int  # sentences without a wrong head
    multi_root_gold: int
    multi_root_predicted: int

    @property
    def root_accuracy(self) -> float:
        return percent(self.root_found, self.rooted)

    @property
    def exact_match(self) -> float:
        return percent(self.exact, self.sentences)

    def to_json(self) -> dict:
        return super().to_json() | {
            "root_accuracy": rounded(self.root_accuracy),
            "exact_match": rounded(self.exact_match),
            "sentences": self.sentences,
            "multi_root_gold": self.multi_root_gold,
            "multi_root_predicted": self.multi_root_predicted,
        }


@dataclass(frozen=True)
class Scores:
    """All attachment scores of one set of predicted trees."""

    by_length: dict[str, SentenceScores]  # the keys of LENGTH_CUTS
    by_arc_length: dict[str, Attachment]  # the keys of ARC_LENGTHS: the length of the gold arc
    by_tag: dict[str, Attachment] = field(default_factory=dict)  # the tag of the child, frequent tags first
    labels: LabelScores | None = None  # where the gold trees have labels, and somebody looked at them

    @property
    def overall(self) -> SentenceScores:
        return self.by_length["all"]

    @property
    def uas(self) -> float:
        return self.overall.uas

    @property
    def uuas(self) -> float:
        return self.overall.uuas

    @property
    def root_accuracy(self) -> float:
        return self.overall.root_accuracy

    def to_json(self) -> dict:
        """Plain dictionaries and numbers: the overall scores, then each of the groupings."""
        groupings = {"by_length": self.by_length, "by_tag": self.by_tag, "by_arc_length": self.by_arc_length}
        record = self.overall.to_json() | {
            grouping: {name: scores.to_json() for name, scores in groups.items()}
            for grouping, groups in groupings.items()
        }
        return record if self.labels is None else record | self.labels.to_json()

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from depinduce.evaluation.tables import as_html, score_tables

        return "".join(map(as_html, score_tables(self)))


def score(
    gold_heads: np.ndarray,  # [N] 1-based within the sentence, 0 = root, -1 = unknown, not scored
    predicted_heads: np.ndarray,  # [N] the same; -1 is simply wrong
    offsets: np.ndarray,  # [S+1] where each sentence begins
    tags: Sequence[str] | np.ndarray | None = None,  # [N]
) -> Scores:
    """The attachment scores of predicted heads against gold heads."""
    gold, predicted, offsets = _checked(gold_heads, predicted_heads, offsets)
    lengths = np.diff(offsets)  # [S]
    start = np.repeat(offsets[:-1], lengths)  # [N] of the word's sentence
    position = np.arange(len(gold)) - start + 1  # [N]

    scored = gold >= 0
    directed = scored & (predicted == gold)
    gold_head_word = start + np.maximum(gold, 1) - 1  # [N] index of the gold head; of any word for roots
    turned_round = (gold > 0) & (predicted[gold_head_word] == position)
    undirected = directed | turned_round

    arc_length = np.where(gold == 0, 0, np.abs(gold - position))
    arc_class = np.searchsorted(list(ARC_LENGTHS.values()), arc_length, side="right") - 1
    return Scores(
        by_length=_by_length(gold, predicted, scored, directed, undirected, offsets),
        by_arc_length=_by_group(list(ARC_LENGTHS), arc_class, scored, directed, undirected),
        by_tag={} if tags is None else _by_tag(tags, scored, directed, undirected),
    )


def _checked(gold_heads, predicted_heads, offsets) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The three arrays of `score` as integers, or an error that says how they disagree."""
    gold, predicted, offsets = (np.asarray(a, dtype=np.int64) for a in (gold_heads, predicted_heads, offsets))
    words = int(offsets[-1])
    if not len(gold) == len(predicted) == words:
        raise ValueError(f"{len(gold)} gold heads, {len(predicted)} predicted heads, offsets for {words} words")
    longest = np.repeat(np.diff(offsets), np.diff(offsets))  # [N] length of the word's sentence
    if np.any(gold > longest) or np.any(predicted > longest):
        raise ValueError("a head lies outside its sentence")
    return gold, predicted, offsets


def _per_sentence(words: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The number of true words in each sentence; unlike `reduceat`, right for empty sentences too."""
    running = np.concatenate([[0], np.cumsum(words)])
    return running[offsets[1:]] - running[offsets[:-1]]  # [S]


def _by_length(gold, predicted, scored, directed, undirected, offsets) -> dict[str, SentenceScores]:
    """The scores of the sentences up to each of the length cuts."""
    scored_words = _per_sentence(scored, offsets)  # [S], and so are all below
    directed_words = _per_sentence(directed, offsets)
    undirected_words = _per_sentence(undirected, offsets)
    gold_roots = _per_sentence(gold == 0, offsets)
    predicted_roots = _per_sentence(predicted == 0, offsets)
    shared_roots = _per_sentence((gold == 0) & (predicted == 0), offsets)
    root_found = (gold_roots > 0) & (shared_roots > 0) & (shared_roots == predicted_roots)

    cuts = {}
    for name, longest in LENGTH_CUTS.items():
        chosen = scored_words > 0
        if longest is not None:
            chosen &= scored_words <= longest
        cuts[name] = SentenceScores(
            words=int(scored_words[chosen].sum()),
            directed=int(directed_words[chosen].sum()),
            undirected=int(undirected_words[chosen].sum()),
            sentences=int(chosen.sum()),
            rooted=int((chosen & (gold_roots > 0)).sum()),
            root_found=int((chosen & root_found).sum()),
            exact=int((chosen & (directed_words == scored_words)).sum()),
            multi_root_gold=int((chosen & (gold_roots > 1)).sum()),
            multi_root_predicted=int((chosen & (predicted_roots > 1)).sum()),
        )
    return cuts


def _by_tag(tags, scored, directed, undirected) -> dict[str, Attachment]:
    """The scores of the words of each tag, frequent tags first."""
    if len(tags) != len(scored):
        raise ValueError(f"{len(tags)} tags for {len(scored)} words")
    names, tag_ids = np.unique(np.asarray(tags, dtype=str), return_inverse=True)
    groups = _by_group(names.tolist(), tag_ids, scored, directed, undirected)
    seen = [(name, group) for name, group in groups.items() if group.words]
    return dict(sorted(seen, key=lambda entry: (-entry[1].words, entry[0])))


def _by_group(names: list[str], group: np.ndarray, scored, directed, undirected) -> dict[str, Attachment]:
    """The scores of each group of words; `group` [N] numbers the names."""
    counts = [np.bincount(group[words], minlength=len(names)) for words in (scored, directed, undirected)]
    return {name: Attachment(*(int(count[g]) for count in counts)) for g, name in enumerate(names)}
