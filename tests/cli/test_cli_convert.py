"""`depinduce convert`: tagged text becomes CoNLL-U; a Penn Treebank becomes train, dev and test, or nothing at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.demo_parts import contents, depinduce
from corpus.penn_files import BIRDS, penn

from depinduce.corpus import read_sentences
from depinduce.corpus.penn import conversion

DOTS = "( (NP (. .)) )"
NO_SECTIONS = ["--train-sections", "--dev-sections", "--test-sections"]


@pytest.fixture
def treebank(tmp_path):
    """Sections 2 to 23, one file of one tree each, in the layout of LDC."""
    files = {f"wsj_{section:02}00": BIRDS for section in range(2, 24)}
    return penn(tmp_path / "treebank" / "parsed" / "mrg" / "wsj", **files).parents[2]


@pytest.fixture
def sample(tmp_path):
    """Sections 0 and 1, as in the sample that everybody may have."""
    return penn(tmp_path / "sample", wsj_0001=BIRDS * 2, wsj_0002=DOTS, wsj_0101=BIRDS)


def sent_ids(path) -> list[str | None]:
    return [sentence.sent_id for sentence in read_sentences(path, trees=True)]


def test_the_usual_sections_become_train_dev_and_test(treebank, tmp_path, capsys):
    out = tmp_path / "new" / "wsj"
    assert depinduce("convert", "ptb", treebank, "-o", out) == 0
    assert set(contents(out)) == {"train.conllu", "dev.conllu", "test.conllu"}
    assert sent_ids(out / "train.conllu") == [f"wsj_{section:02}00.1" for section in range(2, 22)]
    assert sent_ids(out / "dev.conllu") == ["wsj_2200.1"]
    assert sent_ids(out / "test.conllu") == ["wsj_2300.1"]
    shown = capsys.readouterr()
    assert "converting: 22/22 files" in shown.err
    assert f"wrote {out}/train.conllu, {out}/dev.conllu, {out}/test.conllu" in shown.err
    assert [line.split() for line in shown.out.splitlines() if line.startswith("  t")] == [
        ["train", "2-21", "20", "20", "120", "0", "0", "0"],
        ["test", "23", "1", "1", "6", "0", "0", "0"],
    ]


def test_other_sections_and_no_training_file(sample, tmp_path, capsys):
    choice = ["--train-sections", "--dev-sections", "00", "--test-sections", 1]
    assert depinduce("convert", "ptb", sample, "-o", tmp_path / "out", *choice, "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert set(contents(tmp_path / "out")) == {"dev.conllu", "test.conllu"}
    assert sent_ids(tmp_path / "out" / "test.conllu") == ["wsj_0101.1"]
    assert record["splits"]["dev"] == {
        "path": str(tmp_path / "out" / "dev.conllu"),
        "sections": [0],
        "files": 2,
        "sentences": 2,
        "words": 12,
        "empty": 1,
        "too_short": 0,
        "too_long": 0,
    }
    assert list(record["splits"]) == ["dev", "test"]
    assert record["settings"]["heads"] == "yamada-matsumoto"


def test_options_reach_the_conversion(sample, tmp_path):
    choice = ["--train-sections", "0-1", "--dev-sections", "--test-sections"]
    options = ["--punctuation", "keep", "--max-length", 1]
    assert depinduce("convert", "ptb", sample, "-o", tmp_path, *choice, *options) == 0
    assert sent_ids(tmp_path / "train.conllu") == ["wsj_0002.1"]


def test_a_file_of_an_earlier_conversion_is_pointed_out(sample, tmp_path, capsys):
    (tmp_path / "train.conllu").write_text("old")
    choice = ["--train-sections", "--dev-sections", 0, "--test-sections", 1]
    assert depinduce("convert", "ptb", sample, "-o", tmp_path, *choice) == 0
    assert f"warning: {tmp_path}/train.conllu was there before and is not of this conv" in capsys.readouterr().err
    assert (tmp_path / "train.conllu").read_text() == "old"


def test_a_broken_file_leaves_nothing_behind(treebank, tmp_path, capsys):
    broken = treebank / "parsed/mrg/wsj/23/wsj_2300.mrg"
    broken.write_text(BIRDS + ")")
    assert depinduce("convert", "ptb", treebank, "-o", tmp_path / "out") == 1
    assert f"depinduce: {broken}:9: this closing bracket closes nothing. Delete it" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_failure_in_writing_leaves_none_of_the_files(treebank, tmp_path, monkeypatch):
    (tmp_path / "train.conllu").write_text("old")
    written, to_conllu = [], conversion.PennSentence.to_conllu

    def fail_in_the_last_file(sentence):
        written.append(sentence.sent_id)
        if sentence.sent_id == "wsj_2300.1":
            raise OSError(28, "No space left on device")
        return to_conllu(sentence)

    monkeypatch.setattr(conversion.PennSentence, "to_conllu", fail_in_the_last_file)
    assert depinduce("convert", "ptb", treebank, "-o", tmp_path) == 1
    assert len(written) == 22
    assert sorted(path.name for path in tmp_path.iterdir()) == ["train.conllu", "treebank"]
    assert (tmp_path / "train.conllu").read_text() == "old"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "For train, sections 2-21 are missing: {sample} has sections 0-1. Name others after --train-sections, or"),
        (["--train-sections", "0", "2", "5-6"], "For train, sections 2 5-6 are missing: {sample} has sections 0-1."),
        (
            ["--train-sections", "--dev-sections", "--test-sections"],
            "No sections are chosen; {sample} has sections 0-1",
        ),
        (["--train-sections", "twenty"], "--train-sections: 'twenty' is not a section. Write for example 2-21 or"),
        (["--test-sections", "3-1"], "--test-sections: '3-1' is not a section."),
        (["--test-sections", "1", "0-2"], "--test-sections 1 0-2: a section comes twice."),
        (["--min-length", "0"], "--min-length must be at least 1, not 0."),
        (["--min-length", "3", "--max-length", "2"], "No sentence has at least 3 and at most 2 words."),
    ],
)
def test_choices_that_cannot_be_are_refused(options, message, sample, tmp_path, capsys):
    assert depinduce("convert", "ptb", sample, "-o", tmp_path / "out", *options) == 1
    assert f"depinduce: {message.format(sample=sample)}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_directories_that_are_no_treebank_are_refused(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    for place, message in {
        "nowhere": "no such directory. Name the directory of your Penn Treebank.",
        "file": "this is not a directory. Name",
        "empty": "no sections of the Penn Treebank, such as 00/wsj_0001.mrg, are here or in directories below. Name",
    }.items():
        assert depinduce("convert", "ptb", tmp_path / place, "-o", tmp_path / "out") == 1
        assert f"depinduce: {tmp_path / place}: {message}" in capsys.readouterr().err
    assert depinduce("convert", "ptb", tmp_path / "empty", "-o", tmp_path / "file") == 1
    assert f"depinduce: {tmp_path}/file: this is a file. Name a directory for the output." in capsys.readouterr().err


def test_the_help_tells_what_can_be_converted(capsys):
    with pytest.raises(SystemExit):
        depinduce("convert", "ptb", "--help")
    shown = capsys.readouterr().out
    assert "example:\n  depinduce convert ptb" in shown
    with pytest.raises(SystemExit) as refusal:
        depinduce("convert", "negra", "a", "-o", "b")
    assert refusal.value.code == 2
    assert "choose from 'tagged', 'table', 'plain', 'flextext', 'elan', 'spacy', 'ptb'" in capsys.readouterr().err


SLASHES = "the/DET 1/2/NUM dog/NOUN ./PUNCT\n\ngo/VERB\n"
VERTICAL = '\ufeff<text id="1">\r\n<s>\r\nDer\tART\tdie\r\nHund\tNN\r\n.\t$.\t.\r\n</s>\r\n<s>\r\nGeh\tVVIMP\tgehen'


def converted(tmp_path, text: str | bytes, *options: str) -> list[list[tuple[str, ...]]]:
    """Form, lemma, UPOS, XPOS and HEAD of every word that comes out."""
    (tmp_path / "in.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert depinduce("convert", "tagged", tmp_path / "in.txt", "-o", tmp_path / "out.conllu", *options) == 0
    sentences = read_sentences(tmp_path / "out.conllu")
    return [list(zip(*(one.column(column) for column in (2, 3, 4, 5, 7)), strict=True)) for one in sentences]


def test_a_sentence_per_line_with_slashes(tmp_path, capsys):
    first, second = converted(tmp_path, SLASHES)
    assert [word[0] for word in first] == ["the", "1/2", "dog", "."]
    assert [word[2] for word in first] == ["DET", "NUM", "NOUN", "PUNCT"]
    assert second == [("go", "_", "VERB", "_", "_")]
    said = capsys.readouterr().err
    assert f"wrote 2 sentences, 5 words with punctuation; now try: depinduce check {tmp_path}/out.conllu" in said
    assert depinduce("check", tmp_path / "out.conllu") == 0
    assert sent_ids_without_trees(tmp_path / "out.conllu") == ["1", "2"]


def sent_ids_without_trees(path) -> list[str | None]:
    return [sentence.sent_id for sentence in read_sentences(path)]


def test_a_word_per_line_with_markup_and_tags_of_its_own(tmp_path, capsys):
    first, second = converted(tmp_path, VERTICAL, "--tags", "xpos", "--punctuation", "$.", "$,")
    assert first == [
        ("Der", "die", "_", "ART", "_"),
        ("Hund", "_", "_", "NN", "_"),
        (".", ".", "PUNCT", "$.", "_"),
    ]
    assert second == [("Geh", "gehen", "_", "VVIMP", "_")]
    capsys.readouterr()
    assert depinduce("check", tmp_path / "out.conllu", "--tags", "xpos", "--json") == 0
    assert json.loads(capsys.readouterr().out)["punctuation"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "in.txt: not a single word. Give words with their tags, such as the/DET"),
        ("<s>\n</s>\n", "in.txt: not a single word"),
        ("the/DET\n\nthe dog\n", "in.txt:3: word 1 'the' has no tag. Write its tag behind a slash: the/NOUN."),
        ("a\tX\n\nb\n", "in.txt:3: 'b' has 1 column, where the word is in column 1 and the tag in column 2. Mend"),
        ("a\tX\n\tY\n", "in.txt:2: ' | Y' has 2 columns, where the word is in column 1 and the tag"),
        ("the_DET dog\n", "in.txt:1: word 2 'dog' has no tag. Write its tag behind `_`: dog_NOUN."),
        (b"a/X\nb\xe9/X\n", "in.txt:2: this is not UTF-8"),
    ],
)
def test_what_is_no_tagged_text_is_refused_and_nothing_written(text, message, tmp_path, capsys):
    (tmp_path / "in.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert depinduce("convert", "tagged", tmp_path / "in.txt", "-o", tmp_path / "out.conllu") == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out.conllu").exists()


BROUGHT = Path(__file__).parent.parent / "corpus" / "brought"


@pytest.mark.parametrize(
    ("what", "name", "options", "told"),
    [
        ("tagged", "underscores.txt", [], "a sentence per line, words as word_TAG"),
        ("table", "spreadsheet.csv", ["--tag-column", "category"], "column 4 'category': tag (pro, v, n)"),
        ("flextext", "story.flextext", [], "interlinear text of FLEx: The dog and the moon"),
        ("elan", "recording.eaf", ["--tag-tier", "pos"], "not used: 'ref@A', 'orth@A', 'lemma@A', 'ref@B'"),
        ("plain", "underscores.txt", [], "no tags"),
    ],
)
def test_what_was_taken_for_what_is_told_and_comes_out_as_conllu(what, name, options, told, tmp_path, capsys):
    out = tmp_path / "out.conllu"
    assert depinduce("convert", what, BROUGHT / name, "-o", out, *options) == 0
    said = capsys.readouterr().err
    assert told in said
    assert "the first sentence: " in said
    sentences = list(read_sentences(out))
    assert f"wrote {len(sentences)} sentences, {sum(map(len, sentences))} words with punctuation" in said
    missing = sum(one.column(4).count("_") for one in sentences)
    assert (f"{missing} of these words have no tag: fill them in with depinduce tag {out}" in said) == (missing > 0)


def test_a_map_and_the_tags_that_it_lacks(tmp_path, capsys):
    (tmp_path / "map.toml").write_text('n = "NOUN"\npro = "PRON"\n')
    options = ["--map", tmp_path / "map.toml", "-o", tmp_path / "out.conllu"]
    assert depinduce("convert", "table", BROUGHT / "spreadsheet.csv", *options) == 0
    assert "the map has no line for v 2; these tags stay as they are." in capsys.readouterr().err
    first, _ = read_sentences(tmp_path / "out.conllu")
    assert (first.column(4), first.column(5)) == (["PRON", "v", "NOUN"], ["pro", "v", "n"])


def test_what_a_table_calls_its_sentences_is_kept(tmp_path):
    out = tmp_path / "out.conllu"
    assert depinduce("convert", "table", BROUGHT / "spreadsheet.csv", "-o", out) == 0
    comments = [line for line in out.read_text("utf-8").splitlines() if line.startswith("#")]
    assert comments == ["# sent_id = 1", "# sentence = t1", "# sent_id = 2", "# sentence = t2"]


def test_check_names_the_command(capsys):
    assert depinduce("check", BROUGHT / "recording.eaf") == 1
    assert "Make a CoNLL-U file of it: depinduce convert elan FILE -o corpus.conllu." in capsys.readouterr().err
