"""`from depinduce import Parser`: the same trees and models as on the command line, and probabilities as enumerated."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from chart.enumeration import projective_trees, tree_log_potential
from cli.demo_parts import contents, demo_part, depinduce
from corpus.blocks import block, write
from learning.tagged import random_table, tagged

import depinduce as package
from depinduce import DepinduceError, Parse, Parser
from depinduce.corpus import Reading, Vocabulary, read_sentences
from depinduce.corpus.conllu import UPOS
from depinduce.corpus.demo import demo_file
from depinduce.grammar.rules import Order
from depinduce.models.loading import load_model
from depinduce.models.tag_model import GrammarModel

torch.set_num_threads(1)

NETWORK = {"size": 8, "child_rank": 4, "decision_rank": 2, "batch_size": 20, "epochs": 1, "start_epochs": 1}
WORDS = {"tag_size": 5, "word_size": 3, "lexical_child_rank": 4, "lexical_decision_rank": 2, "ladder": ["ndmv"]}
TRAININGS = {
    "dmv": {"model": "dmv", "non_heads": "ud", "iterations": 4},
    "hdp-dep": {"model": "hdp-dep", "rules": "ud", "iterations": 3, "subsymbols": 2},
    "ndmv": {"recipe": "paper-ud-ndmv", **NETWORK},
    "joint-sibling": {"model": "joint-sibling", "members": 1, "grow_from": 0, "max_length": 8, **NETWORK, **WORDS},
}
FOR_EXPERTS = {*NETWORK, *WORDS} - {"epochs", "ladder"}
every_training = pytest.mark.parametrize("name", TRAININGS)


def options(settings: dict) -> list[object]:
    """Settings as options of the command line, those without one by `--set`."""
    given = []
    for name, value in settings.items():
        if name in FOR_EXPERTS:
            given += ["--set", f"{name}={value}"]
            continue
        given += [f"--{name.replace('_', '-')}", *(value if isinstance(value, list) else [value])]
    return given


def numbers(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in contents(folder).items() if name.endswith("model.safetensors")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where models are, and sentences to learn from."""
    folder = tmp_path_factory.mktemp("api")
    demo_part(folder / "train.conllu", count=60)
    demo_part(folder / "test.conllu", "test", count=20)
    return folder


@pytest.fixture(scope="module")
def trained(folder):
    """The directory of a model that the command line has trained, when it is first asked for."""

    def directory(name: str) -> Path:
        if not (folder / name).exists():
            files = ["--train", folder / "train.conllu", "--out", folder / name]
            assert depinduce("train", *files, *options(TRAININGS[name])) == 0
        return folder / name

    return directory


@pytest.fixture(scope="module")
def parser(trained) -> Parser:
    return Parser.load(trained("dmv"))


# ---------------------------------------------------------------- against enumeration

TAGS = Vocabulary(["N", "V", "D"], [1, 1, 1])
TINY = ["N V", "D N V D N", "V", "N N D V"]


@pytest.fixture(params=list(Order), ids=lambda order: order.value)
def tiny(request) -> Parser:
    return Parser(GrammarModel(request.param, TAGS, random_table(request.param, 3, seed=2), non_heads=("D",)))


def as_words(tags: str) -> str:
    """A sentence of these tags, with punctuation at its end."""
    return " ".join(f"x/{tag}" for tag in tags.split()) + " ./PUNCT"


def scores_of(parser: Parser, tags: str) -> dict[tuple[int, ...], float]:
    """log p(sentence, tree) of every tree that the constraint allows."""
    table, batch, factors = parser.model.problem(tagged(tags, vocabulary=TAGS))
    trees = projective_trees(len(tags.split()))
    scores = {tree: tree_log_potential(table, batch, 0, tree, factors) for tree in trees}
    return {tree: score for tree, score in scores.items() if score > -np.inf}


def tree_of(parse: Parse) -> tuple[int, ...]:
    return tuple(parse.heads[:-1])


@pytest.mark.parametrize("k", [1, 3, 500])
def test_the_k_best_trees_are_those_of_the_enumeration(tiny, k):
    for tags in TINY:
        scores = scores_of(tiny, tags)
        best = sorted(scores.values(), reverse=True)[:k]
        parses = tiny.k_best(as_words(tags), k)
        assert [parse.log_probability for parse in parses] == pytest.approx(best, abs=1e-9)
        assert [scores[tree_of(parse)] for parse in parses] == pytest.approx(best, abs=1e-9)
        assert len({tree_of(parse) for parse in parses}) == len(best)
        total = np.logaddexp.reduce(list(scores.values()))
        assert [parse.log_likelihood for parse in parses] == pytest.approx([total] * len(best))
        if k == 500:
            assert sum(parse.probability for parse in parses) == pytest.approx(1)


def test_samples_come_as_often_as_they_are_probable(tiny):
    scores = scores_of(tiny, "N N D V")
    total = np.logaddexp.reduce(list(scores.values()))
    drawn = [tree_of(parse) for parse in tiny.sample(as_words("N N D V"), 4000, seed=4)]
    for tree, score in scores.items():
        chance = np.exp(score - total)
        assert drawn.count(tree) / 4000 == pytest.approx(chance, abs=5 * np.sqrt(chance * (1 - chance) / 4000))
    assert set(drawn) <= scores.keys()
    assert [tree_of(parse) for parse in tiny.sample(as_words("N N D V"), 9, seed=5)] != drawn[:9]


def test_posteriors_and_probabilities_are_sums_over_the_enumeration(tiny):
    for tags, parse in zip(TINY, tiny.parse(map(as_words, TINY)), strict=True):
        scores = scores_of(tiny, tags)
        total, n = np.logaddexp.reduce(list(scores.values())), len(tags.split())
        expected = np.zeros((n + 2, n + 1))
        for tree, score in scores.items():
            expected[list(tree), range(n)] += np.exp(score - total)
        matrix = tiny.posteriors(as_words(tags))
        assert matrix == pytest.approx(expected, abs=1e-9)
        assert parse.probabilities[:-1] == pytest.approx(matrix[parse.heads[:-1], range(n)])
        assert parse.probabilities[-1] is None
        assert parse.log_likelihood == pytest.approx(total)
        assert parse.log_probability == pytest.approx(max(scores.values()))
        (risky,) = tiny.parse([as_words(tags)], decode="mbr")
        assert risky.log_probability == pytest.approx(scores[tree_of(risky)])
        assert sum(risky.probabilities[:-1]) >= sum(parse.probabilities[:-1]) - 1e-12


# ---------------------------------------------------------------- the same as on the command line


@every_training
def test_the_command_line_and_a_program_train_the_same_model(name, trained, folder, tmp_path):
    settings = dict(TRAININGS[name])
    lines = []
    in_directory = Parser.train(folder / "train.conllu", out=tmp_path / "run", report=lines.append, **settings)
    in_memory = Parser.train([str(folder / "train.conllu")], **settings)
    in_memory.save(tmp_path / "saved")
    assert numbers(tmp_path / "run") == numbers(trained(name)) != {}
    *rounds, verdict = lines
    assert len(rounds) == settings.get("iterations", len(rounds)) and "log-likelihood" in rounds[0]
    assert verdict.startswith("verdict: ") and in_memory.health(folder / "train.conllu").verdict in verdict
    sentences = list(islice(read_sentences(folder / "test.conllu"), 8))
    expected = [parse.heads for parse in Parser.load(trained(name)).parse(sentences)]
    for parser in (in_directory, in_memory, Parser.load(tmp_path / "run"), Parser.load(tmp_path / "saved")):
        assert [parse.heads for parse in parser.parse(sentences)] == expected


def test_sentences_can_be_learned_from_in_any_form(folder):
    settings = {"iterations": 4, "non_heads": "ud"}
    sentences = list(read_sentences(folder / "train.conllu"))
    pairs = [list(zip(sentence.forms, sentence.column(4), strict=True)) for sentence in sentences]
    strings = [" ".join(f"{word}/{tag}" for word, tag in sentence) for sentence in pairs]
    expected = Parser.train(folder / "train.conllu", **settings).model
    for given in (sentences, iter(sentences), pairs, strings, [folder / "train.conllu"]):
        made = Parser.train(given, **settings).model
        assert made.tags == expected.tags
        assert made.table.child.tobytes() == expected.table.child.tobytes()
    held_out = []
    for dev in (pairs[:20], strings[:20], sentences[:20]):
        held_out.append(Parser.train(sentences, dev=dev, **settings).model.history["rounds"][-1]["dev"])
    assert len(set(held_out)) == 1 and held_out[0] is not None


def test_a_program_parses_a_file_as_the_command_line_does(parser, trained, folder, tmp_path):
    given = {"k_best": 2, "posteriors": True, "log_likelihood": True}
    for number, wanted in enumerate(({}, {"decode": "mbr"}, given, {"samples": 3, "seed": 7})):
        command = [word for word in options(wanted) if word is not True]
        assert depinduce("parse", trained("dmv"), folder / "test.conllu", *command, "-o", tmp_path / f"{number}") == 0
        totals = parser.parse_file(folder / "test.conllu", tmp_path / "mine", **wanted)
        assert (tmp_path / "mine").read_bytes() == (tmp_path / f"{number}").read_bytes()
        assert totals.sentences == 20 and totals.words_per_second > 0
    parses = parser.parse(read_sentences(folder / "test.conllu"))
    assert "".join(parse.to_conllu() for parse in parses) == (tmp_path / "0").read_text("utf-8")
    best = [parse for sentence in read_sentences(folder / "test.conllu") for parse in parser.k_best(sentence, 2)]
    text = "".join(parse.to_conllu(posteriors=True, log_likelihood=True) for parse in best)
    assert text == (tmp_path / "2").read_text("utf-8")


def test_a_program_evaluates_inspects_generates_and_reports_as_the_command_line_does(parser, trained, tmp_path, capsys):
    model, gold, parsed = trained("dmv"), demo_part(tmp_path / "gold.conllu", "test", 20), tmp_path / "parsed.conllu"

    def said(*arguments: object) -> str:
        capsys.readouterr()
        assert depinduce(*arguments) == 0
        return capsys.readouterr().out

    assert depinduce("parse", model, gold, "-o", parsed, "--decode", "mbr") == 0
    told = json.loads(said("evaluate", gold, parsed, "--json"))
    assert {"punctuation": "auto"} | parser.evaluate(gold, decode="mbr").to_json() == told
    told = json.loads(said("inspect", model, "--json", "--head", "NOUN", "VERB"))
    assert json.loads(json.dumps(parser.inspect("NOUN", "VERB").to_json())) == told
    generated = parser.generate(3, seed=4, max_words=7)
    blocks = [one.to_conllu(f"sample-{n}", UPOS) for n, one in enumerate(generated, start=1)]
    assert "".join(blocks) == said("sample", model, "-n", 3, "--seed", 4, "--max-words", 7)
    alone = model / "model"  # beside it is written how long the training took, which a program does not know
    for option in ("gold", "sentences"):
        assert depinduce("report", alone, f"--{option}", gold, "-o", tmp_path / "theirs.html", "-n", 1) == 0
        parser.report(tmp_path / "ours.html", **{option: gold}, number=1, title=alone.name)
        assert (tmp_path / "ours.html").read_text("utf-8") == (tmp_path / "theirs.html").read_text("utf-8")


def test_a_grammar_over_words_has_no_list_of_rules(trained):
    over_words = Parser.load(trained("joint-sibling"), part="words")
    for ask in (over_words.inspect, lambda: over_words.generate(1)):
        with pytest.raises(DepinduceError, match="a grammar over words, whose rules are too many to list"):
            ask()


def test_a_long_sentence_is_warned_of_before_the_wait(tmp_path, monkeypatch):
    from depinduce.parsing import long_sentences

    monkeypatch.setattr(long_sentences, "LONG_TIME", long_sentences.BEST_TREE * 100**3)
    parser = Parser(GrammarModel(Order.FIRST, TAGS, random_table(Order.FIRST, 3, seed=2)))
    sentences = [as_words("N V"), as_words("N V " * 51), as_words("V N " * 55)]
    with pytest.warns(UserWarning, match="a sentence of 103 words.*`parse_file` with max_words=200") as warned:
        parser.parse(sentences)
    assert len(warned) == 1
    path = write(tmp_path / "long.conllu", *map(block, sentences))
    with pytest.warns(UserWarning, match="long.conllu:5: a sentence of 103 words.*Without such") as warned:
        parser.report(tmp_path / "report.html", sentences=path, number=0)
    assert len(warned) == 1


def test_parses_do_not_depend_on_blocks_and_threads(parser, folder, monkeypatch):
    from depinduce.parsing import streams

    sentences = list(read_sentences(folder / "test.conllu"))
    whole = [parse.heads for parse in parser.parse(sentences)]
    monkeypatch.setattr(streams, "MOST_WORDS", 30)
    assert [parse.heads for parse in parser.parse(sentences, threads=2)] == whole


# ---------------------------------------------------------------- kinds of models


@pytest.mark.slow
def test_joint_models_have_parts(trained, folder):
    both, words, tags = (Parser.load(trained("joint-sibling"), part) for part in (None, "words", "tags"))
    sentence = "the/DET girls/NOUN saw/VERB a/DET dog/NOUN ./PUNCT"
    likelihoods = {parser.parse([sentence])[0].log_likelihood for parser in (both, words, tags)}
    assert len(likelihoods) == 3
    for parser in (both, words, tags):
        everything = parser.k_best(sentence, 1000)
        assert sum(parse.probability for parse in everything) == pytest.approx(1)
        assert everything[0].heads == parser.parse([sentence])[0].heads
        assert {tuple(parse.heads) for parse in parser.sample(sentence, 20)} <= {tuple(p.heads) for p in everything}
    alone = {tuple(p.heads): p.log_probability for p in words.k_best(sentence, 1000)}
    other = {tuple(p.heads): p.log_probability for p in tags.k_best(sentence, 1000)}
    for parse in both.k_best(sentence, 1000):  # the probability of both is the product
        heads = tuple(parse.heads)
        assert parse.log_probability == pytest.approx(alone[heads] + other[heads], abs=1e-5)
    with pytest.raises(DepinduceError, match="--part cannot be 'third'. Choose from: tags, words."):
        Parser.load(trained("joint-sibling"), "third")
    with pytest.raises(DepinduceError, match="only joint models have parts"):
        Parser.load(trained("dmv"), "tags")


def test_hidden_states_have_likelihoods_but_no_single_trees(trained, folder):
    parser = Parser.load(trained("hdp-dep"))
    sentence = "the/DET girls/NOUN saw/VERB a/DET dog/NOUN ./PUNCT"
    (parse,) = parser.parse([sentence])
    model = load_model(trained("hdp-dep"))
    problem = model.problem(tagged("DET NOUN VERB DET NOUN", vocabulary=model.tags))
    assert parse.log_likelihood == problem.posteriors().log_z[0]
    assert parse.log_probability is None and parse.probability is None
    matrix = parser.posteriors(sentence)
    assert matrix.sum(axis=0) == pytest.approx([1, 1, 1, 1, 1, 0])
    worth = parser.posteriors(sentence, calibrated=True)
    assert parse.probabilities[:-1] == pytest.approx(worth[parse.heads[:-1], range(5)])
    assert (worth[:, :5].max(axis=0) < matrix[:, :5].max(axis=0)).all()
    for refused in (lambda: parser.k_best(sentence, 2), lambda: parser.sample(sentence, 2)):
        with pytest.raises(DepinduceError, match="this model has hidden states"):
            refused()


# ---------------------------------------------------------------- sentences and parses


def test_a_parse_knows_its_sentence(parser):
    parses = parser.parse([[("“", "PUNCT"), ("New York", "PROPN"), ("sleeps", "VERB"), ("!", "PUNCT")], "!/PUNCT"])
    parse, marks = parses
    assert parse.words == ["“", "New York", "sleeps", "!"] and parse.tags == ["PUNCT", "PROPN", "VERB", "PUNCT"]
    assert parse.heads.count(0) == 1 and parse.heads[1] in (0, 3) and len(parse) == 4
    assert [value is None for value in parse.probabilities] == [True, False, False, True]
    assert marks.heads == [0] and marks.probabilities == [None]
    assert marks.log_likelihood is None and marks.probability is None
    assert parser.posteriors("!/PUNCT ?/PUNCT").tolist() == [[0, 0]] * 3
    assert "New York" in parse.draw(width=60) and parse.draw(width=60).endswith("\n")
    assert f"{parse.probabilities[1]:.2f}".removeprefix("0")[:3] in parse.draw(width=60, probabilities=True)
    assert parse._repr_svg_().startswith("<svg") and ">New York<" in parse.svg(title="a city")
    assert 'opacity="' in parse.svg(probabilities=True) and "a city" in parse.svg(title="a city")


def test_a_parse_is_a_table_of_pandas_with_a_row_for_every_word(parser):
    pandas = pytest.importorskip("pandas")
    (parse,) = parser.parse(["Dogs/NOUN bark/VERB ./PUNCT"])
    table = parse.to_dataframe()
    assert list(table.index) == [1, 2, 3] and table.index.name == "id"
    assert (list(table["word"]), list(table["tag"]), list(table["head"])) == (parse.words, parse.tags, parse.heads)
    assert list(table["label"]) == parse.labels
    assert table["probability"][1] == parse.probabilities[0] and pandas.isna(table["probability"][3])


def test_without_pandas_it_is_said_how_to_install_it(parser, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        DepinduceError, match="needs the Python package pandas.* Install it: pip install 'depinduce.pandas.'"
    ):
        parser.parse(["Dogs/NOUN bark/VERB"])[0].to_dataframe()


def test_a_notebook_shows_a_parser_its_scores_and_its_rules_as_tables(parser, folder):
    shown = parser._repr_html_()
    assert shown.startswith("<table>") and " ".join(parser.tags) in shown and "sentences, " in shown
    shown, scores = parser.inspect()._repr_html_(), parser.evaluate(demo_file("test"))
    assert shown.count("<table>") > 3 and "the root is VERB" in shown
    assert f">{scores.uas:.1f}<" in scores._repr_html_()


def test_tags_are_where_the_model_learned_them(tmp_path):
    reading = Reading("xpos", max_length=1)  # a limit of training only
    parser = Parser(
        GrammarModel(Order.FIRST, Vocabulary(["N", "V"], [1, 1]), random_table(Order.FIRST, 2, 1), (), reading)
    )
    (parse,) = parser.parse(["a/N b/V ./."])
    assert parse.tags == ["N", "V", "."] and parse.probabilities[2] is None  # Penn punctuation
    assert [line.split("\t")[3:5] for line in parse.to_conllu().splitlines()[:2]] == [["_", "N"], ["_", "V"]]


def test_sentences_of_files_keep_everything_and_blocks_without_words_their_place(parser, tmp_path):
    text = "# only a comment\n\n# sent_id = s\n" + block("it/PRON rains/VERB").rstrip("\n")
    nothing, parse = parser.parse(read_sentences(write(tmp_path / "a.conllu", text)))
    assert nothing.words == nothing.heads == [] and nothing.draw() == ""
    assert nothing.to_conllu() == "# only a comment\n\n"
    assert parse.labels == ["root" if head == 0 else "dep" for head in parse.heads]
    assert parse.to_conllu() == "# sent_id = s\n" + block("it/PRON rains/VERB", parse.heads, labels=parse.labels)
    first, second = parser.k_best(parse.sentence, 2)
    assert "# sent_id = s\n" in first.to_conllu() and "# sent_id = s-tree2\n# tree = 2 of 2\n" in second.to_conllu()


def test_unknown_tags_are_told_and_parsed(parser, folder, tmp_path):
    path = write(tmp_path / "a.conllu", block("a/FOO b/NOUN"))
    for parse in (
        lambda: parser.parse(["a/FOO b/NOUN"]),
        lambda: parser.k_best("a/FOO b/NOUN", 2),
        lambda: parser.sample("a/FOO b/NOUN", 2),
        lambda: parser.posteriors("a/FOO b/NOUN"),
        lambda: parser.parse_file(path, tmp_path / "b.conllu"),
    ):
        with pytest.warns(
            UserWarning, match="tags that training has not seen, parsed like an average tag: FOO"
        ) as told:
            parse()
        assert told[0].filename == __file__


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda p: p.parse("a/X b/Y"), "parse takes a list of sentences: put one sentence into brackets"),
        (lambda p: p.parse(Path("a.conllu")), "parse takes a list of sentences: parse_file reads files"),
        (lambda p: p.parse([("a", "X"), ("b", "Y")]), "sentence 1: word 1 is 'a', not a pair of a word and its tag."),
        (lambda p: p.parse(["a/X", "b"]), "sentence 2: word 1 'b' has no tag. Write its tag behind a slash: b/NOUN."),
        (lambda p: p.parse(["a/X"], decode="best"), "--decode cannot be 'best'. Choose from: viterbi, mbr."),
        (lambda p: p.parse(["a/X"], threads=0), "--threads must be at least 1, not 0."),
        (lambda p: p.k_best("a/X", 0), "--k-best must be at least 1, not 0."),
        (lambda p: p.sample("a/X", 3, seed=-1), "--seed must be at least 0, not -1."),
        (lambda p: p.parse_file("nowhere.conllu", "out"), "nowhere.conllu: no such file."),
        (lambda p: p.parse_file("a", "out", k_best=2, samples=2), "--k-best and --samples: choose one of them."),
        (lambda p: Parser.train("nowhere.conllu"), "nowhere.conllu: no such file."),
        (lambda p: Parser.train([]), "the sentences: no sentences to learn from."),
        (lambda p: Parser.train(["a/X b/Y"], max_length=1), "no sentences to learn from; 1 are too long"),
        (lambda p: Parser.train(["nowhere.txt"]), "sentence 1: word 1 'nowhere.txt' has no tag."),
        (lambda p: Parser.train(["a.conllu", [("a", "X")]]), "files and sentences together: [('a', 'X')] is no path."),
        (lambda p: Parser.train(["a/X"], iteration=3), "no setting 'iteration' for the model dmv. Did you mean"),
        (lambda p: Parser.train(["a/X"], recipe="ud-siblings"), "no recipe 'ud-siblings'. Did you mean ud-sibling?"),
        (lambda p: Parser.train(["a/X"], model="ndvm"), "there is no model 'ndvm'."),
        (lambda p: Parser.train(["a/X"], out="."), "this is not a model and is not replaced."),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_remedy(parser, ask, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "something", "else")
    with pytest.raises(DepinduceError, match=re.escape(message)):
        ask(parser)
    assert contents(tmp_path).keys() == {"something"}


# ---------------------------------------------------------------- training


def test_a_model_is_not_trained_over_another(trained, folder):
    with pytest.raises(DepinduceError, match="is there already. Choose another place for the model."):
        Parser.train(folder / "train.conllu", out=trained("dmv"))


def test_doubts_about_tags_are_warnings():
    with pytest.warns(UserWarning, match="--non-heads names tags that do not occur: FOO"):
        Parser.train(["a/X b/Y"], non_heads=["FOO"], iterations=1)
    with pytest.warns(UserWarning, match="held-out sentences with tags that training has not seen are left out: Z"):
        Parser.train(["a/X b/Y"], dev=["a/Z", "a/X"], iterations=1)


@pytest.mark.parametrize("name", ["dmv", "ndmv"])
def test_an_interrupted_training_is_no_parser_but_can_be_gone_on_with(name, trained, folder, tmp_path):
    settings = TRAININGS[name]

    def interrupt(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Parser.train(folder / "train.conllu", out=tmp_path / "run", report=interrupt, **settings)
    files = ["--train", folder / "train.conllu", "--out", tmp_path / "run"]
    assert depinduce("train", *files, *options(settings), "--resume") == 0
    assert numbers(tmp_path / "run") == numbers(trained(name))


# ---------------------------------------------------------------- the package


def test_the_package_offers_the_parser_and_nothing_that_is_not_there():
    assert {"Parser", "Parse", "DepinduceError", "__version__"} <= set(dir(package))
    with pytest.raises(AttributeError, match="module 'depinduce' has no attribute 'Praser'"):
        _ = package.Praser
    assert repr(Parser.train(["a/X b/Y"], iterations=1)) == "Parser(GrammarModel, 2 tags)"


@pytest.mark.parametrize(
    ("code", "heavy"),
    [("import depinduce", ["numpy", "torch", "numba", "rich"]), ("from depinduce import Parser", ["torch", "numba"])],
)
def test_importing_it_does_not_wait(code, heavy):
    check = f"{code}\nimport sys\nprint([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_the_demo_corpus_is_parsed_better_than_by_chance():
    parser = Parser.train(demo_file("train"), non_heads="ud", iterations=10)
    gold = list(read_sentences(demo_file("test")))
    parses = parser.parse(gold)
    right = [h == g for p, s in zip(parses, gold, strict=True) for h, g in zip(p.heads, s.heads, strict=True)]
    assert np.mean(right) > 0.6
