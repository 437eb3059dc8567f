"""Log-linear rules, against loops over features that are strings."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from depinduce.corpus import Vocabulary
from depinduce.corpus.tag_classes import in_class
from depinduce.grammar.log_linear import TEMPLATES, Features
from depinduce.grammar.multinomials import Multinomials, random_counts
from depinduce.grammar.rules import Order, RuleTable

TAGS = Vocabulary(["NOUN", "DET", "VERB", "PROPN", "X"], [9, 8, 7, 6, 5])
CHOICES = [(), ("noun",), ("back-off",), ("noun", "verb", "noun-verb", "back-off")]
every_choice = pytest.mark.parametrize("templates", CHOICES, ids="+".join)
either_valence = pytest.mark.parametrize("child_valence", [True, False])


def names_of(tag: str, templates: tuple[str, ...]) -> list[str]:
    classes = [name for name in templates if name != "back-off" and in_class([tag], name)[0]]
    return [tag, *classes]


def features_of(kind: str, head: str, outcome: list[str], direction: int, valence: int, templates, valences: bool):
    """The features of a rule by their names."""
    found = []
    for name in names_of(head, templates):
        for other in outcome:
            for seen_direction in {direction, "any"} if "back-off" in templates else {direction}:
                of_valence = {valence if valences else "any"}
                for seen_valence in of_valence | {"any"} if "back-off" in templates else of_valence:
                    found.append((kind, name, other, seen_direction, seen_valence))
    return found


def slow_features(templates, child_valence) -> dict[str, list[list[list[tuple]]]]:
    """The features of every rule: [row, outcome]"""
    tags = TAGS.symbols
    contexts = [(d, h, v) for d in (0, 1) for h in tags for v in (0, 1)]
    return {
        "root": [[[("root", name) for name in names_of(tag, templates)] for tag in tags]],
        "child": [
            [features_of("child", h, names_of(c, templates), d, v, templates, child_valence) for c in tags]
            for d, h, v in contexts
        ],
        "decision": [
            [features_of("decision", h, [a], d, v, templates, True) for a in ("STOP", "GO")] for d, h, v in contexts
        ],
    }


def slow_table(weights: Counter, templates, child_valence) -> dict[str, np.ndarray]:
    """The log probabilities of all rules."""
    tables = {}
    for kind, rows in slow_features(templates, child_valence).items():
        scores = np.array([[sum(weights[feature] for feature in features) for features in row] for row in rows])
        tables[kind] = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return tables


@every_choice
@either_valence
def test_there_is_a_weight_for_every_feature(templates, child_valence):
    rules = [row for rows in slow_features(templates, child_valence).values() for row in rows]
    assert Features.of(TAGS, templates, child_valence).size == len({f for row in rules for fs in row for f in fs})


@every_choice
@either_valence
def test_the_table_is_that_of_sums_over_features(templates, child_valence):
    """One weight after the other, found by the rules that it changes."""
    features = Features.of(TAGS, templates, child_valence)
    slow = slow_features(templates, child_valence)
    by_rules = {}  # the rules that have a feature -> the feature
    for feature in {f for rows in slow.values() for row in rows for fs in row for f in fs}:
        has = np.concatenate([[feature in fs for row in slow[kind] for fs in row] for kind in slow])
        by_rules.setdefault(has.tobytes(), []).append(feature)
    rng = np.random.default_rng(0)
    values, named = rng.normal(size=features.size), Counter()
    for number, value in enumerate(values):
        gradient_of = np.concatenate([part.ravel() for part in scores_by(features, number)])
        named[by_rules[(gradient_of > 0).tobytes()].pop()] = value
    assert not any(by_rules.values())
    table = features.table(values)
    for kind, wanted in slow_table(named, templates, child_valence).items():
        np.testing.assert_allclose(getattr(table, kind).reshape(wanted.shape), wanted, atol=1e-12)


def scores_by(features: Features, number: int) -> list[np.ndarray]:
    """By how much a weight changes the score of every rule: that of its basic rule in a table where others are 0."""
    step = np.zeros(features.size)
    step[number] = 1.0
    parts = []
    for part in features.table(step).parts:
        rows = part.reshape(-1, part.shape[-1])
        changed = rows - rows.min(axis=1, keepdims=True) > 0.5
        everywhere = np.zeros_like(rows)
        everywhere[changed] = 1.0
        parts.append(everywhere)
    return parts


@every_choice
@either_valence
def test_the_gradient_is_that_of_small_changes(templates, child_valence):
    features, counts = Features.of(TAGS, templates, child_valence), random_counts(Order.FIRST, len(TAGS), 1)
    place = np.random.default_rng(2).normal(size=features.size)
    _, gradient = features.value_and_gradient(place, counts)
    for number in range(0, features.size, 7):
        small = np.zeros(features.size)
        small[number] = 1e-5
        ahead, behind = (features.value_and_gradient(place + side * small, counts)[0] for side in (1, -1))
        assert gradient[number] == pytest.approx((ahead - behind) / 2e-5, abs=1e-6)


@every_choice
@either_valence
def test_basic_weights_give_any_table(templates, child_valence):
    family = Multinomials.smoothed(Order.FIRST, len(TAGS), 0.0, child_valence)
    table = family.estimate(random_counts(Order.FIRST, len(TAGS), 3))
    features = Features.of(TAGS, templates, child_valence)
    found = features.table(features.basic(table))
    for one, other in zip(found.parts, table.parts, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


def test_what_is_impossible_stays_as_good_as_impossible():
    table = Multinomials.smoothed(Order.FIRST, len(TAGS), 0.0).estimate(random_counts(Order.FIRST, len(TAGS), 3))
    impossible = RuleTable(table.root, table.child, np.tile([-np.inf, 0.0], (len(table.decision), 1)))
    features = Features.of(TAGS, TEMPLATES)
    weights = features.basic(impossible)
    assert np.isfinite(weights).all()
    assert (np.exp(features.table(weights).decision[:, 0]) < 1e-12).all()
