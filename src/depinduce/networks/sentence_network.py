"""The D-NDMV of Han, Jiang & Tu (2019): networks of rules that also see a vector s of the whole sentence.

An LSTM reads the tags of the sentence from either end; r is where it ends, both sides of it. What Jiang et al. (2016)
make of the head and its valence (`jiang_network`), s moves:

    h = ReLU(W_dir [x_head; x_valence] + V_dir s)      W and V: others for children than for decisions
    child(c | head, direction, valence, s)       softmax over c of  x_c · h
    decision(a | head, direction, valence, s)    softmax over a of  y_a · h
    root(c)                                      softmax over c of  r_c, whatever the sentence

    deterministic    s = r
    variational      s is hidden. Before the sentence is seen it is normal with mean 0 and variance 1, and afterwards
                     q(s | sentence), normal with a mean and variances that are linear in r. What is learned is

                         log p(sentence) ≥ E_q log p(sentence | s) − KL(q ‖ prior)

                     where one s drawn from q stands for the expectation; whoever parses takes the mean of q.

So rules are free of context no more, but given s they are, and the charts sum over all trees as ever. Given its own
vector a sentence is more probable than any grammar could make it, so that its likelihood is not that of a grammar: it
cannot be compared with that of another model.

The original, as far as its abstract and released code tell: s is the last state of an LSTM over tags, of 10 numbers, of
which dropout takes one half; there may be a second LSTM over the words, which is left out here. Its code puts s
beside the hidden layer of Jiang et al. and a second hidden layer (of 15) on both, gives children and decisions an LSTM
each, and learns by hard EM and SGD on ten uses of rules at a time. Here s goes into the one hidden layer, so that the
network without it is that of `jiang-ndmv`. In its code the divergence of the variational form is commented out; here it
is in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence

from depinduce.grammar.rules import RuleTable
from depinduce.networks.encoder import DIRECTIONS, VALENCES
from depinduce.networks.jiang_network import JiangNetwork
from depinduce.networks.network_settings import SentenceNetworkSettings
from depinduce.networks.sentence_batch import SentenceBatch
from depinduce.networks.tag_network import Rules, as_table


class SentenceVectors(NamedTuple):
    """What the rules see of sentences, and what that costs."""

    s: Tensor  # [sentence, size]
    divergence: Tensor  # [sentence] of q from what s was before; 0 where it is not hidden


class SentenceNetwork(JiangNetwork):
    """The parameters of the two networks, of the roots, and of what reads sentences.

    `table()` and all else that it has from Jiang et al. are its rules under the vector 0.
    """

    def __init__(self, tags: int, settings: SentenceNetworkSettings | None = None):
        settings = settings or SentenceNetworkSettings()
        super().__init__(tags, settings)
        self.size, self.dropout = settings.sentence_size, settings.sentence_dropout
        self.variational = settings.variational
        self.reader = self.child_sentence = self.decision_sentence = None
        if self.size:
            outputs = DIRECTIONS * settings.tag_size
            self.read_vectors = nn.Parameter(torch.randn(tags, settings.read_size))
            self.reader = nn.LSTM(settings.read_size, self.size // 2, bidirectional=True)
            self.child_sentence = nn.Linear(self.size, outputs, bias=False)  # V of one direction, then of the other
            self.decision_sentence = nn.Linear(self.size, outputs, bias=False)
        if self.variational:
            self.posterior = nn.Linear(self.size, 2 * self.size)  # the means of q, then the logarithms of its variances

    # ---------------------------------------------------------------- from sentences to vectors

    def read(self, tags: np.ndarray, offsets: np.ndarray) -> Tensor:
        """Where the reader ends in every sentence: its last state from the left, then from the right. [sentence, size]

        tags: [token], -1 is a tag that it does not know, which it reads as the mean of all
        """
        lengths = np.diff(offsets)
        if self.reader is None or not len(lengths):
            return self.tag_vectors.new_zeros(len(lengths), self.size)
        places = offsets[:-1, None] + np.minimum(np.arange(lengths.max()), lengths[:, None] - 1)  # the rest is not read
        vectors = self.read_vectors
        if (tags < 0).any():
            vectors = torch.cat([vectors, vectors.mean(0, keepdim=True)])  # -1 is the last
        read = vectors[torch.from_numpy(tags[places].astype(np.int64))]
        packed = pack_padded_sequence(read, torch.from_numpy(lengths), batch_first=True, enforce_sorted=False)
        _, (last, _) = self.reader(packed)  # [end, sentence, size / 2]
        return torch.cat([last[0], last[1]], dim=1)

    def vectors(self, tags: np.ndarray, offsets: np.ndarray, noise: torch.Generator | None = None) -> SentenceVectors:
        """The vectors of sentences. noise: where dropout and the vectors of a training are drawn from"""
        read = self.read(tags, offsets)
        if noise is not None and self.dropout:
            kept = torch.rand(read.shape, generator=noise, dtype=read.dtype) >= self.dropout
            read = read * kept / (1 - self.dropout)
        if not self.variational:
            return SentenceVectors(read, read.new_zeros(len(read)))
        mean, log_variance = self.posterior(read).chunk(2, dim=1)
        divergence = (mean**2 + log_variance.exp() - log_variance - 1).sum(1) / 2
        if noise is None:
            return SentenceVectors(mean, divergence)
        drawn = torch.randn(mean.shape, generator=noise, dtype=mean.dtype)
        return SentenceVectors(mean + (log_variance / 2).exp() * drawn, divergence)

    # ---------------------------------------------------------------- from vectors to rules

    def rules_under(self, s: Tensor, head_tags: np.ndarray, head_sentences: np.ndarray) -> Rules:
        """log p of the rules of some heads: roots of all tags, and rows by direction, head and valence.

        s: [sentence, size], head_tags: [head], head_sentences: [head] which vector they see
        """
        tag, sentence = torch.from_numpy(head_tags), torch.from_numpy(head_sentences)
        vectors, size = self.tag_vectors, self.tag_vectors.shape[1]
        both = torch.cat([vectors.repeat_interleave(VALENCES, 0), self.valence_vectors.repeat(self.tags, 1)], 1)
        seen = both if self.child_valence else vectors
        to_child, to_decision = (
            None if layer is None else layer(s).view(len(s), 1, DIRECTIONS, size).index_select(0, sentence)
            for layer in (self.child_sentence, self.decision_sentence)
        )
        children = _outcomes(self.child_layer(seen).view(self.tags, -1, DIRECTIONS, size)[tag], to_child, vectors)
        decided = self.decision_layer(both).view(self.tags, -1, DIRECTIONS, size)[tag]
        decisions = _outcomes(decided, to_decision, self.decision_vectors)
        return torch.log_softmax(self.root_scores, -1), children, decisions

    def rules_of(self, batch: SentenceBatch, noise: torch.Generator | None = None) -> tuple[Rules, Tensor]:
        """log p of the rules of a batch, and the divergence of its sentences."""
        s, divergence = self.vectors(batch.column, batch.offsets, noise)
        return self.rules_under(s, batch.head_tags, batch.head_sentences), divergence

    @torch.no_grad()
    def table_under(self, s: np.ndarray) -> RuleTable:
        """The rule table of a grammar over tags under one vector. s: [size]"""
        one = torch.from_numpy(s).to(self.tag_vectors.dtype).view(1, -1)
        return as_table(self.rules_under(one, np.arange(self.tags), np.zeros(self.tags, dtype=np.int64)))


def _outcomes(of_heads: Tensor, of_sentences: Tensor | None, outcomes: Tensor) -> Tensor:
    """log p of every outcome in every context. [direction · head · valence, outcome]

    of_heads: [head, valence, direction, size], with one valence if it makes no difference; of_sentences: [head, 1,
    direction, size] what their vectors add; outcomes: [outcome, size]
    """
    hidden = of_heads if of_sentences is None else of_heads + of_sentences
    log_p = torch.log_softmax(hidden.relu() @ outcomes.t(), -1)
    return log_p.expand(-1, VALENCES, -1, -1).permute(2, 0, 1, 3).reshape(-1, len(outcomes))
