"""A trained grammar over words: its network, from which the rules of any sentences are made when they are needed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch

from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.files import parse_json, write_file
from depinduce.grammar.constraints import allowed_heads, constraint
from depinduce.grammar.rules import Order
from depinduce.models.model import Model, OpenRules
from depinduce.models.model_files import bytes_of, how_made, new_model, numbers_of, write_numbers
from depinduce.models.places import LEXICON
from depinduce.models.sound_numbers import require_finite, require_kind
from depinduce.models.tag_model import ORDERS
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.word_batch import lexical_batch
from depinduce.networks.word_classes import Classes
from depinduce.networks.word_network import LexicalNetwork


@dataclass(frozen=True)
class LexicalModel(Model):
    """A grammar over words that can parse."""

    network: LexicalNetwork
    settings: NetworkSettings  # of the network
    non_heads: tuple[str, ...] = ()  # tags that head nothing
    reading: Reading = field(default_factory=Reading)  # how the training file was read
    history: dict = field(default_factory=dict)  # settings, hash of the training data, likelihoods

    kind: ClassVar[str] = "words"
    one_table: ClassVar[bool] = False
    about_rules: ClassVar[str] = (
        "This is a grammar over words: it has a rule for every word, which is too many to list."
    )

    @property
    def order(self) -> Order:
        return self.network.order

    @property
    def about(self) -> str:
        return f"{ORDERS[self.order]} over words"

    @property
    def costly(self) -> bool:
        return self.order is not Order.FIRST

    @property
    def tags(self) -> Vocabulary:
        return self.network.lexicon.tags

    @property
    def words(self) -> Vocabulary:
        return self.network.lexicon.words

    def problem(self, corpus: Corpus) -> Problem:
        batch = lexical_batch(self.order, self.network.lexicon.tokens(corpus), corpus.offsets)
        rules, _ = self.network.rules(batch)
        if not all(bool(torch.isfinite(part).all()) for part in rules):
            raise DepinduceError(
                "The network of this model gives rules that are no numbers: it is damaged, or went astray in training. "
                "Copy it again, or train it again."
            )
        problem = batch.problem(*(part.double().numpy() for part in rules))
        return problem.times(constraint(self.tags, self.non_heads, corpus, problem.batch))

    def with_non_heads(self, tags: tuple[str, ...]) -> LexicalModel:
        return replace(self, non_heads=tags)

    def rule_view(self) -> None:
        return None

    def open_rules(self, corpus: Corpus) -> list[OpenRules]:
        lexicon = self.network.lexicon
        names = [lexicon.spelling(token) for token in lexicon.tokens(corpus).tolist()]
        allowed = allowed_heads(self.tags, self.non_heads, corpus)
        return [OpenRules("", self.order, False, self.problem(corpus), names, allowed)]

    def save(self, directory: str | Path) -> None:
        lexicon = self.network.lexicon
        own = {
            "order": self.order.value,
            "network": asdict(self.settings),
            "tag_size": self.network.tag_embedding.shape[1],
            "tags": lexicon.tags.to_json(),
        }
        classes = self.network.classes
        in_lexicon = lexicon.to_json() | ({} if classes is None else {"classes": classes.of.tolist()})
        with new_model(directory, self, own) as folder:
            write_numbers(folder, {name: part.detach().numpy() for name, part in self.network.state_dict().items()})
            write_file(folder / LEXICON, json.dumps(in_lexicon, ensure_ascii=False))

    @classmethod
    def read(cls, directory: Path, description: dict) -> LexicalModel:
        tags = Vocabulary.from_json(description["tags"])
        in_lexicon = parse_json(bytes_of(directory, description, LEXICON))
        lexicon = Lexicon.from_json(tags, in_lexicon)
        classes = Classes.from_json(in_lexicon["classes"], lexicon.tag_of) if "classes" in in_lexicon else None
        settings = NetworkSettings(**description["network"])
        order = Order(description["order"])
        network = LexicalNetwork(order, lexicon, settings, description["tag_size"], classes=classes)
        weights = numbers_of(directory, description)
        require_kind(weights, np.float32)
        require_finite(weights)
        network.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
        return cls(network=network, settings=settings, **how_made(description))
