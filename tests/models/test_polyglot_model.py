"""Universal grammars: each sentence by the rules of its language, strangers by the mean, and files that keep it all."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from learning.languages import TAGS, language, universal_of

from depinduce.errors import DepinduceError
from depinduce.grammar.headedness import FirstOrder, OrderFree
from depinduce.models.loading import load_model
from depinduce.models.model_files import digest_of, write_numbers
from depinduce.models.places import DESCRIPTION
from depinduce.models.polyglot_model import PolyglotModel
from depinduce.parsing.decoding import Parsing, parse_trees


def learned() -> PolyglotModel:
    """A universal grammar whose languages differ."""
    model = universal_of(("final", "initial"))
    pool = replace(model.pool, **{name: np.repeat(part[None], 2, axis=0) for name, part in model.pool.named.items()})
    draw = np.random.default_rng(3).exponential
    counts = FirstOrder(*(draw(scale=300, size=part.shape) for part in model.table))
    return PolyglotModel.of(TAGS, model.names, OrderFree(pool).estimate(counts), model.pool, non_heads=("A",))


MODEL = learned()
TEXT, _ = language("mixed", 12, seed=1)
ASKED = Parsing(posteriors=True, log_likelihood=True)


def same(one, other) -> bool:
    parts = ("heads", "posteriors", "log_z", "log_probability")
    return all(np.allclose(getattr(one, part), getattr(other, part), rtol=1e-12) for part in parts)


@pytest.mark.parametrize("unknown", [False, True])
def test_every_sentence_is_parsed_by_the_rules_of_its_language(unknown):
    text = replace(TEXT, tags=np.where(np.arange(len(TEXT.tags)) % 7 == 0, -1, TEXT.tags)) if unknown else TEXT
    mixed = replace(text, language=np.array([0, 1, -1] * 4))
    found = parse_trees(MODEL, mixed, ASKED)
    grammars = [MODEL.in_language("final"), MODEL.in_language("initial"), MODEL.universal]
    for number, grammar in enumerate(grammars):
        mask = np.arange(12) % 3 == number
        alone = parse_trees(grammar, text.select(mask), ASKED)
        tokens = np.repeat(mask, text.lengths)
        assert np.array_equal(found.heads[:, tokens], alone.heads)
        assert found.log_z[mask] == pytest.approx(alone.log_z, rel=1e-12)


def test_without_a_language_it_is_the_mean_of_all():
    plain = parse_trees(MODEL, TEXT, ASKED)
    assert same(plain, parse_trees(MODEL, replace(TEXT, language=np.full(12, -1)), ASKED))
    assert same(plain, parse_trees(MODEL.rule_view(), TEXT, ASKED))
    child = np.mean([np.exp(MODEL.in_language(name).table.child) for name in MODEL.languages], axis=0)
    assert np.exp(MODEL.universal.table.child) == pytest.approx(child)


def test_non_heads_head_nothing_in_any_language():
    corpus = replace(TEXT, language=np.array([0, 1, -1] * 4))
    heads = parse_trees(MODEL, corpus, Parsing()).heads[0]
    head_tags = corpus.tags[np.repeat(corpus.offsets[:-1], corpus.lengths) + heads - 1][heads > 0]
    assert not (head_tags == TAGS.id("A")).any()


def test_a_saved_model_is_the_same_to_the_last_bit(tmp_path):
    MODEL.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert isinstance(again, PolyglotModel)
    assert again.languages == MODEL.languages and again.non_heads == ("A",)
    for one, other in zip((*MODEL.table, *MODEL.pool.parts), (*again.table, *again.pool.parts), strict=True):
        assert one.tobytes() == other.tobytes() and other.dtype == np.float64


def test_tables_of_another_shape_are_refused(tmp_path):
    MODEL.save(tmp_path / "model")
    path = tmp_path / "model" / DESCRIPTION
    description = json.loads(path.read_text("utf-8")) | {"names": ["final"]}
    description["sha256"][DESCRIPTION] = digest_of(description)
    path.write_text(json.dumps(description), "utf-8")
    with pytest.raises(DepinduceError, match="the tables are not those of 1 languages over 5 tags"):
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

    monkeypatch.setattr("depinduce.models.polyglot_model.write_numbers", write)
    MODEL.save(tmp_path / "model")
    with pytest.raises(DepinduceError, match=message):
        load_model(tmp_path / "model")


def test_it_opens_the_rules_of_the_language_of_a_sentence():
    one = TEXT.select(np.arange(12) == 0)
    (rules,) = MODEL.open_rules(replace(one, language=np.array([1])))
    assert np.array_equal(rules.problem.table.child, MODEL.in_language("initial").table.child)
    (rules,) = MODEL.open_rules(one)
    assert np.array_equal(rules.problem.table.child, MODEL.universal.table.child)
