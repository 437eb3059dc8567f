"""What version 0.1.0 wrote is still read: models parse as they did, and trainings go on where they were.

`version-0.1.0` holds directories that the code of that version wrote, and in expected.json the heads and the
log-likelihoods that it then gave to the sentences of dev.conllu.
"""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from depinduce import Parser
from depinduce.cli import main
from depinduce.corpus import load_corpus, read_sentences
from depinduce.learning.held_out import held_out, training_corpus
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import configure
from depinduce.models.loading import load_model
from depinduce.models.model import Model
from depinduce.models.places import CHECKPOINT, CONFIGURATION, DESCRIPTION, METRICS, place_of_model
from depinduce.settings import read_toml

PLACE = Path(__file__).parent / "version-0.1.0"
EXPECTED = json.loads((PLACE / "expected.json").read_text("utf-8"))
SENTENCES = list(read_sentences(PLACE / "dev.conllu"))
TRAININGS = ("sibling", "lexical", "joint", "inside-out", "seeds/seed-0", "seeds/seed-1")
WITH_DEV = ("sibling", "lexical", "joint")  # for which dev.conllu was held out

every_model = pytest.mark.parametrize("name", EXPECTED)
every_training = pytest.mark.parametrize("name", TRAININGS)


def test_every_directory_is_here():
    assert {path.name for path in PLACE.iterdir() if path.is_dir()} == EXPECTED.keys()
    for path in PLACE.rglob(DESCRIPTION):
        assert json.loads(path.read_text("utf-8"))["format_version"] == 1


# ---------------------------------------------------------------- models


def log_probabilities(model: Model, trees: list[list[int]]) -> np.ndarray:
    """Of one tree per sentence, from which punctuation is taken out: it heads nothing. [sentence]"""
    corpus = load_corpus([PLACE / "dev.conllu"], model.reading, tag_vocabulary=model.tags)
    heads = []
    for sentence, tree in zip(SENTENCES, trees, strict=True):
        words = [place for place, tag in enumerate(sentence.column(4), start=1) if tag != "PUNCT"]
        number = {0: 0} | {place: new for new, place in enumerate(words, start=1)}
        heads += [number[tree[place - 1]] for place in words]
    return model.problem(corpus).log_potentials(np.array(heads))


@every_model
def test_a_model_parses_as_it_did(name):
    parser, expected = Parser.load(PLACE / name), EXPECTED[name]
    parses = parser.parse(SENTENCES)
    assert [parse.log_likelihood for parse in parses] == pytest.approx(expected["log_likelihood"], abs=1e-3)
    found = [parse.heads for parse in parses]
    if parser.model.scores_trees:  # where trees are equally probable, it may now be another
        then = log_probabilities(parser.model, expected["heads"])
        assert [parse.log_probability for parse in parses] == pytest.approx(then, abs=1e-4)
        pairs = zip(found, expected["heads"], strict=True)
        assert np.mean([tree == other for tree, other in pairs]) > 0.8
    else:
        assert found == expected["heads"]


@every_model
def test_a_model_comes_back_from_the_present_format_as_it_was(name, tmp_path):
    model = load_model(PLACE / name)
    model.save(tmp_path / "model")
    assert json.loads((tmp_path / "model" / DESCRIPTION).read_text("utf-8"))["format_version"] == 2
    again = load_model(tmp_path / "model")
    assert (type(again), again.about, again.history) == (type(model), model.about, model.history)
    one, other = Parser(model).parse(SENTENCES), Parser(again).parse(SENTENCES)
    assert [(parse.heads, parse.log_likelihood) for parse in one] == [
        (parse.heads, parse.log_likelihood) for parse in other
    ]


@every_model
def test_the_description_of_a_model_is_that_which_it_has_now(name):
    """In a file of the old format it is made up from what is there."""
    model = load_model(PLACE / name)
    description = json.loads((place_of_model(PLACE / name) / DESCRIPTION).read_text("utf-8"))
    written = description["history"].get("steps", description["history"].get("epochs"))
    assert model.history["round_name"] == ("iteration" if "steps" in description["history"] else "epoch")
    assert [(line["round"], line["train"]) for line in model.history["rounds"]] == [
        (line.get("iteration", line.get("epoch")), line["train"]) for line in written
    ]
    assert not {"steps", "epochs"} & model.history.keys()


@every_model
def test_a_model_is_inspected_and_reported(name, tmp_path):
    parser = Parser.load(PLACE / name)
    if parser.model.rule_view() is not None:
        inspection = parser.inspect()
        assert math.fsum(rule.probability for rule in inspection.roots) == pytest.approx(1, abs=1e-6)
        assert inspection.heads
    page = tmp_path / "report.html"
    assert main(["report", str(PLACE / name), "--sentences", str(PLACE / "dev.conllu"), "-o", str(page)]) == 0
    text = page.read_text("utf-8")
    assert text.endswith("</html>\n") and text.count("<svg") > 3


def test_the_parts_of_a_joint_model_have_new_names():
    model = load_model(PLACE / "joint")
    assert list(model.parts) == ["tags", "words"]
    over_tags, over_words = load_model(PLACE / "joint/model/second"), load_model(PLACE / "joint/model/first")
    assert model.over_tags.table.child.tobytes() == over_tags.table.child.tobytes()
    assert model.over_words.words == over_words.words
    assert type(over_words) is type(model.over_words)


# ---------------------------------------------------------------- trainings


def run(name: str, directory: Path, epochs: int) -> Run:
    """A training as version 0.1.0 was asked for it, but with so many epochs."""
    whole = configure(read_toml(PLACE / name / CONFIGURATION) | {"epochs": epochs})
    train = training_corpus([PLACE / "train.conllu"], whole.reading)
    dev = held_out([PLACE / "dev.conllu"], whole.reading, train) if name in WITH_DEV else None
    return Run(whole, train, dev, directory)


def gone_on(name: str, directory: Path, epochs: int) -> Model:
    resumed = run(name, directory, epochs)
    resumed.resume()
    assert not resumed.finished
    model, finished = resumed.go()
    assert finished
    return model


@every_training
def test_a_training_goes_on_as_if_this_version_had_begun_it(name, tmp_path):
    directory = shutil.copytree(PLACE / name, tmp_path / "run")
    before, epochs = load_model(directory), read_toml(directory / CONFIGURATION)["epochs"]
    run(name, tmp_path / "anew", epochs).go()
    model, anew = gone_on(name, directory, epochs + 2), gone_on(name, tmp_path / "anew", epochs + 2)
    rounds = model.history["rounds"]
    assert rounds[:-2] == before.history["rounds"]
    assert [line["round"] for line in rounds[-3:]] == [epochs, epochs + 1, epochs + 2]
    assert len((directory / METRICS).read_text("utf-8").splitlines()) == len(rounds)
    assert [line["train"] for line in rounds] == pytest.approx(
        [line["train"] for line in anew.history["rounds"]], abs=1e-3
    )
    assert log_likelihoods(Parser.load(directory)) == pytest.approx(log_likelihoods(Parser(anew)), abs=1e-3)
    assert np.mean(log_likelihoods(Parser(model))) > np.mean(log_likelihoods(Parser(before)))


def log_likelihoods(parser: Parser) -> list[float]:
    return [parse.log_likelihood for parse in parser.parse(SENTENCES)]


@every_training
def test_a_finished_training_stays_as_it_is(name, tmp_path):
    directory = shutil.copytree(PLACE / name, tmp_path / "run")
    before = load_model(directory)
    finished = run(name, directory, read_toml(directory / CONFIGURATION)["epochs"])
    finished.resume()
    assert finished.finished
    model, _ = finished.go()
    assert log_likelihoods(Parser(model)) == pytest.approx(log_likelihoods(Parser(before)), abs=1e-3)
    assert model.history["rounds"] == before.history["rounds"]


def test_a_training_goes_on_from_the_checkpoint_alone(tmp_path):
    """As it is left by a process that was killed."""
    for name in ("config.toml", METRICS, CHECKPOINT):
        shutil.copy(PLACE / "joint" / name, tmp_path / name)
    model = gone_on("joint", tmp_path, 3)
    assert list(model.parts) == ["tags", "words"]
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["model.json", "tags", "words"]
