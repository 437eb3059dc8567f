"""Word vectors are read from text files word by word, and trained where gensim is installed."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import struct
import subprocess
import sys
import tracemalloc
from string import ascii_lowercase

import numpy as np
import pytest
from corpus.blocks import write
from experiments.paper import needs_paper, text_of_paper
from hypothesis import given
from hypothesis import strategies as st
from parameters import some_now

from depinduce.corpus import word_vectors
from depinduce.corpus.word_vectors import read_vectors, train_vectors
from depinduce.errors import DepinduceError, InputError

ANIMALS = "dog 1 -2.5 3e-2\ncat 4 5 6\n"
DOG, CAT, NONE = [1, -2.5, 0.03], [4, 5, 6], [np.nan] * 3


def equal(vectors: np.ndarray, expected: list[list[float]]) -> bool:
    return np.array_equal(vectors, np.array(expected, dtype=np.float32), equal_nan=True)


def message_for(path, words=("dog", "cat"), dimension=3) -> str:
    with pytest.raises(InputError) as refusal:
        read_vectors(path, words, dimension)
    return str(refusal.value)


# --- what is read


def test_rows_are_in_the_order_of_the_words_and_nan_for_those_without_vector(tmp_path):
    vectors = read_vectors(write(tmp_path / "a.vec", ANIMALS), ["cat", "horse", "dog"], 3)
    assert vectors.dtype == np.float32
    assert equal(vectors, [CAT, NONE, DOG])


def test_first_line_may_say_the_sizes(tmp_path):
    path = write(tmp_path / "a.vec", "2 3\n", ANIMALS)
    assert equal(read_vectors(path, ["dog", "cat", "2"], 3), [DOG, CAT, NONE])


def test_two_numbers_on_a_later_line_are_a_word_and_its_vector(tmp_path):
    path = write(tmp_path / "a.vec", "2 1\n7 5\n2 6\n")
    assert read_vectors(path, ["7", "2"], 1).tolist() == [[5], [6]]


@pytest.mark.parametrize(
    "text",
    [
        ANIMALS.replace("\n", " \n"),  # as fastText writes
        ANIMALS.replace("\n", "\r\n"),
        ANIMALS.replace("\n", " \r\n"),
        ANIMALS.rstrip("\n"),
        ANIMALS + "\n\n",
        "\ufeff" + ANIMALS,
        "\n" + ANIMALS,
        "2 3 \r\n" + ANIMALS,
        "\ufeff2 3\n" + ANIMALS,
    ],
)
def test_line_ends_trailing_spaces_and_byte_order_marks_do_not_matter(text, tmp_path):
    assert equal(read_vectors(write(tmp_path / "a.txt", text), ["dog", "cat"], 3), [DOG, CAT])


def test_gzip(tmp_path):
    path = tmp_path / "a.vec.gz"
    path.write_bytes(gzip.compress(b"2 3\n" + ANIMALS.encode()))
    assert equal(read_vectors(path, ["dog", "cat"], 3), [DOG, CAT])


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ANIMALS.encode())))
    assert equal(read_vectors("-", ["cat"], 3), [CAT])


def test_a_word_asked_for_twice_has_its_vector_twice(tmp_path):
    assert equal(read_vectors(write(tmp_path / "a.vec", ANIMALS), ["dog", "cat", "dog"], 3), [DOG, CAT, DOG])


def test_no_words_give_no_rows(tmp_path):
    assert read_vectors(write(tmp_path / "a.vec", ANIMALS), [], 3).shape == (0, 3)


def test_the_first_vector_of_a_word_counts(tmp_path):
    path = write(tmp_path / "a.vec", ANIMALS, "dog 7 8 9\nhorse 0 0 0\n")
    assert equal(read_vectors(path, ["dog", "horse"], 3), [DOG, [0, 0, 0]])


def test_case_and_accents_are_compared_as_they_are(tmp_path):
    composed, decomposed = "\u00e9t\u00e9", "e\u0301te\u0301"
    path = write(tmp_path / "a.vec", f"Dog 1 2 3\n{composed} 4 5 6\n")
    assert equal(read_vectors(path, ["dog", "Dog", decomposed, composed], 3), [NONE, [1, 2, 3], NONE, [4, 5, 6]])


# The no-break space, the line ends of Unicode (which str.splitlines would cut at), a mark that str.strip would
# take away, a number, and what a first line could be taken for.
@pytest.mark.parametrize(
    "word",
    ["1\u00a0000", "\u00a0", "a\u2028b", "a\u0085b", "a\x0bb", "a\rb", "\u3000", "7", "-1e5", "nan", "</s>", "#", '"'],
)
def test_odd_words_are_words(word, tmp_path):
    path = write(tmp_path / "a.vec", f"{word} 1 2 3 \ncat 4 5 6 \n")
    assert equal(read_vectors(path, ["cat", word], 3), [CAT, [1, 2, 3]])


@pytest.mark.parametrize("word", ["New York", "1 000", ". . .", "at name@domain.com", "Mr. 5 x"])
def test_words_may_have_spaces_inside(word, tmp_path):
    path = write(tmp_path / "a.vec", f"2 3\n{word} 1 2 3\ncat 4 5 6\n")
    parts = word.split(" ")
    assert equal(read_vectors(path, [word, "cat"], 3), [[1, 2, 3], CAT])
    assert equal(read_vectors(path, [parts[0], parts[-1], "cat"], 3), [NONE, NONE, CAT])


@given(
    lexicon=st.lists(
        st.tuples(
            st.text(st.characters(exclude_characters=" \n\r\t\0\ufeff", exclude_categories=["Cs"]), min_size=1),
            st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=2, max_size=2),
        ),
        min_size=1,
        unique_by=lambda entry: entry[0],
    ),
    header=st.booleans(),
    size=st.integers(1, 40),
)
def test_what_is_written_is_read(lexicon, header, size, tmp_path_factory):
    lines = [f"{word} {vector[0]!r} {vector[1]!r}\n" for word, vector in lexicon]
    path = write(tmp_path_factory.getbasetemp() / "a.vec", *([f"{len(lexicon)} 2\n"] if header else []), *lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(word_vectors, "_CHUNK", size)
        vectors = read_vectors(path, [word for word, _ in lexicon], 2)
    assert vectors.tolist() == [vector for _, vector in lexicon]


# --- what is not read


@pytest.mark.parametrize("broken", ["horse", "horse 1 2", "horse 1 2 3 4", "horse 1 x 3", "horse nan nan nan", "dogs"])
def test_faults_of_unwanted_words_are_not_noticed(broken, tmp_path):
    path = write(tmp_path / "a.vec", f"dog 1 -2.5 3e-2\n{broken}\ncat 4 5 6\n{broken}")
    assert equal(read_vectors(path, ["dog", "cat"], 3), [DOG, CAT])


def test_nothing_is_read_after_the_last_wanted_word(tmp_path, monkeypatch):
    monkeypatch.setattr(word_vectors, "_CHUNK", 10)
    path = tmp_path / "a.vec"
    path.write_bytes(ANIMALS.encode() + b"\xff" * 100)
    assert equal(read_vectors(path, ["dog", "cat"], 3), [DOG, CAT])
    assert f"{path}:3: this is not UTF-8" in message_for(path, ["dog", "horse"])


def test_only_the_vectors_of_wanted_words_are_parsed_and_kept(tmp_path, monkeypatch):
    cut, parsed, cut_line = [], [], word_vectors._cut
    monkeypatch.setattr(word_vectors, "_cut", lambda *line: cut.append(line) or cut_line(*line))
    monkeypatch.setattr(word_vectors, "_number", lambda field: parsed.append(field) or float(field))
    path = tmp_path / "a.vec"
    with path.open("w") as file:  # 10 MB
        file.writelines(f"word{number}{' 0.1234' * 300}\n" for number in range(5_000))
    wanted = [f"word{number}" for number in range(100, 5_000, 100)]
    tracemalloc.start()
    vectors = read_vectors(path, [*wanted, "none"], 300)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.isnan(vectors).any(axis=1).tolist() == [False] * 49 + [True]
    assert len(cut) == 1 + 49  # the first of the file shows its format
    assert len(parsed) == 300 * len(cut)
    assert peak < 2 << 20


# --- what is refused


def test_missing_file(tmp_path):
    assert message_for(tmp_path / "no.vec").startswith(f"{tmp_path / 'no.vec'}: no such file. ")


def test_directory(tmp_path):
    assert message_for(tmp_path).startswith(f"{tmp_path}: this is a directory. ")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file(tmp_path):
    path = write(tmp_path / "a.vec", ANIMALS)
    path.chmod(0)
    assert "cannot be opened (Permission denied)" in message_for(path)


@pytest.mark.parametrize("text", ["", "\n\n", "2 3\n", "\ufeff", " \n"])
def test_file_without_vectors(text, tmp_path):
    path = write(tmp_path / "a.vec", text)
    assert message_for(path).startswith(f"{path}: the file holds no vectors. A line is a word and its numbers, ")


def test_sizes_of_thousands_of_digits(tmp_path):
    path = tmp_path / "a.vec"
    path.write_text(f"2 {5000 * '1'}\nthe 0.1\n", encoding="utf-8")
    with pytest.raises(InputError, match="number 1 of the vector of '2' is '1111.*…', not a finite number"):
        read_vectors(path, ["the"], 1)


def test_dimension_of_the_first_line_is_not_the_wanted_one(tmp_path):
    path = write(tmp_path / "a.vec", "2 3\n", ANIMALS)
    expected = (
        "the vectors have 3 numbers where 4 are wanted. Say `--set word_size=3`, or give a file whose vectors have 4."
    )
    assert message_for(path, dimension=4) == f"{path}:1: {expected}"


@pytest.mark.parametrize("dimension", [2, 4])
@pytest.mark.parametrize("wanted", ["dog", "horse"])
def test_dimension_of_the_first_vector_is_not_the_wanted_one(wanted, dimension, tmp_path):
    path = write(tmp_path / "a.vec", ANIMALS)
    message = message_for(path, [wanted], dimension)
    assert message.startswith(f"{path}:1: the vector of 'dog' has 3 numbers where {dimension} are wanted. ")
    assert "`--set word_size=3`" in message


@pytest.mark.parametrize(("line", "count"), [("horse 1 2", 2), ("horse 1 2 3 4", 4), ("horse 1 2 3 4 5", 5)])
def test_wrong_number_of_numbers(line, count, tmp_path):
    path = write(tmp_path / "a.vec", "3 3\n", ANIMALS, f"{line}\n")
    message = message_for(path, ["dog", "horse"])
    assert message.startswith(f"{path}:4: the vector of 'horse' has {count} numbers where 3 are wanted. ")


@pytest.mark.parametrize("number", ["x", "0,5", "", "nan", "-inf", "Infinity", "1e39", "1.0.0", "0x10", "²"])
@pytest.mark.parametrize("header", ["", "3 3\n"])
def test_what_is_not_a_finite_number(number, header, tmp_path):
    path = write(tmp_path / "a.vec", header, ANIMALS, f"horse 1 {number} 3\n")
    line = 4 if header else 3
    message = message_for(path, ["dog", "horse"])
    assert message.startswith(f"{path}:{line}: number 2 of the vector of 'horse' is {number!r}, not a finite number. ")


def test_several_spaces_between_the_numbers(tmp_path):
    path = write(tmp_path / "a.vec", "dog  1  2  3\n")
    message = message_for(path)
    assert message.startswith(f"{path}:1: number 1 of the vector of 'dog' is '', not a finite number. ")
    assert "separated by single spaces" in message


@pytest.mark.parametrize("line", ["dog\t1\t2\t3", "dog\t1 2 3", "dog,1,2,3", "dog"])
def test_other_separators(line, tmp_path):
    path = write(tmp_path / "a.vec", f"{line}\n{line}\n")
    word = line.split(" ")[0]
    assert message_for(path).startswith(f"{path}:1: no space parts the word from its numbers in {word!r}. A line is ")


def test_long_words_are_shortened_in_messages(tmp_path):
    assert f"'{'x' * 40}…'" in message_for(write(tmp_path / "a.vec", "x" * 1000))


def test_other_text(tmp_path):
    path = write(tmp_path / "a.conllu", "# sent_id = 1\n1\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    message = message_for(path, dimension=100)
    assert message.startswith(f"{path}:1: number 1 of the vector of '#' is 'sent_id', not a finite number. ")


def test_endless_line(tmp_path, monkeypatch):
    monkeypatch.setattr(word_vectors, "_LONGEST_LINE", 1 << 20)
    path = write(tmp_path / "a.json", '{"dog": [1, 2, 3], \n', '"cat": [4, 5, 6], ' * 200_000)
    with pytest.raises(InputError, match="number 1 of the vector"):
        read_vectors(path, ["dog"], 3)
    path = write(tmp_path / "a.vec", ANIMALS, "0 " * (1 << 20))
    assert message_for(path, ["horse"]).startswith(f"{path}:3: no line end within 1 MB from here on. ")


@pytest.mark.parametrize("lines_before", [0, 1, 50_000])
def test_other_encoding(lines_before, tmp_path):
    path = tmp_path / "a.vec"
    path.write_bytes(b"cat 4 5 6\n" * lines_before + b"caf\xe9 1 2 3\nhorse 1 2 3\n")
    message = message_for(path, ["horse"])
    assert message.startswith(f"{path}:{lines_before + 1}: this is not UTF-8 (byte 0xe9). ")
    assert "`iconv -f latin1 -t utf-8`" in message
    assert "`iconv -c -f utf-8 -t utf-8`" in message


def test_utf16(tmp_path):
    path = tmp_path / "a.vec"
    path.write_bytes(ANIMALS.encode("utf-16"))
    message = message_for(path)
    assert message.startswith(f"{path}:1: this is not UTF-8 (byte 0xff). ")
    assert "`iconv -f utf-16 -t utf-8`" in message


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("word2vec.bin", b"2 3\ndog " + struct.pack("<3f", 1, -2.5, 0.03) + b"\ncat " + struct.pack("<3f", 4, 5, 6)),
        ("without-zero-bytes.bin", b"1 3\ndog " + struct.pack("<3f", 0.1, -0.2, 0.3) + b"\n"),
        ("fasttext.bin", struct.pack("<4i", 793712314, 12, 100, 3) + bytes(100)),
        ("archive.zip", b"PK\x03\x04\x14\x00\x00\x00\x08\x00"),
    ],
)
def test_binary_file(name, data, tmp_path):
    (tmp_path / name).write_bytes(data)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    for path in (tmp_path / name, tmp_path / f"{name}.gz"):
        message = message_for(path)
        assert message.startswith(f"{path}: this is a binary file. Give the vectors as text, the `.vec` file, ")


@pytest.mark.parametrize("damage", [lambda data: data[:-12], lambda data: b"plain " + data, lambda data: data[:40]])
def test_damaged_gzip(damage, tmp_path):
    path = tmp_path / "a.vec.gz"
    path.write_bytes(damage(gzip.compress(b"".join(b"w%d 1 2 3\n" % number for number in range(1000)))))
    assert message_for(path).startswith(f"{path}: the gzip data is damaged or cut short (")


# --- training

_DRAW = random.Random(0)
WORDS = ["".join(_DRAW.choices(ascii_lowercase, k=7)) for _ in range(200)]  # many: fastText skips frequent words
# Every sentence keeps to one half of the words.
SENTENCES = [_DRAW.choices(WORDS[:100] if number % 2 else WORDS[100:], k=8) for number in range(1000)]


def train(sentences=SENTENCES, words=WORDS, dimension=16, epochs=2, **options) -> np.ndarray:
    pytest.importorskip("gensim")
    return train_vectors(sentences, words, dimension, epochs=epochs, **options)


FASTTEXT = {  # of its command line, by the names that gensim has: fastText's own defaults for `skipgram`
    "sg": 1, "alpha": 0.05, "negative": 5, "min_n": 3, "max_n": 6, "bucket": 2_000_000, "sample": 1e-4,
    "min_alpha": 0.0,  # the rate falls to nothing
    "ns_exponent": 0.5,  # words that are not meant are drawn by the square root of their frequency
}  # fmt: skip
OF_PAPER = {"vector_size": 100, "window": 3, "epochs": 100}  # its appendix, "Setting of L-NDMV"


class Asked:
    """In the place of fastText: it keeps what it is asked for."""

    def __init__(self, sentences: list[list[str]], **options):
        self.wv = {word: np.zeros(options["vector_size"]) for sentence in sentences for word in sentence}
        Asked.options = options


def test_vectors_are_trained_as_the_paper_does_and_otherwise_as_fasttext_does_by_default(monkeypatch):
    monkeypatch.setattr("depinduce.corpus.word_vectors._import_fasttext", lambda: Asked)
    train_vectors([["a", "b"], ["b"]], ["b"])
    every_word = {"min_count": 1}  # the vocabulary of the grammar says which are rare
    assert Asked.options == OF_PAPER | FASTTEXT | every_word | {"seed": 0, "workers": 1}


@needs_paper
def test_the_paper_says_how_it_trains_vectors():
    told = (
        r"train FastText on the whole WSJ dataset for (\d+) epochs with window size (\d+) and embedding dimension (\d+)"
    )
    epochs, window, dimension = map(int, re.search(told, text_of_paper()).groups())
    assert {"vector_size": dimension, "window": window, "epochs": epochs} == OF_PAPER


def cosines(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Of every two rows, [some, others]."""
    lengths = np.linalg.norm(some, axis=1)[:, None] * np.linalg.norm(others, axis=1)
    return some @ others.T / lengths


def test_words_of_like_contexts_have_like_vectors_even_unseen_ones_by_their_letters():
    unseen = [f"{word}s" for word in WORDS]
    vectors = train(words=WORDS + unseen, epochs=100)
    first, second, first_unseen, second_unseen = np.split(vectors, 4)
    across = cosines(first, second).max()
    assert cosines(first, first).min() > across + 0.5
    assert cosines(second, second).min() > across + 0.5
    assert cosines(first_unseen, first).min() > cosines(first_unseen, second).max() + 0.3
    assert cosines(second_unseen, second).min() > cosines(second_unseen, first).max() + 0.3


def test_word_seen_once_takes_part_in_the_training():
    sentences = [*SENTENCES, ["hapax", *WORDS[:5]]]
    assert not np.allclose(train(sentences, ["hapax"]), train(words=["hapax"]), atol=1e-4)


def test_rows_of_trained_vectors_are_in_the_order_of_the_words():
    vectors = train()
    assert vectors.shape == (200, 16)
    assert vectors.dtype == np.float32
    assert np.array_equal(train(words=[WORDS[7], WORDS[3], WORDS[7]]), vectors[[7, 3, 7]])


def test_same_seed_gives_the_same_vectors_and_another_seed_others():
    sentences = SENTENCES * 10  # enough that several threads would share them
    vectors = train(sentences, seed=3)
    assert np.array_equal(train(sentences, seed=3), vectors)
    assert not np.allclose(train(sentences, seed=4), vectors, atol=1e-3)


@some_now("hash_seed", ["1"], later=["2"])
def test_another_process_gives_the_same_vectors(hash_seed):
    """Whatever the hashes of strings, on which the order of a set would depend."""
    script = (
        "import json, sys; from depinduce.corpus.word_vectors import train_vectors\n"
        "sentences, words = json.load(sys.stdin)\n"
        "sys.stdout.buffer.write(train_vectors(sentences, words, 16, epochs=2).tobytes())"
    )
    here = train()
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps([SENTENCES, WORDS]).encode(),
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
    )
    assert done.stdout == here.tobytes()
    assert done.stderr == b""


def test_sentences_may_come_from_a_generator():
    assert np.array_equal(train(iter(SENTENCES)), train())


def test_every_option_reaches_the_training():
    usual = train()
    assert not np.allclose(train(epochs=3), usual, atol=1e-4)
    assert not np.allclose(train(window=1), usual, atol=1e-4)
    assert train(dimension=5).shape == (200, 5)
    assert np.isfinite(train(threads=2)).all()


def test_file_that_gensim_writes_is_read(tmp_path):
    models = pytest.importorskip("gensim.models")
    theirs = models.KeyedVectors(3)
    theirs.add_vectors(["dog", "1\u00a0000", "New York"], np.array([DOG, CAT, [7, 8, 9]], dtype=np.float32))
    theirs.save_word2vec_format(tmp_path / "a.vec.gz")
    assert equal(read_vectors(tmp_path / "a.vec.gz", ["New York", "1\u00a0000", "dog"], 3), [[7, 8, 9], CAT, DOG])
    theirs.save_word2vec_format(tmp_path / "a.bin", binary=True)
    assert "this is a binary file" in message_for(tmp_path / "a.bin")


@pytest.mark.parametrize("sentences", [[], [[], []]])
def test_training_without_words_is_refused(sentences):
    with pytest.raises(DepinduceError, match="There are no words to train word vectors on"):
        train(sentences)


def test_training_without_threads_is_refused():
    with pytest.raises(ValueError, match="0 threads"):
        train(threads=0)


def test_missing_library_is_refused_with_all_ways_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.setitem(sys.modules, "gensim.models", None)
    with pytest.raises(DepinduceError) as refusal:
        train_vectors(SENTENCES, WORDS)
    for part in ("gensim", "`pip install 'depinduce[vectors]'`", "`--vectors file FILE.vec`", "`--vectors random`"):
        assert part in str(refusal.value)


def test_reading_does_not_need_the_library(tmp_path):
    path = write(tmp_path / "a.vec", ANIMALS)
    script = (
        "import sys; from depinduce.corpus.word_vectors import read_vectors\n"
        "read_vectors(sys.argv[1], ['dog'], 3); sys.exit('gensim' in sys.modules or 'scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script, path]).returncode == 0
