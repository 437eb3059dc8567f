"""Graphs for NLTK, against NLTK itself."""

from __future__ import annotations

import sys
from itertools import islice

import pytest
from corpus.blocks import block, write

from depinduce.bridges.nltk_graph import to_nltk
from depinduce.corpus import Sentence, read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.errors import DepinduceError
from depinduce.parsing.parsed_sentences import ParsedSentence

nltk = pytest.importorskip("nltk")


def sentence(tmp_path, text: str) -> Sentence:
    return next(iter(read_sentences(write(tmp_path / "a.conllu", text))))


def test_a_graph_has_the_words_tags_and_arcs(tmp_path):
    graph = to_nltk(sentence(tmp_path, block("the/DET dog/NOUN barks/VERB", [2, 3, 0], xpos=["DT", "NN", "VBZ"])))
    assert graph.root["word"] == "barks"
    assert str(graph.tree()) == "(barks (dog the))"
    assert list(graph.triples()) == [
        (("barks", "VERB"), "dep", ("dog", "NOUN")),
        (("dog", "NOUN"), "dep", ("the", "DET")),
    ]
    assert graph.to_conll(3) == "the\tDT\t2\ndog\tNN\t3\nbarks\tVBZ\t0\n"
    assert not graph.contains_cycle()


def test_a_graph_is_the_one_that_nltk_reads_from_the_same_file():
    for tree in islice(read_sentences(demo_file("test")), 20):
        lines = tree.render().splitlines()
        text = "\n".join(line for line in lines if line[:1].isdigit())
        theirs = nltk.DependencyGraph(text.replace("\troot\t", "\tROOT\t"), cell_separator="\t")
        ours = to_nltk(tree)
        assert ours.tree() == theirs.tree()
        assert list(ours.triples()) == list(theirs.triples())
        assert ours.top_relation_label == theirs.top_relation_label


def test_the_heads_of_a_parser_replace_heads_and_labels_of_the_file(tmp_path):
    text = block("go/VERB home/ADV now/ADV", [0, 1, 1]).replace("1\t_\t_", "1\tadvmod\t_")
    tree = sentence(tmp_path, text)
    assert [label for _, label, _ in to_nltk(tree).triples()] == ["advmod", "advmod"]
    graph = to_nltk(ParsedSentence(tree, [2, 0, 2]))
    assert graph.root["word"] == "home"
    assert [label for _, label, _ in graph.triples()] == ["dep", "dep"]


def test_a_missing_tag_is_taken_from_the_other_column(tmp_path):
    node = to_nltk(sentence(tmp_path, block("go/VERB", [0]))).root
    assert (node["ctag"], node["tag"], node["lemma"], node["feats"]) == ("VERB", "VERB", "go", "")
    node = to_nltk(sentence(tmp_path, block("go/_", [0], xpos=["VB"]))).root
    assert (node["ctag"], node["tag"]) == ("VB", "VB")


def test_several_roots_hang_on_the_top(tmp_path):
    graph = to_nltk(sentence(tmp_path, block("go/VERB stay/VERB", [0, 0])))
    assert graph.nodes[0]["deps"]["ROOT"] == [1, 2]
    assert graph.root["word"] == "go"


def test_a_word_without_a_head_is_refused(tmp_path):
    with pytest.raises(DepinduceError, match=r"Word 2 '\.' of the sentence has no head, .* Parse it first"):
        to_nltk(sentence(tmp_path, block("go/VERB ./PUNCT", [0, "_"])))


def test_where_nltk_is_missing_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "nltk.parse.dependencygraph", None)
    with pytest.raises(DepinduceError, match=r"pip install 'depinduce\[nltk\]'"):
        to_nltk(sentence(tmp_path, block("go/VERB", [0])))
