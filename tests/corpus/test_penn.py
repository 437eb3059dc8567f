"""The Penn Treebank: brackets are read, heads are found, and the published sample comes out."""

from __future__ import annotations

from pathlib import Path

import pytest
from corpus.blocks import write
from corpus.penn_files import BIRDS, penn
from real_data import name_of, real_files

from depinduce.corpus import is_punctuation, read_sentences, remove
from depinduce.corpus.penn import PennSettings, Tree, convert, find_sections, read_trees, write_splits
from depinduce.corpus.penn.conversion import convert_tree
from depinduce.corpus.punctuation import marks_of
from depinduce.errors import DepinduceError, InputError

TRAIN_ONLY = {"train_sections": ("0",), "dev_sections": (), "test_sections": ()}
PUBLISHED = {  # how each file of the sample was made, and its words
    "sample.conllu": ({"punctuation": "remove", "currency": "remove"}, 82_369),
    "sample_with_punctuation.conllu": ({"punctuation": "keep", "currency": "keep"}, 94_084),
}


def trees(folder: Path, text: str) -> list[Tree]:
    return read_trees(write(folder / "a.mrg", text))


def drawn(folder: Path, text: str, **settings: str) -> str:
    """The dependency tree of a constituent tree: `Dogs>bark bark>ROOT`."""
    (tree,) = trees(folder, text)
    sentence = convert_tree(tree, "a.1", folder / "a.mrg", PennSettings(**settings))
    heads = ["ROOT", *sentence.forms]
    return " ".join(f"{form}>{heads[head]}" for form, head in zip(sentence.forms, sentence.heads, strict=True))


def test_a_tree_becomes_conllu(tmp_path):
    splits = convert(penn(tmp_path, wsj_0001=BIRDS * 2), PennSettings(**TRAIN_ONLY))
    assert list(splits) == ["train"]
    first, second = splits["train"].sentences
    assert second.sent_id == "wsj_0001.2"
    assert first.to_conllu() == (
        "# sent_id = wsj_0001.1\n"
        "# text = Birds were seen in the yard .\n"
        "1\tBirds\t_\tNOUN\tNNS\t_\t2\tdep\t_\t_\n"
        "2\twere\t_\tVERB\tVBD\t_\t0\troot\t_\t_\n"
        "3\tseen\t_\tVERB\tVBN\t_\t2\tdep\t_\t_\n"
        "4\tin\t_\tADP\tIN\t_\t3\tdep\t_\t_\n"
        "5\tthe\t_\tDET\tDT\t_\t6\tdep\t_\t_\n"
        "6\tyard\t_\tNOUN\tNN\t_\t4\tdep\t_\t_\n\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "( (S (NP (NNS Dogs)) (VP (VBP bark))) )",
        "(S (NP (NNS Dogs)) (VP (VBP bark)))",
        "(\n(S\n(NP\r\n(NNS\nDogs))\n\n(VP(VBP bark))))",
        "(TOP (S (NP-SBJ=2 (NNS Dogs)) (VP|X (VP (VBP bark)))))",
    ],
    ids=["outer bracket", "no outer bracket", "line ends anywhere", "unary chains"],
)
def test_spellings_of_the_same_tree(text, tmp_path):
    assert drawn(tmp_path, text) == "Dogs>bark bark>ROOT"


def test_several_trees_in_a_file_know_their_lines(tmp_path):
    found = trees(tmp_path, BIRDS + "(FRAG (UH Yes))\n" + BIRDS)
    assert [tree.line for tree in found] == [2, 9, 11]
    assert [leaf.line for leaf in found[2].leaves()] == [12, 13, 14, 15, 16, 16, 16, 17]


def test_phrases_that_are_left_empty_do_not_count_as_children(tmp_path):
    relative = "(SBAR (WHNP-1 (-NONE- 0)) (S (NP (PRP we)) (VP (VBP have) (NP (NP (-NONE- *T*-1))))))"
    assert drawn(tmp_path, f"(NP (NP (NN fun)) {relative})") == "fun>ROOT we>have have>fun"
    assert drawn(tmp_path, "(PRN (NN fun) (NP (NP (-NONE- *)) (PP (-NONE- *ICH*-2))))") == "fun>ROOT"


def test_sentences_without_words_are_left_out_and_counted(tmp_path):
    nothing, money = "( (S (NP (-NONE- *)) ))", "( (NP (: --) ($ $)) )"
    folder = penn(tmp_path, wsj_0000=nothing + money + BIRDS)
    split = convert(folder, PennSettings(**TRAIN_ONLY))["train"]
    assert ([sentence.sent_id for sentence in split.sentences], split.empty) == (["wsj_0000.3"], 2)
    assert convert(folder, PennSettings(**TRAIN_ONLY, punctuation="keep"))["train"].empty == 1


@pytest.mark.parametrize(
    ("text", "yamada_matsumoto", "collins"),
    [
        ("(VP (TO to) (VP (VB go)))", "to>go go>ROOT", "to>ROOT go>to"),
        ("(VP (VBP have) (VP (VBN gone)))", "have>ROOT gone>have", "have>ROOT gone>have"),
        ("(NP (NP (NN man)) (NP (NN hat)))", "man>hat hat>ROOT", "man>ROOT hat>man"),
        ("(NP (NP (NNP Al) (POS 's)) (NN hat))", "Al>'s 's>hat hat>ROOT", "Al>'s 's>hat hat>ROOT"),
        ("(NP (CD two) (ADJP (JJ odd)))", "two>ROOT odd>two", "two>odd odd>ROOT"),
        ("(NX (NN age) (JJ old))", "age>ROOT old>age", "age>ROOT old>age"),
        ("(SBAR (IN that) (S (VBZ is)))", "that>ROOT is>that", "that>ROOT is>that"),
        ("(PP (RB right) (IN in) (NP (NN time)))", "right>in in>ROOT time>in", "right>in in>ROOT time>in"),
        ("(ADVP|PRT (RB on) (RB off))", "on>ROOT off>on", "on>off off>ROOT"),
        ("(FRAG (UH ho) (UH hum))", "ho>ROOT hum>ho", "ho>hum hum>ROOT"),
        ("(XYZ (UH ho) (UH hum))", "ho>hum hum>ROOT", "ho>hum hum>ROOT"),
    ],
)
def test_heads_by_both_rules(text, yamada_matsumoto, collins, tmp_path):
    assert drawn(tmp_path, text) == yamada_matsumoto
    assert drawn(tmp_path, text, heads="collins") == collins


@pytest.mark.parametrize(
    ("text", "yamada_matsumoto", "collins"),
    [
        ("(NP (NN cats) (CC and) (NN dogs))", "cats>dogs and>dogs dogs>ROOT", "cats>ROOT and>cats dogs>cats"),
        (
            "(NP (NN cats) (, ,) (CC and) (NN dogs))",
            "cats>dogs ,>dogs and>dogs dogs>ROOT",
            "cats>ROOT ,>cats and>cats dogs>cats",
        ),
        ("(S (CC But) (VP (VBD went)))", "But>went went>ROOT", "But>went went>ROOT"),
        ("(S (CC But) (NP (PRP we)) (VP (VBD went)))", "But>went we>went went>ROOT", "But>went we>went went>ROOT"),
    ],
)
def test_the_first_conjunct_is_the_head_with_collins_alone(text, yamada_matsumoto, collins, tmp_path):
    assert drawn(tmp_path, text, punctuation="keep") == yamada_matsumoto
    assert drawn(tmp_path, text, punctuation="keep", heads="collins") == collins


def test_the_dollar_heads_its_quantity_where_it_is_kept(tmp_path):
    text = "(NP (QP (RB about) ($ $) (CD 2) (CD million)) (-NONE- *U*))"
    assert drawn(tmp_path, text, currency="keep") == "about>$ $>ROOT 2>$ million>$"
    assert drawn(tmp_path, text) == "about>ROOT 2>about million>about"  # adverbs come before numbers


def test_punctuation_that_is_kept_heads_nothing_but_punctuation(tmp_path):
    text = "(S (NP (NN sun)) (PRN (, ,) (S (VBD said)) (, ,)) (: ;))"
    assert drawn(tmp_path, text) == "sun>ROOT said>sun"
    assert drawn(tmp_path, text, punctuation="keep") == "sun>ROOT ,>said said>sun ,>said ;>sun"
    assert drawn(tmp_path, "(PRN (: --) (: ;))", punctuation="keep") == "-->; ;>ROOT"


def test_other_commands_see_the_punctuation_that_is_kept(tmp_path):
    text = "(S (`` ``) (NN sun) ($ $) (-LRB- -LCB-) (-RRB- -RRB-) (, ,) (: ;) ('' '') (. .) (# #))"
    settings = PennSettings(**TRAIN_ONLY, punctuation="keep", currency="keep")
    (path,) = write_splits(convert(penn(tmp_path, wsj_0000=text), settings), tmp_path)
    (sentence,) = read_sentences(path, trees=True)
    for mode, words in (("auto", "sun"), ("penn", "sun $ #"), ("penn-currency", "sun")):
        marks = is_punctuation(sentence, marks_of(mode))
        assert [form for form, mark in zip(sentence.forms, marks, strict=True) if not mark] == words.split()


def test_a_choice_of_tags_counts_as_its_first(tmp_path):
    (tree,) = trees(tmp_path, "(NP (VBG|NN living) (JJ|RB hard))")
    sentence = convert_tree(tree, "a.1", "a.mrg", PennSettings())
    assert [line.split("\t")[3:5] for line in sentence.to_conllu().splitlines()[2:4]] == [
        ["VERB", "VBG|NN"],
        ["ADJ", "JJ|RB"],
    ]


def test_lengths_are_counted_after_removal(tmp_path):
    folder = penn(tmp_path, wsj_0000="(S (UH Ho) (. .))" + "(S (UH Ho) (, ,) (UH ho) (. .))" + BIRDS)
    split = convert(folder, PennSettings(**TRAIN_ONLY, min_length=2, max_length=5))["train"]
    assert [sentence.forms for sentence in split.sentences] == [["Ho", "ho"]]
    assert (split.too_short, split.too_long, split.empty) == (1, 1, 0)
    with pytest.raises(DepinduceError, match="for train, no sentence is left with these options"):
        convert(folder, PennSettings(**TRAIN_ONLY, min_length=7))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( (S (NN a))\n", "a.mrg:1: the tree that begins here is never closed: 1 `(` more than `)` up to the end"),
        (
            f"{BIRDS.rstrip()[:-1]}\n{BIRDS}",
            "a.mrg:10: a bracket without a label inside the tree that begins in line 2. Give it a label; or, if",
        ),
        ("(S (NN a))\n\n(S (NN a)))", "a.mrg:3: this closing bracket closes nothing. Delete it"),
        ("(S (NN a)\n dog)", "a.mrg:2: the word 'dog' has no tag. Write a bracket around both, as in (NN dog)."),
        ("(S dog\n (NN a))", "a.mrg:2: a bracket opens beside the word 'dog', which has no tag of its own. Write"),
        ("(S (NN hot dog))", "a.mrg:1: two words in one bracket, (NN hot dog). Give each word a bracket and a tag"),
        ("(S (NN))", "a.mrg:1: the bracket (NN) is empty. Write a tag and its word, as in (NN dog), or delete it."),
        ("\n()", "a.mrg:2: the bracket () is empty."),
        ("*x*x*\n(S (NN a))", "a.mrg:1: '*x*x*' stands outside of all brackets. Delete it; is this"),
        ("\n \n", "a.mrg: there is not a single tree in this file. Copy it again from your treebank, or delete it."),
        ("(X " * 5000, "a.mrg:1: brackets are nested 200 deep since line 1. Close those that are complete."),
    ],
    ids=[
        "unclosed", "unclosed before another tree", "extra bracket", "word without tag", "word before bracket",
        "two words", "no word", "nothing", "text", "empty file", "endless nesting",
    ],
)  # fmt: skip
def test_broken_brackets_are_refused_with_place_and_remedy(text, message, tmp_path):
    with pytest.raises(InputError) as refusal:
        trees(tmp_path, text)
    assert str(refusal.value).startswith(f"{tmp_path}/{message}")


def test_a_tag_that_penn_does_not_have_is_refused(tmp_path):
    with pytest.raises(InputError) as refusal:
        convert(penn(tmp_path, wsj_0000="(S (NN a)\n (NP dog))"), PennSettings(**TRAIN_ONLY))
    assert str(refusal.value) == (
        f"{tmp_path}/00/wsj_0000.mrg:2: the word 'dog' has the tag 'NP', which is not one of the Penn Treebank's. "
        "Correct it; if it is a phrase, give the word its own tag, as in (NP (NN dog))."
    )


def test_a_file_in_another_encoding_is_refused(tmp_path):
    (tmp_path / "a.mrg").write_bytes(b"(S\n (NN caf\xe9))")
    with pytest.raises(InputError, match="a.mrg:2: this is not UTF-8"):
        read_trees(tmp_path / "a.mrg")


@pytest.mark.parametrize(
    ("names", "sections"),
    [
        (["00/wsj_0002.mrg", "00/wsj_0001.mrg", "12/wsj_1200.mrg"], {0: ["wsj_0001", "wsj_0002"], 12: ["wsj_1200"]}),
        (["parsed/mrg/wsj/03/wsj_0301.mrg", "parsed/mrg/atis/atis3.mrg", "x/03/notes.txt"], {3: ["wsj_0301"]}),
        (["MRG/WSJ/02/WSJ_0201.MRG"], {2: ["WSJ_0201"]}),
        (["combined/wsj_0101.mrg", "combined/wsj_0001.mrg"], {0: ["wsj_0001"], 1: ["wsj_0101"]}),
        (["07/some.mrg"], {7: ["some"]}),
    ],
    ids=["sections", "whole release", "upper case", "one directory", "other names"],
)
def test_sections_are_found_in_every_layout(names, sections, tmp_path):
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = find_sections(tmp_path)
    assert {section: [path.stem for path in paths] for section, paths in found.items()} == sections
    assert list(found) == sorted(found)


def test_a_file_that_is_there_twice_is_refused(tmp_path):
    for part in ("combined", "parsed"):
        penn(tmp_path / part, wsj_0001=BIRDS)
    with pytest.raises(InputError, match="wsj_0001.mrg: this file is also there as .*wsj_0001.mrg. Name a directory"):
        find_sections(tmp_path)


def converted(path: Path, tmp_path: Path, **treatment: str) -> list:
    """Our sentences of the sample, and those of the file that they should be."""
    settings = PennSettings(("0-1",), (), (), **treatment)
    (written,) = write_splits(convert(path.parent / "mrg", settings), tmp_path)
    ours, published = list(read_sentences(written, trees=True)), list(read_sentences(path))
    return list(zip(ours, published, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("path", real_files("wsj-sample/sample*.conllu"), ids=name_of)
def test_the_sample_of_the_treebank_comes_out_as_published(path, tmp_path):
    treatment, words = PUBLISHED[path.name]
    same_heads = 0
    for ours, published in converted(path, tmp_path, **treatment):
        assert ours.comments == published.comments
        assert [ours.column(number) for number in (2, 4, 5)] == [published.column(number) for number in (2, 4, 5)]
        same_heads += sum(map(int.__eq__, ours.heads, published.heads))
    assert same_heads == words


@pytest.mark.slow
@pytest.mark.parametrize("path", real_files("wsj-sample/sample_with_punctuation.conllu"), ids=name_of)
def test_heads_of_words_are_the_same_whether_punctuation_is_removed_before_or_after(path, tmp_path):
    same_heads = 0
    for ours, published in converted(path, tmp_path, currency="keep"):
        same_heads += sum(
            map(int.__eq__, ours.heads, remove(published.heads, ~is_punctuation(published, marks_of("penn"))))
        )
    assert same_heads == 83_109
