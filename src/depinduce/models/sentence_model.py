"""A trained D-NDMV: a grammar over tags whose rules are made for every sentence, from a vector of that sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.grammar.constraints import allowed_heads, constraint
from depinduce.grammar.rules import Factors, Order, RuleTable
from depinduce.models.model import Model, OpenRules
from depinduce.models.model_files import how_made, new_model, numbers_of, write_numbers
from depinduce.models.sound_numbers import require_finite, require_kind
from depinduce.models.tag_model import GrammarModel
from depinduce.networks.network_settings import SentenceNetworkSettings
from depinduce.networks.sentence_batch import SentenceBatch, batch_of_heads, sentence_batch
from depinduce.networks.sentence_network import SentenceNetwork
from depinduce.networks.tag_network import Rules, as_table

MEAN = "mean_vector"  # its name beside those of the weights in the file


def sentence_problem(rules: Rules, batch: SentenceBatch, cost: torch.Tensor | None = None) -> Problem:
    """What a chart needs for sentences that have rules of their own.

    cost: [sentence] what is taken from its log-likelihood; every tree has one root, so that it stands there
    """
    factors = None if cost is None else Factors(root=np.repeat(-cost.double().numpy(), batch.lengths))
    return Problem(as_table(rules), batch, factors)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute with one thread: the steps of an LSTM are so small that several wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True)
class SentenceModel(Model):
    """A grammar over tags that can parse, with other rules in every sentence.

    The log-likelihood of a sentence is that under its own vector, or its mean less the divergence if it is hidden.
    """

    tags: Vocabulary
    settings: SentenceNetworkSettings  # of the network
    weights: dict[str, np.ndarray] = field(repr=False, compare=False)
    mean_vector: np.ndarray = field(repr=False, compare=False)  # [size] of the sentences that it has learned from
    non_heads: tuple[str, ...] = ()  # tags that head nothing
    reading: Reading = field(default_factory=Reading)  # how the training file was read
    history: dict = field(default_factory=dict)  # settings, hash of the training data, likelihoods

    kind: ClassVar[str] = "sentences"
    order: ClassVar[Order] = Order.FIRST  # pyright: ignore[reportIncompatibleVariableOverride]
    one_table: ClassVar[bool] = False
    about_rules: ClassVar[str] = (
        "Its rules are others in every sentence. These are those under the mean vector of the sentences that it has "
        "learned from."
    )

    @property
    def about(self) -> str:
        hidden = "hidden " if self.settings.variational else ""
        return f"a first-order grammar over tags whose rules see a {hidden}vector of the sentence"

    @cached_property
    def network(self) -> SentenceNetwork:
        network = SentenceNetwork(len(self.tags), self.settings)
        network.load_state_dict({name: torch.from_numpy(weights) for name, weights in self.weights.items()})
        return network

    def problem(self, corpus: Corpus) -> Problem:
        """What a chart needs for the sentences; a tag that the model does not know is the average of all."""
        problem = self._problem(corpus)
        if not problem.is_sound:
            raise DepinduceError(
                "The network of this model gives rules that are no numbers: it is damaged, or went astray in training. "
                "Copy it again, or train it again."
            )
        return problem.times(constraint(self.tags, self.non_heads, corpus, problem.batch))

    @torch.no_grad()
    @one_thread()
    def _problem(self, corpus: Corpus) -> Problem:
        s, divergence = self.network.vectors(corpus.tags, corpus.offsets)
        cost = divergence if self.settings.variational else None
        if (corpus.tags < 0).any():
            return self._with_unknown(corpus, s, cost)
        batch = sentence_batch(corpus.tags, corpus.offsets, len(self.tags))
        return sentence_problem(self.network.rules_under(s, batch.head_tags, batch.head_sentences), batch, cost)

    def _with_unknown(self, corpus: Corpus, s: torch.Tensor, cost: torch.Tensor | None) -> Problem:
        """The same with one more tag, see `grammar.between_orders.add_average_tag`: of all tags, in every sentence."""
        tags, sentences = len(self.tags), len(corpus)
        head_tags, head_sentences = np.tile(np.arange(tags), sentences), np.repeat(np.arange(sentences), tags)
        log_p = self.network.rules_under(s, head_tags, head_sentences)
        root, child, decision = (part.double().exp() for part in log_p)
        child, decision = (part.view(2, sentences, tags, 2, -1) for part in (child, decision))
        child, decision = (torch.cat([part, part.mean(2, keepdim=True)], 2) for part in (child, decision))
        child = torch.cat([child, child.mean(-1, keepdim=True)], -1)
        rules = torch.cat([root, root.mean(0, keepdim=True)]), child.view(-1, tags + 1), decision.view(-1, 2)
        known = np.where(corpus.tags < 0, tags, corpus.tags)
        head = np.repeat(np.arange(sentences), corpus.lengths) * (tags + 1) + known
        heads = np.tile(np.arange(tags + 1), sentences), np.repeat(np.arange(sentences), tags + 1)
        batch = batch_of_heads(known, corpus.offsets, head, *heads)
        return sentence_problem((rules[0].log(), rules[1].log(), rules[2].log()), batch, cost)

    def with_non_heads(self, tags: tuple[str, ...]) -> SentenceModel:
        return replace(self, non_heads=tags)

    def rule_view(self) -> GrammarModel:
        return GrammarModel(self.order, self.tags, self._mean_table, self.non_heads, self.reading, self.history)

    @cached_property
    def _mean_table(self) -> RuleTable:
        return self.network.table_under(self.mean_vector)

    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        names = [self.tags[tag] if tag >= 0 else "a tag that it does not know" for tag in corpus.tags.tolist()]
        allowed = allowed_heads(self.tags, self.non_heads, corpus)
        problem = self._problem(corpus)
        problem = Problem(problem.table, problem.batch, constraint(self.tags, self.non_heads, corpus, problem.batch))
        return [OpenRules("", self.order, False, problem, names, allowed)]

    def save(self, directory: str | Path) -> None:
        own = {"network": asdict(self.settings), "tags": self.tags.to_json()}
        with new_model(directory, self, own) as folder:
            write_numbers(folder, self.weights | {MEAN: self.mean_vector})

    @classmethod
    def read(cls, directory: Path, description: dict) -> SentenceModel:
        tags, settings = Vocabulary.from_json(description["tags"]), SentenceNetworkSettings(**description["network"])
        weights = numbers_of(directory, description)
        require_kind(weights, np.float32)
        require_finite(weights)
        mean_vector = weights.pop(MEAN)
        if mean_vector.shape != (settings.sentence_size,):
            raise ValueError(f"{MEAN} has not the size of the vectors of sentences")
        model = cls(tags, settings, weights, mean_vector, **how_made(description))
        _ = model.network  # a fault shows here, not when somebody parses
        return model
