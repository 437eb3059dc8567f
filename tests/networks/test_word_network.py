"""The network over words: the paper's formula for every rule of a batch, its gradient, and the batch's own rules."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from chart.enumeration import Enumerated
from learning.tagged import random_table
from models.worded import random_words, worded

from depinduce.chart.engine import best_trees, expectations, log_partition
from depinduce.corpus import Corpus
from depinduce.grammar.constraints import forbid_heads
from depinduce.grammar.rules import GO, HAS, LEFT, NO, RIGHT, STOP, Order, RuleCounts, RuleTable, multiplied, tag_batch
from depinduce.networks import word_network
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.tag_network import RuleNetwork, as_table
from depinduce.networks.word_batch import NOTHING, LexicalBatch, lexical_batch
from depinduce.networks.word_network import LexicalNetwork

torch.set_num_threads(1)  # the networks here are tiny

SIZES = {"size": 9, "child_rank": 6, "decision_rank": 5}
TAG_SIZE = 4
CORPUS = worded(*random_words(1, count=8, tags="NVD", words="abcd"))
LEXICON = Lexicon.of(CORPUS, min_count=2)
VOCABULARY = len(LEXICON)
UNKNOWN = worded("a/N a/V ?/X a/N", "b/X a/D ?/X", tags=CORPUS.tag_vocabulary)  # X was never seen

every_order = pytest.mark.parametrize("order", list(Order))
every_encoder = pytest.mark.parametrize("encoder", ["ud", "wsj"])
with_and_without_skips = pytest.mark.parametrize("skip", [True, False])


def network_of(
    order: Order, encoder="wsj", skip=True, seed=1, lexicon: Lexicon = LEXICON, dropout=0.0, dropout_of="everything"
) -> LexicalNetwork:
    """In double precision, its weights large enough for rules that are far from equally probable."""
    torch.manual_seed(seed)
    settings = NetworkSettings(**SIZES, encoder=encoder, skip_connections=skip)
    network = LexicalNetwork(order, lexicon, settings, TAG_SIZE, dropout, dropout_of=dropout_of).double()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.4)
    return network


def batch_of(order: Order, corpus=CORPUS, lexicon: Lexicon = LEXICON, by_position=False) -> LexicalBatch:
    return lexical_batch(order, lexicon.tokens(corpus), corpus.offsets, by_position)


def problem_of(network: LexicalNetwork, batch: LexicalBatch, noise: torch.Generator | None = None):
    return batch.problem(*(part.numpy() for part in network.rules(batch, noise)[0]))


@torch.no_grad()
def gradient_of(network: LexicalNetwork, batch: LexicalBatch, noise: torch.Generator | None = None) -> list[np.ndarray]:
    """Of the sum of log Z, by each parameter."""
    rules, pull_back = network.rules(batch, noise)
    expected = expectations(*batch.problem(*(part.numpy() for part in rules)), positions=True)
    to_rules = (expected.root, expected.counts.child, expected.counts.decision)
    gradients = pull_back(*map(torch.from_numpy, to_rules))
    pairs = zip(network.parameters(), gradients, strict=True)
    return [gradient.numpy().reshape(parameter.shape).copy() for parameter, gradient in pairs]


def require_gradient(network: LexicalNetwork, batch: LexicalBatch) -> set[str]:
    """Compare the gradient with finite differences, under the same noise; gives the parameters that matter."""

    def noise() -> torch.Generator:
        return torch.Generator().manual_seed(3)

    gradients = gradient_of(network, batch, noise())
    random, step, moved = np.random.default_rng(0), 1e-6, set()
    for (name, parameter), gradient in zip(network.named_parameters(), gradients, strict=True):
        towards = torch.from_numpy(random.normal(size=parameter.shape))
        with torch.no_grad():
            parameter += step * towards
            above = log_partition(*problem_of(network, batch, noise())).sum()
            parameter -= 2 * step * towards
            below = log_partition(*problem_of(network, batch, noise())).sum()
            parameter += step * towards
        slope = float((gradient * towards.numpy()).sum())
        assert slope == pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-5), name
        moved |= {name} if abs(slope) > 1e-3 else set()
    return moved


def test_the_words_here_tell_something_apart():
    assert 8 < VOCABULARY < 3 * 4 + 3
    repeated = [len(set(tokens)) < len(tokens) for tokens in np.split(LEXICON.tokens(CORPUS), CORPUS.offsets[1:-1])]
    assert sum(repeated) > 2
    assert (LEXICON.tokens(CORPUS) < 3).any()


# ---------------------------------------------------------------- the formula, one rule at a time


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


class Formula:
    """The rules of a lexical grammar by plain loops over the vocabulary."""

    def __init__(self, network: LexicalNetwork):
        self.w = {name: part.detach().numpy() for name, part in network.named_parameters()}
        self.order, self.lexicon, self.skip = network.order, network.lexicon, network.encoder.skip
        self.deep = len(network.encoder.deeper) > 0
        self.null, self.stop, self.go, self.root = self.w["symbols"]
        self.everything = [self.x(token) for token in range(len(self.lexicon))]

    def x(self, token: int) -> np.ndarray:
        """What enters for a token: its tag's embedding, then its word's vector."""
        if token == self.lexicon.unknown:
            return np.mean([self.x(tag) for tag in range(len(self.lexicon.tags))], axis=0)
        tag, word = self.lexicon.tag_of[token], self.lexicon.word_of[token]
        return np.concatenate([self.w["tag_embedding"][tag], self.w["word_embedding"][word]])

    def layer(self, name: str, x: np.ndarray, part: int = 0) -> np.ndarray:
        """W x + b, where W may be one of two that lie one after the other."""
        rows = slice(part * len(x), (part + 1) * len(x))
        return self.w[f"encoder.{name}.weight"][rows] @ x + self.w[f"encoder.{name}.bias"][rows]

    def h(self, role: str, x: np.ndarray, valence: int, direction: int) -> np.ndarray:
        number = ("parent", "child", "context", "decision", "root").index(role)
        e = self.w["roles.weight"][number * len(x) : (number + 1) * len(x)] @ x
        again = e if self.skip else 0
        v = relu(self.layer("w1", relu(self.layer("valence", e, valence) + again)))
        d = self.layer("w3", relu(self.layer("w2", self.layer("direction", v, direction) + again)))
        last = self.layer("w4", d)
        if not self.deep:
            return relu(last)
        return relu(self.layer("deeper.1", relu(self.layer("deeper.0", relu(last + again)))))

    def score(self, kind: str, valence: int, direction: int, **xs: np.ndarray) -> float:
        """Σᵢ of the product of the factors of all that take part."""
        child, decision = slice(None, SIZES["child_rank"]), slice(SIZES["child_rank"], None)
        rows = {
            ("child", "parent"): child, ("child", "context"): child, ("child", "child"): child,
            ("decision", "parent"): decision, ("decision", "context"): decision, ("root", "child"): decision,
        }  # fmt: skip
        product = 1.0
        for role, x in xs.items():
            factors = self.w[f"{role}_factors.weight"][rows.get((kind, role), slice(None))]
            product = product * (factors @ self.h(role, x, valence, direction))
        return float(np.sum(product))

    def given(self, parent: int, context: int | None) -> dict[str, np.ndarray]:
        above = self.null if context is None else self.x(context)
        return {"parent": self.x(parent)} | ({} if self.order is Order.FIRST else {"context": above})

    def child(self, direction: int, valence: int, parent: int, context: int | None) -> dict[int, float]:
        """log p of every token; the unknown one is none of those that share the probability."""
        given = self.given(parent, context)
        return self.shared(lambda x: self.score("child", valence, direction, **given, child=x))

    def decision(self, direction: int, valence: int, parent: int, context: int | None) -> np.ndarray:
        given = self.given(parent, context)
        scores = {a: self.score("decision", valence, direction, **given, decision=x) for a, x in self.decisions()}
        return np.array([scores[STOP], scores[GO]]) - np.logaddexp(scores[STOP], scores[GO])

    def decisions(self):
        return (STOP, self.stop), (GO, self.go)

    def roots(self) -> dict[int, float]:
        places = [(valence, direction) for valence in (NO, HAS) for direction in (LEFT, RIGHT)]
        return self.shared(lambda x: sum(self.score("root", *place, root=self.root, child=x) for place in places))

    def shared(self, score) -> dict[int, float]:
        scores = [score(x) for x in self.everything]
        normaliser = np.logaddexp.reduce(scores)
        scores.append(score(self.x(self.lexicon.unknown)))
        return {token: value - normaliser for token, value in enumerate(scores)}


def contexts_of(order: Order, head: int, length: int) -> Iterator[tuple[int, int, int | None, list[int]]]:
    """Direction, valence, place of the context and possible children of every row that a tree may use."""
    for direction, side in ((LEFT, range(head)), (RIGHT, range(head + 1, length))):
        if order is Order.FIRST:
            yield from ((direction, valence, None, [*side]) for valence in (NO, HAS))
        elif order is Order.SIBLING:
            yield direction, NO, None, [*side]
            for sibling in side:
                nearer = [place for place in side if abs(place - head) < abs(sibling - head)]
                yield direction, HAS, sibling, nearer
        else:
            for grandparent in (None, *(place for place in range(length) if place != head)):
                yield from ((direction, valence, grandparent, [*side]) for valence in (NO, HAS))


def row_of(batch: LexicalBatch, sentence: int, head: int, direction: int, valence: int, context: int | None) -> int:
    """Where the batch says that the rules of a head in a context are."""
    of, first = batch.batch, batch.batch.offsets[sentence]
    slot = of.no_context if context is None else of.context[first + context]
    if of.order is not Order.SIBLING:
        slot = 2 * slot + valence
    return int(of.rows[of.base[first + head, direction] + slot])


Given = tuple[int, int, int, int | None]  # direction, valence, token of the head and of the context


def rows_and_children(
    order: Order, corpus: Corpus, batch: LexicalBatch
) -> Iterator[tuple[int, Given, list[tuple[int, int]]]]:
    """Every row that a tree of some sentence may use, what it is given, and its children: their tokens and columns."""
    tokens = LEXICON.tokens(corpus)
    for sentence, length in enumerate(corpus.lengths):
        first = corpus.offsets[sentence]
        words = tokens[first : first + length].tolist()
        for head in range(length):
            for direction, valence, context, places in contexts_of(order, head, length):
                given = direction, valence, words[head], None if context is None else words[context]
                children = [(words[place], int(batch.batch.column[first + place])) for place in places]
                yield row_of(batch, sentence, head, direction, valence, context), given, children


@every_order
@every_encoder
@with_and_without_skips
@pytest.mark.parametrize(
    "corpus", [worded("a/N b/V a/N c/D", "b/V b/V", tags=CORPUS.tag_vocabulary), UNKNOWN], ids=["known", "unknown"]
)
def test_every_rule_of_a_batch_is_that_of_the_formula(order, encoder, skip, corpus):
    network, batch = network_of(order, encoder, skip), batch_of(order, corpus)
    root, child, decision = (part.numpy() for part in network.rules(batch)[0])
    formula, tokens, seen = Formula(network), LEXICON.tokens(corpus), set()
    roots = formula.roots()
    np.testing.assert_allclose(root, [roots[token] for token in tokens], rtol=1e-9)
    for row, given, children in rows_and_children(order, corpus, batch):
        np.testing.assert_allclose(decision[row], formula.decision(*given), rtol=1e-9, atol=1e-12)
        expected = formula.child(*given) if children else {}
        for word, column in children:
            assert child[row, column] == pytest.approx(expected[word], rel=1e-9)
        seen.add(row)
    assert len(seen) > 10
    for part in (root, child, decision):
        assert np.ptp(part) > 0.02  # there is something to tell apart


def whole_vocabulary(order: Order, unknown: bool = False) -> LexicalBatch:
    """One sentence in which every token occurs once."""
    tokens = np.random.default_rng(0).permutation(VOCABULARY + unknown)
    return lexical_batch(order, tokens, np.array([0, len(tokens)]))


@every_order
@pytest.mark.parametrize("unknown", [False, True])
def test_probabilities_are_shared_by_the_whole_vocabulary(order, unknown):
    batch = whole_vocabulary(order, unknown)
    root, child, decision = (part.exp().numpy() for part in network_of(order).rules(batch)[0])
    known = batch.tokens < VOCABULARY  # an unknown token stands outside
    assert root[known].sum() == pytest.approx(1)
    assert decision.sum(axis=1) == pytest.approx(1)
    assert child[:, known].sum(axis=1) == pytest.approx(1)
    assert (child[:, ~known] > 0).all()


@every_order
def test_the_unknown_token_changes_no_other_rule(order):
    """A corpus with and without one more sentence, of unknown words."""
    network = network_of(order)
    plain = worded("a/N b/V a/N", tags=CORPUS.tag_vocabulary)
    mixed = worded("a/N b/V a/N", "a/N ?/X", tags=CORPUS.tag_vocabulary)
    one, other = (problem_of(network, batch_of(order, corpus)) for corpus in (plain, mixed))
    assert log_partition(*one)[0] == pytest.approx(log_partition(*other)[0], rel=1e-12)


@every_order
def test_of_a_single_tag_the_unknown_one_is_a_copy(order):
    corpus = worded("a/N a/N b/N")
    lexicon = Lexicon.of(corpus)
    network = network_of(order, lexicon=lexicon)
    unknown = worded("a/N ?/X b/N", "?/X", tags=corpus.tag_vocabulary)
    known = worded("a/N ?/N b/N", "?/N", tags=corpus.tag_vocabulary)
    one, other = (log_partition(*problem_of(network, batch_of(order, made, lexicon))) for made in (unknown, known))
    np.testing.assert_allclose(one, other, rtol=1e-12)


# ---------------------------------------------------------------- the gradient


@every_order
@pytest.mark.parametrize(
    ("corpus", "encoder", "skip", "dropout", "dropout_of", "most_scores"),
    [
        pytest.param(CORPUS, "wsj", True, 0.0, "everything", None, id="wsj"),
        pytest.param(CORPUS, "ud", True, 0.0, "everything", 200, id="ud in chunks"),
        pytest.param(CORPUS, "ud", False, 0.0, "everything", None, id="without skips"),
        pytest.param(CORPUS, "wsj", True, 0.5, "everything", 200, id="dropout in chunks"),
        pytest.param(UNKNOWN, "wsj", True, 0.5, "everything", None, id="unknown tags"),
        pytest.param(CORPUS, "wsj", True, 0.5, "heads", 200, id="dropout of heads in chunks"),
        pytest.param(UNKNOWN, "wsj", True, 0.5, "heads", None, id="dropout of heads, unknown tags"),
    ],
)
def test_expected_counts_give_the_gradient_of_the_likelihood(
    order, corpus, encoder, skip, dropout, dropout_of, most_scores
):
    network = network_of(order, encoder, skip, seed=2, dropout=dropout, dropout_of=dropout_of)
    batch = batch_of(order, corpus, by_position=dropout_of == "heads")
    network.most_scores = most_scores or network.most_scores

    assert len(require_gradient(network, batch)) >= 10  # most of the parameters matter


@every_order
@pytest.mark.parametrize("corpus", [CORPUS, UNKNOWN], ids=["known", "unknown"])
def test_the_size_of_a_chunk_changes_nothing(order, corpus, monkeypatch):
    network, batch = network_of(order), batch_of(order, corpus)
    whole = [*network.rules(batch)[0], *gradient_of(network, batch)]
    monkeypatch.setattr(word_network, "TOKENS_AT_A_TIME", 4)  # as children
    columns = VOCABULARY + (corpus is UNKNOWN)
    for contexts in (1, 3):  # at a time; not all are kept for the gradient
        network.most_scores = 4 * columns * contexts
        assert network.most_scores < len(batch.contexts) * columns
        in_chunks = [*network.rules(batch)[0], *gradient_of(network, batch)]
        for one, other in zip(whole, in_chunks, strict=True):
            np.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-12)


# ---------------------------------------------------------------- beside the network over tags


def as_tags(network: LexicalNetwork, x: torch.Tensor | None = None) -> RuleNetwork:
    """The same weights in a network for which every token is a tag. x: its embeddings, if they are others"""
    lexicon = network.lexicon
    plain = RuleNetwork(network.order, len(lexicon), NetworkSettings(**SIZES, encoder="wsj")).double()
    weights = dict(network.state_dict())
    tag, word, symbols = (weights.pop(name) for name in ("tag_embedding", "word_embedding", "symbols"))
    tokens = torch.cat([tag[lexicon.tag_of], word[lexicon.word_of]], dim=1)
    plain.load_state_dict(weights | {"embedding": torch.cat([tokens, symbols]) if x is None else x})
    return plain


@every_order
@pytest.mark.parametrize("min_count", [1000, 2], ids=["only tags", "pairs"])
def test_it_is_the_network_over_tags_whose_embeddings_are_those_of_tag_and_word(order, min_count):
    lexicon = Lexicon.of(CORPUS, min_count)
    assert (len(lexicon.pairs) == 0) == (min_count == 1000)
    network, tokens = network_of(order, lexicon=lexicon), lexicon.tokens(CORPUS)
    plain = tag_batch(order, tokens, CORPUS.offsets, len(lexicon))
    expected = log_partition(as_tags(network).table(), plain)
    found = log_partition(*problem_of(network, batch_of(order, CORPUS, lexicon)))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@every_order
def test_the_training_precision_gives_the_same_rules(order):
    batch = batch_of(order)
    exact, single = network_of(order).rules(batch)[0], network_of(order).float().rules(batch)[0]
    for one, other in zip(exact, single, strict=True):
        assert other.dtype == torch.float32
        np.testing.assert_allclose(other, one, rtol=1e-3, atol=1e-3)


# ---------------------------------------------------------------- dropout


def same(one, other) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


@every_order
def test_noise_is_that_of_its_generator_and_there_is_none_without(order):
    network, batch, noise = network_of(order, dropout=0.5), batch_of(order), torch.Generator().manual_seed(7)
    state = noise.get_state()
    first, second = (network.rules(batch, noise)[0] for _ in range(2))
    assert not same(first, second)
    noise.set_state(state)
    torch.manual_seed(99)  # no other generator matters
    assert same(network.rules(batch, noise)[0], first)
    assert same(network.rules(batch, noise)[0], second)
    without = network.rules(batch)[0]
    assert same(without, network.rules(batch)[0])
    assert same(without, network_of(order, dropout=0.0).rules(batch, noise)[0])
    assert not same(without, first)


@pytest.mark.parametrize("dropout", [0.25, 0.75])
def test_a_share_of_the_embeddings_is_dropped_and_the_rest_is_made_larger(dropout):
    """Which ones the gradient tells: it is zero by what was dropped, of tokens that all have a row of their own."""
    lexicon = Lexicon.of(CORPUS, min_count=1000)
    network, batch = (
        network_of(Order.SIBLING, lexicon=lexicon, dropout=dropout),
        batch_of(Order.SIBLING, CORPUS, lexicon),
    )
    dropped = []
    for seed in range(30):
        tag, word, symbols, *_ = gradient_of(network, batch, torch.Generator().manual_seed(seed))
        kept = torch.from_numpy(np.concatenate([np.concatenate([tag, word], axis=1), symbols]) != 0)
        dropped.append(1 - kept.double().mean())
    assert np.mean(dropped) == pytest.approx(dropout, abs=0.03)
    x = as_tags(network).embedding.detach() * kept / (1 - dropout)
    plain = tag_batch(Order.SIBLING, lexicon.tokens(CORPUS), CORPUS.offsets, len(lexicon))
    expected = log_partition(as_tags(network, x).table(), plain)
    found = log_partition(*problem_of(network, batch, torch.Generator().manual_seed(seed)))
    np.testing.assert_allclose(found, expected, rtol=1e-6)  # noise is drawn in single precision


class DroppedHeads(Formula):
    """The formula in which some numbers are missing from a head, and from nothing else."""

    def __init__(self, network: LexicalNetwork, kept: np.ndarray):
        super().__init__(network)
        self.kept = kept  # [word, number]
        self.word = 0  # that is the head

    def given(self, parent: int, context: int | None) -> dict[str, np.ndarray]:
        given = super().given(parent, context)
        return given | {"parent": given["parent"] * self.kept[self.word]}


@every_order
@pytest.mark.parametrize(
    "corpus", [worded("a/N b/V a/N c/D", "b/V b/V", tags=CORPUS.tag_vocabulary), UNKNOWN], ids=["known", "unknown"]
)
def test_dropout_of_heads_leaves_out_numbers_of_every_word_as_a_head_and_of_nothing_else(order, corpus):
    network = network_of(order, dropout=0.5, dropout_of="heads")
    batch, tokens = batch_of(order, corpus, by_position=True), LEXICON.tokens(corpus)
    root, child, decision = (part.numpy() for part in network.rules(batch, torch.Generator().manual_seed(4))[0])
    drawn = torch.rand((len(tokens), SIZES["size"]), generator=torch.Generator().manual_seed(4))
    formula = DroppedHeads(network, (drawn >= 0.5).double().numpy() / 0.5)
    roots, first = formula.roots(), corpus.offsets
    np.testing.assert_allclose(root, [roots[token] for token in tokens], rtol=1e-9)
    for sentence, length in enumerate(corpus.lengths):
        words = tokens[first[sentence] : first[sentence + 1]].tolist()
        for head in range(length):
            formula.word = first[sentence] + head
            for direction, valence, context, children in contexts_of(order, head, length):
                row = row_of(batch, sentence, head, direction, valence, context)
                given = direction, valence, words[head], None if context is None else words[context]
                np.testing.assert_allclose(decision[row], formula.decision(*given), rtol=1e-9, atol=1e-12)
                expected = formula.child(*given) if children else {}
                found = {place: child[row, batch.batch.column[first[sentence] + place]] for place in children}
                assert found == pytest.approx({place: expected[words[place]] for place in children}, rel=1e-9)


@every_order
def test_without_noise_it_does_not_matter_whose_contexts_they_are(order):
    network = network_of(order, dropout=0.5, dropout_of="heads")
    shared, own = batch_of(order), batch_of(order, by_position=True)
    assert len(own.contexts) > len(shared.contexts)
    for one, other in zip(network.rules(shared)[0], network.rules(own)[0], strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-10)
    both = zip(gradient_of(network, shared), gradient_of(network, own), strict=True)
    for one, other in both:
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)


# ---------------------------------------------------------------- the batch

TOKENS = [2, 0, 2, 1, 1, 0, 0, 2, 0, 1, 3, 3, 3, 1, 3, 0]  # of four kinds, most of them more than once in a sentence
OFFSETS = np.cumsum([0, 3, 1, 5, 2, 4, 1])
KINDS = 4
BLOCKS = [(direction, valence) for direction in (LEFT, RIGHT) for valence in (NO, HAS)]


def in_table(order: Order, batch: LexicalBatch) -> np.ndarray:
    """The row of every context in the table of a grammar over KINDS tags. [context]"""
    numbers = np.arange(np.prod(order.shape(KINDS))).reshape(order.shape(KINDS))
    rows = []
    for block, parent, context in batch.contexts:
        direction, valence = BLOCKS[block]
        above = KINDS if context == NOTHING else context
        place = {Order.FIRST: (valence,), Order.SIBLING: (above,), Order.GRANDPARENT: (above, valence)}[order]
        rows.append(numbers[(direction, parent, *place)])
    return np.array(rows)


def lexical_problem(order: Order, table: RuleTable, batch: LexicalBatch):
    rows = in_table(order, batch)[batch.context_of_row]
    child = table.child[rows[:, None], batch.children]
    return batch.problem(table.root[batch.tokens], child, table.decision[rows])


@every_order
@pytest.mark.parametrize("constrained", [False, True])
def test_a_batch_of_words_is_the_enumeration_of_all_trees(order, constrained):
    table, tokens = random_table(order, KINDS, seed=5), np.array(TOKENS)
    plain, batch = tag_batch(order, tokens, OFFSETS, KINDS), lexical_batch(order, tokens, OFFSETS)
    constraint = forbid_heads(plain, tokens != 0) if constrained else None
    own, made, factors = lexical_problem(order, table, batch)
    factors = multiplied(factors, constraint)
    expected = expectations(own, made, factors, positions=True)
    heads = np.split(best_trees(own, made, factors).heads[0], OFFSETS[1:-1])

    counts = RuleCounts.zeros_like(table)
    for sentence in range(len(made)):
        oracle = Enumerated(table, plain, sentence, constraint)
        assert expected.log_z[sentence] == pytest.approx(oracle.log_z, rel=1e-12, abs=1e-12)
        if np.isfinite(oracle.log_z):
            assert tuple(heads[sentence]) == oracle.trees[0]
        words = slice(OFFSETS[sentence], OFFSETS[sentence + 1])
        np.testing.assert_allclose(expected.root[words], oracle.roots, atol=1e-12)
        counts += oracle.counts
    assert np.isfinite(expected.log_z).sum() >= 4

    folded = RuleCounts.zeros_like(table)  # the counts of the rows, by the tokens that they are of
    rows = in_table(order, batch)[batch.context_of_row]
    np.add.at(folded.root, tokens, expected.root)
    np.add.at(folded.child, (rows[:, None], batch.children), expected.counts.child)
    np.add.at(folded.decision, rows, expected.counts.decision)
    for one, other in zip(folded.parts, counts.parts, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@every_order
def test_by_position_every_context_belongs_to_one_word(order):
    batch = lexical_batch(order, np.array(TOKENS), OFFSETS, by_position=True)
    shared = lexical_batch(order, np.array(TOKENS), OFFSETS)
    assert np.array_equal(batch.contexts[batch.context_of_row], shared.contexts[shared.context_of_row])
    assert np.array_equal(batch.children, shared.children)
    assert np.array_equal(batch.contexts[:, 1], batch.tokens[batch.positions])
    assert (np.diff(batch.contexts[:, 0]) >= 0).all()  # some of one block are scored at a time
    own = np.column_stack([batch.contexts, batch.positions])
    assert len(np.unique(own, axis=0)) == len(own)
    for word, first_rows in enumerate(batch.batch.base):
        for row in batch.batch.rows[first_rows]:
            assert batch.positions[batch.context_of_row[row]] == word


@every_order
def test_every_context_is_listed_once_and_no_other(order):
    batch = lexical_batch(order, np.array(TOKENS), OFFSETS)
    expected = set()
    for first, last in zip(OFFSETS[:-1], OFFSETS[1:], strict=True):
        words = TOKENS[first:last]
        for head, token in enumerate(words):
            for direction, valence, context, _ in contexts_of(order, head, len(words)):
                above = NOTHING if context is None else words[context]
                expected.add((BLOCKS.index((direction, valence)), token, above))
    found = [tuple(context) for context in batch.contexts]
    assert found == sorted(found)
    assert len(set(found)) == len(found)
    assert expected <= set(found)
    extra = set(found) - expected  # a head has a row for each kind of word in its sentence, its own one too
    assert all(token == above for _, token, above in extra)
    assert not extra or order is Order.GRANDPARENT


@every_order
def test_a_sentence_has_the_same_rules_in_any_company(order):
    network, alone = network_of(order), []
    for sentence in range(len(CORPUS)):
        part = CORPUS.select(np.arange(len(CORPUS)) == sentence)
        alone.append(log_partition(*problem_of(network, batch_of(order, part)))[0])
    np.testing.assert_allclose(log_partition(*problem_of(network, batch_of(order))), alone, rtol=1e-12)


@every_order
def test_the_table_of_a_batch_has_the_shape_of_its_counts(order):
    network, batch = network_of(order), batch_of(order)
    table, made, factors = problem_of(network, batch)
    counts = expectations(table, made, factors).counts
    assert (counts.child.shape, counts.decision.shape) == (batch.children.shape, (len(batch.context_of_row), 2))
    assert as_table(network.rules(batch)[0]).child.dtype == np.float64
