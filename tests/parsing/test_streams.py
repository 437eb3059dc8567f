"""Parsed files: only HEAD changes, every tree is a tree, and blocks make no difference."""

from __future__ import annotations

import re
import tracemalloc
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from chart.enumeration import projective_trees
from corpus.blocks import block, write
from learning.languages import universal_of
from learning.tagged import random_table, tagged

from depinduce.corpus import Reading, Vocabulary, load_corpus, open_output, read_sentences, read_text
from depinduce.corpus.demo import demo_file
from depinduce.errors import DepinduceError
from depinduce.evaluation.trees import find_cycle, is_projective
from depinduce.grammar.rules import Order, RuleTable
from depinduce.grammar.trees import tree_log_potentials
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing import streams
from depinduce.parsing.decoding import Parsing, parse_corpus
from depinduce.parsing.streams import parse_stream, with_strangers_told

TRICKY = sorted((Path(__file__).parents[1] / "corpus" / "tricky").glob("*.conllu"))
every_decoder = pytest.mark.parametrize("decode", ["viterbi", "mbr"])


@pytest.fixture(scope="module")
def model() -> GrammarModel:
    configuration = configure({"iterations": 5, "non_heads": ("ud",), "max_length": None})
    trained, _ = Run(configuration, load_corpus(demo_file("train"))).go()
    return trained


def parsed(model: GrammarModel, path: Path, parsing: Parsing | None = None, block: int = 2000) -> str:
    blocks = parse_stream(model, read_sentences(path), parsing or Parsing(), block=block)
    return "".join(text for block in blocks for text in block.rendered)


def without_trees(text: str) -> list[str]:
    """The lines of a file, HEAD, DEPREL and DEPS of every word (not of 1-2) and empty nodes (8.1) taken out."""
    lines = [line for line in text.split("\n") if not re.match(r"\d+\.\d+\t", line)]
    return [re.sub(r"^(\ufeff?\d+(?:\t[^\t]*){5}\t)[^\t]*\t[^\t]*\t[^\t]*", r"\1", line) for line in lines]


def words_of(text: str) -> list[list[list[str]]]:
    """The word lines of each sentence, cut into columns."""
    sentences = re.split(r"\n\r?\n", text)
    words = [[line.split("\t") for line in re.findall(r"^\d+\t.*", sentence, re.M)] for sentence in sentences]
    return [sentence for sentence in words if sentence]


@every_decoder
@pytest.mark.parametrize("path", TRICKY, ids=lambda path: path.stem)
def test_nothing_but_trees_changes_in_tricky_files(model, path, decode):
    before = path.read_bytes().decode()
    after = parsed(model, path, Parsing(decode=decode))
    assert without_trees(after) == without_trees(before)


def test_nothing_but_trees_changes_in_the_demo_corpus(model):
    before = demo_file("test").read_text("utf-8")
    after = parsed(model, demo_file("test"))
    assert without_trees(after) == without_trees(before)
    assert after != before  # the trees of depinduce are not all right


@every_decoder
def test_every_sentence_gets_one_projective_tree_punctuation_included(model, decode, tmp_path):
    path = write(
        tmp_path / "a.conllu",
        block('"/PUNCT The/DET dog/NOUN ,/PUNCT it/PRON barks/VERB ./PUNCT "/PUNCT'),
        block("./PUNCT"),
        block("!/PUNCT ?/PUNCT !/PUNCT"),
        block("(/PUNCT Yes/INTJ )/PUNCT"),
        block("the/DET of/ADP and/CCONJ"),
        demo_file("dev").read_text("utf-8"),
    )
    sentences = words_of(parsed(model, path, Parsing(decode=decode)))
    assert len(sentences) == 5 + 150
    for sentence in sentences:
        heads = [int(columns[6]) for columns in sentence]
        assert heads.count(0) == 1
        assert find_cycle(heads) is None
        assert is_projective(heads)


def test_gold_heads_in_the_input_are_not_looked_at(model, tmp_path):
    text = demo_file("dev").read_text("utf-8")
    blank = re.sub(r"^(\d+(?:\t[^\t]*){5}\t)\d+", r"\1_", text, flags=re.M)
    assert "\t_\tdet\t" in blank
    assert parsed(model, write(tmp_path / "blank.conllu", blank)) == parsed(model, demo_file("dev"))


def test_words_without_punctuation_keep_the_trees_of_the_model(model):
    corpus = load_corpus(demo_file("dev"), tag_vocabulary=model.tags)
    heads = parse_corpus(model, corpus, Parsing())
    text = parsed(model, demo_file("dev"))
    again = [[int(columns[6]) for columns in sentence if columns[3] != "PUNCT"] for sentence in words_of(text)]
    marks = [[i for i, columns in enumerate(s, start=1) if columns[3] == "PUNCT"] for s in words_of(text)]
    renumbered = [head - sum(m < head for m in ms) for s, ms in zip(again, marks, strict=True) for head in s]
    assert renumbered == heads.tolist()


@pytest.mark.parametrize("size", [1, 7, 149, 150, 151])
def test_the_size_of_the_blocks_does_not_matter(model, size):
    whole = parsed(model, demo_file("test"), Parsing(posteriors=True))
    assert parsed(model, demo_file("test"), Parsing(posteriors=True), block=size) == whole


def test_the_number_of_threads_does_not_matter(model):
    assert parsed(model, demo_file("test"), Parsing(threads=3)) == parsed(model, demo_file("test"))


def test_blocks_count_what_is_in_them(model, tmp_path):
    path = write(tmp_path / "a.conllu", "# only this\n\n", block("It/PRON ?/FOO !/PUNCT"), block("a/BAR"), block("b/X"))
    first, second = parse_stream(model, read_sentences(path), Parsing(), block=3)
    assert (first.sentences, first.words, first.unknown_tags) == (2, 4, {"FOO", "BAR"})
    assert (second.sentences, second.words, second.unknown_tags) == (1, 1, {"X"})


def test_an_empty_file_stays_empty(model, tmp_path):
    assert list(parse_stream(model, read_sentences(write(tmp_path / "a.conllu", "")), Parsing())) == []


def test_the_tags_are_taken_from_where_the_model_learnt_them(tmp_path):
    table = random_table(Order.FIRST, 2, seed=1)
    sentence = block("a/X b/X c/X", xpos=["N", "V", "."])
    path = write(tmp_path / "a.conllu", sentence)
    model = GrammarModel(Order.FIRST, Vocabulary(["N", "V"], [1, 1]), table, reading=Reading("xpos", max_length=1))
    (found,) = parse_stream(model, read_sentences(path), Parsing())
    assert found.unknown_tags == set()  # "." is Penn punctuation; the length limit was one of training
    heads = parse_corpus(model, tagged("N V", vocabulary=model.tags), Parsing())
    assert [int(columns[6]) for columns in words_of(found.rendered[0])[0]][:2] == heads.tolist()


# ---------------------------------------------------------------- posteriors and minimum risk


def tree_probabilities(model: GrammarModel, tags: str) -> dict[tuple[int, ...], float]:
    """p(tree | sentence) of every projective tree, one by one."""
    corpus = tagged(tags, vocabulary=model.tags)
    table, batch, factors = model.problem(corpus)
    trees = projective_trees(len(corpus.tags))
    scores = np.array([tree_log_potentials(table, batch, np.array(tree), factors)[0] for tree in trees])
    weights = np.exp(scores - scores.max())
    return dict(zip(trees, weights / weights.sum(), strict=True))


def chance_of(head: int, word: int, probabilities: dict[tuple[int, ...], float]) -> float:
    return sum(chance for tree, chance in probabilities.items() if tree[word] == head)


SENTENCES = ["N V", "D N V D N", "V", "N N D V", "D D"]
TAGS = Vocabulary(["N", "V", "D"], [1, 1, 1])


@every_decoder
@pytest.mark.parametrize("order", list(Order))
def test_posteriors_are_the_probabilities_of_the_written_arcs(order, decode, tmp_path):
    model = GrammarModel(order, TAGS, random_table(order, 3, seed=2), non_heads=("D",))
    path = write(tmp_path / "a.conllu", *(block(re.sub(r"(\S)", r"x/\1", s) + " ./PUNCT") for s in SENTENCES))
    text = parsed(model, path, Parsing(decode=decode, posteriors=True))
    for tags, sentence in zip(SENTENCES, words_of(text), strict=True):
        probabilities = tree_probabilities(model, tags)
        *words, mark = sentence
        assert mark[9] == "_"
        for word, columns in enumerate(words):
            (written,) = re.fullmatch(r"Posterior=(\d\.\d{4})", columns[9]).groups()
            assert 0 <= float(written) <= 1
            assert float(written) == pytest.approx(chance_of(int(columns[6]), word, probabilities), abs=6e-5)


@pytest.mark.parametrize("order", list(Order))
def test_minimum_risk_trees_have_the_most_right_heads_in_expectation(order):
    model = GrammarModel(order, TAGS, random_table(order, 3, seed=3), non_heads=("D",))
    for tags in SENTENCES:
        heads = parse_corpus(model, tagged(tags, vocabulary=TAGS), Parsing(decode="mbr"))
        probabilities = tree_probabilities(model, tags)

        def expected(tree, probabilities=probabilities):
            return sum(chance_of(head, word, probabilities) for word, head in enumerate(tree))

        assert expected(heads) == pytest.approx(max(map(expected, probabilities)), rel=1e-9)


def test_posteriors_join_what_misc_holds_already(model, tmp_path):
    sentence = block("It/PRON rains/VERB").replace("_\n", "SpaceAfter=No|Posterior=9\n", 1)
    text = parsed(model, write(tmp_path / "a.conllu", sentence), Parsing(posteriors=True))
    first, second = words_of(text)[0]
    assert re.fullmatch(r"SpaceAfter=No\|Posterior=[01]\.\d{4}", first[9])
    assert re.fullmatch(r"Posterior=[01]\.\d{4}", second[9])


def test_what_an_earlier_parse_has_said_is_gone_and_nothing_else(model, tmp_path):
    foreign = "# sent_id = a\n# tree = oak\n# a\ufeff# tree = 1 of 2\n# probability = ١.1\n# log_likelihoods = -1\n"
    words = block("It/PRON rains/VERB hard/ADV").replace("_\n", "SpaceAfter=No|MyPosterior=0.5000|x=y\n", 1)
    kept = parsed(model, write(tmp_path / "a.conllu", foreign + words.replace("x=y", "Posterior=unknown")))
    assert kept.startswith(foreign) and "|Posterior=unknown\n" in kept
    path = write(tmp_path / "b.conllu", "# trees = 3 of 4\n" + words, "\ufeff" + block("So/ADV"))
    alone = parsed(model, path)
    for number, marks in enumerate([{"posteriors": True, "log_likelihood": True}, {"samples": 1}, {"max_words": 2}]):
        marked = tmp_path / f"{number}.conllu"
        marked.write_bytes(parsed(model, path, Parsing(**marks)).encode())
        assert marked.read_text("utf-8") != alone
        assert parsed(model, marked) == alone
        crlf = tmp_path / "crlf.conllu"
        crlf.write_bytes(marked.read_bytes().replace(b"\n", b"\r\n"))
        assert parsed(model, crlf) == alone.replace("\n", "\r\n")


def test_a_block_of_comments_alone_stays_whatever_they_say(model, tmp_path):
    path = write(tmp_path / "a.conllu", "# tree = 5 of 9\n\n", block("So/ADV"))
    assert parsed(model, path).startswith("# tree = 5 of 9\n\n1\tSo")


def test_a_sentence_without_any_possible_tree_becomes_a_chain(tmp_path):
    impossible = RuleTable(np.zeros(1), np.full((4, 1), -np.inf), np.zeros((4, 2)))
    model = GrammarModel(Order.FIRST, Vocabulary(["N"], [1]), impossible)
    path = write(tmp_path / "a.conllu", block("a/N"), block("a/N b/N c/N"))
    alone, chain = words_of(parsed(model, path, Parsing(posteriors=True)))
    assert [columns[6] for columns in alone] == ["0"]
    assert [columns[6] for columns in chain] == ["0", "1", "2"]
    assert [columns[9] for columns in chain] == ["Posterior=0.0000"] * 3


# ---------------------------------------------------------------- several trees, and log-likelihoods


def comment(text: str, key: str) -> list[str]:
    """All values of a comment in a file."""
    return re.findall(rf"^# {key} = (.*)$", text, re.M)


def scores_of(model: GrammarModel, tags: str) -> dict[tuple[int, ...], float]:
    """log p(sentence, tree) of every projective tree that the constraint allows, one by one."""
    table, batch, factors = model.problem(tagged(tags, vocabulary=model.tags))
    trees = projective_trees(len(tags.split()))
    scores = {tree: tree_log_potentials(table, batch, np.array(tree), factors)[0] for tree in trees}
    return {tree: score for tree, score in scores.items() if score > -np.inf}


def written(sentence: list[list[str]]) -> tuple[int, ...]:
    return tuple(int(columns[6]) for columns in sentence if columns[3] != "PUNCT")


@pytest.fixture(params=list(Order), ids=lambda order: order.value)
def constrained(request) -> GrammarModel:
    return GrammarModel(request.param, TAGS, random_table(request.param, 3, seed=2), non_heads=("D",))


def file_of_tags(path: Path) -> Path:
    sentences = [block(re.sub(r"(\S)", r"x/\1", tags) + " ./PUNCT") for tags in SENTENCES]
    return write(path, *(f"# sent_id = s{n}\n{text}" for n, text in enumerate(sentences)))


@pytest.mark.parametrize("k", [1, 4, 200])
def test_the_k_best_trees_are_those_of_the_enumeration(constrained, k, tmp_path):
    text = parsed(constrained, file_of_tags(tmp_path / "a.conllu"), Parsing(k_best=k, log_likelihood=True))
    blocks = iter(re.split(r"(?<=\n)\n", text.rstrip("\n") + "\n"))
    for number, tags in enumerate(SENTENCES):
        scores = scores_of(constrained, tags)
        likelihood = np.logaddexp.reduce(list(scores.values()))
        best = sorted(scores.values(), reverse=True)[:k]
        for rank, score in enumerate(best, start=1):
            tree = next(blocks)
            assert comment(tree, "sent_id") == [f"s{number}" if rank == 1 else f"s{number}-tree{rank}"]
            assert comment(tree, "tree") == [f"{rank} of {len(best)}"]
            assert float(*comment(tree, "log_probability")) == pytest.approx(score, abs=1e-6)
            assert float(*comment(tree, "probability")) == pytest.approx(np.exp(score - likelihood), rel=1e-5)
            assert float(*comment(tree, "log_likelihood")) == pytest.approx(likelihood, abs=1e-6)
            assert scores[written(*words_of(tree))] == pytest.approx(score, abs=1e-9)
    assert next(blocks, None) is None


def test_samples_have_the_probabilities_of_the_enumeration(constrained, tmp_path):
    path = write(tmp_path / "a.conllu", block("x/N x/V x/D x/N ./PUNCT"))
    text = parsed(constrained, path, Parsing(samples=4000, seed=3))
    probabilities = tree_probabilities(constrained, "N V D N")
    drawn = [written(tree) for tree in words_of(text)]
    assert len(drawn) == 4000 and comment(text, "tree")[1] == "2 of 4000"
    for tree, chance in probabilities.items():
        assert drawn.count(tree) / 4000 == pytest.approx(chance, abs=5 * np.sqrt(chance * (1 - chance) / 4000))
    told = [float(value) for value in comment(text, "probability")]
    assert told == pytest.approx([probabilities[tree] for tree in drawn], rel=1e-5)


@pytest.mark.parametrize("parsing", [Parsing(k_best=3, posteriors=True), Parsing(samples=3, seed=5)], ids=str)
def test_neither_blocks_nor_threads_matter_to_several_trees(model, parsing):
    whole = parsed(model, demo_file("test"), parsing)
    assert parsed(model, demo_file("test"), parsing, block=7) == whole
    assert parsed(model, demo_file("test"), replace(parsing, threads=3), block=64) == whole


def test_samples_of_equal_sentences_differ_and_so_do_those_of_seeds(model, tmp_path):
    path = write(tmp_path / "a.conllu", *[block("it/PRON saw/VERB the/DET old/ADJ dog/NOUN with/ADP me/PRON")] * 2)
    drawn = {seed: words_of(parsed(model, path, Parsing(samples=8, seed=seed))) for seed in (0, 1)}
    assert drawn[0][:8] != drawn[0][8:]
    assert drawn[0] != drawn[1]
    assert words_of(parsed(model, path, Parsing(samples=8))) == drawn[0]


def test_posteriors_are_those_of_each_tree(constrained, tmp_path):
    path = write(tmp_path / "a.conllu", block("x/N x/V x/N"))
    trees = words_of(parsed(constrained, path, Parsing(k_best=7, posteriors=True)))
    probabilities = tree_probabilities(constrained, "N V N")
    assert len(trees) == 7
    for tree in trees:
        for word, columns in enumerate(tree):
            expected = chance_of(int(columns[6]), word, probabilities)
            assert float(columns[9].removeprefix("Posterior=")) == pytest.approx(expected, abs=6e-5)


@every_decoder
def test_the_log_likelihood_is_that_of_all_allowed_trees(constrained, decode, tmp_path):
    path = file_of_tags(tmp_path / "a.conllu")
    text = parsed(constrained, path, Parsing(decode=decode, log_likelihood=True))
    expected = [np.logaddexp.reduce(list(scores_of(constrained, tags).values())) for tags in SENTENCES]
    assert [float(value) for value in comment(text, "log_likelihood")] == pytest.approx(expected, abs=1e-6)
    assert re.sub("# log_likelihood.*\n", "", text) == parsed(constrained, path, Parsing(decode=decode))


@pytest.mark.parametrize("path", TRICKY, ids=lambda path: path.stem)
def test_several_trees_of_tricky_files_can_be_read_again(model, path, tmp_path):
    before = [sentence for sentence in read_sentences(path) if len(sentence)]
    after = write(tmp_path / "after.conllu", parsed(model, path, Parsing(k_best=2, log_likelihood=True)))
    trees = [sentence for sentence in read_sentences(after, trees=True) if len(sentence)]
    counts = [int(value.rstrip("\r").split()[2]) for value in comment(after.read_bytes().decode(), "tree")]
    expected = [sentence for sentence in before for _ in range(1 if len(sentence) == 1 else 2)]
    assert [tree.forms for tree in trees] == [sentence.forms for sentence in expected]
    assert counts == [1 if len(sentence) == 1 else 2 for sentence in expected]
    ids = [tree.sent_id for tree in trees if tree.sent_id is not None]
    assert len(set(ids)) == len(ids) or len({s.sent_id for s in before}) < len(before)
    marks = after.read_bytes().decode().count("\ufeff")
    assert marks == path.read_bytes().decode().count("\ufeff")


def test_parsing_again_replaces_what_was_said_before(model, tmp_path):
    path = write(tmp_path / "a.conllu", "# sent_id = a\n" + block("it/PRON rains/VERB"))
    parsing = Parsing(k_best=1, log_likelihood=True)
    once = write(tmp_path / "b.conllu", parsed(model, path, parsing))
    assert parsed(model, once, parsing) == once.read_text("utf-8")


def test_of_punctuation_alone_no_probability_is_told(model, tmp_path):
    path = write(tmp_path / "a.conllu", "# nothing\n\n", block("!/PUNCT ?/PUNCT"))
    text = parsed(model, path, Parsing(k_best=3, log_likelihood=True, posteriors=True))
    assert text == "# nothing\n\n# tree = 1 of 1\n" + block("!/PUNCT ?/PUNCT", [0, 1], labels=["root", "dep"])


@pytest.mark.parametrize("several", [{"k_best": 3}, {"samples": 3}], ids=str)
def test_a_sentence_without_any_possible_tree_has_one_chain(several, tmp_path):
    impossible = RuleTable(np.zeros(1), np.full((4, 1), -np.inf), np.zeros((4, 2)))
    model = GrammarModel(Order.FIRST, Vocabulary(["N"], [1]), impossible)
    text = parsed(model, write(tmp_path / "a.conllu", block("a/N b/N")), Parsing(log_likelihood=True, **several))
    comments = "# log_likelihood = -inf\n# tree = 1 of 1\n# log_probability = -inf\n# probability = 0\n"
    assert text == comments + block("a/N b/N", [0, 1], labels=["root", "dep"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k_best": 2, "samples": 2}, "--k-best and --samples: choose one of them."),
        ({"k_best": 0}, "--k-best must be at least 1, not 0."),
        ({"samples": 0}, "--samples must be at least 1, not 0."),
        ({"samples": 1, "seed": -1}, "--seed must be at least 0, not -1."),
        ({"seed": 0}, "--seed is for --samples"),
        ({"k_best": 1, "seed": 0}, "--seed is for --samples"),
        ({"k_best": 1, "decode": "mbr"}, "--decode chooses one tree, but the k best trees are the most probable ones."),
        ({"samples": 1, "decode": "viterbi"}, "--decode chooses one tree, but samples are drawn by probability."),
        ({"decode": "best"}, "--decode cannot be 'best'. Choose from: viterbi, mbr."),
        ({"threads": 0}, "--threads must be at least 1, not 0."),
        ({"threads": 10**6}, "--threads can be at most 1024, not 1000000."),
        ({"k_best": 10**4000}, "--k-best can be at most 1000, not a number of so many digits."),
        ({"samples": 10**9}, "--samples can be at most 100000, not 1000000000."),
        ({"samples": 1, "seed": 2**32}, "--seed can be at most 4294967295, not 4294967296."),
    ],
)
def test_what_cannot_go_together_is_refused(options, message):
    with pytest.raises(DepinduceError, match=re.escape(message)):
        Parsing(**options)


# ---------------------------------------------------------------- memory


def test_a_stream_reads_no_further_than_one_block_ahead(model, tmp_path):
    (sentence,) = read_sentences(write(tmp_path / "a.conllu", block("it/PRON rains/VERB")))
    read = 0

    def endless():
        nonlocal read
        while True:
            read += 1
            yield sentence

    stream = parse_stream(model, endless(), Parsing(), block=10)
    for number in range(1, 6):
        assert next(stream).sentences == 10
        assert read <= 10 * (number + 1)
    stream.close()


@pytest.mark.slow
@pytest.mark.parametrize("parsing", [Parsing(), Parsing(k_best=2, posteriors=True)], ids=["one tree", "k best"])
def test_memory_does_not_grow_with_the_file(model, parsing, monkeypatch, tmp_path):
    monkeypatch.setattr(streams, "MOST_WORDS", 600)
    text = demo_file("test").read_text("utf-8")

    def peak(copies: int) -> int:
        path = write(tmp_path / f"{copies}.conllu", text * copies)
        with open_output(tmp_path / "out.conllu") as output:
            tracemalloc.start()
            try:
                for some in parse_stream(model, read_sentences(path), parsing):
                    for block in some.rendered:
                        output.write(block)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    peak(1)  # what is allocated once
    assert peak(8) < 1.6 * peak(2)  # four times as much if all of it were kept


@pytest.mark.parametrize(
    ("bound", "parsing", "sizes"),
    [
        ({}, Parsing(), [9]),
        ({"BLOCK": 4}, Parsing(), [4, 4, 1]),
        ({"MOST_WORDS": 5}, Parsing(), [3, 3, 3]),  # the third sentence of two words reaches five
        ({"MOST_WORDS": 1}, Parsing(), [1] * 9),
        ({"MOST_ARCS": 17}, Parsing(), [5, 4]),
        ({"MOST_LINES": 50}, Parsing(), [9]),
        ({"MOST_LINES": 50}, Parsing(k_best=10), [3, 3, 3]),
        ({"MOST_LINES": 50}, Parsing(samples=1000), [1] * 9),
    ],
)
def test_blocks_are_bounded_by_sentences_words_arcs_and_trees(bound, parsing, sizes, monkeypatch, tmp_path):
    for name, value in bound.items():
        monkeypatch.setattr(streams, name, value)
    sentences = read_sentences(write(tmp_path / "a.conllu", block("it/PRON rains/VERB") * 9))
    assert [len(some) for some in streams.blocks(sentences, parsing, streams.BLOCK)] == sizes


# ---------------------------------------------------------------- languages


def test_every_language_that_a_grammar_does_not_know_is_told_once():
    model = universal_of(("final", "initial"))
    names = ["xx", "final", None, "yy", "xx", "initial", "xx"]
    text = "".join(f"# language = {name or ''}\n{block('a/N b/V')}" for name in names)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert len(list(with_strangers_told(model, read_text(text)))) == 7
        assert list(with_strangers_told(model.universal, read_text(text)))  # which knows none, and says nothing
    assert [str(one.message).split(":")[0] for one in told] == ["# language = xx", "# language = yy"]
