"""`depinduce tag` fills in what is missing, changes nothing else, and says how good it is."""

from __future__ import annotations

import re

from cli.demo_parts import depinduce
from corpus.blocks import block, write

from depinduce.corpus import read_sentences
from depinduce.corpus.conllu import UPOS, XPOS
from depinduce.corpus.demo import demo_file

TAGGED = block("The/DET dog/NOUN barks/VERB") * 4 + block("The/DET cat/NOUN sleeps/VERB") * 4


def test_missing_tags_are_filled_in_and_others_stay(tmp_path, capsys):
    mine = "# note = x\n1-2\tTheowl\t_\t_\t_\t_\t_\t_\t_\t_\n" + block("The/_ owl/ADJ barks/_").replace("\n", "\r\n")
    path = write(tmp_path / "a.conllu", TAGGED, mine)
    assert depinduce("tag", path, "-o", tmp_path / "out.conllu") == 0
    *_, last = read_sentences(tmp_path / "out.conllu")
    assert last.column(UPOS) == ["DET", "ADJ", "VERB"]
    expected = (
        path.read_bytes().replace(b"The\t_\t_\t", b"The\t_\tDET\t").replace(b"barks\t_\t_\t", b"barks\t_\tVERB\t")
    )
    assert (tmp_path / "out.conllu").read_bytes() == expected
    assert "filled in 2 tags in 1 sentences" in capsys.readouterr().err


def test_tags_from_another_file_and_a_lexicon_in_xpos(tmp_path):
    learn = write(tmp_path / "learn.conllu", block("a/_ b/_", xpos=["X", "Y"]) * 6)
    path = write(tmp_path / "a.conllu", block("a/_ c/_"))
    (tmp_path / "words.tsv").write_text("c\tZ\n")
    options = ["--learn", learn, "--tags", "xpos", "--lexicon", tmp_path / "words.tsv"]
    assert depinduce("tag", path, *options, "-o", tmp_path / "out.conllu") == 0
    (one,) = read_sentences(tmp_path / "out.conllu")
    assert (one.column(XPOS), one.column(UPOS)) == (["X", "Z"], ["_", "_"])


def test_too_few_tags_are_refused(tmp_path, capsys):
    path = write(tmp_path / "a.conllu", block("a/_ b/_") * 9, block("a/X"))
    assert depinduce("tag", path, "-o", tmp_path / "out.conllu") == 1
    assert "1 sentences have tags in UPOS, too few to learn from. Tag some of them by hand" in capsys.readouterr().err
    assert not (tmp_path / "out.conllu").exists()


def test_a_file_with_all_its_tags_stays_as_it_is(tmp_path, capsys):
    path = write(tmp_path / "a.conllu", TAGGED)
    assert depinduce("tag", path, "-o", tmp_path / "out.conllu") == 0
    assert (tmp_path / "out.conllu").read_bytes() == path.read_bytes()
    assert "every word of" in capsys.readouterr().err


def test_cross_validation_tells_what_a_new_text_gets(tmp_path, capsys):
    sentences = [each for each in read_sentences(demo_file("train")) if len(each)][:200]
    learn = write(tmp_path / "learn.conllu", *(each.render(ended=True) for each in sentences[:150]))
    bare = [each.with_column(UPOS, ["_"] * len(each)) for each in sentences[150:]]
    path = write(tmp_path / "a.conllu", *(each.render(ended=True) for each in bare))
    assert depinduce("tag", path, "--learn", learn, "-o", tmp_path / "out.conllu") == 0
    told = re.search(r"by cross-validation, ([0-9.]+) of 100 words get the right tag; ", capsys.readouterr().err)
    tagged = list(read_sentences(tmp_path / "out.conllu"))
    pairs = [
        pair
        for one, gold in zip(tagged, sentences[150:], strict=True)
        for pair in zip(one.column(UPOS), gold.column(UPOS), strict=True)
    ]
    share = 100 * sum(tag == right for tag, right in pairs) / len(pairs)
    assert told is not None and abs(float(told[1]) - share) < 5
    assert share > 85
