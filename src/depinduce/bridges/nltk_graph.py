"""Trees as dependency graphs of NLTK."""

from __future__ import annotations

from typing import TYPE_CHECKING

from depinduce.corpus import Sentence
from depinduce.corpus.conllu import DEPREL, FORM, UPOS, XPOS
from depinduce.errors import DepinduceError

if TYPE_CHECKING:
    from nltk.parse.dependencygraph import DependencyGraph

    from depinduce.parsing.parsed_sentences import ParsedSentence

LEMMA, FEATS = 3, 6
ROOT_LABEL, LABEL = "ROOT", "dep"


def to_nltk(tree: Sentence | ParsedSentence) -> DependencyGraph:
    """The graph of a parsed sentence, or of a sentence from a file with heads.

    UPOS is the `ctag` of a node and XPOS its `tag` (each of them both, where the other is missing). Labels are those of
    a file, or those of a parser, `dep` if it knows no more. The root is `ROOT`, which is what NLTK looks for.
    """
    try:
        from nltk.parse.dependencygraph import DependencyGraph
    except ImportError as error:
        raise DepinduceError("NLTK is not installed. Install it with `pip install 'depinduce[nltk]'`.") from error

    sentence, labels = (tree, tree.column(DEPREL)) if isinstance(tree, Sentence) else (tree.sentence, tree.labels)
    labels = [LABEL if label == "_" else label for label in labels]
    graph = DependencyGraph()
    graph.top_relation_label = ROOT_LABEL
    columns = [[None if value == "_" else value for value in sentence.column(c)] for c in (LEMMA, UPOS, XPOS, FEATS)]
    for number, (word, head, *values) in enumerate(zip(sentence.column(FORM), tree.heads, *columns, strict=True), 1):
        if head < 0:
            raise DepinduceError(
                f"Word {number} {word!r} of the sentence has no head, and a graph of NLTK needs all of them. "
                "Parse it first, or give it a head."
            )
        lemma, upos, xpos, feats = values
        label = ROOT_LABEL if head == 0 else labels[number - 1]
        graph.nodes[number].update(
            address=number,
            word=word,
            lemma=lemma or word,
            ctag=upos or xpos,
            tag=xpos or upos,
            feats=feats or "",
            head=head,
            rel=label,
        )
        graph.nodes[head]["deps"][label].append(number)
        if head == 0 and graph.root is None:
            graph.root = graph.nodes[number]
    return graph
