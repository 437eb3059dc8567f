"""A corpus holds the kept words of a file as numbers, and heads only when asked."""

from __future__ import annotations

import re

import numpy as np
import pytest
from corpus.blocks import block, write
from real_data import name_of, real_files

from depinduce.corpus import Corpus, Reading, Vocabulary, build_corpus, load_corpus, read_sentences
from depinduce.errors import DepinduceError, InputError

DOG = block("The/DET dog/NOUN ,/PUNCT barks/VERB ./PUNCT", [2, 4, 2, 0, 4], ["DT", "NN", ",", "VBZ", "."])
GO = block("Go/VERB !/PUNCT", [0, 1], ["VB", "."])
DOTS = block("./PUNCT ./PUNCT", [0, 1], [".", "."])
HOME = block("dogs/NOUN go/VERB home/ADV now/ADV", [2, 0, 2, 3], ["NNS", "VBP", "RB", "RB"])

TRAIN_SIZES = {  # sentences and words of the UD 1.4 training sets, at most 15 words
    "eu": (4271, 38804),
    "nl": (8783, 73573),
    "fr": (4976, 53410),
    "de": (7447, 77219),
    "it": (6492, 55846),
    "pl": (6201, 46897),
    "pt": (3580, 30946),
    "es": (4177, 44906),
}


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "small.conllu", "# a comment alone\n\n", DOG, DOTS, GO, HOME)


def symbols(corpus: Corpus, which: str) -> list[list[str]]:
    vocabulary = getattr(corpus, f"{which[:-1]}_vocabulary")
    return [["?" if number < 0 else vocabulary[number] for number in part] for part in parts(corpus, which)]


def parts(corpus: Corpus, which: str) -> list[list[int]]:
    """An array over tokens, sentence by sentence."""
    return [part.tolist() for part in np.split(getattr(corpus, which), corpus.offsets[1:-1])]


def test_kept_words_are_numbered(path):
    corpus = load_corpus(path)
    assert symbols(corpus, "tags") == [["DET", "NOUN", "VERB"], ["VERB"], ["NOUN", "VERB", "ADV", "ADV"]]
    assert symbols(corpus, "words") == [["The", "dog", "barks"], ["Go"], ["dogs", "go", "home", "now"]]
    assert corpus.offsets.tolist() == [0, 3, 4, 8]
    assert corpus.lengths.tolist() == [3, 1, 4]
    assert corpus.tag_vocabulary.to_json() == {
        "symbols": ["VERB", "ADV", "NOUN", "DET"],
        "counts": [3, 2, 2, 1],
    }
    assert (corpus.offsets.dtype, corpus.tags.dtype, corpus.words.dtype) == (np.int64, np.int32, np.int32)


def test_left_out_sentences_are_counted_and_the_kept_ones_know_their_place(path):
    corpus = load_corpus(path, Reading(min_length=2, max_length=3))
    assert corpus.index.tolist() == [1]  # 0 is the comment alone
    assert (corpus.empty, corpus.too_short, corpus.too_long, corpus.outside) == (1, 1, 1, 2)
    assert load_corpus(path, Reading(max_length=2)).too_long == 2
    assert load_corpus(path, Reading(min_length=4)).too_short == 2


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ({"min_length": 0}, "--min-length must be at least 1, not 0."),
        ({"max_length": -3}, "--max-length must be at least 1, not -3."),
        ({"min_length": 4, "max_length": 3}, "No sentence has at least 4 and at most 3 words. Lower --min-length"),
    ],
)
def test_impossible_lengths_are_refused(lengths, message):
    with pytest.raises(DepinduceError, match=f"^{re.escape(message)}"):
        Reading(**lengths)


def test_only_kept_sentences_make_the_vocabularies(path):
    corpus = load_corpus(path, Reading(max_length=3))
    assert set(corpus.tag_vocabulary) == {"DET", "NOUN", "VERB"}
    assert set(corpus.word_vocabulary) == {"The", "dog", "barks", "Go"}


def test_heads_are_kept_only_when_asked_for(path):
    assert load_corpus(path).heads is None
    corpus = load_corpus(path, with_heads=True)
    assert parts(corpus, "heads") == [[2, 3, 0], [0], [2, 0, 2, 3]]
    assert corpus.heads.dtype == np.int32


def test_training_sees_the_same_with_and_without_heads(path, tmp_path):
    blank = tmp_path / "blank.conllu"
    blank.write_text(re.sub(r"(?m)^((?:[^\t\n]*\t){6})\d+\t", r"\1_\t", path.read_text()))
    assert blank.read_text() != path.read_text()
    gold, blanked = load_corpus(path), load_corpus(blank)
    assert load_corpus(path, with_heads=True).fingerprint() == gold.fingerprint() == blanked.fingerprint()
    for name in ("offsets", "tags", "words"):
        assert np.array_equal(getattr(gold, name), getattr(blanked, name))


def test_fingerprint_sees_tags_words_and_sentence_ends(tmp_path):
    def fingerprint(*blocks, **options):
        return load_corpus(write(tmp_path / "a.conllu", *blocks), Reading(**options)).fingerprint()

    start = fingerprint(block("a/X b/Y"))
    others = [
        fingerprint(block("a/X c/Y")),
        fingerprint(block("a/X b/Z")),
        fingerprint(block("b/X a/Y")),
        fingerprint(block("a/X"), block("b/Y")),
        fingerprint(block("a/X b/Y a/X")),
    ]
    assert len({start, *others}) == 6
    assert fingerprint("# comment\n" + block("a/X b/Y", [2, 0])) == start


def test_tags_come_from_the_column_asked_for(path):
    by_name, by_number = load_corpus(path, Reading(tags="xpos")), load_corpus(path, Reading(tags="5"))
    assert symbols(by_name, "tags")[0] == ["DT", "NN", "VBZ"]
    assert symbols(by_number, "tags") == symbols(by_name, "tags")
    assert symbols(load_corpus(path, Reading(tags="2")), "tags")[1] == ["Go"]


@pytest.mark.parametrize("tags", ["pos", "0", "11", "-4", "", "²", "1", "7", "9"])
def test_impossible_tag_columns_are_refused(tags):
    with pytest.raises(DepinduceError, match="Choose upos, xpos or"):
        Reading(tags=tags)


def test_the_columns_on_offer_are_those_that_are_taken():
    with pytest.raises(DepinduceError) as refusal:
        Reading(tags="11")
    offered = re.findall(r"\d+", str(refusal.value).partition("column: ")[2])
    assert [Reading(tags=column).tag_column for column in offered] == [2, 3, 4, 5, 6, 8, 10]


def test_word_without_a_tag_is_refused(tmp_path):
    path = write(tmp_path / "a.conllu", DOG, "# text = a , b\n" + block("a/X ,/PUNCT b/_"))
    with pytest.raises(InputError) as refusal:
        load_corpus(path)
    assert str(refusal.value).startswith(
        f"{path}:10: word 3 'b' has no tag in column 4. Fill the column, by `depinduce tag` if"
    )
    assert "--tags" in str(refusal.value)


def test_punctuation_needs_no_tag(tmp_path):
    path = write(tmp_path / "a.conllu", block("a/X ,/PUNCT", xpos=["NN", "_"]))
    assert symbols(load_corpus(path, Reading(tags="xpos")), "tags") == [["NN"]]


def test_words_are_folded_as_asked(tmp_path):
    path = write(tmp_path / "a.conllu", block("The/DET 1,250.5/NUM 3,999.9/NUM the/DET B52s/NOUN"))
    assert symbols(load_corpus(path), "words") == [["The", "1,250.5", "3,999.9", "the", "B52s"]]
    folded = load_corpus(path, Reading(lowercase=True, fold_numbers=True))
    assert symbols(folded, "words") == [["the", "0,0.0", "0,0.0", "the", "b0s"]]
    assert dict(zip(folded.word_vocabulary.symbols, folded.word_vocabulary.counts, strict=True)) == {
        "the": 2,
        "0,0.0": 2,
        "b0s": 1,
    }


def test_given_vocabularies_number_the_corpus_and_the_unknown_tags_are_named(path):
    tags, words = Vocabulary(["NOUN", "VERB"], [1, 1]), Vocabulary(["dog"], [1])
    corpus = load_corpus(path, tag_vocabulary=tags, word_vocabulary=words)
    assert corpus.tag_vocabulary is tags
    assert corpus.tags.tolist() == [-1, 0, 1, 1, 0, 1, -1, -1]
    assert corpus.words.tolist() == [-1, 0, -1, -1, -1, -1, -1, -1]
    assert corpus.unknown_tags == {"DET": 1, "ADV": 2}
    assert load_corpus(path).unknown_tags == {}


def test_several_files_are_one_corpus(path, tmp_path):
    twice = load_corpus([path, str(path)])
    assert len(twice) == 6
    assert twice.index.tolist() == [1, 3, 4, 6, 8, 9]
    assert twice.tag_vocabulary.counts == (6, 4, 4, 2)


def test_sentences_in_hand_make_the_same_corpus(path):
    sentences = list(read_sentences(path))
    corpus = build_corpus(sentences, with_heads=True)
    assert corpus.fingerprint() == load_corpus(path).fingerprint()
    assert [sentences[i].forms[0] for i in corpus.index] == ["The", "Go", "dogs"]


def test_selection_keeps_sentences_whole(path):
    corpus = load_corpus(path, with_heads=True)
    chosen = corpus.select(corpus.lengths != 1)
    assert symbols(chosen, "words") == [["The", "dog", "barks"], ["dogs", "go", "home", "now"]]
    assert parts(chosen, "heads")[1] == [2, 0, 2, 3]
    assert chosen.index.tolist() == [1, 4]
    assert chosen.tag_vocabulary is corpus.tag_vocabulary
    assert len(corpus.select(np.zeros(3, dtype=bool))) == 0
    with pytest.raises(ValueError, match=r"a mask is bool \[3\]"):
        corpus.select(np.array([0, 2]))


def test_empty_file_is_an_empty_corpus(tmp_path):
    corpus = load_corpus(write(tmp_path / "a.conllu", ""), with_heads=True)
    assert (len(corpus), corpus.offsets.tolist(), len(corpus.tags), len(corpus.heads)) == (0, [0], 0, 0)
    assert len(corpus.tag_vocabulary) == 0


def test_trees_are_required_where_asked(tmp_path):
    path = write(tmp_path / "a.conllu", block("a/X b/X", [2, 1]))
    assert load_corpus(path, with_heads=True).heads.tolist() == [2, 1]
    with pytest.raises(InputError, match="circle"):
        load_corpus(path, trees=True)


@pytest.mark.parametrize("path", real_files("ud14/*/train.conllu"), ids=name_of)
def test_real_corpora_have_the_sizes_their_description_gives(path):
    corpus = load_corpus(path, Reading(max_length=15))
    assert (len(corpus), corpus.offsets[-1]) == TRAIN_SIZES[path.parent.name]


@pytest.mark.parametrize("path", real_files("wsj-sample/sample_with_punctuation.conllu"), ids=name_of)
def test_words_without_penn_punctuation_are_those_of_the_stripped_sample(path):
    stripped = load_corpus(path.with_name("sample.conllu"), Reading(tags="xpos", punctuation="none"))
    corpus = load_corpus(path, Reading(tags="xpos", punctuation="penn-currency"))
    assert corpus.fingerprint() == stripped.fingerprint()
