"""Learning from checked trees while people go on: what comes out is what `train --trees` gives."""

from __future__ import annotations

import pytest
from cli.demo_parts import demo_part, model_files, without_heads
from serve.desks import ask, check, desk_on, surveyed

from depinduce import DepinduceError, Parser
from depinduce.corpus import read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.labels import main_type, relation_table
from depinduce.models.loading import load_model
from depinduce.serve import retraining
from depinduce.serve.relations import RELATIONS
from depinduce.serve.retraining import TreeScore, score, settings_of

SETTINGS = {"model": "dmv", "iterations": 3, "non_heads": ["ud"]}


@pytest.fixture
def desk(tmp_path):
    corpus = tmp_path / "corpus.conllu"
    demo_part(corpus, count=60)
    Parser.train(corpus, **SETTINGS, out=tmp_path / "dmv")
    corpus.write_text(without_heads(corpus.read_text("utf-8")))
    with desk_on(corpus, tmp_path / "dmv") as desk:
        yield surveyed(desk)


class HereAndNow:
    """What stands in for a process: the same work, done before anybody goes on."""

    def __init__(self, target, args, daemon):
        self.target, self.args = target, args

    def start(self):
        self.target(*self.args)

    def join(self):
        pass

    def terminate(self):
        pass


@pytest.fixture
def at_once(monkeypatch):
    """Retrainings are done when they begin, in this process."""
    context = retraining.multiprocessing.get_context("spawn")
    monkeypatch.setattr(context, "Process", HereAndNow, raising=False)
    monkeypatch.setattr(retraining.multiprocessing, "get_context", lambda kind: context)
    monkeypatch.setattr(retraining.multiprocessing, "parent_process", lambda: None)


def finished(desk):
    for thread in retraining.threading.enumerate():
        if thread.name == "retraining":
            thread.join(60)
    assert not desk.retraining.is_running
    return ask(desk, "desk")["retraining"]


def test_the_grammar_is_the_one_that_train_gives_and_is_in_use(desk, at_once, tmp_path):
    for number in range(8):
        check(desk, number)
    before = desk.survey
    ask(desk, "desk-retrain")
    told = finished(desk)
    assert told["state"] == "done"
    assert told["trees"] == 8
    Parser.train(desk.file.path, trees=desk.place / "checked.conllu", **SETTINGS, out=tmp_path / "train")
    assert model_files(desk.place / "retrained-1") == model_files(tmp_path / "train")
    assert desk.survey.name == told["grammar"] == "retrained-1"
    assert list(desk.shelf.models) == ["dmv", "retrained-1"]
    assert desk.before is before


def test_scores_are_of_trees_that_were_left_out(desk, at_once, monkeypatch):
    taught = []
    trained = retraining._trained

    def watched(settings, file, trees, out, tell):
        taught.append({tree.sent_id for tree in trees})
        return trained(settings, file, trees, out, tell)

    monkeypatch.setattr(retraining, "_trained", watched)
    asked = []
    monkeypatch.setattr(
        retraining, "score", lambda model, trees: asked.append({t.sent_id for t in trees}) or TreeScore(1, 1)
    )
    for number in range(7):
        check(desk, number)
    ask(desk, "desk-retrain")
    told = finished(desk)
    everything, *folds = taught
    old, *left_out = asked
    assert everything == old == set().union(*left_out)
    assert all(known | other == everything and not known & other for known, other in zip(folds, left_out, strict=True))
    assert told["new_score"] == {"words": 3, "heads": 3, "labels": 0}


def test_few_trees_are_learned_from_and_not_scored(desk, at_once):
    check(desk, 0)
    ask(desk, "desk-retrain")
    told = finished(desk)
    assert (told["state"], told["grammar"], told["new_score"]) == ("done", "retrained-1", None)


def test_without_trees_there_is_nothing_to_learn(desk):
    with pytest.raises(DepinduceError, match="No tree was checked yet"):
        ask(desk, "desk-retrain")


def test_sentences_whose_trees_changed_are_listed(desk, at_once):
    trees = {}
    for number in range(60):
        trees[number] = ask(desk, "desk-sentence", number=number)["heads"]
    for number in range(6):
        check(desk, number)
    ask(desk, "desk-retrain")
    finished(desk)
    surveyed(desk)
    now = {number: ask(desk, "desk-sentence", number=number)["heads"] for number in range(60)}
    changed = [number for number in range(60) if now[number] != trees[number]]
    listed = ask(desk, "desk-list", state="changed", size=100)["sentences"]
    assert [line["number"] for line in listed] == changed
    assert ask(desk, "desk")["changed"] == len(changed)
    assert all(now[number] == trees[number] for number in range(6))


def test_a_training_that_fails_is_told_and_leaves_nothing(desk, at_once, monkeypatch):
    check(desk, 0)
    monkeypatch.setattr(retraining, "settings_of", lambda model: {"model": "dmv", "smoothing": -1.0})
    ask(desk, "desk-retrain")
    told = finished(desk)
    assert told["state"] == "failed"
    assert "smoothing" in told["fault"]
    assert not (desk.place / "retrained-1").exists()
    assert desk.survey.name == "dmv"


@pytest.mark.slow
def test_it_goes_on_in_a_process_of_its_own_which_can_be_stopped(desk):
    for number in range(6):
        check(desk, number)
    ask(desk, "desk-retrain")
    with pytest.raises(DepinduceError, match="on its way"):
        ask(desk, "desk-retrain")
    assert ask(desk, "desk-stop")["retraining"]["state"] == "stopped"
    finished(desk)
    assert desk.survey.name == "dmv"
    ask(desk, "desk-retrain")
    assert finished(desk)["state"] == "done"
    assert desk.survey.name == "retrained-1"


def test_a_universal_grammar_is_retrained_by_the_recipe_for_new_languages():
    assert settings_of(load_model("universal"))["model"] == "committee"


def test_scores_are_counted_by_hand():
    parser = Parser.train(demo_file("test"), **SETTINGS)
    (tree,) = [one for one in read_sentences(demo_file("test")) if len(one) == 7][:1]
    (parsed,) = parser.parse([tree], labels=True)
    right = [
        own == found for own, found, value in zip(tree.heads, parsed.heads, parsed.probabilities, strict=True) if value
    ]
    found = score(parser.model, [tree])
    assert (found.words, found.heads) == (len(right), sum(right))


def test_every_relation_that_the_rules_name_can_be_chosen():
    assert len(set(RELATIONS)) == len(RELATIONS) == 37  # of UD, version 2
    assert {main_type(rule.label) for rule in relation_table().rules} <= set(RELATIONS)
