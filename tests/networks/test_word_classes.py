"""The softmax of two levels: a share of a class's probability for each of its words, and gradients of both levels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from models.worded import random_words, worded
from networks.test_word_network import (
    Formula,
    batch_of,
    contexts_of,
    gradient_of,
    network_of,
    require_gradient,
    row_of,
    rows_and_children,
)

from depinduce.corpus import Corpus, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import HAS, LEFT, NO, RIGHT, Order
from depinduce.learning.learners.networks import make_learners
from depinduce.learning.settings.configuration import configure
from depinduce.models.loading import load_model
from depinduce.models.word_model import LexicalModel
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.word_batch import LexicalBatch, lexical_batch
from depinduce.networks.word_classes import Classes, classes_by_frequency, classes_by_vectors
from depinduce.networks.word_network import LexicalNetwork

torch.set_num_threads(1)

CORPUS = worded(*random_words(1, count=8, tags="NVD", words="abcd"))
LEXICON = Lexicon.of(CORPUS, min_count=2)
UNKNOWN = worded("a/N a/V ?/X a/N", "b/X a/D ?/X", tags=CORPUS.tag_vocabulary)  # X was never seen
CLASSES = classes_by_frequency(LEXICON, frequent=2, count=4)

every_order = pytest.mark.parametrize("order", list(Order))


def with_classes(
    order: Order, classes: Classes = CLASSES, seed: int = 1, dropout: float = 0.0, dropout_of: str = "everything"
) -> LexicalNetwork:
    """In double precision, weights as in the tests of the softmax over all words."""
    plain = network_of(order, seed=seed)
    settings = NetworkSettings(size=9, child_rank=6, decision_rank=5, encoder="wsj")
    network = LexicalNetwork(order, LEXICON, settings, 4, dropout, dropout_of=dropout_of, classes=classes).double()
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.4)
            same = plain.state_dict().get(name, parameter)  # but vectors of classes, which are after those of words
            parameter[: len(same)] = same
    return network


def test_the_classes_here_are_of_every_kind():
    sizes = np.bincount(CLASSES.of).tolist()
    assert sizes[: 3 + 2] == [1] * (3 + 2)  # tags and frequent words
    assert len(sizes) > 6 and max(sizes) > 1


class ClassFormula(Formula):
    """The rules by plain loops: over all classes, then over the words of one."""

    def __init__(self, network: LexicalNetwork, classes: Classes):
        super().__init__(network)
        self.classes, words = classes, len(self.lexicon.tags) + len(self.lexicon.words)
        vectors = iter(self.w["word_embedding"][words:])  # those of larger classes
        self.of_class = []
        for number in range(len(classes)):
            first, *others = np.flatnonzero(classes.of == number).tolist()
            tag = self.w["tag_embedding"][self.lexicon.tag_of[first]]
            self.of_class.append(np.concatenate([tag, next(vectors)]) if others else self.x(first))
        rank = len(self.w["in_class_factors.weight"]) // 2
        self.child_in_class, self.root_in_class = np.split(self.w["in_class_factors.weight"], [rank])
        self.child_rank = rank

    def two_levels(self, class_score, word_score) -> dict[int, float]:
        """log p of every token, and of the unknown one."""
        scores = [class_score(x) for x in self.of_class]
        total, found = np.logaddexp.reduce(scores), {}
        for token, x in enumerate(self.everything):
            own = self.classes.of[token]
            others = [word_score(self.x(other)) for other in np.flatnonzero(self.classes.of == own)]
            found[token] = scores[own] - total + word_score(x) - np.logaddexp.reduce(others)
        found[self.lexicon.unknown] = class_score(self.x(self.lexicon.unknown)) - total
        return found

    def child(self, direction, valence, parent, context):
        given = self.given(parent, context)
        pair = np.ones(self.child_rank)
        for role, x in given.items():
            pair = pair * (self.w[f"{role}_factors.weight"][: self.child_rank] @ self.h(role, x, valence, direction))
        return self.two_levels(
            lambda x: self.score("child", valence, direction, **given, child=x),
            lambda x: float(pair @ self.child_in_class @ x[4:]),  # after the embedding of the tag
        )

    def roots(self):
        places = [(valence, direction) for valence in (NO, HAS) for direction in (LEFT, RIGHT)]
        factor = sum(self.w["root_factors.weight"] @ self.h("root", self.root, *place) for place in places)
        return self.two_levels(
            lambda x: sum(self.score("root", *place, root=self.root, child=x) for place in places),
            lambda x: float(factor @ self.root_in_class @ x[4:]),
        )


@every_order
@pytest.mark.parametrize(
    "corpus", [worded("a/N b/V a/N c/D", "b/V b/V", tags=CORPUS.tag_vocabulary), UNKNOWN], ids=["known", "unknown"]
)
def test_every_rule_of_a_batch_is_that_of_the_formula(order, corpus):
    network, batch = with_classes(order), batch_of(order, corpus)
    root, child, _ = (part.numpy() for part in network.rules(batch)[0])
    formula, tokens = ClassFormula(network, CLASSES), LEXICON.tokens(corpus)
    roots = formula.roots()
    np.testing.assert_allclose(root, [roots[token] for token in tokens], rtol=1e-9)
    for row, given, children in rows_and_children(order, corpus, batch):
        expected = formula.child(*given) if children else {}
        for word, column in children:
            assert child[row, column] == pytest.approx(expected[word], rel=1e-9)


class Dropped(ClassFormula):
    """The formula in which numbers are missing from what enters: of every token, larger class and symbol others."""

    def __init__(self, network: LexicalNetwork, kept: np.ndarray):
        self.kept = kept  # [token, larger class or symbol; number]
        super().__init__(network, CLASSES)
        for place, number in enumerate(CLASSES.larger):
            self.of_class[number] = self.of_class[number] * kept[len(LEXICON) + place]
        self.null, self.stop, self.go, self.root = self.w["symbols"] * kept[-4:]

    def x(self, token: int) -> np.ndarray:
        return super().x(token) * self.kept[token]


class DroppedHeads(ClassFormula):
    """The formula in which numbers are missing from a head, and from nothing else."""

    kept: np.ndarray  # [number] of the head

    def given(self, parent: int, context: int | None) -> dict[str, np.ndarray]:
        given = super().given(parent, context)
        return given | {"parent": given["parent"] * self.kept}


def kept_of(rows: int) -> np.ndarray:
    drawn = torch.rand((rows, 9), generator=torch.Generator().manual_seed(4))
    return (drawn >= 0.5).double().numpy() / 0.5


def rows_and_children_of_heads(order: Order, corpus: Corpus, batch: LexicalBatch) -> Iterator:
    """As `rows_and_children`, for one sentence whose words have contexts of their own; with the place of the head."""
    tokens = LEXICON.tokens(corpus).tolist()
    for head, token in enumerate(tokens):
        for direction, valence, context, children in contexts_of(order, head, len(tokens)):
            row = row_of(batch, 0, head, direction, valence, context)
            given = direction, valence, token, None if context is None else tokens[context]
            yield head, row, given, [(tokens[place], batch.batch.column[place]) for place in children]


@every_order
def test_dropout_leaves_out_numbers_of_tokens_and_of_larger_classes(order):
    corpus = worded("a/N b/V a/N c/D", "b/V b/V", tags=CORPUS.tag_vocabulary)
    network, batch = with_classes(order, dropout=0.5), batch_of(order, corpus)
    root, child, _ = (part.numpy() for part in network.rules(batch, torch.Generator().manual_seed(4))[0])
    formula = Dropped(network, kept_of(len(LEXICON) + len(CLASSES.larger) + 4))
    roots = formula.roots()
    np.testing.assert_allclose(root, [roots[token] for token in LEXICON.tokens(corpus)], rtol=1e-9)
    for row, given, children in rows_and_children(order, corpus, batch):
        expected = formula.child(*given) if children else {}
        for word, column in children:
            assert child[row, column] == pytest.approx(expected[word], rel=1e-9)


@every_order
def test_dropout_of_heads_leaves_out_numbers_of_nothing_else(order):
    corpus = worded("a/N b/V a/N c/D", tags=CORPUS.tag_vocabulary)
    network = with_classes(order, dropout=0.5, dropout_of="heads")
    batch = batch_of(order, corpus, by_position=True)
    root, child, _ = (part.numpy() for part in network.rules(batch, torch.Generator().manual_seed(4))[0])
    formula, kept = DroppedHeads(network, CLASSES), kept_of(4)
    roots = formula.roots()
    np.testing.assert_allclose(root, [roots[token] for token in LEXICON.tokens(corpus)], rtol=1e-9)
    for head, row, given, children in rows_and_children_of_heads(order, corpus, batch):
        formula.kept = kept[head]
        expected = formula.child(*given) if children else {}
        for word, column in children:
            assert child[row, column] == pytest.approx(expected[word], rel=1e-9)


@every_order
@pytest.mark.parametrize("unknown", [False, True])
def test_probabilities_are_shared_by_the_whole_vocabulary(order, unknown):
    tokens = np.random.default_rng(0).permutation(len(LEXICON) + unknown)
    batch = lexical_batch(order, tokens, np.array([0, len(tokens)]))
    root, child, _ = (part.exp().numpy() for part in with_classes(order).rules(batch)[0])
    known = tokens < len(LEXICON)
    assert root[known].sum() == pytest.approx(1)
    assert child[:, known].sum(axis=1) == pytest.approx(1)


@every_order
@pytest.mark.parametrize("corpus", [CORPUS, UNKNOWN], ids=["known", "unknown"])
def test_where_every_word_is_a_class_it_is_the_softmax_over_all_words(order, corpus):
    every = classes_by_frequency(LEXICON, frequent=len(LEXICON))
    plain, alone = network_of(order, dropout=0.5), with_classes(order, every, dropout=0.5)
    batch = batch_of(order, corpus)
    both = [network.rules(batch, torch.Generator().manual_seed(3))[0] for network in (plain, alone)]
    for one, other in zip(*both, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    of_both = [gradient_of(network, batch, torch.Generator().manual_seed(3)) for network in (plain, alone)]
    for one, other in zip(*of_both, strict=False):  # the other also has a matrix that nothing asks for
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@every_order
@pytest.mark.parametrize(
    ("corpus", "dropout", "most_scores"),
    [
        pytest.param(CORPUS, 0.0, None, id="plain"),
        pytest.param(CORPUS, 0.5, 24, id="dropout in chunks"),
        pytest.param(UNKNOWN, 0.5, None, id="unknown tags"),
    ],
)
def test_expected_counts_give_the_gradient_of_the_likelihood(order, corpus, dropout, most_scores):
    network, batch = with_classes(order, seed=2, dropout=dropout), batch_of(order, corpus)
    network.most_scores = most_scores or network.most_scores
    assert {"in_class_factors.weight", "word_embedding", "tag_embedding"} <= require_gradient(network, batch)


@every_order
def test_the_size_of_a_chunk_changes_nothing(order):
    network, batch = with_classes(order), batch_of(order)
    whole, gradient = network.rules(batch)[0], gradient_of(network, batch)
    network.most_scores = 8
    for one, other in zip(whole, network.rules(batch)[0], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    for one, other in zip(gradient, gradient_of(network, batch), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------- which classes there are

PAIRS = np.array([[0, word] for word in range(10)] + [[1, word] for word in range(0, 10, 3)], dtype=np.int32)
OFTEN = Lexicon(
    Vocabulary("NVD", [1] * 3),
    Vocabulary("abcdefghij", [1] * 10),
    PAIRS,
    np.array([1, 9, 2, 8, 3, 7, 4, 6, 5, 11, 1, 8, 4, 10]),
)  # no word of D is frequent enough


def words_in(classes: Classes, number: int) -> set[str]:
    return {OFTEN.spelling(token) for token in np.flatnonzero(classes.of == number).tolist()}


def test_classes_by_frequency_have_one_tag_each_and_the_most_frequent_words_first():
    classes = classes_by_frequency(OFTEN, frequent=3, count=3)  # of eleven other words: four in each
    assert [words_in(classes, number) for number in range(len(classes))] == [
        *({tag} for tag in "NVD"),
        *({word} for word in ("j/N", "j/V", "b/N")),
        {"d/N", "f/N", "h/N", "i/N"},
        {"g/N", "e/N", "c/N", "a/N"},
        {"d/V", "g/V", "a/V"},
    ]


def lexicon_of_one_tag(words: int) -> Lexicon:
    """The first word is the most frequent one."""
    pairs = np.stack([np.zeros(words, np.int32), np.arange(words, dtype=np.int32)], axis=1)
    symbols = [f"w{number}" for number in range(words)]
    return Lexicon(Vocabulary("N", [1]), Vocabulary(symbols, [1] * words), pairs, np.arange(words, 0, -1))


def test_by_themselves_there_are_as_many_classes_as_a_class_has_words():
    classes = classes_by_frequency(lexicon_of_one_tag(10_000), frequent=7_500)
    assert np.bincount(classes.of).tolist() == [1] * (1 + 7_500) + [50] * 50


def test_classes_by_vectors_keep_similar_words_together():
    vectors = np.zeros((10, 3))
    vectors[:5, 0], vectors[5:, 1] = 1.0, 2.0
    vectors[3] = np.nan  # a word without a vector
    classes = classes_by_vectors(OFTEN, vectors, count=3)  # five in each: two classes of N, one of V
    of_first, of_last = classes.of[3 : 3 + 5], classes.of[3 + 5 : 3 + 10]
    assert len({*of_first[[0, 1, 2, 4]]}) == len({*of_last}) == 1
    assert of_first[0] != of_last[0]
    tag_of = OFTEN.tag_of
    assert all(len({*tag_of[classes.of == number]}) == 1 for number in range(len(classes)))


@pytest.mark.parametrize("without", [0, 1, 300, 900, 1000])
def test_clusters_are_neither_few_nor_large_whichever_words_have_no_vector(without):
    random = np.random.default_rng(1)
    vectors = random.normal(size=(1000, 3)) + 2.0  # they share a direction
    vectors[random.permutation(1000)[:without]] = 0.0 if without < 300 else np.nan
    classes = classes_by_vectors(lexicon_of_one_tag(1000), vectors, frequent=36)  # 964 others: 31 or 32 in each
    sizes = np.bincount(classes.of)
    assert sizes[: 1 + 36].tolist() == [1] * 37
    assert 20 <= len(sizes) - 37 <= 70
    assert sizes.max() <= 64


def test_clusters_are_of_one_direction_whatever_the_length_of_vectors():
    directions = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0]])
    vectors = np.repeat(directions, 6, axis=0) * np.tile([0.01, 0.1, 1, 10, 100, 1000], 4)[:, None]
    vectors += np.random.default_rng(0).normal(size=vectors.shape) * np.abs(vectors).sum(1, keepdims=True) * 0.05
    for seed in range(5):  # whichever is the first centre
        of = classes_by_vectors(lexicon_of_one_tag(24), vectors, count=4, seed=seed).of[1:].reshape(4, 6)
        assert [len({*row}) for row in of.tolist()] == [1] * 4
        assert len({*of[:, 0].tolist()}) == 4


@pytest.mark.parametrize(
    "of",
    [[0, 1], [*range(17), 0], [0, 2] + [0] * 15, [*range(15), 0, 1]],
    ids=["few", "many", "with a gap", "of two tags"],
)
def test_classes_that_do_not_fit_the_lexicon_are_refused(of):
    assert len(OFTEN) == 17
    with pytest.raises(ValueError, match="do not fit the lexicon"):
        Classes.from_json(of, OFTEN.tag_of)


# ---------------------------------------------------------------- training and files

TINY = {"tag_size": 4, "word_size": 4, "lexical_child_rank": 4, "lexical_decision_rank": 2, "size": 8, "child_rank": 4}


def test_a_model_with_classes_is_the_same_when_it_is_read_again(tmp_path):
    settings = NetworkSettings(size=9, child_rank=6, decision_rank=5, encoder="wsj")
    model = LexicalModel(with_classes(Order.FIRST).float(), settings)
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert np.array_equal(again.network.classes.of, CLASSES.of)
    np.testing.assert_allclose(again.problem(CORPUS).log_partition(), model.problem(CORPUS).log_partition(), rtol=1e-9)


@pytest.mark.parametrize("model", ["lexical", "lexical-sibling", "joint-sibling"])
def test_settings_make_the_classes_of_a_network(model):
    values = TINY | {"model": model, "init": ("random",), "softmax": "frequency", "frequent_words": 2, "classes": 4}
    configuration = configure(values)
    *_, learner = make_learners(configuration.learning, configuration, CORPUS, 0)
    assert np.array_equal(learner.network.classes.of, CLASSES.of)


def test_a_learner_goes_on_with_the_classes_that_it_began_with():
    values = TINY | {"model": "lexical", "init": ("random",), "softmax": "vectors", "frequent_words": 2, "classes": 4}
    configuration = configure(values | {"vectors": ("file", "some.vec")})
    random, batch = np.random.default_rng(0), batch_of(Order.FIRST)

    def learner():
        vectors = random.normal(size=(len(LEXICON.words), 4)).astype(np.float32)
        return make_learners(configuration.learning, configuration, CORPUS, 0, vectors)[0]

    before, after = learner(), learner()
    classes = before.network.classes.of
    assert not np.array_equal(after.network.classes.of, classes)  # other vectors make others
    after.restore(before.state())
    assert np.array_equal(after.network.classes.of, classes)
    for one, other in zip(before.network.rules(batch)[0], after.network.rules(batch)[0], strict=True):
        assert torch.equal(one, other)
    after.parameters.data += 1.0  # the optimiser's are those of the network
    assert not torch.equal(after.network.rules(batch)[0][1], before.network.rules(batch)[0][1])


def test_classes_of_similar_words_need_vectors():
    with pytest.raises(DepinduceError, match="random word vectors are not similar"):
        configure({"model": "lexical", "softmax": "vectors"})
