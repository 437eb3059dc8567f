"""The reader accepts what is CoNLL-U and keeps every byte of it."""

from __future__ import annotations

import gzip
import io
import re
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import conllu as other_reader
import pytest
from corpus.blocks import block, write
from hypothesis import given
from hypothesis import strategies as st
from real_data import name_of, real_files

from depinduce.corpus import conllu, open_output, read_sentences, read_text
from depinduce.corpus.streams import count_sentences
from depinduce.errors import InputError

TRICKY = sorted((Path(__file__).parent / "tricky").glob("*.conllu"))
REAL = real_files("ud14/*/*.conllu", "wsj-sample/*.conllu")
SMALL_REAL = real_files("ud14/it/dev.conllu", "ud14/nl/test.conllu", "ud14/de/dev.conllu")


def copy(source, target) -> None:
    with open_output(target) as output:
        for sentence in read_sentences(source):
            output.write(sentence.render())


@pytest.mark.parametrize("path", TRICKY, ids=lambda path: path.stem)
def test_tricky_file_comes_back_byte_for_byte(path, tmp_path):
    copy(path, tmp_path / "copy.conllu")
    assert (tmp_path / "copy.conllu").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("path", REAL, ids=name_of)
def test_real_file_comes_back_byte_for_byte(path, tmp_path):
    copy(path, tmp_path / "copy.conllu")
    assert (tmp_path / "copy.conllu").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("path", TRICKY, ids=lambda path: path.stem)
def test_a_text_is_read_as_a_file_is(path):
    text = path.read_bytes().decode()
    read, expected = list(read_text(text)), list(read_sentences(path))
    assert "".join(sentence.render() for sentence in read) == text
    assert [(one.line, one.column(1), one.heads) for one in read] == [(s.line, s.column(1), s.heads) for s in expected]


def test_an_empty_text_has_no_sentences_and_a_fault_names_the_text():
    assert list(read_text("")) == []
    with pytest.raises(InputError, match="^mine:3: 2 columns where 10 are needed"):
        list(read_text(block("a/X") + "1\tb\n", "mine"))


@pytest.mark.parametrize("path", TRICKY, ids=lambda path: path.stem)
def test_columns_written_back_unchanged_change_nothing(path):
    for sentence in read_sentences(path):
        assert sentence.render(sentence.heads, deprel=sentence.column(8)) == sentence.render()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 400])
@pytest.mark.parametrize("path", TRICKY, ids=lambda path: path.stem)
def test_pieces_of_any_size_give_the_same_sentences(path, size, monkeypatch):
    whole = [(s.line, s.render(), s.heads) for s in read_sentences(path)]
    monkeypatch.setattr(conllu, "_CHUNK", size)
    assert [(s.line, s.render(), s.heads) for s in read_sentences(path)] == whole


@pytest.mark.parametrize("path", TRICKY, ids=lambda path: path.stem)
def test_line_numbers_are_those_of_the_file(path):
    lines = path.read_bytes().decode().split("\n")
    for sentence in read_sentences(path):
        if sentence.comments:
            assert lines[sentence.line - 1].lstrip("\ufeff").rstrip("\r") == sentence.comments[0]
        for word, form in enumerate(sentence.forms, start=1):
            assert lines[sentence.line_of(word) - 1].lstrip("\ufeff").split("\t")[:2] == [str(word), form]


def agree_with_the_conllu_package(path):
    with open(path, encoding="utf-8", newline="") as file:
        for ours, theirs in zip(read_sentences(path), other_reader.parse_incr(file), strict=True):
            words = [word for word in theirs if isinstance(word["id"], int)]
            assert ours.forms == [word["form"] for word in words]
            assert ours.column(4) == [word["upos"] for word in words]
            assert ours.heads == [-1 if word["head"] is None else word["head"] for word in words]
            assert ours.sent_id == theirs.metadata.get("sent_id")


@pytest.mark.parametrize("path", SMALL_REAL, ids=name_of)
def test_agrees_with_the_conllu_package(path):
    agree_with_the_conllu_package(path)


@pytest.mark.slow
@pytest.mark.parametrize("path", REAL, ids=name_of)
def test_agrees_with_the_conllu_package_on_all_real_files(path):
    agree_with_the_conllu_package(path)


@pytest.mark.parametrize("stem", ["plain", "multiword", "empty-nodes"])
def test_agrees_with_the_conllu_package_on_tricky_files(stem):
    agree_with_the_conllu_package(Path(__file__).parent / "tricky" / f"{stem}.conllu")


def test_words_are_found_among_multiword_tokens_and_empty_nodes(tmp_path):
    multiword, _, _ = read_sentences(Path(__file__).parent / "tricky" / "multiword.conllu")
    assert len(multiword) == 5
    assert multiword.sent_id == "mwt"
    assert multiword.column(1) == ["1", "2", "3", "4", "5"]
    assert multiword.forms == ["Nous", "allons", "à", "le", "marché"]
    assert multiword.heads == [2, 0, 5, 5, 2]
    empty, _ = read_sentences(Path(__file__).parent / "tricky" / "empty-nodes.conllu")
    assert empty.forms == ["Sue", "likes", "tea"]


def test_unknown_heads_are_minus_one_and_written_as_underscore(tmp_path):
    path = write(tmp_path / "a.conllu", block("dogs/NOUN bark/VERB", ["_", 0]))
    (sentence,) = read_sentences(path)
    assert sentence.heads == [-1, 0]
    assert sentence.render([2, -1]) == block("dogs/NOUN bark/VERB", [2, "_"])


def test_several_roots_are_a_tree(tmp_path):
    path = write(tmp_path / "a.conllu", block("go/VERB home/ADV", [0, 0]))
    assert [sentence.heads for sentence in read_sentences(path, trees=True)] == [[0, 0]]


@pytest.mark.parametrize("stem", ["plain", "crlf", "multiword", "empty-nodes", "comments-out-of-place"])
def test_new_heads_change_only_the_heads_of_words(stem):
    for sentence in read_sentences(Path(__file__).parent / "tricky" / f"{stem}.conllu"):
        heads = [(word + 1) % (len(sentence) + 1) for word in range(len(sentence))]
        before, after = sentence.render().split("\n"), sentence.render(heads).split("\n")
        changed = []
        for old, new in zip(before, after, strict=True):
            if re.match(r"\d+\t", old):
                changed.append(int(new.split("\t")[6]))
                new = "\t".join([*new.split("\t")[:6], old.split("\t")[6], *new.split("\t")[7:]])
            assert new == old
        assert changed == heads


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "windows"])
def test_without_its_enhanced_graph_a_block_has_no_empty_nodes_and_no_deps(end, tmp_path):
    def line(identifier: str, deps: str, misc: str = "_") -> str:
        return f"{identifier}\tw\t_\tX\t_\t_\t_\t_\t{deps}\t{misc}"

    given = ["# a", line("0.1", "1:x"), "# b", line("1-2", "_"), line("1", "0:root"), line("1.1", "1:x"), "# c",
             line("2", "0.1:x|1:y", "A=b"), line("2.1", "1:x"), "# d", "", ""]  # fmt: skip
    left = ["# a", "# b", line("1-2", "_"), line("1", "_"), "# c", line("2", "_", "A=b"), "# d", "", ""]
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", end.join(given)))
    bare = sentence.without_enhanced_graph()
    assert bare.render() == end.join(left)
    assert bare.column(1) == ["1", "2"] and bare.column(10) == ["_", "A=b"]
    assert sentence.render() == end.join(given)  # the sentence itself is as it was


@pytest.mark.parametrize("path", TRICKY, ids=lambda path: path.stem)
def test_a_block_without_enhanced_graph_is_read_again(path):
    for sentence in read_sentences(path):
        bare = sentence.without_enhanced_graph()
        (again,) = read_text(bare.render(ended=True))
        assert [again.forms, again.heads] == [sentence.forms, sentence.heads]
        assert set(again.column(9)) <= {"_"}


def test_the_text_knows_multiword_tokens_spaces_and_empty_nodes(tmp_path):
    rows = [("1-2", "du", "_"), ("1", "de", "_"), ("2", "le", "_"), ("2.1", "no", "_"), ("3", "pain", "SpaceAfter=No"),
            ("4-5", "don't", "A=b|SpaceAfter=No"), ("4", "do", "_"), ("5", "n't", "_"), ("6", "!", "_")]  # fmt: skip
    text = "".join(f"{number}\t{form}\t_\tX\t_\t_\t_\t_\t_\t{misc}\r\n" for number, form, misc in rows)
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", text + "\r\n"))
    assert sentence.text == "du paindon't!"
    assert not sentence.has_text
    assert sentence.with_comments(["text = x"]).has_text


def test_arrays_serve_as_heads(tmp_path):
    import numpy as np

    (sentence,) = read_sentences(write(tmp_path / "a.conllu", block("a/X b/X c/X", [0, 1, 2])))
    assert sentence.render(np.array([2, 0, 2], dtype=np.int32)) == block("a/X b/X c/X", [2, 0, 2])


def test_wrong_number_of_heads_is_refused(tmp_path):
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", block("a/X b/X", [0, 1])))
    with pytest.raises(ValueError, match="1 values for column 7 of 2 words"):
        sentence.render([0])


@pytest.mark.parametrize(
    ("old", "added", "new"),
    [
        ("_", "Score=1", "Score=1"),
        ("", "Score=1", "Score=1"),
        ("_", "", "_"),
        ("SpaceAfter=No", "Score=1", "SpaceAfter=No|Score=1"),
        ("Score=0|SpaceAfter=No", "Score=1", "SpaceAfter=No|Score=1"),
        ("Scores=0", "Score=1|Rank=2", "Scores=0|Score=1|Rank=2"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_attributes_are_added_to_misc(old, added, new, line_end, tmp_path):
    def text(misc):
        lines = ["# c", f"1\ta\t_\tX\t_\t_\t0\t_\t_\t{misc}", f"2\tb\t_\tX\t_\t_\t1\t_\t_\t{misc}", "", ""]
        return line_end.join(lines)

    (sentence,) = read_sentences(write(tmp_path / "a.conllu", text(old)))
    assert sentence.render(misc=[added, added]) == text(new)
    assert sentence.column(10) == [old, old]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_comments_are_added_below_the_others(line_end, tmp_path):
    text = f"# old\n{block('a/X', [0])}".replace("\n", line_end)
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", text))
    expected = f"# old\n# new = 1\n# newer = 2\n{block('a/X', [0])}".replace("\n", line_end)
    assert sentence.render(comments=["new = 1", "# newer = 2"]) == expected


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_comment_takes_the_place_of_an_older_value(line_end, start, tmp_path):
    text = f"{start}#score=1\n# score of = 3\n# old\n{block('a/X')}".replace("\n", line_end)
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", text))
    expected = f"{start}# score = 2\n# score of = 3\n# old\n# new\n{block('a/X')}".replace("\n", line_end)
    assert sentence.render(comments=["score = 2", "new"]) == expected


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("missing", [0, 1, 2])
@pytest.mark.parametrize("words", [block("a/X b/X"), "# d\n\n"], ids=["words", "no words"])
def test_a_last_block_can_be_ended(line_end, missing, words, tmp_path):
    whole = f"# c\n{words}".replace("\n", line_end)
    text = whole[: len(whole) - missing * len(line_end)]
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", text))
    assert sentence.render() == text
    assert sentence.render(ended=True) == whole


def test_a_block_below_itself_repeats_neither_its_byte_order_mark_nor_where_it_begins_something(tmp_path):
    once = "# newdoc id = d\n# newdoc\n# newpar\n# global.columns = ID FORM\n"
    stays = "# newdocument = x\n# text = a b\n1-2\tab" + "\t_" * 8 + "\n" + block("a/X b/X")
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", "\ufeff\n" + once + stays))
    assert sentence.again().render() == stays
    assert sentence.again().forms == ["a", "b"]
    assert sentence.render() == "\ufeff\n" + once + stays


def test_a_byte_order_mark_does_not_hide_the_sent_id(tmp_path):
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", "\ufeff# sent_id = s1\n" + block("a/X")))
    assert sentence.sent_id == "s1"


def test_sent_id_stays_on_its_line(tmp_path):
    path = write(tmp_path / "a.conllu", "# sent_id =\n# text = a\n" + block("a/X"), "#sent_id=x 1 \r\n" + block("a/X"))
    assert [sentence.sent_id for sentence in read_sentences(path)] == [None, "x 1"]


def test_gzip_in_and_out(tmp_path):
    source = Path(__file__).parent / "tricky" / "crlf.conllu"
    copy(source, tmp_path / "packed.conllu.gz")
    packed = (tmp_path / "packed.conllu.gz").read_bytes()
    assert gzip.decompress(packed) == source.read_bytes()
    copy(tmp_path / "packed.conllu.gz", tmp_path / "again.conllu.gz")
    assert (tmp_path / "again.conllu.gz").read_bytes() == packed  # no time and no name inside
    copy(tmp_path / "packed.conllu.gz", tmp_path / "unpacked.conllu")
    assert (tmp_path / "unpacked.conllu").read_bytes() == source.read_bytes()


def test_standard_input_and_output():
    program = (
        "from depinduce.corpus import open_output, read_sentences\n"
        "with open_output('-') as output:\n"
        "    for sentence in read_sentences('-'):\n"
        "        output.write(sentence.render())\n"
    )
    data = b"".join(path.read_bytes() for path in TRICKY if path.stem in ("crlf", "multiword")) * 300
    done = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, check=True)
    assert done.stdout == data


@pytest.mark.parametrize("first", [1, 2, 100])
def test_packed_standard_input_is_unpacked(first):
    """However little of it the pipe holds at first."""
    program = "from depinduce.corpus import read_sentences\nprint(sum(map(len, read_sentences('-'))))"
    packed = gzip.compress(b"".join(block(f"a/X b{number}/X").encode() for number in range(500)))
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(packed[:first])
        process.stdin.flush()
        time.sleep(0.5)
        shown, _ = process.communicate(packed[first:], timeout=60)
    assert shown == b"1000\n"


def test_packed_standard_input_cut_short_is_refused(monkeypatch):
    packed = gzip.compress(block("a/X b/X").encode() * 100)[:-12]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(packed))))
    with pytest.raises(InputError, match="^<stdin>: the gzip data is damaged or cut short"):
        list(read_sentences("-"))


def test_faults_of_standard_input_name_it(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1\ta\n\n")))
    with pytest.raises(InputError, match=r"^<stdin>:1: 2 columns where 10 are needed"):
        list(read_sentences("-"))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path):
    text = block("the/DET dog/NOUN barks/VERB", [2, 3, 0])
    path = write(tmp_path / "long.conllu", text * 50_000)  # 4 MB
    tracemalloc.start()
    try:
        count = sum(len(sentence) for sentence in read_sentences(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 150_000
    assert peak < 1_500_000


@given(st.lists(st.sampled_from([path.read_bytes() for path in TRICKY]), max_size=4), st.integers(1, 500))
def test_files_joined_in_any_order_come_back(tmp_path_factory, parts, size):
    path = tmp_path_factory.getbasetemp() / "joined.conllu"
    data = b"\n\n".join(parts)
    path.write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conllu, "_CHUNK", size)
        assert "".join(sentence.render() for sentence in read_sentences(path)).encode() == data


def is_well_formed(text: str) -> bool:
    """Whether every block of words is as it must be, checked in the plainest way."""
    for part in re.split("\n\n+", text.strip("\n")):
        rows = [line.split("\t") for line in part.split("\n") if not line.startswith("#")]
        for number, row in enumerate(rows, start=1):
            if len(row) != 10 or row[0] != str(number):
                return False
            if row[6] != "_" and row[6] not in map(str, range(len(rows) + 1)):
                return False
    return True


@st.composite
def damaged(draw) -> str:
    """Two sentences with a few small pieces taken out or put in."""
    text = block("2/NUM 3/NUM _/X", [2, 0, 1]) + block("1/NUM 2/NUM", [2, 0])
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(text)))
        taken = draw(st.integers(0, 2))
        text = text[:place] + draw(st.sampled_from(["", "\t", "\n", "1", "2", "3", " "])) + text[place + taken :]
    return text


@given(damaged())
def test_exactly_the_well_formed_files_are_accepted(tmp_path_factory, text):
    path = write(tmp_path_factory.getbasetemp() / "damaged.conllu", text)
    try:
        copied = "".join(sentence.render() for sentence in read_sentences(path))
    except InputError:
        assert not is_well_formed(text)
    else:
        assert is_well_formed(text)
        assert copied == text


@pytest.mark.parametrize("end", ["", "\r", "\n", "\r\n", "\r\r", "\r\n\r", "\n\r", "\r\r\n", "\r\n\r\r\n", "\r\n\r\r"])
def test_blocks_that_end_in_any_way_can_stand_below_each_other(end):
    text = block("a/X b/X", [2, 0]).replace("\n", "\r\n").rstrip("\r\n") + end
    (sentence,) = read_text(text)
    assert sentence.render() == text
    again = list(read_text(2 * sentence.render(ended=True)))
    assert [(one.forms, one.heads) for one in again] == 2 * [(["a", "b"], [2, 0])]


def test_odd_attributes_stay_when_another_is_added():
    (sentence,) = read_text("1\ta\t_\tX\t_\t_\t0\t_\t_\t=|=b||a=b|Key=1|_\n\n")
    assert "\t=|=b||a=b|_|Key=2\n" in sentence.render(misc=["Key=2"])


def test_sentences_are_counted_at_a_glance(tmp_path):
    text = "# a\n1\ta\n2\tb\n\n# no words\n\n1-2\tab\n1\ta\n2\tb\n\n\n1\ta"
    for name, data in (
        ("a.conllu", text.encode()),
        ("a.conllu.gz", gzip.compress(text.replace("\n", "\r\n").encode())),
    ):
        (tmp_path / name).write_bytes(data)
        assert count_sentences(tmp_path / name) == 3
    (tmp_path / "cut.conllu.gz").write_bytes(gzip.compress(text.encode())[:-12])
    assert [count_sentences(path) for path in ("-", tmp_path / "nowhere", tmp_path / "cut.conllu.gz")] == [None] * 3
