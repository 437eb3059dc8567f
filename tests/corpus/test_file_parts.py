"""Parts of a file, each read alone, are what the whole file has in their place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from depinduce.corpus import Sentence, read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.corpus.file_parts import parts_of
from depinduce.corpus.metadata import with_metadata
from depinduce.corpus.streams import WHOLE

WORD = "1\tdogs\t_\tNOUN\t_\t_\t_\t_\t_\t_"
BLOCKS = st.sampled_from(
    [
        f"{WORD}\n\n",
        f"# language = pl\n{WORD}\n\n",
        f"# language =\n{WORD}\n\n",
        "# newdoc\n\n",
        f"\n\n{WORD}\n\n",
        f"\ufeff{WORD}\n\n",
        f"{WORD}\r\n\r\n",
        f"# sent_id = a\n1-2\tthem\t_\t_\t_\t_\t_\t_\t_\t_\n{WORD}\n2\tbark\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n",
        f"{WORD}\n# language = between\n2\tbark\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n",
    ]
)


def known(sentence: Sentence) -> tuple:
    """What a reader knows of a sentence."""
    return sentence.render(), sentence.line, sentence.language, sentence.forms


@given(st.lists(BLOCKS, min_size=1, max_size=12), st.integers(1, 400), st.sampled_from(["", "\ufeff"]), st.booleans())
def test_parts_one_after_the_other_are_the_file(tmp_path_factory, blocks, size, mark, ended):
    text = mark + "".join(blocks)
    path = tmp_path_factory.mktemp("parts") / "text.conllu"
    path.write_bytes((text if ended else text.rstrip("\r\n")).encode())
    whole, parts = list(read_sentences(path)), parts_of(path, size)
    read = [list(read_sentences(path, part=part)) for part in parts]
    assert [known(sentence) for some in read for sentence in some] == list(map(known, whole))
    for number, part in enumerate(parts):
        before = [sentence for some in read[:number] for sentence in some]
        assert (part.blocks, part.sentences) == (len(before), sum(len(sentence) > 0 for sentence in before))


def test_parts_meet_and_are_no_larger_than_asked(tmp_path):
    path, size = demo_file("train"), 50_000
    parts = parts_of(path, size)
    assert len(parts) == 13
    assert [part.end for part in parts[:-1]] == [part.start for part in parts[1:]]
    assert all(part.end - part.start <= size for part in parts[:-1]) and parts[-1].end is None


def test_a_block_larger_than_a_part_is_one(tmp_path):
    path = tmp_path / "long.conllu"
    path.write_text(f"# {'x' * 200_000}\n{WORD}\n\n{WORD}\n\n")
    assert [(part.start, part.sentences) for part in parts_of(path, 100)] == [(0, 0), (200_003 + len(WORD) + 2, 1)]


@pytest.mark.parametrize("name", ["small.conllu", "packed.conllu.gz"])
def test_small_files_and_packed_ones_are_one_part(tmp_path: Path, name):
    (tmp_path / name).write_bytes(b"x" * (10 if name.startswith("small") else 1000))
    assert parts_of(tmp_path / name, 100) == [WHOLE]


def test_names_of_sentences_go_on_from_part_to_part():
    path = demo_file("test")
    bare = [sentence.with_comments(()) for sentence in read_sentences(path)]
    for sentence in bare:
        sentence._lead = ""
    whole = [sentence.sent_id for sentence in with_metadata(bare)]
    assert [sentence.sent_id for sentence in with_metadata(bare[100:], 100)] == whole[100:]


def test_sentences_of_joined_files_are_counted_though_each_begins_with_a_mark(tmp_path):
    path = tmp_path / "joined.conllu"
    path.write_text(6 * f"\ufeff{WORD}\n\n", encoding="utf-8")
    assert [part.sentences for part in parts_of(path, len(WORD) + 5)] == [0, 1, 2, 3, 4, 5]
    assert parts_of(path, 2 * (len(WORD) + 5))[1].sentences == 2
