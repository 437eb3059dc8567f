"""A trained grammar over words: its network, from which the rules of any sentences are made when they are needed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.grammar.constraints import constraint
from depinduce.grammar.rules import Batch, Factors, Order, RuleTable, multiplied
from depinduce.models.model_files import LEXICON, NUMBERS, how_made, new_model, write_numbers
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.word_batch import lexical_batch
from depinduce.networks.word_network import LexicalNetwork

KIND = "words"


@dataclass(frozen=True)
class LexicalModel:
    """A grammar over words that can parse."""

    network: LexicalNetwork
    settings: NetworkSettings  # of the network
    non_heads: tuple[str, ...] = ()  # tags that head nothing
    reading: Reading = field(default_factory=Reading)  # how the training file was read
    history: dict = field(default_factory=dict)  # settings, hash of the training data, likelihoods

    one_table: ClassVar[bool] = False  # tables are made for sentences

    @property
    def order(self) -> Order:
        return self.network.order

    @property
    def tags(self) -> Vocabulary:
        return self.network.lexicon.tags

    @property
    def words(self) -> Vocabulary:
        return self.network.lexicon.words

    def problem(self, corpus: Corpus) -> tuple[RuleTable, Batch, Factors | None]:
        """What a chart needs for a corpus whose tag ids are this model's (-1 where it does not know the tag)."""
        batch = lexical_batch(self.order, self.network.lexicon.tokens(corpus), corpus.offsets)
        rules, _ = self.network.rules(batch)
        table, made, factors = batch.problem(*(part.double().numpy() for part in rules))
        return table, made, multiplied(factors, constraint(self.tags, self.non_heads, corpus, made))

    def with_non_heads(self, tags: tuple[str, ...]) -> LexicalModel:
        """The same, but these tags head nothing."""
        return replace(self, non_heads=tags)

    def save(self, directory: str | Path) -> None:
        """Write the model to a directory of its own, whole or not at all."""
        lexicon = self.network.lexicon
        description = {
            "order": self.order.value,
            "network": asdict(self.settings),
            "tag_size": self.network.tag_embedding.shape[1],
            "non_heads": list(self.non_heads),
            "reading": vars(self.reading),
            "tags": lexicon.tags.to_json(),
            "history": self.history,
        }
        with new_model(directory, KIND, description) as folder:
            write_numbers(folder, {name: part.detach().numpy() for name, part in self.network.state_dict().items()})
            (folder / LEXICON).write_text(json.dumps(lexicon.to_json(), ensure_ascii=False), encoding="utf-8")

    @classmethod
    def read(cls, directory: Path, description: dict) -> LexicalModel:
        """The model of a directory with this description."""
        from safetensors.torch import load_file

        tags = Vocabulary.from_json(description["tags"])
        lexicon = Lexicon.from_json(tags, json.loads((directory / LEXICON).read_text(encoding="utf-8")))
        settings = NetworkSettings(**description["network"])
        network = LexicalNetwork(Order(description["order"]), lexicon, settings, description["tag_size"])
        network.load_state_dict(load_file(directory / NUMBERS))
        return cls(network=network, settings=settings, **how_made(description))
