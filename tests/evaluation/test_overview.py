"""What is in a file, counted by hand."""

from __future__ import annotations

import json

import pytest
from corpus.blocks import block, write

from depinduce.corpus import Reading
from depinduce.errors import InputError
from depinduce.evaluation.overview import look_over


def overview_of(tmp_path, *blocks: str, **reading):
    return look_over(str(write(tmp_path / "a.conllu", *blocks)), Reading(**reading))


def test_counts_by_hand(tmp_path):
    facts = overview_of(
        tmp_path,
        "# about the file\n\n",
        block("the/DET dog/NOUN barks/VERB !/PUNCT", [2, 3, 0, 3]),
        block("go/VERB home/ADV", [0, 0]),
        block("the/DET end/NOUN", ["_", "_"]),
        block("./PUNCT", [0]),
    )
    assert (facts.sentences, facts.words, facts.punctuation, facts.blocks_without_words) == (4, 9, 2, 1)
    assert facts.tags == {"DET": 2, "NOUN": 2, "VERB": 2, "PUNCT": 2, "ADV": 1}
    assert facts.lengths == {3: 1, 2: 2, 0: 1}  # punctuation not counted
    assert (facts.with_trees, facts.without_heads, facts.several_roots, facts.non_projective) == (3, 1, 1, 0)
    assert facts.problems == {}


def test_trees_are_looked_at(tmp_path):
    facts = overview_of(
        tmp_path,
        block("a/X b/X c/X d/X", [3, 4, 0, 3]),  # 1-3 and 2-4 cross
        block("a/X b/X", [0, 1]),
        block("a/X b/X c/X", [2, 1, 0]),
        block("a/X b/X", [0, "_"]),
    )
    assert (facts.with_trees, facts.non_projective, facts.partly_with_heads) == (2, 1, 1)  # a circle is no tree
    assert facts.problems == {
        "heads that lead in a circle": [9],  # the line where the sentence begins
        "some words have a head and others have none": [13],
    }


def test_words_without_a_tag_are_a_problem_of_their_column(tmp_path):
    sentence = block("a/X b/X", [0, 1], xpos=["N", "_"])
    assert overview_of(tmp_path, sentence).problems == {}
    assert overview_of(tmp_path, sentence, tags="xpos").problems == {"words without a tag": [1]}
    assert overview_of(tmp_path, sentence, tags="xpos").tags == {"N": 1, "_": 1}
    mark = block("a/X !/PUNCT", [0, 1], xpos=["N", "_"])
    assert overview_of(tmp_path, mark, tags="xpos").problems == {}  # training leaves it out


def test_punctuation_follows_its_mode(tmp_path):
    sentence = block("so/ADV ,/PUNCT go/VERB", [3, 3, 0])
    assert overview_of(tmp_path, sentence).lengths == {2: 1}
    assert overview_of(tmp_path, sentence, punctuation="none").lengths == {3: 1}


def test_json_holds_all_of_it_in_order(tmp_path):
    facts = overview_of(
        tmp_path, block("a/X b/Y c/Y", [0, 1, 1]), block("a/Y", [0]), block("a/X b/X c/X d/X", [3, 4, 0, 3])
    )
    record = json.loads(json.dumps(facts.to_json()))
    assert record["tags"] == {"X": 5, "Y": 3}
    assert list(record["lengths"].items()) == [("1", 1), ("3", 1), ("4", 1)]
    assert record["non_projective_share"] == pytest.approx(1 / 3)
    assert record["path"].endswith("a.conllu")


def test_a_file_without_trees_has_no_share_of_them(tmp_path):
    assert overview_of(tmp_path, block("a/X")).to_json()["non_projective_share"] is None


@pytest.mark.parametrize("text", ["", "\n\n", "# about the file\n\n"])
def test_a_file_without_sentences_is_a_problem(text, tmp_path):
    facts = overview_of(tmp_path, text)
    assert facts.sentences == 0
    assert facts.problems == {"not a single sentence": []}


def test_a_broken_file_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a\.conllu:1: 3 columns where 10 are needed"):
        overview_of(tmp_path, "1\ta\tX\n\n")
