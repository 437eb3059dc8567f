"""Small models with random or known rules, made in sight of the tests that use them."""

from __future__ import annotations

import numpy as np
import torch
from learning.tagged import random_table
from models.worded import random_words, worded

from depinduce.corpus import Corpus, Vocabulary
from depinduce.grammar.rules import LEFT, RIGHT, Order, RuleTable
from depinduce.models.joint_model import JointModel
from depinduce.models.sentence_model import SentenceModel
from depinduce.models.tag_model import GrammarModel
from depinduce.models.word_model import LexicalModel
from depinduce.networks.lexicon import Lexicon
from depinduce.networks.network_settings import NetworkSettings, SentenceNetworkSettings
from depinduce.networks.sentence_network import SentenceNetwork
from depinduce.networks.word_network import LexicalNetwork

torch.set_num_threads(1)

CORPUS = worded(*random_words(1, count=9, tags="NVD", words="abcd", longest=5))
TAGS = CORPUS.tag_vocabulary
SETTINGS = NetworkSettings(size=9, child_rank=6, decision_rank=5, encoder="wsj")


def sentence(text: str) -> Corpus:
    """One sentence as the models read it, `a/N b/V`."""
    return worded(text, tags=TAGS, words=CORPUS.word_vocabulary)


def over_tags(order: Order, *non_heads: str, inside_out: bool = False) -> GrammarModel:
    return GrammarModel(order, TAGS, random_table(order, len(TAGS), seed=3), non_heads, inside_out=inside_out)


def over_words(order: Order, *non_heads: str) -> LexicalModel:
    torch.manual_seed(1)
    network = LexicalNetwork(order, Lexicon.of(CORPUS, 2), SETTINGS, 4)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.35)
    return LexicalModel(network, SETTINGS, non_heads)


def joint(order: Order, *non_heads: str, inside_out: bool = False) -> JointModel:
    return JointModel(over_tags(order, *non_heads, inside_out=inside_out), over_words(Order.FIRST, *non_heads))


def seeing_sentences(*non_heads: str, variational: bool = True) -> SentenceModel:
    torch.manual_seed(1)
    settings = SentenceNetworkSettings(tag_size=4, valence_size=2, sentence_size=6, variational=variational)
    weights = {name: part.numpy() for name, part in SentenceNetwork(len(TAGS), settings).state_dict().items()}
    return SentenceModel(TAGS, settings, weights, np.zeros(6, np.float32), non_heads)


def known(order: Order, inside_out: bool = False) -> GrammarModel:
    """A grammar over NOUN and VERB of which every rule is told apart by its number.

    log p of a child is -(1 + row/100 + column/1000), of a decision -(2 + row/100 + decision/1000), of a root
    -(3 + column/1000).
    """
    tags = Vocabulary(["NOUN", "VERB"], [2, 1])
    rows = np.arange(2 * 2 * order.slots(2))[:, None] / 100
    table = RuleTable(-3 - np.arange(2) / 1000, -1 - rows - np.arange(2) / 1000, -2 - rows - np.arange(2) / 1000)
    return GrammarModel(order, tags, table, inside_out=inside_out)


def row(order: Order, direction: str, head: int, *context: int) -> int:
    """The row of a grammar over two tags, by its axes: see Order.shape."""
    index = ({"left": LEFT, "right": RIGHT}[direction], head, *context)
    return int(np.ravel_multi_index(index, order.shape(2)))
