"""A network that learns: its optimiser, and how its rules become the problem of a chart and counts its gradient.

Most trainings have one learner. A joint model has two, a grammar over tags and a first-order one over words, and their
product is the chart: p₀(x, z) · p₁(x, z), summed over the trees z.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property

import numpy as np
import torch

from depinduce.chart.engine import Expectations
from depinduce.corpus import Corpus, read_sentences
from depinduce.corpus.word_vectors import read_vectors, train_vectors
from depinduce.grammar.inside_out import as_outside_in, counts_inside_out
from depinduce.grammar.multinomials import uniform_counts
from depinduce.grammar.rules import Batch, Factors, Order, RuleCounts, RuleTable, multiplied
from depinduce.grammar.trees import tree_counts
from depinduce.learning.em import Data
from depinduce.learning.minibatches import Minibatches
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.learning import WORD_MODELS
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.networks.gradients import PullBack
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.tag_network import RuleNetwork, Rules, as_table
from depinduce.networks.word_batch import as_factors, from_factors
from depinduce.networks.word_network import LexicalNetwork

Problem = tuple[RuleTable, Batch, Factors | None]


def one_vector(network: torch.nn.Module) -> torch.nn.Parameter:
    """All parameters as views of one vector, and their gradients likewise: one step of Adam instead of many."""
    parts = list(network.parameters())
    vector = torch.nn.Parameter(torch.cat([part.data.flatten() for part in parts]))
    vector.grad = torch.zeros_like(vector)
    sizes = [part.numel() for part in parts]
    for part, values, gradient in zip(parts, vector.data.split(sizes), vector.grad.split(sizes), strict=True):
        part.data, part.grad = values.view_as(part), gradient.view_as(part)
    return vector


class Learner(ABC):
    """A network with its optimiser. Counts have the shape of its rules."""

    needs_positions = False  # are its counts made of the posteriors of positions?

    def __init__(self, network: RuleNetwork | LexicalNetwork, settings: NeuralSettings):
        self.network, self.settings = network, settings
        self.parameters = one_vector(network)
        self.optimiser = torch.optim.Adam([self.parameters], lr=settings.learning_rate, fused=True)
        self.best_weights = self.weights()

    @property
    def order(self) -> Order:
        return self.network.order

    def weights(self) -> dict[str, torch.Tensor]:
        return {name: tensor.clone() for name, tensor in self.network.state_dict().items()}

    def step(self, pull_back: PullBack, counts: RuleCounts, sentences: int) -> None:
        """One step of Adam up Σ count · log p(rule) per sentence."""
        dtype = self.parameters.dtype
        to_rules = [torch.from_numpy(part / -sentences).to(dtype) for part in counts.parts]
        torch.cat([gradient.flatten() for gradient in pull_back(*to_rules)], out=self.parameters.grad)
        self.optimiser.step()

    @property
    def in_numbers(self) -> bool:
        """Whether it has not lost its way to infinity."""
        return bool(torch.isfinite(self.parameters.sum()))

    @abstractmethod
    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        """A corpus as this learner sees it in a stage of training."""

    @abstractmethod
    def rules(self, data: Data, noise: torch.Generator | None = None) -> tuple[Rules, PullBack]:
        """log p of its rules, for some sentences."""

    @abstractmethod
    def problem(self, rules: Rules, data: Data) -> Problem:
        """What a chart computes with."""

    @abstractmethod
    def counts(self, expected: Expectations) -> RuleCounts:
        """The counts of its rules from what its own chart gives."""

    @abstractmethod
    def counts_of_trees(self, data: Data, heads: np.ndarray) -> RuleCounts:
        """The counts of one tree per sentence. heads: [token]"""


class TagLearner(Learner):
    """A grammar over tags; its rules are the same for all sentences."""

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        return Minibatches(self.order, corpus, self.settings.non_heads_in(stage))

    @property
    def in_numbers(self) -> bool:
        return all(bool(torch.isfinite(part.sum())) for part in self.network.rules()[0])

    @cached_property
    def _like(self) -> RuleCounts:
        """Counts of the right shape."""
        return uniform_counts(self.order, self.network.tags)

    @property
    def inside_out(self) -> bool:
        return self.settings.generation == "inside-out"

    def rules(self, data: Data | None = None, noise: torch.Generator | None = None) -> tuple[Rules, PullBack]:
        return self.network.rules()

    def problem(self, rules: Rules, data: Data) -> Problem:
        table = as_table(rules)
        return as_outside_in(table) if self.inside_out else table, data.batch, data.factors

    def rules_counted(self, counts: RuleCounts) -> RuleCounts:
        """The chart's counts as those of the rules."""
        return counts_inside_out(counts) if self.inside_out else counts

    def counts(self, expected: Expectations) -> RuleCounts:
        return self.rules_counted(expected.counts)

    def counts_of_trees(self, data: Data, heads: np.ndarray) -> RuleCounts:
        return self.rules_counted(tree_counts(self._like, data.batch, heads))


class WordLearner(Learner):
    """A grammar over words; its rules are made for each batch."""

    needs_positions = True

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        return Minibatches(self.order, corpus, self.settings.non_heads_in(stage), self.network.lexicon)

    def rules(self, data: Data, noise: torch.Generator | None = None) -> tuple[Rules, PullBack]:
        return self.network.rules(data.words, noise)

    def problem(self, rules: Rules, data: Data) -> Problem:
        table, batch, factors = data.words.problem(*(part.double().numpy() for part in rules))
        return table, batch, multiplied(factors, data.factors)

    def counts(self, expected: Expectations) -> RuleCounts:
        return replace(expected.counts, root=expected.root)

    def counts_of_trees(self, data: Data, heads: np.ndarray) -> RuleCounts:
        rows, columns = data.words.children.shape
        like = RuleCounts(np.zeros(columns), np.zeros((rows, columns)), np.zeros((rows, 2)))
        return replace(tree_counts(like, data.batch, heads), root=(heads == 0).astype(np.float64))

    def counts_in_product(self, data: Data, expected: Expectations) -> RuleCounts:
        """The counts of a first-order grammar from the chart of its product with another."""
        return RuleCounts(expected.root, *from_factors(data.batch, expected.arc, expected.decision))


def make_learners(
    settings: NeuralSettings,
    configuration: Configuration,
    train: Corpus,
    seed: int,
    vectors: np.ndarray | None = None,
) -> list[Learner]:
    """The learners of a model, the one over tags first, with random weights.

    vectors: [word, size] of the words in the lexicon, NaN where there is none, which stays random
    """
    torch.manual_seed(seed)
    learners: list[Learner] = []
    if settings.model not in WORD_MODELS:
        network = RuleNetwork(settings.order, len(train.tag_vocabulary), configuration.network)
        learners.append(TagLearner(network, settings))
    if settings.sees_words:
        lexical = configuration.lexical
        order = Order.FIRST if settings.is_joint else settings.order
        lexicon = Lexicon.of(train, lexical.min_count)
        sizes = lexical.network(configuration.network)
        network = LexicalNetwork(order, lexicon, sizes, lexical.tag_size, lexical.dropout, lexical.softmax_memory)
        if vectors is not None:
            found = torch.from_numpy(~np.isnan(vectors).any(axis=1))
            network.word_embedding.data[len(lexicon.tags) :][found] = torch.from_numpy(vectors)[found]
        learners.append(WordLearner(network, settings))
    return learners


def word_vectors(configuration: Configuration, train: Corpus) -> np.ndarray | None:
    """The vectors that the words of a lexicon start with, as `make_learners` takes them; None if they are random."""
    lexical, reading = configuration.lexical, configuration.reading
    if lexical is None or lexical.vectors[0] == "random":
        return None
    kind, path = lexical.vectors
    words = Lexicon.of(train, lexical.min_count).words.symbols
    if kind == "file":
        return read_vectors(path, words, lexical.word_size)
    settings = configuration.learning
    sentences = ([reading.word(form) for form in sentence.forms] for sentence in read_sentences(path))
    return train_vectors(sentences, words, lexical.word_size, seed=settings.seed, threads=settings.threads)


def product(problem: Problem, first_order: Problem) -> Problem:
    """The problem of two grammars that must agree on the tree."""
    table, batch, factors = problem
    return table, batch, multiplied(factors, as_factors(first_order))
