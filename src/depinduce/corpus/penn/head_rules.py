"""Head percolation: which child of a phrase is its head, and the dependency tree that follows.

A line of a table says where to look for the head of a phrase: for the `first` child with one of the labels, from the
left, or for the `last`, from the right. Labels are tried in their order, those joined by `|` together. A phrase may
have several lines, one tried after the other. Where nothing is found, the head is the first child or the last, as the
last line has it; for phrases that no line speaks of, it is the last.

Punctuation is the head only where there is nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from depinduce.corpus.penn.brackets import Tree
from depinduce.corpus.punctuation import PENN

YAMADA_MATSUMOTO = """
    NP      last   POS|NN|NNP|NNPS|NNS NX JJR CD JJ JJS RB QP NP
    NX      last   POS|NN|NNP|NNPS|NNS NX JJR CD JJ JJS RB QP NP
    ADJP    last   NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
    ADVP    first  RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
    CONJP   first  CC RB IN
    FRAG    first
    INTJ    last
    LST     first  LS :
    NAC     last   NN|NNS|NNP|NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
    PP      first  IN TO VBG VBN RP FW
    PRN     last
    PRT     first  RP
    QP      last   $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
    RRC     first  VP NP ADVP ADJP PP
    S       last   TO IN VP S SBAR ADJP UCP NP
    SBAR    last   WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
    SBARQ   last   SQ S SINV SBARQ FRAG
    SINV    last   VBZ VBD VBP VB MD VP S SINV ADJP NP
    SQ      last   VBZ VBD VBP VB MD VP SQ
    UCP     first
    VP      first  VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
    WHADJP  last   CC WRB JJ ADJP
    WHADVP  first  CC WRB
    WHNP    last   WDT WP WP$ WHADJP WHPP WHNP
    WHPP    first  IN TO FW
"""  # Yamada & Matsumoto (2003): most directions are those of Collins reversed, and `to` does not head its VP

COLLINS = """
    NP      last   NN|NNP|NNPS|NNS|NX|POS|JJR
    NP      first  NP
    NP      last   $|ADJP|PRN CD JJ|JJS|RB|QP
    NX      last   NN|NNP|NNPS|NNS|NX|POS|JJR
    NX      first  NP
    NX      last   $|ADJP|PRN CD JJ|JJS|RB|QP
    ADJP    first  NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB
    ADVP    last   RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN
    CONJP   last   CC RB IN
    FRAG    last
    INTJ    first
    LST     last   LS :
    NAC     first  NN|NNS|NNP|NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW
    PP      last   IN TO VBG VBN RP FW
    PRN     first
    PRT     last   RP
    QP      first  $ IN NNS NN JJ RB DT CD NCD QP JJR JJS
    RRC     last   VP NP ADVP ADJP PP
    S       first  TO IN VP S SBAR ADJP UCP NP
    SBAR    first  WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG
    SBARQ   first  SQ S SINV SBARQ FRAG
    SINV    first  VBZ VBD VBP VB MD VP S SINV ADJP NP
    SQ      first  VBZ VBD VBP VB MD VP SQ
    UCP     last
    VP      first  TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP
    WHADJP  first  CC WRB JJ ADJP
    WHADVP  last   CC WRB
    WHNP    first  WDT WP WP$ WHADJP WHPP WHNP
    WHPP    last   IN TO FW
"""  # Collins (1999), appendix A; its rule for a final POS is part of the first line for NP; NX as in his parser

_MARKS = PENN


class HeadRules:
    """A table of head rules; with `coordination`, a head right after a conjunction hands over to what is before it,
    so that the first of two conjuncts is the head."""

    def __init__(self, table: str, *, coordination: bool = False):
        self.coordination = coordination
        self._searches: dict[str, list[tuple[bool, frozenset[str]]]] = {}  # from the right?, labels
        self._from_right: dict[str, bool] = {}  # where nothing is found
        for line in table.strip().split("\n"):
            phrase, which, *wanted = line.split()
            self._from_right[phrase] = which == "last"
            searches = self._searches.setdefault(phrase, [])
            searches += [(which == "last", frozenset(labels.split("|"))) for labels in wanted]

    def head_child(self, phrase: str, children: Sequence[str]) -> int:
        """The place of the head among the labels of the children, from 0."""
        places = [place for place, label in enumerate(children) if label not in _MARKS] or list(range(len(children)))
        head = self._search(phrase, [children[place] for place in places])
        if self.coordination and head >= 2 and children[places[head - 1]] == "CC":
            head -= 2
        return places[head]

    def _search(self, phrase: str, labels: list[str]) -> int:
        from_left, from_right = range(len(labels)), range(len(labels) - 1, -1, -1)
        for backwards, wanted in self._searches.get(phrase, ()):
            for place in from_right if backwards else from_left:
                if labels[place] in wanted:
                    return place
        return len(labels) - 1 if self._from_right.get(phrase, True) else 0


HEAD_RULES = {
    "yamada-matsumoto": HeadRules(YAMADA_MATSUMOTO),
    "collins": HeadRules(COLLINS, coordination=True),
}


def dependencies(tree: Tree, rules: HeadRules) -> list[int]:
    """The head of every word, counted from 1; 0 for the root."""
    heads: list[int] = []

    def head_word(node: Tree) -> int:
        if node.word:
            heads.append(0)
            return len(heads)
        words = [head_word(child) for child in node.children]
        head = words[rules.head_child(category(node.label), [category(child.label) for child in node.children])]
        for word in words:
            if word != head:
                heads[word - 1] = head
        return head

    head_word(tree)
    return heads


@cache
def category(label: str) -> str:
    """A label without function tags and numbers: NP for NP-SBJ-1 and NP=2, ADVP for ADVP|PRT."""
    return label if label.startswith("-") else re.split("[-=|]", label, maxsplit=1)[0]
