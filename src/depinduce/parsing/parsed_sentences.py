"""A sentence with one of its trees, as it is written to a file."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from depinduce.corpus import Sentence
from depinduce.labels import plain_labels
from depinduce.labels.plain import UNKNOWN

_ID_OF_TREE = re.compile("-tree[0-9]+$")
# What an earlier parse has written, which is not true of another tree.
_OLD_COMMENTS = re.compile(
    r"(?:^|(?<=\A\ufeff))# (?:parsed_in_pieces = \d+|tree = \d+ of \d+|"
    r"(?:log_likelihood|log_probability|probability) = -?(?:inf|\d[\d.e+-]*))\r?\n",
    re.MULTILINE | re.ASCII,
)
_OLD_POSTERIOR = re.compile(r"Posterior=[01]\.\d{4}", re.ASCII)


@dataclass(frozen=True, eq=False)
class ParsedSentence:
    """A sentence and a tree, to which punctuation is attached. What was not asked for is None."""

    sentence: Sentence
    heads: list[int]  # of every word, from 1; 0 is the root, -1 is left open
    probabilities: list[float | None] | None = None  # that every word's arc is right; None for punctuation
    log_likelihood: float | None = None  # log p(sentence); None for a sentence of punctuation
    log_probability: float | None = None  # log p(sentence, tree); None for a model with hidden states, too
    number: int | None = None  # of the tree among those of its sentence, from 1, if there can be several
    trees: int = 1  # how many these are
    pieces: int = 1  # of a long sentence, each parsed alone: then nobody knows how probable the tree is
    relations: list[str] | None = None  # of every word to its head, if more is known than which is the root

    @property
    def labels(self) -> list[str]:
        """What stands in DEPREL of every word."""
        return plain_labels(self.heads) if self.relations is None else self.relations

    @property
    def probability(self) -> float | None:
        """p(tree | sentence)."""
        if self.log_probability is None or self.log_likelihood is None:
            return None
        if self.log_probability == -math.inf:
            return 0.0
        return math.exp(min(self.log_probability - self.log_likelihood, 0.0))  # both are rounded

    def sure(self, least: float) -> ParsedSentence:
        """The same with open heads (-1) where the arc is less probable than this.

        Punctuation hangs on the finished tree: where a head is open, so are its own. Of a sentence that was parsed in
        pieces nobody knows how probable its arcs are: all are open.
        """
        values = self.probabilities or [None] * len(self.heads)
        is_sure = [value is not None and value >= least for value in values]
        if self.pieces == 1 and all(value is None or value >= least for value in values):
            return self
        heads = [head if kept else -1 for head, kept in zip(self.heads, is_sure, strict=True)]
        labels = [label if kept else UNKNOWN for label, kept in zip(self.labels, is_sure, strict=True)]
        return replace(self, heads=heads, relations=labels)

    @property
    def sentence_alone(self) -> Sentence:
        """The sentence without what was said of other trees."""
        if not self.heads:
            return self.sentence
        return self.sentence.without(_OLD_COMMENTS, _OLD_POSTERIOR).without_enhanced_graph()

    def render(self, *, posteriors: bool = False, log_likelihood: bool = False, ended: bool = False) -> str:
        """The block of the sentence with this tree in HEAD and DEPREL, all else as it was.

        What an earlier parse said of its tree is taken out.

        So is DEPS, which told of another tree, with the empty nodes (8.1), which are in no other.
        One of several trees has comments that say which, and how probable it is. As ids must be unique in a file, the
        second tree of the sentence s1 has the sent_id s1-tree2, and so on; the first keeps its id, unless that is such
        an id itself, of a file that has several trees of its sentences already: then it has s1-tree2-tree1.

        posteriors: add the probability of each arc to MISC
        log_likelihood: add it as a comment
        ended: end with a blank line, as one of several trees always does; the last block of a file may lack it
        """
        misc = None
        if posteriors and self.probabilities is not None:
            misc = ["" if value is None else f"Posterior={value:.4f}" for value in self.probabilities]
        comments = [f"parsed_in_pieces = {self.pieces}"] if self.pieces > 1 else []
        if log_likelihood and self.log_likelihood is not None:
            comments.append(f"log_likelihood = {self.log_likelihood:.6f}")
        sentence = self.sentence_alone
        if self.number is None:
            return sentence.render(self.heads, deprel=self.labels, misc=misc, comments=comments, ended=ended)
        sentence = sentence if self.number == 1 else sentence.again()
        sent_id = sentence.sent_id
        if sent_id is not None and (self.number > 1 or _ID_OF_TREE.search(sent_id)):
            comments.append(f"sent_id = {sent_id}-tree{self.number}")
        comments.append(f"tree = {self.number} of {self.trees}")
        if self.probability is not None:
            comments.append(f"log_probability = {self.log_probability:.6f}")
            comments.append(f"probability = {self.probability:.6g}")
        return sentence.render(self.heads, deprel=self.labels, misc=misc, comments=comments, ended=True)
