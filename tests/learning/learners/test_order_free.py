"""A new language around the headedness of others: against plain loops over all trees, mirrored, from ten sentences."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from chart.enumeration import projective_trees
from learning.languages import TAGS, language, share_right, universal_of
from learning.tagged import tagged

from depinduce.corpus import Corpus, Reading
from depinduce.errors import DepinduceError
from depinduce.grammar.headedness import RARE, Headedness
from depinduce.grammar.rules import GO, NO
from depinduce.learning.learners.order_free import OrderFreeLearner
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.settings.order_free import OrderFreeSettings
from depinduce.learning.training import Training
from depinduce.models.loading import load_universal
from depinduce.parsing.decoding import Parsing, parse_corpus

UNIVERSAL = universal_of(("final", "initial", "mixed"))


FREE = {"decision_strength": 30.0}  # the languages drawn here differ in their decisions more than real ones do


def settings(**values) -> OrderFreeSettings:
    return OrderFreeSettings(**{"model": "order-free"} | values)


def trained(corpus: Corpus, own: OrderFreeSettings, headedness: Headedness | None = None):
    if headedness is None:
        learner = OrderFreeLearner.of_universal(own, corpus, UNIVERSAL)
    else:
        learner = OrderFreeLearner(own, corpus, headedness)
    training = Training(own, [learner], corpus)
    training.begin()
    rounds = []
    while not training.finished:
        rounds.append(training.run_round())
    return learner.model({}), rounds


# ---------------------------------------------------------------- against plain loops


Rules = dict[tuple, float]  # of ("root", c), ("child", h, s, v, c) and ("decision", h, s, v, d)


def slow_em(sentences: list[str], headedness: Headedness, own: OrderFreeSettings) -> tuple[Rules, list[float]]:
    """The probabilities after all iterations, rule by rule, from sums over all trees of every sentence."""
    prior = _prior(headedness, own)
    now = {rule: prior[rule[0], *rule[1:2], *rule[3:]] for rule in product(["child"], "NVD", "LR", (0, 1), "NVD")}
    now |= {rule: prior[rule[0], *rule[1:2], *rule[3:]] for rule in product(["decision"], "NVD", "LR", (0, 1), (0, 1))}
    now |= {("root", c): prior["root", c] for c in "NVD"}
    likelihoods = []
    for iteration in range(own.iterations):
        expected: Rules = defaultdict(float)
        total = 0.0
        for sentence in sentences:
            trees = [_rules(sentence, heads) for heads in projective_trees(len(sentence))]
            chances = [np.prod([now[rule] for rule in tree]) for tree in trees]
            total += np.log(sum(chances))
            for tree, chance in zip(trees, chances, strict=True):
                for rule in tree:
                    expected[rule] += chance / sum(chances)
        likelihoods.append(total / len(sentences))
        now = _m_step(expected, prior, own, at_first=iteration < own.iterations / 2)
    return now, likelihoods


def _prior(headedness: Headedness, own: OrderFreeSettings) -> Rules:
    """q(c | h, v), F(d | h, v) and U(c), without the side."""
    number = {tag: place for place, tag in enumerate("NVD")}
    child, decision, root = headedness.child[0], headedness.decision[0], headedness.root[0]
    prior: Rules = {}
    for h, v in product("NVD", (0, 1)):
        general = {c: child[number[h], :, number[c]].sum() + RARE for c in "NVD"}
        weight = {c: child[number[h], v, number[c]] + own.backoff * general[c] / sum(general.values()) for c in "NVD"}
        prior |= {("child", h, v, c): weight[c] / sum(weight.values()) for c in "NVD"}
        decisions = [decision[number[h], v, d] + RARE for d in (0, 1)]
        prior |= {("decision", h, v, d): decisions[d] / sum(decisions) for d in (0, 1)}
    return prior | {("root", c): (root[number[c]] + RARE) / (root + RARE).sum() for c in "NVD"}


def _rules(sentence: str, heads: tuple[int, ...]) -> list[tuple]:
    """The rules of a tree: ("root", c), ("child", h, s, v, c) and ("decision", h, s, v, d)."""
    rules: list[tuple] = []
    for place, tag in enumerate(sentence, start=1):
        if heads[place - 1] == 0:
            rules.append(("root", tag))
        left = [child for child in range(1, place) if heads[child - 1] == place]
        right = [child for child in range(len(sentence), place, -1) if heads[child - 1] == place]
        for side, children in (("L", left), ("R", right)):
            for valence, child in zip([0] + [1] * len(children), children, strict=False):
                rules.append(("decision", tag, side, valence, 1))
                rules.append(("child", tag, side, valence, sentence[child - 1]))
            rules.append(("decision", tag, side, int(bool(children)), 0))
    return rules


def _m_step(expected: Rules, prior: Rules, own: OrderFreeSettings, at_first: bool) -> Rules:
    now: Rules = {}
    for h, s, v in product("NVD", "LR", (0, 1)):
        ordered = {}
        for c in "NVD":
            sides = {side: sum(expected["child", h, side, x, c] for x in (0, 1)) + own.side_smoothing for side in "LR"}
            share = sides[s] / sum(sides.values())
            if at_first:
                every = {x: sum(expected["child", h, x, y, z] for y in (0, 1) for z in "NVD") for x in "LR"}
                common = (every[s] + own.side_smoothing) / (sum(every.values()) + 2 * own.side_smoothing)
                share = (1 - own.tied) * share + own.tied * common
            ordered[c] = prior["child", h, v, c] * share
        row = {
            c: expected["child", h, s, v, c] + own.child_strength * ordered[c] / sum(ordered.values()) for c in "NVD"
        }
        now |= {("child", h, s, v, c): row[c] / sum(row.values()) for c in "NVD"}
        stops = [expected["decision", h, s, v, d] + own.decision_strength * prior["decision", h, v, d] for d in (0, 1)]
        now |= {("decision", h, s, v, d): stops[d] / sum(stops) for d in (0, 1)}
    roots = {c: expected["root", c] + own.root_strength * prior["root", c] for c in "NVD"}
    return now | {("root", c): roots[c] / sum(roots.values()) for c in "NVD"}


def test_em_is_that_of_plain_loops_over_all_trees():
    sentences = ["NV", "DNV", "VN", "DNVN", "NVDN", "V", "ND"]
    corpus = tagged(*(" ".join(sentence) for sentence in sentences))
    assert list(corpus.tag_vocabulary) == ["N", "V", "D"]
    rng = np.random.default_rng(1)
    headedness = Headedness(*(10 * rng.random(shape) for shape in ((1, 3), (1, 3, 2, 3), (1, 3, 2, 2))))
    own = settings(iterations=4, child_strength=3.0, decision_strength=2.0, root_strength=1.0, side_smoothing=0.5)
    wanted, likelihoods = slow_em(sentences, headedness, own)
    model, rounds = trained(corpus, own, headedness)
    assert [one.train for one in rounds] == pytest.approx(likelihoods)
    number = {name: place for names in ("LR", "NVD") for place, name in enumerate(names)}
    child = np.exp(model.table.child).reshape(2, 3, 2, 3)
    decision = np.exp(model.table.decision).reshape(2, 3, 2, 2)
    for (kind, *rule), share in wanted.items():
        if kind == "root":
            found = np.exp(model.table.root[number[rule[0]]])
        else:
            h, s, v, what = rule
            row = (child if kind == "child" else decision)[number[s], number[h], v]
            found = row[number[what] if kind == "child" else what]
        assert found == pytest.approx(share)


# ---------------------------------------------------------------- languages


def backwards(corpus: Corpus) -> Corpus:
    sentences = [corpus.tags[a:b][::-1] for a, b in zip(corpus.offsets, corpus.offsets[1:], strict=False)]
    return tagged(*(" ".join(TAGS[tag] for tag in sentence) for sentence in sentences), vocabulary=TAGS)


def test_the_mirror_image_of_a_language_gets_the_mirror_image_of_its_order():
    corpus, _ = language("mixed", 40, seed=5)
    there, back = (trained(text, settings(iterations=5))[0].table for text in (corpus, backwards(corpus)))
    shape = (2, len(TAGS), 2, -1)
    assert np.exp(there.child).reshape(shape) == pytest.approx(np.exp(back.child).reshape(shape)[::-1])
    assert np.exp(there.decision).reshape(shape) == pytest.approx(np.exp(back.decision).reshape(shape)[::-1])
    assert np.exp(there.root) == pytest.approx(np.exp(back.root))


@pytest.mark.parametrize("order", ["final", "initial", "mixed"])
@pytest.mark.parametrize(("sentences", "gained"), [(10, 0.04), (100, 0.1)])
def test_ten_sentences_are_enough_to_begin_with_an_order(order, sentences, gained):
    corpus, _ = language(order, sentences, seed=27)
    text, heads = language(order, 200, seed=8)
    model, _ = trained(corpus, settings(**FREE))
    adapted, before = (share_right(parse_corpus(one, text, Parsing()), heads) for one in (model, UNIVERSAL))
    assert adapted > before + gained


def test_a_tag_of_one_side_is_learned_to_stand_there():
    corpus, _ = language("mixed", 60, seed=9)
    model, _ = trained(corpus, settings(**FREE))
    child = np.exp(model.table.child).reshape(2, len(TAGS), 2, len(TAGS))[:, TAGS.id("N"), NO, TAGS.id("D")]
    go = np.exp(model.table.decision).reshape(2, len(TAGS), 2, 2)[:, TAGS.id("N"), NO, GO]
    left, right = go * child  # has a D as the farthest child there
    assert left > 5 * right


# ---------------------------------------------------------------- as a training


def test_it_starts_from_the_universal_grammar_of_a_directory(tmp_path):
    UNIVERSAL.save(tmp_path / "universal")
    corpus, _ = language("final", 30, seed=3)
    own = settings(init=("universal", str(tmp_path / "universal")), iterations=3)
    model, finished = Run(Configuration(own, None, Reading()), corpus).go()
    wanted, _ = trained(corpus, own)
    assert finished
    assert np.array_equal(model.table.child, wanted.table.child)
    assert model.history["settings"]["init"][0] == "universal"


def test_its_trees_can_be_the_start_of_another_model(tmp_path):
    UNIVERSAL.save(tmp_path / "universal")
    corpus, heads = language("final", 60, seed=3)
    values = {
        "model": "dmv-sibling", "ladder": ("order-free",), "init": ("universal", str(tmp_path / "universal")),
        "iterations": 3, "prior_strength": 100.0,
    }  # fmt: skip
    model, _ = Run(configure(values), corpus).go()
    found, before = (share_right(parse_corpus(one, corpus, Parsing()), heads) for one in (model, UNIVERSAL))
    assert found > before


def test_what_is_no_universal_grammar_is_refused(tmp_path):
    UNIVERSAL.in_language("final").save(tmp_path / "one")
    with pytest.raises(DepinduceError, match="a first-order grammar over tags, not a universal grammar"):
        load_universal(tmp_path / "one")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"init": ("harmonic",)}, "There is no start 'harmonic' for order-free. Choose from: universal DIR."),
        ({"ladder": ("dmv",), "init": ("harmonic",)}, "order-free starts from other languages"),
        ({"child_strength": -1.0}, "--child-strength must be at least 0, not -1.0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(values, message):
    with pytest.raises(DepinduceError, match=message):
        settings(**values)


def test_other_models_have_no_universal_start():
    with pytest.raises(DepinduceError, match="There is no start 'universal' for dmv"):
        configure({"model": "dmv", "init": ("universal",)})
