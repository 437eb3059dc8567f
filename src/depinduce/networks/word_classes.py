"""Classes of words, and a softmax of two levels: which class a child is of, then which word of that class.

    p(w | context)    = p(k | context) · p(w | k, context),          k: the class of w
    p(k | context)    ∝ exp Σᵢ pair[context, i] · outcome[k, i]      over all classes k
    p(w | k, context) ∝ exp Σᵢ pair[context, i] · (D v_w)ᵢ           over the words w of the class, v_w: their vectors

The tags and the most frequent pairs of a word and its tag are classes of their own, which have no second level: of a
vocabulary of such pairs alone this is the softmax over all words. The other words of a tag share larger classes. A
class enters the network as a word does, as the embedding of its tag beside a vector of its own; the vectors of the
words in it are only multiplied by D.

It is exact: nothing is sampled, and the probabilities of all words sum to one. A batch needs all classes, but only the
words of those larger classes that occur in it, each with those heads that stand in a sentence with one of them. With √V
classes of √V words each the work for a rule grows with √V, where that of the softmax over all words grows with V.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from depinduce.networks.gradients import PullBack
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.word_batch import LexicalBatch

ROUNDS = 10  # of moving words between clusters


@dataclass(frozen=True)
class Classes:
    """The class of every token. Those of one class have the same tag."""

    of: np.ndarray  # [token] int64, numbers without gaps

    @classmethod
    def from_json(cls, of: list[int], tag_of: np.ndarray) -> Classes:
        """As a model has them. tag_of: the tag of every token"""
        classes = cls(np.array(of, dtype=np.int64))
        fit = classes.of.shape == tag_of.shape and np.array_equal(np.unique(classes.of), np.arange(len(classes)))
        if not fit or (tag_of[classes.one_of_each][classes.of] != tag_of).any():
            raise ValueError("classes of words that do not fit the lexicon")
        return classes

    def __len__(self) -> int:
        return int(self.of.max()) + 1

    @cached_property
    def members(self) -> np.ndarray:
        """All tokens, those of one class after those of another. [token]"""
        return np.argsort(self.of, kind="stable")

    @cached_property
    def offsets(self) -> np.ndarray:
        """Where the members of a class begin and end. [class + 1]"""
        return np.searchsorted(self.of[self.members], np.arange(len(self) + 1))

    @cached_property
    def place(self) -> np.ndarray:
        """The number of every token among the members of its class. [token]"""
        place = np.empty(len(self.of), dtype=np.int64)
        place[self.members] = np.arange(len(self.of)) - self.offsets[self.of[self.members]]
        return place

    @cached_property
    def larger(self) -> np.ndarray:
        """The classes of more than one token. [larger class]"""
        return np.flatnonzero(np.diff(self.offsets) > 1)

    @cached_property
    def one_of_each(self) -> np.ndarray:
        """A token of every class. [class]"""
        return self.members[self.offsets[:-1]]

    @cached_property
    def shared(self) -> np.ndarray:
        """Whether a token is not alone in its class; the last one, for tags never seen, is. [token + 1]"""
        return np.append(np.isin(self.of, self.larger), False)

    def rows(self, unknown: bool) -> np.ndarray:
        """Which row of its input a network takes for every class: that of the only token, or one after all tokens.

        unknown: whether there is a token for tags never seen, which then is the last class, too
        """
        rows, tokens = self.one_of_each.copy(), len(self.of) + unknown
        rows[self.larger] = tokens + np.arange(len(self.larger))
        return np.append(rows, len(self.of)) if unknown else rows

    @cached_property
    def with_unknown(self) -> np.ndarray:
        """The class of every token; a tag that was never seen has one of its own, outside of all others. [token + 1]"""
        return np.append(self.of, len(self))

    def batch(self, batch: LexicalBatch) -> LexicalBatch:
        """A batch in which classes stand in the place of children, and of roots."""
        of = self.with_unknown
        return LexicalBatch(
            batch.batch, of[batch.tokens], batch.contexts, batch.context_of_row, of[batch.children], batch.positions
        )  # fmt: skip


def classes_by_frequency(lexicon: Lexicon, frequent: int = 0, count: int = 0) -> Classes:
    """The words of each tag from the most frequent on, as many in a class as in any other.

    frequent: so many of the most frequent pairs of a word and its tag are classes of their own, as all tags are
    count: of the others about so many classes; 0: as many as a class has words
    """
    return _classes(lexicon, frequent, count, _cut)


def _cut(words: np.ndarray, most: int) -> Iterator[np.ndarray]:
    """So many at a time, in their order."""
    yield from (words[begin : begin + most] for begin in range(0, len(words), most))


def classes_by_vectors(
    lexicon: Lexicon, vectors: np.ndarray, frequent: int = 0, count: int = 0, seed: int = 0
) -> Classes:
    """The words of each tag in clusters of similar vectors; those without a vector by their frequency.

    vectors: [word, size], NaN where a word has none
    frequent, count: as above; clusters have so many words on average, and twice as many at the most
    """
    random = np.random.default_rng(seed)
    vectors = np.nan_to_num(vectors[lexicon.pairs[:, 1]].astype(np.float64))
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def parts(words: np.ndarray, most: int) -> Iterator[np.ndarray]:
        have = vectors[words].any(axis=1)
        similar = words[have]
        if len(similar):
            cluster = _clusters(vectors[similar], -(-len(similar) // most), random)
            for number in np.unique(cluster):
                yield from _cut(similar[cluster == number], 2 * most)
        yield from _cut(words[~have], most)

    return _classes(lexicon, frequent, count, parts)


def _classes(
    lexicon: Lexicon, frequent: int, count: int, parts: Callable[[np.ndarray, int], Iterator[np.ndarray]]
) -> Classes:
    """Tags, the most frequent pairs, and classes of the other words of each tag.

    parts: cuts the pairs of a tag, the most frequent first, into classes of about so many words
    """
    assert lexicon.counts is not None, "it was made of a corpus"
    pairs = np.argsort(-lexicon.counts, kind="stable")
    tags, others = len(lexicon.tags), pairs[frequent:]
    alone = np.concatenate([np.arange(tags), tags + pairs[:frequent]])
    most = -(-len(others) // count) if count else int(np.ceil(np.sqrt(len(others))))
    of = np.empty(len(lexicon), dtype=np.int64)
    of[alone] = np.arange(len(alone))
    number = len(alone)
    for tag in range(tags):
        words = others[lexicon.pairs[others, 0] == tag]
        for part in parts(words, most) if len(words) else ():
            of[tags + part] = number
            number += 1
    return Classes(of)


def _clusters(vectors: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """The cluster of every vector of length one, by k-means from centres that are far from each other. [vector]"""
    chosen = [int(random.integers(len(vectors)))]
    nearest = vectors @ vectors[chosen[0]]  # [vector] how similar the most similar centre is
    for _ in range(count - 1):
        chosen.append(int(np.argmin(nearest)))
        nearest = np.maximum(nearest, vectors @ vectors[chosen[-1]])
    centres = vectors[chosen]
    cluster = np.zeros(len(vectors), dtype=np.int64)
    for _ in range(ROUNDS):
        cluster = np.argmax(vectors @ centres.T, axis=1)
        sums = np.zeros_like(centres)
        np.add.at(sums, cluster, vectors)
        length = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(length > 0, sums / np.maximum(length, 1e-12), centres)
    return cluster


# ---------------------------------------------------------------- words of a class


@dataclass(frozen=True)
class _Wanted:
    """Which words of which larger classes a batch asks for, and by which contexts."""

    classes: np.ndarray  # [class] those that occur
    tokens: np.ndarray  # [token] their members, those of one class after those of another
    first: np.ndarray  # [class + 1] where the members of each begin
    entry: np.ndarray  # [entry] row · columns + column, those of one class after those of another
    context: np.ndarray  # [question] a context that asks for words of a class
    questions: np.ndarray  # [class + 1] where the questions of each begin
    question: np.ndarray  # [entry] whose answer it is
    place: np.ndarray  # [entry] of its word among the members

    @classmethod
    def of(cls, batch: LexicalBatch, classes: Classes) -> _Wanted:
        contexts, children = len(batch.contexts), batch.children.ravel()
        entry = np.flatnonzero(classes.shared[children])  # who is alone has all of its class
        token = children[entry]
        code = classes.of[token] * contexts + np.repeat(batch.context_of_row, batch.children.shape[1])[entry]
        order = np.argsort(code, kind="stable")
        asked, question = np.unique(code[order], return_inverse=True)
        class_of_question, context = np.divmod(asked, contexts)
        roots = batch.tokens[classes.shared[batch.tokens]]
        seen = np.union1d(class_of_question, classes.of[roots])
        sizes = np.diff(classes.offsets)[seen]
        first = np.concatenate([[0], np.cumsum(sizes)])
        members = np.repeat(classes.offsets[:-1][seen] - first[:-1], sizes) + np.arange(first[-1])
        token = token[order]
        return cls(
            classes=seen,
            tokens=classes.members[members],
            first=first,
            entry=entry[order],
            context=context,
            questions=np.searchsorted(class_of_question, [*seen, len(classes)]),
            question=question,
            place=classes.place[token],
        )

    def chunks(self, most_scores: int) -> Iterator[tuple[slice, slice, slice]]:
        """Questions that are answered together, of one class: they, the class's members, and their entries."""
        for number in range(len(self.classes)):
            members = slice(int(self.first[number]), int(self.first[number + 1]))
            begin, end = int(self.questions[number]), int(self.questions[number + 1])
            most = max(1, most_scores // (members.stop - members.start))
            for one in range(begin, end, most):
                questions = slice(one, min(one + most, end))
                entries = np.searchsorted(self.question, [questions.start, questions.stop])
                yield questions, members, slice(*entries.tolist())


def words_of_classes(
    words: Tensor,
    pairs: Tensor,
    as_root: Tensor,
    factors: Tensor,
    batch: LexicalBatch,
    classes: Classes,
    most_scores: int,
) -> tuple[Tensor, Tensor, PullBack[tuple[Tensor, Tensor, Tensor, Tensor]]]:
    """log p of the children and of the roots in a batch, each among the words of its class. [row, column], [word]

    words: [row, size of a word] the vectors of tokens, first of all rows; pairs: [context, rank]; as_root: [rank];
    factors: [2 · rank, size of a word], D of children, then of roots. The pull-back gives the gradients by these four.
    """
    wanted, rank = _Wanted.of(batch, classes), pairs.shape[1]
    tokens = torch.from_numpy(wanted.tokens)
    own = words.index_select(0, tokens)  # [member, size of a word]
    outcome = own @ factors[:rank].t()  # [member, rank]
    entry, context, place, question = map(
        torch.from_numpy, (wanted.entry, wanted.context, wanted.place, wanted.question)
    )
    chunks = list(wanted.chunks(most_scores))

    def scores(questions: slice, members: slice) -> Tensor:
        return pairs.index_select(0, context[questions]) @ outcome[members].t()

    def places(questions: slice, members: slice, entries: slice) -> tuple[Tensor, Tensor]:
        row = question[entries] - questions.start
        return row, row * (members.stop - members.start) + place[entries]

    result = pairs.new_zeros(batch.children.size)
    for questions, members, entries in chunks:
        log_p = torch.log_softmax(scores(questions, members), dim=1)
        result[entry[entries]] = log_p.view(-1).take(places(questions, members, entries)[1])
    root_result, roots_back = _roots(own, factors[rank:], as_root, wanted, batch, classes)

    def pull_back(to_children: Tensor, to_roots: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        to_entries = to_children.reshape(-1).index_select(0, entry)
        to_pairs, to_outcome = torch.zeros_like(pairs), torch.zeros_like(outcome)
        for questions, members, entries in chunks:
            row, where = places(questions, members, entries)
            to_scores = torch.softmax(scores(questions, members), dim=1)
            asked = to_scores.new_zeros(len(to_scores)).index_add_(0, row, to_entries[entries])
            to_scores.mul_(-asked.unsqueeze(1))
            to_scores.view(-1).index_add_(0, where, to_entries[entries])
            to_pairs.index_add_(0, context[questions], to_scores @ outcome[members])
            to_outcome[members].addmm_(to_scores.t(), pairs.index_select(0, context[questions]))
        to_own, to_root_factors, to_as_root = roots_back(to_roots)
        to_own.addmm_(to_outcome, factors[:rank])
        to_words = torch.zeros_like(words).index_copy_(0, tokens, to_own)
        return to_words, to_pairs, to_as_root, torch.cat([to_outcome.t() @ own, to_root_factors])

    return result.view(batch.children.shape), root_result, pull_back


def _roots(
    own: Tensor, factors: Tensor, as_root: Tensor, wanted: _Wanted, batch: LexicalBatch, classes: Classes
) -> tuple[Tensor, PullBack[tuple[Tensor, Tensor, Tensor]]]:
    """log p of every word of the batch as a root, among those of its class. [word]

    own: [member, size of a word]. The pull-back gives the gradients by own, factors and as_root.
    """
    towards = as_root @ factors  # [size of a word]
    of_member = torch.from_numpy(np.repeat(np.arange(len(wanted.classes)), np.diff(wanted.first)))
    score = own @ towards
    highest = score.new_full((len(wanted.classes),), -torch.inf).scatter_reduce_(0, of_member, score, "amax")
    weights = (score - highest.index_select(0, of_member)).exp_()
    total = torch.zeros_like(highest).index_add_(0, of_member, weights)
    log_p = score - (highest + total.log()).index_select(0, of_member)  # [member]
    word = np.flatnonzero(classes.shared[batch.tokens])
    known = batch.tokens[word]
    member = wanted.first[np.searchsorted(wanted.classes, classes.of[known])] + classes.place[known]
    words, members = torch.from_numpy(word), torch.from_numpy(member)
    result = score.new_zeros(len(batch.tokens)).index_copy_(0, words, log_p.index_select(0, members))

    def pull_back(to_result: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        to_words = to_result.index_select(0, words)
        to_score = torch.zeros_like(score).index_add_(0, members, to_words)
        of_class = torch.zeros_like(highest).index_add_(0, of_member, to_score)
        to_score -= of_class.index_select(0, of_member) * log_p.exp()
        to_towards = to_score @ own
        return torch.outer(to_score, towards), torch.outer(as_root, to_towards), factors @ to_towards

    return result, pull_back
