"""Networks that learn by gradient: over tags, over words, and both together.

The gradient of the log-likelihood by log p(rule) is the expected count of the rule. So a step up Σ count · log p is one
of direct marginal likelihood optimisation if the counts are those of the present rules; several steps on the same
counts are the M-step of EM; counts of the best trees make it hard EM; counts of given trees are the start.

A joint model has two learners, a grammar over tags and a first-order one over words, and their product is the chart:
p₀(x, z) · p₁(x, z), summed over the trees z.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import torch

from depinduce.chart.engine import Expectations
from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Vocabulary, read_sentences
from depinduce.corpus.word_vectors import read_vectors, train_vectors
from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.inside_out import as_outside_in, counts_inside_out
from depinduce.grammar.multinomials import uniform_counts
from depinduce.grammar.rules import Order, RuleCounts, RuleTable
from depinduce.grammar.stacked import each_of, stacked
from depinduce.grammar.trees import tree_counts
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.languages import by_language, told_apart
from depinduce.learning.learners.learner import Arrays, Learner, View
from depinduce.learning.minibatches import Data, Minibatches
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.models.polyglot_model import PolyglotModel
from depinduce.models.tag_model import GrammarModel
from depinduce.models.word_model import LexicalModel
from depinduce.networks.gradients import PullBack
from depinduce.networks.lexical_settings import LexicalSettings
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.tag_network import RuleNetwork, Rules, TagNetwork, as_table
from depinduce.networks.word_batch import LexicalBatch, from_factors
from depinduce.networks.word_classes import Classes, classes_by_frequency, classes_by_vectors
from depinduce.networks.word_network import LexicalNetwork


def one_vector(network: torch.nn.Module) -> torch.nn.Parameter:
    """All parameters as views of one vector, and their gradients likewise: one step of Adam instead of many."""
    parts = list(network.parameters())
    vector = torch.nn.Parameter(torch.cat([part.data.flatten() for part in parts]))
    vector.grad = torch.zeros_like(vector)
    sizes = [part.numel() for part in parts]
    for part, values, gradient in zip(parts, vector.data.split(sizes), vector.grad.split(sizes), strict=True):
        part.data, part.grad = values.view_as(part), gradient.view_as(part)
    return vector


class GradientLearner(Learner):
    """A network with its optimiser. Counts have the shape of its rules."""

    settings: NeuralSettings
    network: TagNetwork | LexicalNetwork

    def __init__(self, network: TagNetwork | LexicalNetwork, settings: NeuralSettings, seed: int):
        super().__init__(settings)
        self.noise = torch.Generator().manual_seed(seed)
        self._take(network)

    def _take(self, network: TagNetwork | LexicalNetwork) -> None:
        """Learn the weights of this network."""
        self.network = network
        self.parameters = one_vector(network)
        self.optimiser = torch.optim.Adam([self.parameters], lr=self.settings.learning_rate, fused=True)
        self.best_weights = self.weights()

    @property
    def order(self) -> Order:
        return self.network.order

    def weights(self) -> dict[str, torch.Tensor]:
        return {name: tensor.clone() for name, tensor in self.network.state_dict().items()}

    @abstractmethod
    def rules(self, data: Data, noise: torch.Generator | None = None) -> tuple[Rules, PullBack]:
        """log p of its rules, for some sentences, and the way back to the gradient by its parameters."""

    @abstractmethod
    def problem(self, rules: Rules, data: Data) -> Problem:
        """What a chart computes with."""

    @torch.no_grad()
    def view(self, data: Data, training: bool = False) -> View:
        rules, pull_back = self.rules(data, self.own_noise() if training else None)
        return View(self.problem(rules, data), data, pull_back)

    @torch.no_grad()
    def learn(self, view: View | None, counts: RuleCounts, sentences: int, steps: int | None = None) -> None:
        """Steps of Adam up Σ count · log p(rule) per sentence."""
        assert view is not None, "networks learn from batches"
        pull_back = view.pull_back
        for step in range(steps or self.settings.gradient_steps):
            if step > 0:
                _, pull_back = self.rules(view.data, self.own_noise())
            to_rules = [torch.from_numpy(part / -sentences).to(self.parameters.dtype) for part in counts.parts]
            torch.cat([gradient.flatten() for gradient in pull_back(*to_rules)], out=self.parameters.grad)
            if not self.shares_rules and self.parameters.grad is not None:
                (gradient,) = self.team.sum([self.parameters.grad.numpy()])
                self.parameters.grad.copy_(torch.from_numpy(gradient))
            self.optimiser.step()

    def own_noise(self) -> torch.Generator:
        """The noise of the next step: the same in all processes, but where each has rules of its own."""
        if self.shares_rules or self.team.size == 1:
            return self.noise
        seed = int(torch.randint(2**62, (), generator=self.noise))  # all of them draw it
        return torch.Generator().manual_seed(seed + self.team.rank)

    @property
    def is_sound(self) -> bool:
        return bool(torch.isfinite(self.parameters.sum()))

    # ---------------------------------------------------------------- what is kept

    def keep(self) -> None:
        self.best_weights = self.weights()

    def model(self, about: Mapping[str, Any], best: bool = True) -> GrammarModel | PolyglotModel | LexicalModel:
        if not best:
            return self.model_now(about)
        now = self.weights()
        self.network.load_state_dict(self.best_weights)  # a copy of the network would round otherwise
        made = self.model_now(about)
        self.network.load_state_dict(now)
        return made

    @abstractmethod
    def model_now(self, about: Mapping[str, Any]) -> GrammarModel | PolyglotModel | LexicalModel:
        """The model with the present weights."""

    def state(self) -> Arrays:
        moments = self.optimiser.state_dict()["state"].get(0, {})  # none before the first step
        parts = {"network.": self.network.state_dict(), "best.": self.best_weights, "adam.": moments}
        tensors = {f"{prefix}{name}": tensor for prefix, part in parts.items() for name, tensor in part.items()}
        return {name: tensor.detach().numpy() for name, tensor in (tensors | {"noise": self.noise.get_state()}).items()}

    def restore(self, state: Arrays) -> None:
        tensors = {name: torch.from_numpy(np.array(array)) for name, array in state.items()}
        self.noise.set_state(tensors["noise"])
        network, best, moments = (
            {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
            for prefix in ("network.", "best.", "adam.")
        )
        self.network.load_state_dict(network)
        self.best_weights = best
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": {0: moments} if moments else {}, "param_groups": groups})


class TagLearner(GradientLearner):
    """A network over tags; its rules are the same for all sentences, or for all of one language."""

    network: TagNetwork

    def __init__(
        self,
        network: TagNetwork,
        tags: Vocabulary,
        settings: NeuralSettings,
        seed: int,
        languages: tuple[str, ...] = (),
        vector_dropout: float = 0.0,
    ):
        """languages: those that the network tells apart"""
        super().__init__(network, settings, seed)
        self.tags, self.languages, self.vector_dropout = tags, languages, vector_dropout

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        return Minibatches(self.order, corpus, self.settings.non_heads_in(stage), apart=bool(self.languages))

    @property
    def is_sound(self) -> bool:
        return bool(torch.isfinite(self.parameters.sum())) and all(
            bool(torch.isfinite(part.sum())) for part in self.network.rules()[0]
        )

    def rules(self, data: Data, noise: torch.Generator | None = None) -> tuple[Rules, PullBack]:
        if data.languages is None:
            return self.network.rules()
        return stacked_rules([self.network.rules(self._vector(number, noise)) for number in data.languages.tolist()])

    def _vector(self, language: int, noise: torch.Generator | None) -> int | None:
        """Whose vector makes the rules of a language: its own or, for none and sometimes in training, nobody's."""
        if language == len(self.languages):
            return None
        dropped = noise is not None and float(torch.rand((), generator=noise)) < self.vector_dropout
        return None if dropped else language

    def problem(self, rules: Rules, data: Data) -> Problem:
        table = as_table(rules)
        table = each_of(as_outside_in, table) if self.settings.inside_out else table
        return Problem(table, data.batch, data.factors)

    def start_table(self, train: Corpus) -> RuleTable:
        texts = by_language(train) if self.languages else [train]
        return stacked(raise_order(harmonic_table(text), self.order) for text in texts)

    def rules_counted(self, counts: RuleCounts) -> RuleCounts:
        """The chart's counts as those of the rules."""
        return each_of(counts_inside_out, counts) if self.settings.inside_out else counts

    def counts(self, data: Data, expected: Expectations) -> RuleCounts:
        return self.rules_counted(expected.counts)

    def counts_of_trees(self, data: Data, heads: np.ndarray) -> RuleCounts:
        grammars = 1 if data.languages is None else len(data.languages)
        like = stacked([uniform_counts(self.order, self.network.tags)] * grammars)
        return self.rules_counted(tree_counts(like, data.batch, heads))

    def model_now(self, about: Mapping[str, Any]) -> GrammarModel | PolyglotModel:
        made = {
            "network": {name: tensor.numpy() for name, tensor in self.weights().items()},
            "inside_out": self.settings.inside_out,
            **about,
        }
        if not self.languages:
            return GrammarModel(self.order, self.tags, self.network.table(), **made)
        table = stacked(self.network.table(language) for language in (*range(len(self.languages)), None))
        return PolyglotModel.of(self.order, self.tags, self.languages, table, **made)


def stacked_rules(rules: list[tuple[Rules, PullBack]]) -> tuple[Rules, PullBack]:
    """The rules of several grammars of one network as those of one table; a gradient is the sum of theirs."""
    if len(rules) == 1:
        return rules[0]
    tables, backs = zip(*rules, strict=True)

    def pull_back(*to_rules: torch.Tensor) -> list[torch.Tensor]:
        to_each = zip(*(to_part.chunk(len(backs)) for to_part in to_rules), strict=True)
        gradients = [back(*to_own) for back, to_own in zip(backs, to_each, strict=True)]
        return [torch.stack(of_parameter).sum(0) for of_parameter in zip(*gradients, strict=True)]

    root, child, decision = (torch.cat(parts) for parts in zip(*tables, strict=True))
    return (root, child, decision), pull_back


class WordLearner(GradientLearner):
    """A network over words; its rules are made for each batch, or for a process's share of it."""

    network: LexicalNetwork
    shares_rules: ClassVar[bool] = False  # so processes add gradients, where others add counts

    def __init__(self, network: LexicalNetwork, sizes: NetworkSettings, settings: NeuralSettings, seed: int):
        super().__init__(network, settings, seed)
        self.sizes = sizes

    @property
    def needs_positions(self) -> bool:
        return True

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        by_position = self.network.drops_heads and stage == "training"
        non_heads = self.settings.non_heads_in(stage)
        return Minibatches(self.order, corpus, non_heads, self.network.lexicon, by_position=by_position)

    def rules(self, data: Data, noise: torch.Generator | None = None) -> tuple[Rules, PullBack]:
        return self.network.rules(_words(data), noise)

    def problem(self, rules: Rules, data: Data) -> Problem:
        return _words(data).problem(*(part.double().numpy() for part in rules)).times(data.factors)

    def counts(self, data: Data, expected: Expectations) -> RuleCounts:
        return replace(expected.counts, root=expected.root)

    def counts_of_trees(self, data: Data, heads: np.ndarray) -> RuleCounts:
        rows, columns = _words(data).children.shape
        like = RuleCounts(np.zeros(columns), np.zeros((rows, columns)), np.zeros((rows, 2)))
        return replace(tree_counts(like, data.batch, heads), root=(heads == 0).astype(np.float64))

    def counts_in_product(self, data: Data, expected: Expectations) -> RuleCounts:
        return RuleCounts(expected.root, *from_factors(data.batch, expected.arc, expected.decision))

    def model_now(self, about: Mapping[str, Any]) -> LexicalModel:
        return LexicalModel(copy.deepcopy(self.network), self.sizes, **about)

    def state(self) -> Arrays:
        classes = self.network.classes
        return super().state() | ({} if classes is None else {"classes": classes.of})

    def restore(self, state: Arrays) -> None:
        """With the classes that it began with: those that are made of vectors anew may be others."""
        now, before = self.network.classes, state.get("classes")
        if now is not None and before is not None and not np.array_equal(now.of, before):
            self._take(self.network.with_classes(Classes(np.array(before)), self.sizes))
        super().restore(state)


def _words(data: Data) -> LexicalBatch:
    assert data.words is not None, "the sentences of a grammar over words"
    return data.words


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
    torch.set_num_threads(settings.threads)
    torch.manual_seed(seed)
    learners: list[Learner] = []
    model = settings.entry
    if model.is_joint or not model.sees_words:
        tags, own = train.tag_vocabulary, configuration.network
        sizes = own if isinstance(own, NetworkSettings) else NetworkSettings()  # a rung below another kind of model
        languages = train.languages if told_apart(settings, train) else ()
        network = RuleNetwork(settings.order, len(tags), sizes, len(languages))
        learners.append(TagLearner(network, tags, settings, seed, languages, sizes.vector_dropout))
    if model.sees_words:
        lexical, unlexical = configuration.lexical, configuration.network
        assert lexical is not None and isinstance(unlexical, NetworkSettings)
        order = Order.FIRST if model.is_joint else settings.order
        lexicon = Lexicon.of(train, lexical.min_count)
        sizes = lexical.network(unlexical)
        classes = _classes(lexical, lexicon, vectors, settings.seed)
        how = lexical.tag_size, lexical.dropout, lexical.softmax_memory, lexical.dropout_of
        network = LexicalNetwork(order, lexicon, sizes, *how, classes)
        if vectors is not None:
            found = torch.from_numpy(~np.isnan(vectors).any(axis=1))
            of_words = network.word_embedding.data[len(lexicon.tags) :][: len(vectors)]
            of_words[found] = torch.from_numpy(vectors)[found]
        learners.append(WordLearner(network, sizes, settings, seed))
    return learners


def _classes(lexical: LexicalSettings, lexicon: Lexicon, vectors: np.ndarray | None, seed: int) -> Classes | None:
    """The classes of words that settings ask for, if any."""
    if lexical.softmax == "full":
        return None
    how_many = lexical.frequent_words, lexical.classes
    if lexical.softmax == "frequency":
        return classes_by_frequency(lexicon, *how_many)
    assert vectors is not None, "settings see to it"
    return classes_by_vectors(lexicon, vectors, *how_many, seed)


def word_vectors(
    configuration: Configuration, train: Corpus, text: Sequence[list[str]] | None = None
) -> np.ndarray | None:
    """The vectors that the words of a lexicon start with, as `make_learners` takes them; None if they are random.

    text: the words of all sentences of the training, for vectors that are learned from them
    """
    lexical, reading = configuration.lexical, configuration.reading
    if lexical is None or lexical.vectors[0] == "random":
        return None
    words = Lexicon.of(train, lexical.min_count).words.symbols
    if lexical.vectors[0] == "file":
        return read_vectors(lexical.vectors[1], words, lexical.word_size)
    settings = configuration.learning
    if lexical.learns_vectors:
        assert text is not None, "a lesson has it"
    else:
        text = [reading.words(sentence) for sentence in read_sentences(lexical.vectors[1])]
    return train_vectors(text, words, lexical.word_size, seed=settings.seed, threads=settings.threads)
