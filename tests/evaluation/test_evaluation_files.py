"""Two files with the same words: their trees side by side, and what is refused."""

from __future__ import annotations

import pytest
from corpus.blocks import block, write

from depinduce.corpus import Reading
from depinduce.errors import InputError
from depinduce.evaluation.files import align_files


def aligned(tmp_path, gold: list[str], predicted: list[str], **reading):
    files = write(tmp_path / "gold.conllu", *gold), write(tmp_path / "pred.conllu", *predicted)
    return align_files(*map(str, files), Reading(**reading))


def test_heads_are_paired_word_by_word(tmp_path):
    gold = [block("the/DET dog/NOUN barks/VERB", [2, 3, 0]), block("go/VERB home/ADV", [0, 1])]
    predicted = [block("the/X dog/X barks/X", [3, 1, 0]), block("go/X home/X", [2, 0])]
    trees = aligned(tmp_path, gold, predicted)
    assert trees.offsets.tolist() == [0, 3, 5]
    assert trees.gold.tolist() == [2, 3, 0, 0, 1]
    assert trees.predicted.tolist() == [3, 1, 0, 2, 0]
    assert trees.tags == ["DET", "NOUN", "VERB", "VERB", "ADV"]  # of the gold file


def test_gold_decides_what_is_punctuation_and_children_of_it_move_up(tmp_path):
    gold = [block("so/ADV ,/PUNCT go/VERB !/PUNCT", [3, 3, 0, 3])]
    predicted = [block("so/ADV ,/NOUN go/PUNCT !/VERB", [2, 4, 2, 0])]
    trees = aligned(tmp_path, gold, predicted)
    assert trees.gold.tolist() == [2, 0]
    assert trees.predicted.tolist() == [0, 0]  # both hung on marks below the mark that was the root
    everything = aligned(tmp_path, gold, predicted, punctuation="none")
    assert everything.predicted.tolist() == [2, 4, 2, 0]


def test_sentences_are_chosen_by_their_length_without_punctuation(tmp_path):
    gold = [block("a/X ./PUNCT ./PUNCT", [0, 1, 1]), block("a/X b/X", [0, 1]), block("a/X b/X c/X", [0, 1, 1])]
    assert aligned(tmp_path, gold, gold, max_length=2).offsets.tolist() == [0, 1, 3]
    assert aligned(tmp_path, gold, gold, min_length=2).offsets.tolist() == [0, 2, 5]


def test_blocks_of_comments_and_sentences_of_punctuation_do_not_count(tmp_path):
    gold = ["# here\n\n", block("a/X", [0]), block("./PUNCT", [0])]
    trees = aligned(tmp_path, gold, gold[1:])
    assert trees.offsets.tolist() == [0, 1]


def test_files_without_words_have_no_trees(tmp_path):
    trees = aligned(tmp_path, ["# nothing\n\n"], [])
    assert (trees.offsets.tolist(), trees.gold.tolist(), trees.tags) == ([0], [], [])


A, B, C = block("a/X", [0]), block("b/X c/X", [0, 1]), block("b/X d/X", [0, 1])


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([A, B], [A], "gold.conllu:3: sentence 2 is not in {folder}/pred.conllu. Compare files"),
        ([A], [A, B], "pred.conllu:3: sentence 2 is not in {folder}/gold.conllu. Compare files"),
        ([A, A], [A, B], "pred.conllu:3: sentence 2 has 2 words, but 1 in {folder}/gold.conllu:3. Compare files"),
        ([A, C], [A, B], "pred.conllu:4: word 2 is 'c', but 'd' in {folder}/gold.conllu:4. Compare files"),
        ([A], [block("a/X")], "pred.conllu:1: word 1 'a' has no head"),
        ([block("a/X")], [A], "gold.conllu:1: word 1 'a' has no head"),
        ([B], [block("b/X c/X", [2, 1])], "pred.conllu:1: the heads go in a circle, 1 -> 2 -> 1"),
    ],
)
def test_files_that_cannot_be_compared_are_refused(gold, predicted, message, tmp_path):
    with pytest.raises(InputError) as refusal:
        aligned(tmp_path, gold, predicted)
    assert message.format(folder=tmp_path) in str(refusal.value)
