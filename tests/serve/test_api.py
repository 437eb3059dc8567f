"""What the page is told: trees, alternatives, probabilities and rules, and faults in words."""

from __future__ import annotations

import json
import math
import shutil
import threading
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from corpus.blocks import block
from learning.tagged import random_table
from serve.demo_models import SENTENCE, answer, train_models

from depinduce import DepinduceError, Parser
from depinduce.corpus import Vocabulary, read_text
from depinduce.corpus.demo import demo_file
from depinduce.grammar.rules import Order
from depinduce.grammar.stacked import stacked
from depinduce.labels import learn_labels
from depinduce.models.loading import load_model
from depinduce.models.polyglot_model import PolyglotModel
from depinduce.serve.api import ACTIONS, list_models
from depinduce.serve.requests import (
    MOST_SENTENCES,
    MOST_WORDS,
    MOST_WORDS_OF_TREES,
    STEP,
    blocks_of,
    is_conllu,
    work_of,
)
from depinduce.serve.shelf import Shelf

pytestmark = pytest.mark.filterwarnings("ignore:tags that training has not seen")

SVG = "{http://www.w3.org/2000/svg}"
CONLLU = """# newdoc
# sent_id = s1
# a remark
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\tP\tA=b\t3\tcase\t_\tX=y
2\tle\tle\tDET\tD\t_\t3\tdet\t3:det\t_
3\tchat\tchat\tNOUN\tN\t_\t0\troot\t_\t_

# only a comment

1\tDort\tdormir\tVERB\tV\t_\t_\t_\t_\tSpaceAfter=No
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return train_models(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def shelf(models):
    return Shelf([models])


@pytest.fixture
def ask(shelf):
    def ask(action: str, **request):
        """The answer as the page gets it."""
        return json.loads(json.dumps(answer(shelf, action, request), allow_nan=False))

    return ask


@pytest.fixture
def sentence(ask):
    def sentence(text: str = SENTENCE, model: str = "dmv") -> dict:
        (found,) = ask("parse", model=model, text=text)["sentences"]
        return found

    return sentence


# ---------------------------------------------------------------- which models


def test_models_are_listed_by_name_and_kind(shelf):
    assert {model["name"]: model["about"] for model in list_models(shelf)["models"]} == {
        "dmv": "a first-order grammar over tags",
        "hidden": "HDP-DEP: a first-order grammar with hidden states",
        "siblings": "a sibling grammar over tags",
    }


def test_a_model_that_is_ready_tells_its_tags_and_has_examples_in_them(ask, shelf):
    shelf["dmv"].parser()
    told = ask("model", model="dmv")
    assert told["state"] == "ready"
    assert {"NOUN", "VERB"} <= set(told["tags"])
    assert told["examples"]
    found = ask("parse", model="dmv", text="\n".join(told["examples"]))
    assert len(found["sentences"]) == len(told["examples"])
    assert found["warnings"] == []


def test_a_model_is_loaded_in_the_background_when_it_is_first_asked_about(models, monkeypatch):
    may_go_on = threading.Event()
    monkeypatch.setattr("depinduce.serve.shelf.warm_up", lambda parser: may_go_on.wait(60))
    shelf = Shelf([models / "dmv"])
    told = answer(shelf, "model", {"model": "dmv"})
    assert told["state"] in ("found", "loading", "compiling")
    assert "tags" not in told
    may_go_on.set()
    shelf["dmv"].parser()  # waits for it
    assert answer(shelf, "model", {"model": "dmv"})["state"] == "ready"


def test_a_model_with_other_tags_has_no_examples(tmp_path):
    Parser.train(["dogs/N bark/V", "cats/N sleep/V"], iterations=1, out=tmp_path / "tiny")
    shelf = Shelf([tmp_path])
    shelf["tiny"].parser()
    assert answer(shelf, "model", {"model": "tiny"})["examples"] == []


def test_examples_are_sentences_of_the_text_that_people_work_on(models, tmp_path):
    path = tmp_path / "corpus.conllu"
    path.write_text(block("the/DET very/ADV old/ADJ dog/NOUN barks/VERB") + block("dog/NOUN"))
    shelf = Shelf([models / "dmv"])
    shelf["dmv"].parser()
    shelf.text = path
    assert answer(shelf, "model", {"model": "dmv"})["examples"] == ["the/DET very/ADV old/ADJ dog/NOUN barks/VERB"]


def test_heads_of_a_text_are_kept_and_the_rest_is_found_around_them(ask):
    text = "the/DET dogs/NOUN bark/VERB"
    (found,) = ask("parse", model="dmv", text=block(text, [3, "_", "_"]))["sentences"]
    assert (found["kept"], found["heads"]) == ([1], [3, 3, 0])
    (bare,) = ask("parse", model="dmv", text=block(text))["sentences"]
    assert (bare["kept"], bare["heads"]) == ([], [2, 3, 0])
    assert found["log_probability"] == bare["log_probability"]  # of the best tree, beside which others are judged


def test_runs_models_and_folders_are_found_once_under_different_names(models, tmp_path):
    shutil.copytree(models / "dmv", tmp_path / "a" / "dmv")
    shutil.copytree(models / "dmv" / "model", tmp_path / "b" / "run" / "model")
    shutil.copytree(models / "dmv", tmp_path / "b" / ".hidden")
    shelf = Shelf([models / "dmv", tmp_path, tmp_path / "a" / "dmv"])
    assert list(shelf.models) == [f"{models.name}/dmv", "a/dmv", "run"]


@pytest.mark.parametrize("name", ["nothing", "../page", "/etc", "", "models/dmv"])
def test_a_model_is_named_and_never_a_path(name, ask):
    with pytest.raises(DepinduceError, match="There is no model .* Choose from: dmv, hidden, siblings"):
        ask("parse", model=name, text=SENTENCE)


def test_where_there_is_no_model_it_is_said_at_once(tmp_path):
    with pytest.raises(DepinduceError, match="no model here"):
        Shelf([tmp_path])
    with pytest.raises(DepinduceError, match="no such directory"):
        Shelf([tmp_path / "nowhere"])


def test_a_damaged_model_is_told_in_words(models, tmp_path):
    shutil.copytree(models / "dmv", tmp_path / "broken")
    (tmp_path / "broken" / "model" / "model.safetensors").write_bytes(b"nonsense")
    shelf = Shelf([tmp_path / "broken"])
    with pytest.raises(DepinduceError, match="the model cannot be read"):
        shelf["broken"].parser()
    told = answer(shelf, "model", {"model": "broken"})
    assert told["state"] == "failed"
    assert "the model cannot be read" in told["fault"]


# ---------------------------------------------------------------- trees


def test_trees_are_those_of_the_parser(ask, models):
    found = ask("parse", model="dmv", text=f"{SENTENCE}\n\nDogs/NOUN bark/VERB\n")["sentences"]
    parses = Parser.load(models / "dmv").parse([SENTENCE, "Dogs/NOUN bark/VERB"])
    assert [one["heads"] for one in found] == [parse.heads for parse in parses]
    assert [one["words"] for one in found] == [parse.words for parse in parses]
    assert found[0]["probabilities"] == pytest.approx(parses[0].probabilities, nan_ok=True)
    assert found[0]["log_likelihood"] == pytest.approx(parses[0].log_likelihood)
    assert found[0]["punctuation"] == [8]


def test_a_look_at_a_sentence_shows_the_best_trees_and_all_posteriors(ask, sentence, models):
    look = ask("sentence", model="dmv", block=sentence()["block"], trees=3)
    parser = Parser.load(models / "dmv")
    best = parser.k_best(SENTENCE, 3)
    assert [tree["heads"] for tree in look["trees"]] == [parse.heads for parse in best]
    assert [tree["probability"] for tree in look["trees"]] == pytest.approx([parse.probability for parse in best])
    np.testing.assert_allclose(look["posteriors"], parser.posteriors(SENTENCE, calibrated=True), rtol=1e-4)
    assert [look["posteriors"][head][child] for child, head in enumerate(best[0].heads[:-1])] == pytest.approx(
        best[0].probabilities[:-1], rel=1e-4
    )
    for tree in look["trees"]:
        arcs = {(int(g.get("data-head")), int(g.get("data-child"))) for g in groups(tree["svg"])}
        assert arcs == {(head, child) for child, head in enumerate(tree["heads"], start=1)}


def groups(svg: str) -> list:
    return [g for g in ElementTree.fromstring(svg).iter(f"{SVG}g") if g.get("data-child")]


def test_hidden_states_give_one_tree_and_say_why(ask, sentence):
    found = sentence(model="hidden")
    look = ask("sentence", model="hidden", block=found["block"], trees=5)
    assert [tree["heads"] for tree in look["trees"]] == [found["heads"]]
    assert "hidden states" in look["note"]
    rules = ask("rules", model="hidden", block=found["block"], heads=found["heads"])
    assert rules["log_probability"] is None
    assert "hidden" in rules["note"]
    assert rules["stories"][0]["words"][0]["arc"]


def test_of_long_sentences_one_tree_is_shown_and_the_page_says_so(ask, sentence):
    text = " ".join(["dogs/NOUN"] * (MOST_WORDS_OF_TREES + 1))
    look = ask("sentence", model="dmv", block=sentence(text)["block"])
    assert len(look["trees"]) == 1
    assert str(MOST_WORDS_OF_TREES) in look["note"]


def test_any_tree_can_be_drawn(ask, sentence):
    block = sentence()["block"]
    heads = [2, 3, 0, 5, 3, 7, 5, 3]
    wide = ask("draw", model="dmv", block=block, heads=heads, probabilities=[0.5] * 7 + [None], width=2000)["svg"]
    assert {(int(g.get("data-head")), int(g.get("data-child"))) for g in groups(wide)} == {
        (head, child) for child, head in enumerate(heads, start=1)
    }
    numbered = [t.get("data-word") for t in ElementTree.fromstring(wide).iter(f"{SVG}text")]
    assert numbered == [str(number) for number in range(1, 9) for _ in ("word", "tag")]
    narrow = ask("draw", model="dmv", block=block, heads=heads, width=300)["svg"]
    assert float(ElementTree.fromstring(narrow).get("height")) > float(ElementTree.fromstring(wide).get("height"))
    assert "<style" not in wide  # the page forbids styles in its midst


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize("model", ["dmv", "siblings"])
def test_the_rules_of_a_tree_multiply_to_its_probability(model, ask, sentence):
    found = sentence(model=model)
    answer = ask("rules", model=model, block=found["block"], heads=found["heads"])
    (story,) = answer["stories"]
    assert answer["log_probability"] == pytest.approx(found["log_probability"], abs=1e-9)
    rules = [rule for word in story["words"] if word for rule in (*word["arc"], *word["stops"])]
    assert sum(math.log(rule["probability"]) for rule in rules) == pytest.approx(found["log_probability"], abs=1e-9)
    assert story["words"][7] is None  # punctuation


def test_a_corrected_tree_is_scored_whatever_punctuation_hangs_on(ask, sentence):
    found = sentence()
    heads = list(found["heads"])
    heads[7] = 1  # the full stop
    moved = ask("rules", model="dmv", block=found["block"], heads=heads)
    assert moved["log_probability"] == pytest.approx(found["log_probability"])


@pytest.mark.parametrize(
    ("heads", "note"),
    [
        ([3, 4, 0, 3, 3, 3, 3, 3], "Some arcs cross"),
        ([2, 8, 2, 5, 3, 7, 5, 0], ""),  # the word below the full stop is the root
        ([8, 8, 2, 5, 3, 7, 5, 0], "The root is punctuation"),
        ([0, 1, 1, 1, 1, 1, 1, 1], "does not allow this tree"),  # the/DET may not have children
    ],
)
def test_trees_that_the_grammar_cannot_have_are_told_in_words(heads, note, ask, sentence):
    answer = ask("rules", model="dmv", block=sentence()["block"], heads=heads)
    assert note in answer["note"]
    assert (answer["log_probability"] is None) == bool(note)


# ---------------------------------------------------------------- CoNLL-U


def test_everything_but_the_tree_is_downloaded_as_it_was_pasted(ask):
    found = ask("parse", model="dmv", text=CONLLU)["sentences"]
    assert [one["name"] for one in found] == ["s1", None]
    sentences = [{"block": found[0]["block"], "heads": [0, 1, 1]}, {"block": found[1]["block"], "heads": [0]}]
    text = ask("conllu", model="dmv", sentences=sentences)["text"]
    expected = CONLLU.replace("A=b\t3\tcase", "A=b\t0\troot").replace("_\t3\tdet\t3:det", "_\t1\tdep\t_")
    expected = expected.replace("N\t_\t0\troot", "N\t_\t1\tdep").replace("V\t_\t_\t_", "V\t_\t0\troot")
    assert text == f"{expected}\n"


def test_labels_of_heads_that_stay_are_downloaded(ask):
    found = ask("parse", model="dmv", text=CONLLU)["sentences"]
    text = ask("conllu", model="dmv", sentences=[{"block": found[0]["block"], "heads": [2, 3, 0]}])["text"]
    assert [columns[6:9] for columns in (line.split("\t") for line in text.splitlines()[4:7])] == [
        ["2", "dep", "_"],
        ["3", "det", "_"],
        ["0", "root", "_"],
    ]


def test_labels_are_drawn_where_the_text_has_some_and_the_head_is_the_same(ask):
    found = ask("parse", model="dmv", text=CONLLU)["sentences"][0]
    kept = ask("draw", model="dmv", block=found["block"], heads=[2, 3, 0])["svg"]
    assert ">det<" in kept and ">case<" not in kept and ">dep<" in kept
    assert "dep-label" not in ask("draw", model="dmv", block="dogs/NOUN bark/VERB", heads=[2, 0])["svg"]


def test_a_grammar_that_has_learned_labels_writes_and_draws_them(models, tmp_path):
    grammar = load_model(models / "dmv")
    gold = [next(read_text(block("dogs/NOUN bark/VERB", [2, 0], labels=["subject", "root"])))]
    history = grammar.history | {"labels": learn_labels(gold, grammar.reading).to_json()}
    replace(grammar, history=history).save(tmp_path / "named")
    shelf = Shelf([tmp_path])
    request = {"model": "named", "block": "cats/NOUN sleep/VERB", "heads": [2, 0]}
    assert ">subject<" in answer(shelf, "draw", request)["svg"]
    assert "\t2\tsubject\t" in answer(shelf, "conllu", {"model": "named", "sentences": [request]})["text"]


def test_typed_sentences_become_conllu(ask, sentence):
    found = sentence("Dogs/NOUN 1/2/NUM bark/VERB")
    text = ask("conllu", model="dmv", sentences=[{"block": found["block"], "heads": [3, 1, 0]}])["text"]
    (read,) = read_text(text)
    assert (read.forms, read.column(4), read.heads) == (["Dogs", "1/2", "bark"], ["NOUN", "NUM", "VERB"], [3, 1, 0])


def test_comments_at_the_end_stay_there():
    text = "1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n# the end\n"
    (block,) = blocks_of(text, 4)
    assert block.text == text


def test_the_whole_demo_corpus_comes_back_as_it_is():
    text = demo_file("test").read_text(encoding="utf-8")
    assert "".join(block.text for block in blocks_of(text, 4)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the/DET dog/NOUN", False),
        ("1/NUM 2/NUM", False),
        ("1\tthe", True),
        ("\n# sent_id = 1\n", True),
        ("1  the  the  DET  _  _  2  det  _  _\n2 x", True),
        ("1 the/DET dog/NOUN", False),
        ("#thanks/NOUN ,/PUNCT all/PRON", False),
        ("# a/b testing", True),
        ("#/SYM 1/NUM\n1\tthe", True),
    ],
)
def test_conllu_is_told_from_words_with_tags(text, expected):
    assert is_conllu(text) == expected


def test_a_byte_order_mark_is_no_part_of_a_word(ask):
    (found,) = ask("parse", model="dmv", text=f"\ufeff{SENTENCE}")["sentences"]
    assert found["words"][0] == "The"


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There is no sentence"),
        ("# only a comment\n", "There is no sentence"),
        ("Dogs/NOUN bark/VERB\nthe dog/NOUN", "Line 2: word 1 'the' has no tag. Write its tag behind a slash"),
        ("1\tthe\tDET\n", "Line 1: 3 columns where 10 are needed. Give every word 10 columns"),
        ("1  the  the  DET  _  _  2  det  _  _\n", "Line 1: the columns are separated by spaces"),
        ("1\tthe\t_\t_\t_\t_\t_\t_\t_\t_\n", "Line 1: word 1 'the' has no tag in column 4"),
        ("1\tthe\t_\t_\t_\t_\t_\t_\t_\t_\n", "say where the tags are with `depinduce train --tags`"),
        ("9" * 5000 + "\ta" + "\t_" * 8 + "\n", "Line 1: the id '9999"),
        ("1\ta\t_\tX\t_\t_\t" + "9" * 5000 + "\t_\t_\t_\n", "Line 1: the head 9999"),
        ("1\ta\t_\tX\t_\t_\t7\t_\t_\t_\n", "Line 1: the head 7 is not in the sentence"),
        (
            "a/X\n" * (MOST_SENTENCES + 1),
            f"There are more sentences than this page takes, {MOST_SENTENCES}. Paste",
        ),
        (f"a/X\n{'b/Y ' * (MOST_WORDS + 1)}", f"Sentence 2 has 151 words; this page takes up to {MOST_WORDS}"),
        ("\n".join(["b/Y " * MOST_WORDS] * 6), "Sentence 6 is too much for this page, together with those before it"),
        ("a\ud800/X", "half a character"),
        (7, "needs a text 'text'"),
    ],
)
def test_faults_of_a_text_are_told_with_their_line(text, message, ask):
    with pytest.raises(DepinduceError) as fault:
        ask("parse", model="dmv", text=text)
    assert message in str(fault.value)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        (None, "must be a list of whole numbers"),
        ([1.0, 0, 2], "must be a list of whole numbers"),
        ([True, 0, 2], "must be a list of whole numbers"),
        ([2, 0], "2 heads for 3 words"),
        ([2, 0, 4], "Word 3 cannot have the head 4"),
        ([2, 0, -1], "Word 3 cannot have the head -1"),
        ([2, 1, 0], "The heads go in a circle: Big → dogs → Big"),
        ([1, 0, 2], "The heads go in a circle: Big → Big"),
        ([0, 0, 2], "A tree has one root, and this one has 2"),
    ],
)
@pytest.mark.parametrize("action", ["draw", "rules", "conllu"])
def test_what_is_no_tree_is_refused(action, heads, message, ask, sentence):
    request = {"block": sentence("Big/ADJ dogs/NOUN bark/VERB")["block"], "heads": heads}
    if action == "conllu":
        request = {"sentences": [request]}
    with pytest.raises(DepinduceError) as fault:
        ask(action, model="dmv", **request)
    assert message in str(fault.value)


@pytest.mark.parametrize(
    ("action", "request_", "message"),
    [
        ("sentence", {"trees": 21}, "'trees' must be from 1 to 20, not 21"),
        ("sentence", {"trees": "5"}, "'trees' must be a whole number"),
        ("sentence", {"block": "a/X\nb/X"}, "must hold one sentence, not 2"),
        ("draw", {"width": -1}, "'width' must be from 0"),
        ("draw", {"probabilities": [0.5]}, "must be a list of 2 numbers from 0 to 1"),
        ("draw", {"probabilities": [0.5, 7]}, "must be a list of 2 numbers from 0 to 1"),
        ("conllu", {"sentences": "all"}, "must be a list of blocks"),
        ("conllu", {"sentences": [3]}, "must be a list of blocks"),
        ("conllu", {"sentences": [{}] * (MOST_SENTENCES + 1)}, "must be 200 at the most, not 201"),
    ],
)
def test_wrong_requests_are_refused_in_words(action, request_, message, ask, sentence):
    request = {"model": "dmv", "block": sentence("Dogs/NOUN bark/VERB")["block"], "heads": [2, 0]} | request_
    with pytest.raises(DepinduceError) as fault:
        ask(action, **request)
    assert message in str(fault.value)


def test_what_is_too_much_is_not_read_to_its_end():
    fault = "1\tno columns"
    with pytest.raises(DepinduceError, match="more sentences than this page takes"):
        blocks_of("1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n" * (MOST_SENTENCES + 2) + fault, 4)
    with pytest.raises(DepinduceError, match="Sentence 1 has 500001 words"):
        blocks_of("a/X " * 500_000 + "no_tag", 4)


def test_a_text_is_parsed_in_steps_each_of_bounded_work(shelf):
    lengths = [3, 60, 100, 40, 1, 120, 30, 30]
    text = "\n".join("a/NOUN " * length for length in lengths)
    steps = ACTIONS["parse"](shelf, {"model": "dmv", "text": text})
    left = list(steps)
    assert left[0] == sum(map(work_of, lengths))
    done = [before - after for before, after in pairwise([*left, 0])]
    assert all(work <= STEP or work in map(work_of, lengths) for work in done)
    assert len(done) > 3


def test_unknown_tags_are_a_warning(ask):
    answer = ask("parse", model="dmv", text="Dogs/NOUN bark/NEW ./PUNCT")
    assert answer["warnings"] == ["tags that training has not seen, parsed like an average tag: NEW"]
    assert len(answer["sentences"][0]["heads"]) == 3


@pytest.mark.filterwarnings("ignore:# language = xx")
def test_a_language_that_a_grammar_does_not_know_is_a_warning(tmp_path):
    tags = Vocabulary(["NOUN", "VERB"], [2, 1])
    table = stacked(random_table(Order.FIRST, 2, seed) for seed in range(3))
    PolyglotModel.of(Order.FIRST, tags, ("fr", "pl"), table).save(tmp_path / "many")
    shelf = Shelf([tmp_path])
    for name, told in (("fr", 0), ("xx", 1)):
        text = f"# language = {name}\n{block('a/NOUN b/VERB')}"
        found = answer(shelf, "parse", {"model": "many", "text": text})
        assert len(found["warnings"]) == told
        assert all(line.endswith("It knows fr pl") for line in found["warnings"])


def test_hostile_words_are_only_text(ask, sentence):
    words = ["<script>alert(1)</script>", '"onload="x', "\u200b\u202e", "y" * 5000, "&amp;"]
    found = sentence(" ".join(f"{word}/NOUN" for word in words))
    assert found["words"] == [*words[:2], "<U+200B><U+202E>", *words[3:]]
    svg = ask("draw", model="dmv", block=found["block"], heads=found["heads"], width=400)["svg"]
    root = ElementTree.fromstring(svg)
    assert "script" not in {element.tag.removeprefix(SVG) for element in root.iter()}
    shown = [t.text for t in root.iter(f"{SVG}text") if "dep-word" in t.get("class")]
    assert shown[0] == words[0]
    assert len(svg) < 20_000  # however long a word is


def test_characters_that_nobody_sees_are_shown_and_come_back_as_they_were(ask):
    block = "# sent_id = a\u202eb\n1\tdo\u202egs\x1b\t_\tNO\u2066UN\t_\t_\t_\t_\t_\t_\n\n"
    (found,) = ask("parse", model="dmv", text=block)["sentences"]
    assert (found["name"], found["words"], found["tags"]) == ("a<U+202E>b", ["do<U+202E>gs␛"], ["NO<U+2066>UN"])
    drawn = ask("draw", model="dmv", block=block, heads=[0])["svg"]
    for hidden in "\u202e\x1b\u2066":
        assert hidden not in drawn
    assert ask("conllu", model="dmv", sentences=[{"block": block, "heads": [0]}])["text"] == block.replace(
        "UN\t_\t_\t_\t_", "UN\t_\t_\t0\troot"
    )


def test_characters_that_nobody_sees_are_shown_in_tags_and_rules(tmp_path):
    Parser.train(["dogs/N\u202e bark/V"], iterations=1, out=tmp_path / "do\x1bgs")
    shelf = Shelf([tmp_path])
    assert list(shelf.models) == ["do␛gs"]
    request = {"model": "do␛gs", "block": "dogs/N\u202e bark/V", "heads": [2, 0]}
    shelf["do␛gs"].parser()
    told = json.dumps([answer(shelf, "model", request), answer(shelf, "rules", request)], ensure_ascii=False)
    assert "\u202e" not in told
    assert "N<U+202E>" in told


def test_nothing_but_punctuation_has_a_tree_and_no_rules(ask, sentence):
    found = sentence("./PUNCT !/PUNCT")
    look = ask("sentence", model="dmv", block=found["block"])
    assert look["trees"][0]["heads"] == found["heads"] == [0, 1]
    answer = ask("rules", model="dmv", block=found["block"], heads=[0, 1])
    assert answer["stories"] == []
    assert "punctuation" in answer["note"]


def test_glosses_and_translations_are_drawn(ask):
    words = ["1\tizinja\t_\tNOUN\t_\t_\t_\t_\t_\tGloss=dogs", "2\tkhonkotha\t_\tVERB\t_\t_\t_\t_\t_\t_"]
    block = "\n".join(["# text_en = Dogs bark.", *words]) + "\n\n"
    picture = ask("draw", model="dmv", block=block, heads=[2, 0])["svg"]
    assert ">dogs</text>" in picture
    assert ">‘Dogs bark.’</text>" in picture
