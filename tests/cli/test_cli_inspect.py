"""`depinduce inspect` and `depinduce sample`: a grammar in words, and in sentences."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cli.demo_parts import contents, demo_part, depinduce, depinduce_process
from learning.tagged import random_table

from depinduce.corpus import Reading, Vocabulary, load_corpus, read_sentences
from depinduce.grammar.rules import HAS, LEFT, NO, RIGHT, Order, RuleTable
from depinduce.models.loading import load_grammar
from depinduce.models.tag_model import GrammarModel

TAGS = Vocabulary(["NOUN", "VERB", "DET"], [3, 2, 1])
NOUN, VERB, DET = range(3)
NULL = ROOT = 3


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A sibling grammar of demo sentences."""
    folder = tmp_path_factory.mktemp("trained")
    train = demo_part(folder / "train.conllu", count=200)
    options = ["--model", "dmv-sibling", "--iterations", 5, "--non-heads", "ud", "--out", folder / "grammar"]
    assert depinduce("train", "--train", train, *options) == 0
    return folder / "grammar"


def save(folder: Path, order: Order, rules: dict, **options) -> Path:
    """A grammar of VERB roots that stop at once, except where told otherwise.

    rules: (direction, head, *context) -> (probability to go on, probabilities of NOUN, VERB, DET)
    """
    child, decision = np.full((*order.shape(3), 3), 1 / 3), np.full((*order.shape(3), 2), [1.0, 0.0])
    for row, (go, children) in rules.items():
        child[row], decision[row] = children, [1 - go, go]
    with np.errstate(divide="ignore"):
        table = RuleTable.of_tags(np.log([0.1, 0.9, 0]), np.log(child), np.log(decision))
    GrammarModel(order, TAGS, table, **options).save(folder / "grammar")
    return folder / "grammar"


def first_order(folder: Path, **options) -> Path:
    rules = {
        (LEFT, VERB, NO): (0.9, (1, 0, 0)),
        (RIGHT, VERB, NO): (0.1, (0, 1, 0)),
        (LEFT, NOUN, NO): (0.75, (0.17, 0, 0.83)),
    }
    return save(folder, Order.FIRST, rules, **options)


# ---------------------------------------------------------------- inspect


def lines_of(capsys, *arguments: object) -> list[str]:
    assert depinduce("inspect", *arguments) == 0
    return [line.strip() for line in capsys.readouterr().out.splitlines()]


def test_a_planted_grammar_is_told_in_these_words(tmp_path, capsys):
    assert depinduce("inspect", first_order(tmp_path)) == 0
    _, _, told = capsys.readouterr().out.partition("\n\n")
    assert told == (
        "the root is VERB: 0.90\n"
        "the root is NOUN: 0.10\n"
        "\n"
        "VERB, 1.00 in a sentence, with 1.00 children each\n"
        "  VERB has a child on its left: 0.90, and one more after each: 0.00\n"
        "  VERB takes NOUN on its left: 1.00\n"
        "  VERB has a child on its right: 0.10, and one more after each: 0.00\n"
        "  VERB takes VERB on its right: 1.00\n"
        "\n"
        "NOUN, 1.15 in a sentence, with 0.75 children each\n"
        "  NOUN has a child on its left: 0.75, and one more after each: 0.00\n"
        "  NOUN takes DET on its left: 0.83\n"
        "  NOUN takes NOUN on its left: 0.17\n"
        "  NOUN has a child on its right: 0.00\n"
        "\n"
        "left out, for they have hardly any children (name them after --head): DET\n"
    )


def test_the_facts_of_a_trained_grammar(trained, capsys):
    facts, _, rules = "\n".join(lines_of(capsys, trained)).partition("\n\n")
    assert f"{trained}: a sibling grammar: a rule sees the head and its previous child" in facts
    assert "children are generated from the outside in" in facts
    assert "sentences of up to 15 words" in facts
    assert "as dmv-sibling, by 5 iterations of soft EM, start: harmonic" in facts
    assert "these may not have children: DET AUX ADP" in facts
    assert "words on average" in facts
    assert "takes DET on its left" in rules
    assert "DET takes" not in rules
    assert "(after any child: " in rules


def test_the_facts_of_a_neural_grammar_and_of_one_from_nowhere(tmp_path, capsys):
    settings = {"model": "sibling", "ladder": ["ndmv"], "method": "dmo", "init": ["harmonic"]}
    data = {"sentences": 7, "words": 30}
    history = {"settings": settings, "training_data": data, "rounds": [{}] * 3, "round_name": "epoch", "watched": True}
    shown = lines_of(capsys, first_order(tmp_path, history=history))
    assert "learned from 7 sentences, 30 words in all" in shown
    assert "as ndmv, sibling, by 3 epochs of dmo, start: harmonic" in shown
    assert "attachment scores were watched during training" in shown
    assert not any("learned" in line for line in lines_of(capsys, first_order(tmp_path)))


def test_a_grammar_of_an_interrupted_training_says_so(tmp_path, capsys):
    told = "the training was interrupted: this is what there was then"
    settings = {"model": "ndmv", "method": "dmo", "init": ["harmonic"]}
    assert told not in lines_of(capsys, first_order(tmp_path, history={"settings": settings, "finished": True}))
    grammar = first_order(tmp_path, history={"settings": settings, "finished": False})
    assert told in lines_of(capsys, grammar)
    assert depinduce("parse", grammar, demo_part(tmp_path / "some.conllu", count=2)) == 0
    assert f"warning: {grammar}: the training of this grammar was interrupted. Go on with it" in capsys.readouterr().err


@pytest.mark.parametrize(("inside_out", "way"), [(False, "in"), (True, "out")])
def test_siblings_are_told_as_after(inside_out, way, tmp_path, capsys):
    rules = {
        (LEFT, VERB, NULL): (1, (0.5, 0, 0.5)),
        (LEFT, VERB, NOUN): (0.8, (0, 0, 1)),
        (RIGHT, VERB, NULL): (1, (0.5, 0, 0.5)),
        (RIGHT, VERB, NOUN): (0.5, (0, 0, 1)),
        (RIGHT, VERB, DET): (0.5, (0.5, 0, 0.5)),
    }
    shown = lines_of(capsys, save(tmp_path, Order.SIBLING, rules, inside_out=inside_out))
    # On its left a verb has 0.5 nouns and 0.5 + 0.5 · 0.8 determiners; on its right 0.8 nouns and 1.2 determiners.
    assert f"after NOUN, VERB takes one more child further {way} on its left: 0.80 (after any child: 0.29)" in shown
    assert f"after DET, VERB takes NOUN further {way} on its right: 0.50 (after any child: 0.30)" in shown


def test_grandparents_are_told_as_under(tmp_path, capsys):
    rules = {
        (LEFT, VERB, ROOT, NO): (0.8, (1, 0, 0)),
        (RIGHT, VERB, ROOT, NO): (1, (0, 1, 0)),
        (RIGHT, VERB, VERB, NO): (1, (1, 0, 0)),
        (RIGHT, VERB, VERB, HAS): (0.5, (1, 0, 0)),
    }
    shown = lines_of(capsys, save(tmp_path, Order.GRANDPARENT, rules), "-n", 6)
    assert "VERB as the root has a child on its left: 0.80 (anywhere: 0.40)" in shown
    assert "VERB under VERB takes NOUN on its right: 1.00 (anywhere: 0.67)" in shown
    assert "VERB under VERB has one more child on its right: 0.50 (anywhere: 0.33)" in shown


def test_as_many_rules_and_heads_as_asked_for(trained, tmp_path, capsys):
    few, many = lines_of(capsys, trained, "-n", 1), lines_of(capsys, trained, "-n", 4)
    assert sum(line.startswith("the root is") for line in few) == 1
    assert sum(line.startswith("NOUN takes") for line in few) == 2
    assert sum(line.startswith("NOUN takes") for line in many) > 4
    one = lines_of(capsys, trained, "--head", "NOUN", "DET")
    assert any(line.startswith("NOUN has") for line in one)
    assert "DET may not have children." in one
    assert not any(line.startswith("VERB has") for line in one)
    assert "DET has a child on its left: 0.00" in lines_of(capsys, first_order(tmp_path), "--head", "DET")


def test_everything_as_json_in_a_process_of_its_own(trained):
    done = depinduce_process("inspect", trained, "--json", "-n", 1)
    assert done.returncode == 0
    report = json.loads(done.stdout)
    assert report["order"] == "sibling"
    assert len(report["roots"]) == len(report["tags"])
    assert sum(rule["probability"] for rule in report["roots"]) == pytest.approx(1)
    assert len(report["history"]["rounds"]) == 5
    assert {head["tag"] for head in report["heads"]} == set(report["tags"]) - set(report["non_heads"])
    lengths = report["history"]["training_data"]
    assert report["words"] == pytest.approx(lengths["words"] / lengths["sentences"], rel=0.1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--head", "NOUNS"], "This grammar has no tag 'NOUNS'. Its tags are: "),
        (["-n", 0], "--number must be at least 1, not 0."),
    ],
)
def test_faults_of_inspect_are_told(trained, arguments, message, capsys):
    assert depinduce("inspect", trained, *arguments) == 1
    assert message in capsys.readouterr().err


def test_a_grammar_that_mostly_never_ends_says_so(tmp_path, capsys):
    rules = {(RIGHT, VERB, valence): (0.9, (0, 1, 0)) for valence in (NO, HAS)}
    assert "0.20 of the trees that it generates come to an end" in lines_of(capsys, save(tmp_path, Order.FIRST, rules))


# ---------------------------------------------------------------- sample


def test_sentences_are_conllu_with_their_trees(trained, tmp_path, capsys):
    assert depinduce("sample", trained, "-n", 30, "--max-words", 12, "-o", tmp_path / "a.conllu") == 0
    assert "generated 30 sentences, " in capsys.readouterr().err
    sentences = list(read_sentences(tmp_path / "a.conllu", trees=True))
    assert len(sentences) == 30
    assert max(map(len, sentences)) <= 12
    for number, sentence in enumerate(sentences, start=1):
        tags = sentence.column(4)
        assert sentence.forms == tags
        assert sentence.comments[:2] == [f"# sent_id = sample-{number}", f"# text = {' '.join(tags)}"]
        assert [relation == "root" for relation in sentence.column(8)] == [head == 0 for head in sentence.heads]
        assert set(sentence.column(8)) <= {"root", "dep"}
    assert depinduce("check", tmp_path / "a.conllu") == 0


def test_the_comment_is_the_probability_of_the_tree(trained, tmp_path):
    from depinduce.grammar.trees import tree_log_potentials

    assert depinduce("sample", trained, "-n", 20, "-o", tmp_path / "a.conllu") == 0
    model = load_grammar(trained)
    corpus = load_corpus(tmp_path / "a.conllu", tag_vocabulary=model.tags, with_heads=True)
    table, batch, factors = model.problem(corpus)
    comments = [sentence.comments[2] for sentence in read_sentences(tmp_path / "a.conllu")]
    told = [float(comment.removeprefix("# log_probability = ")) for comment in comments]
    np.testing.assert_allclose(told, tree_log_potentials(table, batch, corpus.heads, factors), atol=1e-6)


def test_generated_sentences_can_be_parsed_and_scored(trained, tmp_path):
    assert depinduce("sample", trained, "-n", 40, "-o", tmp_path / "a.conllu") == 0
    assert depinduce("parse", trained, tmp_path / "a.conllu", "-o", tmp_path / "b.conllu") == 0
    assert depinduce("evaluate", tmp_path / "a.conllu", tmp_path / "b.conllu") == 0


def test_the_same_seed_gives_the_same_bytes_on_stdout_and_in_a_packed_file(trained, tmp_path, capsysbinary):
    assert depinduce("sample", trained, "--seed", 3) == 0
    shown = capsysbinary.readouterr().out
    assert shown.count(b"# sent_id = ") == 10
    assert depinduce("sample", trained, "--seed", 3, "-o", tmp_path / "a.conllu.gz") == 0
    assert gzip.decompress((tmp_path / "a.conllu.gz").read_bytes()) == shown
    assert depinduce("sample", trained, "--seed", 4) == 0
    assert capsysbinary.readouterr().out != shown


@pytest.mark.parametrize(("reading", "column"), [(Reading("xpos"), 5), (Reading("6"), 6), (Reading("upos"), 4)])
def test_the_tags_are_written_where_the_grammar_reads_them(reading, column, tmp_path):
    assert depinduce("sample", first_order(tmp_path, reading=reading), "-o", tmp_path / "a.conllu") == 0
    sentence = next(read_sentences(tmp_path / "a.conllu"))
    assert sentence.column(column) == sentence.forms
    others = {4, 5, 6} - {column}
    assert {value for other in others for value in sentence.column(other)} == {"_"}


def test_what_was_thrown_away_is_told(tmp_path, capsys):
    grammar = first_order(tmp_path, non_heads=("NOUN", "ADP"))
    assert depinduce("sample", grammar, "-n", 50, "--max-words", 2, "-o", tmp_path / "a.conllu") == 0
    told = capsys.readouterr().err
    assert " with more than 2 words, " in told
    assert told.rstrip().endswith(" with children under NOUN")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-n", 0], "--number must be at least 1, not 0."),
        (["--seed", -1], "--seed must be at least 0, not -1."),
        (["--max-words", 0], "--max-words must be at least 1, not 0."),
    ],
)
def test_faults_of_sample_are_told(trained, arguments, message, tmp_path, capsys):
    assert depinduce("sample", trained, *arguments, "-o", tmp_path / "a.conllu") == 1
    assert message in capsys.readouterr().err
    assert contents(tmp_path) == {}


def test_giving_up_leaves_no_output(tmp_path, monkeypatch, capsys):
    from depinduce.insight import generation

    monkeypatch.setattr(generation, "TRIES", 20)
    endless = replace(random_table(Order.FIRST, 3, seed=0), decision=np.full((12, 2), [-np.inf, 0.0]))
    GrammarModel(Order.FIRST, TAGS, endless).save(tmp_path / "grammar")
    before = contents(tmp_path)
    assert depinduce("sample", tmp_path / "grammar", "-o", tmp_path / "a.conllu") == 1
    assert "20 tries gave no sentence: 20 times there were more than 40 words" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_examples_of_a_file_stand_below_the_rules_that_they_show(trained, tmp_path, capsys):
    text = demo_part(tmp_path / "text.conllu", count=40)
    assert depinduce("inspect", trained, "--examples", text) == 0
    lines = capsys.readouterr().out.splitlines()
    example = lines[1 + next(number for number, line in enumerate(lines) if "NOUN takes DET on its left" in line)]
    assert example.startswith("      ") and example.index("(") < example.index("[")
    words = example.replace("(", "").replace(")", "").replace("[", "").replace("]", "").split()
    assert words in [sentence.forms for sentence in read_sentences(text)]
