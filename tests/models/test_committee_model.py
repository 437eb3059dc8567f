"""A committee: arcs are as probable as its members think on average, and one directory keeps them all."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from learning.languages import TAGS, language
from learning.tagged import random_table

from depinduce import Parser
from depinduce.chart.engine import trees_of_posteriors
from depinduce.corpus import Vocabulary
from depinduce.corpus.tagged import as_sentence
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.insight.stories import stories
from depinduce.models.committee_model import CommitteeModel
from depinduce.models.loading import load_model
from depinduce.models.model_files import digest_of
from depinduce.models.places import DESCRIPTION, NUMBERS
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_trees

FEWER = Vocabulary("PNVD", [4, 3, 2, 1])  # without A, and in another order
TEXT, _ = language("mixed", 12, seed=1)


def member(order: Order, tags: Vocabulary, seed: int) -> GrammarModel:
    return GrammarModel(order, tags, random_table(order, len(tags), seed), ("D",))


MEMBERS = {
    "order-free": member(Order.FIRST, TAGS, 1),
    "own": member(Order.SIBLING, FEWER, 2),
    "student": member(Order.GRANDPARENT, FEWER, 3),
}
MODEL = CommitteeModel(MEMBERS, {"settings": {"model": "committee"}})
ASKED = Parsing(posteriors=True, log_likelihood=True)


def opinions(text=TEXT):
    """What each member thinks of a text, told in its own tags."""
    found = []
    for grammar in MEMBERS.values():
        numbers = [grammar.tags.symbols.index(TAGS[tag]) if TAGS[tag] in grammar.tags.symbols else -1
                   for tag in text.tags if tag >= 0]  # fmt: skip
        own = np.full(len(text.tags), -1, dtype=np.int32)
        own[text.tags >= 0] = numbers
        found.append(grammar.problem(replace(text, tags=own)).posteriors())
    return found


@pytest.mark.parametrize("unknown", [False, True])
def test_an_arc_is_as_probable_as_the_members_think_on_average(unknown):
    text = replace(TEXT, tags=np.where(np.arange(len(TEXT.tags)) % 7 == 0, -1, TEXT.tags)) if unknown else TEXT
    mean, each = MODEL.problem(text).posteriors(), opinions(text)
    root, arc = sum(one.root for one in each) / 3, sum(one.arc for one in each) / 3
    assert mean.root == pytest.approx(root, rel=1e-12)
    assert mean.arc == pytest.approx(arc, rel=1e-12)
    likelihood = sum(np.exp(one.log_z) for one in each) / 3
    assert np.exp(mean.log_z) == pytest.approx(likelihood, rel=1e-9)
    assert MODEL.problem(text).log_partition() == pytest.approx(mean.log_z, rel=1e-12)
    trees = trees_of_posteriors(text.offsets, root, arc).heads
    for decode in ("viterbi", "mbr"):
        found = parse_trees(MODEL, text, replace(ASKED, decode=decode))
        assert np.array_equal(found.heads, trees)
        assert found.log_z == pytest.approx(mean.log_z)
        assert found.log_probability is None
        assert found.posteriors[0] == pytest.approx(mean.of(trees[0], text.offsets))


def test_a_member_that_allows_no_tree_leaves_the_choice_to_the_others():
    never = replace(MEMBERS["own"], table=random_table(Order.SIBLING, len(FEWER), 2))
    never.table.root[:] = -np.inf
    found = CommitteeModel({"order-free": MEMBERS["order-free"], "own": never}).problem(TEXT).posteriors()
    alone = MEMBERS["order-free"].problem(TEXT).posteriors()
    assert found.root == pytest.approx(alone.root / 2)
    assert found.log_z == pytest.approx(alone.log_z - np.log(2))


@pytest.mark.parametrize("option", [{"k_best": 2}, {"samples": 2}])
def test_nobody_knows_how_probable_a_single_tree_is(option):
    with pytest.raises(DepinduceError, match="this model is a committee, .* --part order-free or own or student"):
        parse_trees(MODEL, TEXT, Parsing(**option))
    assert not MODEL.scores_trees


def test_what_is_changed_is_changed_in_all_members():
    assert {one.non_heads for one in MODEL.with_non_heads(("A", "P")).members.values()} == {("A", "P")}
    heads = parse_trees(MODEL.with_non_heads(("N", "P")), TEXT, Parsing()).heads[0]
    head_tags = TEXT.tags[np.repeat(TEXT.offsets[:-1], TEXT.lengths) + heads - 1][heads > 0]
    assert not np.isin(head_tags, TAGS.ids(["N", "P"])).any()
    reading = replace(MODEL.reading, tags="xpos")
    assert {one.reading for one in MODEL.with_reading(reading).members.values()} == {reading}


def test_its_rules_are_those_of_the_student_or_else_of_the_first():
    assert MODEL.rule_view() is MEMBERS["student"]
    assert "student" in MODEL.about_rules
    two = CommitteeModel({name: MEMBERS[name] for name in ("order-free", "own")})
    assert two.rule_view() is MEMBERS["order-free"]
    assert "order-free" in two.about_rules
    assert two.order is Order.SIBLING and MODEL.order is Order.GRANDPARENT


def test_every_member_tells_the_story_of_a_tree():
    told = stories(MODEL, TEXT.select(np.arange(12) == 0), [0, *[1] * int(TEXT.lengths[0] - 1)])
    assert [story.title for story in told] == ["the grammar order-free", "the grammar own", "the grammar student"]


# ---------------------------------------------------------------- files


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("committee") / "model"
    MODEL.save(place)
    return place


def test_a_saved_committee_is_the_same_to_the_last_bit(saved):
    again = load_model(saved)
    assert isinstance(again, CommitteeModel)
    assert list(again.members) == list(MEMBERS) and again.history == MODEL.history
    for name, one in MEMBERS.items():
        assert again.members[name].non_heads == ("D",)
        for part, other in zip(one.table.parts, again.members[name].table.parts, strict=True):
            assert part.tobytes() == other.tobytes()


def test_a_member_is_a_model_of_its_own(saved):
    assert np.array_equal(load_model(saved / "own").table.child, MEMBERS["own"].table.child)
    sentence = as_sentence("a/N b/V c/D d/N")
    (by_part,) = Parser.load(saved, part="own").parse([sentence])
    (by_member,) = Parser(MEMBERS["own"]).parse([sentence])
    assert by_part.heads == by_member.heads
    with pytest.raises(DepinduceError, match="--part cannot be 'tags'. Choose from: order-free, own, student"):
        Parser.load(saved, part="tags")


def changed(place: Path, folder: str, **values) -> None:
    """Write other things into a description, as if they were right."""
    path = place / folder / DESCRIPTION
    description = json.loads(path.read_text("utf-8")) | values
    description["sha256"][DESCRIPTION] = digest_of(description)
    path.write_text(json.dumps(description), "utf-8")


@pytest.mark.parametrize("members", [["own", "order-free"], ["order-free", "../own"], [], "own", ["own", "own"], None])
def test_other_members_are_refused(members, saved, tmp_path):
    place = Path(shutil.copytree(saved, tmp_path / "model"))
    changed(place, ".", members=members)
    with pytest.raises(DepinduceError, match="no committee has the members"):
        load_model(place)


def test_a_member_of_another_committee_is_refused(saved, tmp_path):
    place = Path(shutil.copytree(saved, tmp_path / "model"))
    changed(place, "own", history={"another": True})
    with pytest.raises(DepinduceError, match=r"own/model\.json is not the file that was written"):
        load_model(place)


@pytest.mark.parametrize("name", list(MEMBERS))
def test_damage_in_a_member_is_noticed(name, saved, tmp_path):
    place = Path(shutil.copytree(saved, tmp_path / "model"))
    numbers = bytearray((place / name / NUMBERS).read_bytes())
    numbers[-9] ^= 1
    (place / name / NUMBERS).write_bytes(numbers)
    with pytest.raises(DepinduceError, match="its SHA-256 is another"):
        load_model(place)
    shutil.rmtree(place / name)
    with pytest.raises(DepinduceError, match="no model here"):
        load_model(place)
