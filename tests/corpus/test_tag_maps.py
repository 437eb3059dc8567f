"""Maps of tags: for reading only, complete or refused, and remembered with the grammar."""

from __future__ import annotations

import re

import pytest
from corpus.blocks import block, write

from depinduce.corpus import Reading, build_corpus, load_corpus, read_text
from depinduce.corpus.penn.universal_tags import universal_tag
from depinduce.corpus.tag_maps import load_map
from depinduce.errors import DepinduceError
from depinduce.settings import read_toml, to_toml

DOG = block("The/DET dog/NOUN 's/PART bark/NOUN ,/PUNCT", None, ["DT", "NN", "POS", "NN|VB", ","])
PENN = (  # the 36 of words, the 9 of signs
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP "
    "VBZ WDT WP WP$ WRB # $ '' `` ( ) , . :"
)


def read(text: str, **reading) -> list[str]:
    corpus = build_corpus(read_text(text), Reading(**reading))
    return [corpus.tag_vocabulary[number] for number in corpus.tags.tolist()]


def test_every_tag_of_the_penn_treebank_has_a_universal_one():
    table = load_map("penn")
    assert set(PENN.split()) | {"-LRB-", "-RRB-"} == set(table) and len(PENN.split()) == 45
    upos = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
    assert set(table.values()) <= set(upos.split())
    # the twelve universal tags are older and coarser: where both have a name, it means the same
    coarse = {"PROPN": "NOUN", "AUX": "VERB", "CCONJ": "CONJ", "INTJ": "X", "PUNCT": ".", "PART": "PRT"}
    others = {"(": "PUNCT", ")": "PUNCT", "RP": "ADP", "EX": "PRON", "SYM": "SYM", "$": "SYM", "#": "SYM"}
    for tag, meant in table.items():
        assert meant == others.get(tag) or coarse.get(meant, meant) == universal_tag(tag), tag


def test_tags_are_read_through_the_map_and_what_is_punctuation_there_is_left_out():
    assert read(DOG, tags="xpos", map="penn") == ["DET", "NOUN", "PART", "NOUN"]  # of a choice the first
    only_penn = block("The/DT dog/NN -LRB-/-LRB- barks/VBZ ``/`` ./.")  # in the column of universal tags
    assert read(only_penn, map="penn") == ["DET", "NOUN", "VERB"]
    assert read(only_penn, map="penn", punctuation="none")[2] == "PUNCT"


def test_punctuation_of_a_map_can_be_in_any_column():
    text = block("the/A dog/B so/C").replace("so\t_", "so\tthing")  # in the column of lemmas
    text = text.replace("the\t_", "the\tword").replace("dog\t_", "dog\tword")
    assert read(text, tags="3", map={"word": "X", "thing": "PUNCT"}) == ["X", "X"]


def test_tags_that_a_map_leads_to_are_left_as_they_are():
    assert read(block("the/DT dog/NOUN barks/VBZ"), map="penn") == ["DET", "NOUN", "VERB"]


def test_tags_that_a_map_lacks_are_listed():
    text = block("der/ART Hund/NN bellt/VVFIN") + block("er/PPER bellt/VVFIN")
    message = (
        "--map has no line for these tags: ART PPER VVFIN. Write a TOML file with a line such as "
        '"ART" = "NOUN" for each tag; or see --tags, for another column.'
    )
    with pytest.raises(DepinduceError, match=f"^{re.escape(message)}$"):
        read(text, map="penn")


def test_the_map_stands_for_the_bare_tag_and_features_refine_it():
    text = block("der/ART").replace("\tART\t_\t_", "\tART\t_\tCase=Nom")
    assert read(text, map={"ART": "DET"}, tags="upos+Case", rare_tags=1) == ["DET+Case=Nom"]


def test_a_map_of_a_file_is_remembered_without_the_file(tmp_path):
    path = write(tmp_path / "own.toml", '"ART" = "DET"\nNN = "NOUN"\n"$." = "PUNCT"\n')
    reading = Reading(map=str(path))
    path.unlink()
    assert reading.map == {"ART": "DET", "NN": "NOUN", "$.": "PUNCT"}
    assert load_corpus(write(tmp_path / "a", block("der/ART Hund/NN ./$.")), reading).tag_vocabulary.symbols == (
        "DET",
        "NOUN",
    )
    assert Reading(**read_toml(write(tmp_path / "config.toml", to_toml(vars(reading))))) == reading


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pen", "There is no map of tags 'pen'. Did you mean penn? Maps: penn, or the path of a .toml file."),
        ("nowhere.toml", "nowhere.toml: No such file or directory. Name a TOML file of tags."),
        ({"NN": 3}, "--map {…}: NN = 3 is no tag for a tag. Write lines such as: NN = "),
        ({}, "--map {…}: no tags."),
    ],
)
def test_other_maps_are_refused(name, message):
    with pytest.raises(DepinduceError, match=f"^{re.escape(message)}"):
        Reading(map=name)
