"""Grammars of many languages: each sentence by the rules of its own, strangers by universal ones; and their files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from learning.languages import TAGS, language, universal_of
from learning.tagged import random_table

from depinduce.errors import DepinduceError
from depinduce.grammar.headedness import FirstOrder, OrderFree
from depinduce.grammar.rules import Order
from depinduce.grammar.stacked import stacked
from depinduce.models import polyglot_model
from depinduce.models.loading import load_model, load_universal
from depinduce.models.model_files import digest_of, write_numbers
from depinduce.models.places import DESCRIPTION
from depinduce.models.polyglot_model import PolyglotModel
from depinduce.networks.language_vectors import moved
from depinduce.parsing.decoding import Parsing, parse_trees

NAMES = ("final", "initial")


def learned() -> PolyglotModel:
    """A universal grammar whose languages differ."""
    model = universal_of(NAMES)
    pool = replace(model.pool, **{name: np.repeat(part[None], 2, axis=0) for name, part in model.pool.named.items()})
    draw = np.random.default_rng(3).exponential
    counts = FirstOrder(draw(300, (2, 5)), draw(300, (2, 2, 5, 2, 5)), draw(300, (2, 2, 5, 2, 2)))
    table = OrderFree(pool).estimate(counts).table
    return PolyglotModel.of(Order.FIRST, TAGS, NAMES, table, model.pool, non_heads=("A",))


def drawn(order: Order, inside_out: bool = False) -> PolyglotModel:
    """Grammars at random, the universal one as different as any; as a network leaves them."""
    table = stacked(random_table(order, len(TAGS), seed) for seed in range(3))
    network = {"languages.vectors": np.ones((2, 3), dtype=np.float32)}
    about = {"non_heads": ("A",), "inside_out": inside_out, "network": network}
    return PolyglotModel.of(order, TAGS, NAMES, table, **about)


MODEL = learned()
MODELS = {
    "order-free": MODEL,
    "first": drawn(Order.FIRST),
    "sibling": drawn(Order.SIBLING),
    "inside-out": drawn(Order.SIBLING, inside_out=True),
    "grandparent": drawn(Order.GRANDPARENT),
}
TEXT, _ = language("mixed", 12, seed=1)
MIXED = replace(TEXT, language=np.array([0, 1, -1] * 4))
ASKED = Parsing(posteriors=True, log_likelihood=True)

every_kind = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def same(one, other) -> bool:
    parts = ("heads", "posteriors", "log_z", "log_probability")
    return all(np.allclose(getattr(one, part), getattr(other, part), rtol=1e-12) for part in parts)


@every_kind
@pytest.mark.parametrize("unknown", [False, True])
def test_every_sentence_is_parsed_by_the_rules_of_its_language(model, unknown):
    tags = np.where(np.arange(len(TEXT.tags)) % 7 == 0, -1, TEXT.tags) if unknown else TEXT.tags
    found = parse_trees(model, replace(MIXED, tags=tags), ASKED)
    for number, grammar in enumerate([*map(model.in_language, NAMES), model.universal]):
        mask = np.arange(12) % 3 == number
        words = np.repeat(mask, TEXT.lengths)
        alone = parse_trees(grammar, replace(TEXT, tags=tags).select(mask), ASKED)
        assert np.array_equal(found.heads[:, words], alone.heads)
        assert found.log_z[mask] == pytest.approx(alone.log_z, rel=1e-12)


@every_kind
def test_without_a_language_it_is_the_universal_grammar(model):
    plain = parse_trees(model, TEXT, ASKED)
    assert same(plain, parse_trees(model, replace(TEXT, language=np.full(12, -1)), ASKED))
    assert same(plain, parse_trees(model.rule_view(), TEXT, ASKED))
    assert not same(plain, parse_trees(model.in_language("final"), TEXT, ASKED))


def test_a_universal_grammar_that_nobody_gave_is_the_mean_of_all():
    child = np.mean([np.exp(MODEL.in_language(name).table.child) for name in MODEL.languages], axis=0)
    assert np.exp(MODEL.universal.table.child) == pytest.approx(child)


@every_kind
def test_non_heads_head_nothing_in_any_language(model):
    heads = parse_trees(model, MIXED, Parsing()).heads[0]
    head_tags = MIXED.tags[np.repeat(MIXED.offsets[:-1], MIXED.lengths) + heads - 1][heads > 0]
    assert not (head_tags == TAGS.id("A")).any()


@every_kind
def test_a_saved_model_is_the_same_to_the_last_bit(model, tmp_path):
    model.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert isinstance(again, PolyglotModel)
    assert (again.order, again.inside_out, again.about) == (model.order, model.inside_out, model.about)
    assert again.languages == model.languages and again.non_heads == ("A",)
    for one, other in zip(model.table.parts, again.table.parts, strict=True):
        assert one.tobytes() == other.tobytes() and other.dtype == np.float64
    assert (again.pool is None) == (model.pool is None)
    for name, weights in (model.network or {}).items():
        assert np.array_equal(again.network[name], weights)


def test_a_pool_is_kept_to_the_last_bit_and_only_with_it_new_languages_can_be_learned(tmp_path):
    for name, model in (("with", MODEL), ("without", MODELS["first"])):
        model.save(tmp_path / name)
    found = load_universal(tmp_path / "with").headedness
    assert all(one.tobytes() == other.tobytes() for one, other in zip(found.parts, MODEL.pool.parts, strict=True))
    with pytest.raises(DepinduceError, match="grammar over tags, of 2 languages, not a universal grammar"):
        load_universal(tmp_path / "without")


def test_files_from_before_there_was_a_universal_table_are_read(tmp_path, monkeypatch):
    def write(folder, arrays):
        rules = {name: arrays[name][:-1] for name in ("root", "child", "decision")}
        write_numbers(folder, arrays | rules)

    monkeypatch.setattr(polyglot_model, "write_numbers", write)
    MODEL.save(tmp_path / "model")
    change_description(tmp_path / "model", order=None, inside_out=None)
    again = load_model(tmp_path / "model")
    assert np.array_equal(again.in_language("final").table.child, MODEL.in_language("final").table.child)
    assert again.universal.table.child == pytest.approx(MODEL.universal.table.child, rel=1e-6)


def change_description(directory, **changes) -> None:
    """Say something else in the description of a model; None: nothing at all."""
    path = directory / DESCRIPTION
    description = json.loads(path.read_text("utf-8")) | changes
    description = {name: value for name, value in description.items() if name not in changes or value is not None}
    description["sha256"][DESCRIPTION] = digest_of(description)
    path.write_text(json.dumps(description), "utf-8")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ["final", "initial", "mixed", "free"]}, "not those of first grammars of 4 languages over 5 tags"),
        ({"order": "sibling"}, "not those of sibling grammars of 2 languages over 5 tags"),
        ({"inside_out": True}, "no first grammar has inside_out = True"),
    ],
)
def test_tables_of_another_shape_are_refused(changes, message, tmp_path):
    MODEL.save(tmp_path / "model")
    change_description(tmp_path / "model", **changes)
    with pytest.raises(DepinduceError, match=message):
        load_model(tmp_path / "model")


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("child", -np.inf, "child holds rows that are no probabilities"),
        ("headedness.root", -1.0, "root holds counts that are negative"),
        ("headedness.decision", np.nan, "decision holds numbers that are not finite"),
    ],
)
def test_numbers_that_were_never_right_are_refused(name, wrong, message, tmp_path, monkeypatch):
    def write(folder, arrays):
        write_numbers(folder, arrays | {name: np.full_like(arrays[name], wrong)})

    monkeypatch.setattr(polyglot_model, "write_numbers", write)
    MODEL.save(tmp_path / "model")
    with pytest.raises(DepinduceError, match=message):
        load_model(tmp_path / "model")


def test_a_pool_over_other_tags_is_refused(tmp_path, monkeypatch):
    def write(folder, arrays):
        write_numbers(folder, arrays | {"headedness.root": arrays["headedness.root"][1:]})

    monkeypatch.setattr(polyglot_model, "write_numbers", write)
    MODEL.save(tmp_path / "model")
    with pytest.raises(DepinduceError, match="which tags head which are not those of 5 tags"):
        load_model(tmp_path / "model")


@every_kind
def test_it_opens_the_rules_of_the_language_of_a_sentence(model):
    one = TEXT.select(np.arange(12) == 0)
    (rules,) = model.open_rules(replace(one, language=np.array([1])))
    assert np.array_equal(rules.problem.table.child, model.in_language("initial").table.child)
    (rules,) = model.open_rules(one)
    assert np.array_equal(rules.problem.table.child, model.universal.table.child)


def test_the_vectors_of_languages_are_what_they_do_to_embeddings():
    torch.manual_seed(1)
    embedding, vectors, maps = torch.randn(6, 4), torch.randn(2, 3), torch.randn(6, 4, 3)
    network = {"languages.vectors": vectors.numpy(), "languages.maps": maps.numpy()}
    found = replace(drawn(Order.FIRST), network=network).language_vectors
    for number in range(2):
        change = moved(embedding, vectors, maps, number)[0] - embedding
        assert found[number] == pytest.approx(change.flatten().numpy(), abs=1e-5)
    assert MODEL.language_vectors is None and MODEL.in_language("final").language_vectors is None
