"""Networks and count models that learn from several languages, each told apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import torch
from learning.killed import interrupted, killed_runs, require_finish
from learning.languages import TAGS, language, together
from learning.trainings import COUNT_MODELS, KINDS, SMALL, learner_of, rounds_of, same_table
from parameters import some_now

from depinduce.chart.engine import expectations
from depinduce.corpus import Corpus, Reading
from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import GO, Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.stacked import parted
from depinduce.grammar.trees import tree_counts
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.languages import by_language
from depinduce.learning.learners.closed_form import CountsOfLanguages
from depinduce.learning.learners.learner import Start
from depinduce.learning.learners.networks import TagLearner, make_learners
from depinduce.learning.run import Progress, Run
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.training import Training
from depinduce.models.loading import load_model
from depinduce.models.places import INNER, NETWORK, NUMBERS
from depinduce.models.polyglot_model import PolyglotModel
from depinduce.models.table import entry
from depinduce.networks.tag_network import RuleNetwork
from depinduce.parsing.decoding import Parsing, parse_corpus

torch.set_num_threads(1)  # the networks here are tiny

DRAWN = {order: language(order, size, seed) for seed, (order, size) in enumerate(
    {"final": 20, "initial": 35, "mixed": 30}.items())}  # fmt: skip
CORPUS = together({name: corpus for name, (corpus, _) in DRAWN.items()})
HEADS = np.concatenate([heads for _, heads in DRAWN.values()])
NAMES, TAG_COUNT = CORPUS.languages, len(TAGS)
TREES = Start("trees", HEADS)

APART = {name: kind for name, kind in KINDS.items() if entry(kind["model"]).tells_languages}
every_kind = pytest.mark.parametrize("kind", APART.values(), ids=APART)


def neural(start: Start = TREES, corpus: Corpus = CORPUS, dropout: float = 0.0, size: int = 10, dev=None, **settings):
    """The training of a network on all languages."""
    own = NeuralSettings(**{"model": "ndmv", "init": ("trees", "a file")} | settings)
    sizes = replace(SMALL, size=size, vector_size=3, vector_dropout=dropout)
    learners = make_learners(own, Configuration(own, sizes, Reading()), corpus, seed=0)
    return Training(own, learners, corpus, dev, 0, [start])


def network_of(training: Training) -> RuleNetwork:
    learner = learner_of(training)
    assert isinstance(learner, TagLearner)
    return learner.network


def model_of(training: Training) -> PolyglotModel:
    model = learner_of(training).model({}, best=False)
    assert isinstance(model, PolyglotModel)
    return model


# ---------------------------------------------------------------- a step of a network


def up_the_gradient(network: RuleNetwork, tables: list, counts: list[RuleCounts], sentences: int) -> None:
    """One step of Adam up Σ count · log p(rule) of all languages, by autograd."""
    optimiser = torch.optim.Adam(network.parameters(), lr=0.001)
    objective = sum(
        (torch.from_numpy(part).float() * values).sum()
        for rules, own in zip(tables, counts, strict=True)
        for part, values in zip(own.parts, rules, strict=True)
    )
    (-objective / sentences).backward()
    optimiser.step()


def closeness(one: RuleNetwork, other: RuleNetwork) -> float:
    """How far two gradients are apart, as a share of the largest."""
    pairs = [(a.grad, b.grad) for a, b in zip(one.parameters(), other.parameters(), strict=True)]
    return float(max((a - b).abs().max() for a, b in pairs) / max(b.abs().max() for _, b in pairs))


def expected_counts(training: Training, number: int, text: Corpus) -> RuleCounts:
    """Of one language, by its own grammar; outside in."""
    batch = tag_batch(training.settings.order, text.tags, text.offsets, TAG_COUNT)
    return expectations(network_of(training).table(number), batch).counts


@pytest.mark.parametrize("model", ["ndmv", "sibling", "grand"])
@pytest.mark.parametrize("numbers", [[1], [0, 2], [0, 1, 2]])
def test_a_step_goes_up_the_likelihood_of_the_languages_of_its_batch(model, numbers):
    trained, by_hand = (neural(model=model, batch_size=0) for _ in range(2))
    for training in (trained, by_hand):
        with torch.no_grad():
            network_of(training).languages.maps.normal_(generator=torch.Generator().manual_seed(1))
    sentences = np.flatnonzero(np.isin(CORPUS.language, numbers))
    trained.learn_from(np.random.default_rng(0).permutation(sentences))
    texts = by_language(CORPUS)
    counts = [expected_counts(by_hand, number, texts[number]) for number in numbers]
    network = network_of(by_hand)
    up_the_gradient(network, [network(number) for number in numbers], counts, len(sentences))
    assert closeness(network_of(trained), network) < 1e-3


@every_kind
def test_a_batch_of_one_language_is_learned_as_if_there_were_no_other(kind):
    languages, alone = neural(**kind), neural(**kind, languages="together")
    sentences = np.flatnonzero(CORPUS.language == 1)[:10]
    for training in (languages, alone):
        training.learn_from(sentences)
    own, plain = network_of(languages), network_of(alone)
    pairs = zip(plain.named_parameters(), own.named_parameters(), strict=False)
    for (name, wanted), (_, found) in pairs:  # the maps are zero at first: every language is the universal one
        torch.testing.assert_close(found.grad, wanted.grad, rtol=1e-4, atol=1e-6, msg=name)


def test_without_its_vector_a_step_teaches_the_universal_grammar_alone():
    training = neural(dropout=0.999)
    network, start = network_of(training), model_of(training).universal.table
    before = [part.clone() for part in network.languages.parameters()]
    training.begin()
    training.run_round()
    assert all(torch.equal(a, b) for a, b in zip(before, network.languages.parameters(), strict=True))
    assert not same_table(model_of(training).universal.table, start)


def test_the_share_of_steps_without_a_vector_is_the_dropout():
    learner = learner_of(neural(dropout=0.25))
    noise = torch.Generator().manual_seed(0)
    dropped = sum(learner._vector(1, noise) is None for _ in range(2000))
    assert 0.22 < dropped / 2000 < 0.28
    assert learner._vector(1, None) == 1  # not when it parses
    assert learner._vector(len(NAMES), noise) is None  # a sentence without a language


# ---------------------------------------------------------------- what a network learns


@every_kind
def test_languages_of_opposite_order_are_learned_by_one_network(kind):
    training = neural(**kind, dropout=0.1, size=40, learning_rate=0.005, start_epochs=40, batch_size=20)
    training.begin()
    model = model_of(training)
    grammars = [*map(model.in_language, NAMES), model.universal]
    for number, text in enumerate(by_language(CORPUS)):
        likelihoods = [own.problem(replace(text, language=None)).log_partition().mean() for own in grammars]
        others = [likelihood for other, likelihood in enumerate(likelihoods) if other != number]
        assert likelihoods[number] > max(others) + 0.2


def test_the_universal_grammar_is_that_of_no_vector_and_not_the_mean():
    training = neural(learning_rate=0.05, dropout=0.1)
    training.begin()
    model = model_of(training)
    assert same_table(model.universal.table, network_of(training).table())
    assert same_table(model.in_language("mixed").table, network_of(training).table(2))
    mean = np.mean([np.exp(model.in_language(name).table.child) for name in NAMES], axis=0)
    assert np.abs(np.exp(model.universal.table.child) - mean).max() > 0.01


def test_the_weights_in_the_file_make_its_tables(tmp_path):
    training = neural(model="grand", learning_rate=0.05)
    training.begin()
    model_of(training).save(tmp_path / "model")
    saved = load_model(tmp_path / "model")
    again = RuleNetwork(Order.GRANDPARENT, TAG_COUNT, replace(SMALL, vector_size=3), len(NAMES))
    again.load_state_dict({name: torch.from_numpy(array) for name, array in saved.network.items()})
    for number, name in enumerate(NAMES):
        found, wanted = saved.in_language(name).table, again.table(number)
        for one, other in zip(found.parts, wanted.parts, strict=True):
            assert one == pytest.approx(other, abs=1e-4)


def test_held_out_sentences_are_judged_by_the_grammar_of_their_language():
    dev = replace(CORPUS.select(np.arange(len(CORPUS)) % 4 == 0))
    dev = replace(dev, language=np.where(np.arange(len(dev)) % 5 == 0, -1, dev.language))
    training = neural(dev=dev, epochs=1, learning_rate=0.05)
    training.begin()
    (one,) = rounds_of(training)
    model = model_of(training)
    assert one.dev == pytest.approx(model.problem(dev).log_partition().mean(), abs=1e-6)


@every_kind
def test_a_harmonic_start_is_that_of_every_language(kind):
    training = neural(Start("harmonic"), **kind, init=("harmonic",))
    (table,) = training.start_tables
    order = training.settings.order
    for own, text in zip(parted(table), by_language(CORPUS), strict=True):
        wanted = raise_order(harmonic_table(text), order)
        assert np.array_equal(own.child, wanted.child)
    training.begin()  # whose counts are of the languages of each batch


def test_thrown_together_it_is_as_if_nobody_had_named_them():
    nameless = replace(CORPUS, languages=(), language=None)
    made = [neural(languages="together"), neural(corpus=nameless)]
    for training in made:
        training.begin()
        rounds_of(training)
    tables = [learner_of(training).model({}).table for training in made]
    assert same_table(*tables)


# ---------------------------------------------------------------- counts, against a slow reference


def slowly(tables: list[RuleTable], order: Order, strength: float, smoothing: float, weights: list[float]):
    """One iteration of EM of all languages, number by number."""
    counts = []
    for table, text in zip(tables, by_language(CORPUS), strict=True):
        found = expectations(table, tag_batch(order, text.tags, text.offsets, TAG_COUNT)).counts
        counts.append([part.reshape(-1, part.shape[-1]) for part in found.parts])
    made = [[np.zeros_like(part) for part in counts[0]] for _ in range(len(tables) + 1)]
    for part, first in enumerate(counts[0]):
        for row in range(len(first)):
            mean = [
                smoothing + sum(w * own[part][row, rule] for w, own in zip(weights, counts, strict=True)) / len(tables)
                for rule in range(first.shape[1])
            ]
            universal = [value / sum(mean) for value in mean]
            made[-1][part][row] = universal
            for number, own in enumerate(counts):
                values = [own[part][row, rule] + smoothing + strength * u for rule, u in enumerate(universal)]
                made[number][part][row] = [value / sum(values) for value in values]
    return made


@pytest.mark.parametrize("model", COUNT_MODELS)
@pytest.mark.parametrize("languages", ["alike", "by-size"])
def test_grammars_of_languages_are_estimated_around_their_mean(model, languages):
    own = CountSettings(model=model, init=("random",), languages=languages, language_strength=7.0, smoothing=0.3)
    learner = CountsOfLanguages(own, CORPUS)
    training = Training(own, [learner], CORPUS)
    training.begin()
    sizes = [len(text) for text in by_language(CORPUS)]
    weights = [np.mean(sizes) / size if languages == "alike" else 1.0 for size in sizes]
    for _ in range(2):
        before = parted(learner.table)[:-1]
        training.run_round()
        wanted = slowly(before, own.order, 7.0, 0.3, weights)
        for table, by_hand in zip(parted(learner.table), wanted, strict=True):
            for part, other in zip(table.parts, by_hand, strict=True):
                assert np.exp(part) == pytest.approx(other.reshape(part.shape), rel=1e-9)


@pytest.mark.parametrize("strength", [0.0, 1e9])
def test_without_strength_every_language_is_alone_and_with_all_there_is_one(strength):
    own = CountSettings(model="dmv", languages="alike", language_strength=strength, iterations=3)
    training = Training(own, [learner := CountsOfLanguages(own, CORPUS)], CORPUS)
    training.begin()
    rounds_of(training)
    *each, universal = parted(learner.table)
    for name, table in zip(NAMES, each, strict=True):
        if strength:
            assert np.exp(table.child) == pytest.approx(np.exp(universal.child), abs=1e-6)
        else:
            text = by_language(CORPUS)[NAMES.index(name)]
            alone, _ = Run(Configuration(replace(own, languages="together"), None, Reading()), text).go()
            assert table.child == pytest.approx(alone.table.child)


@pytest.mark.parametrize("model", ["dmv-sibling", "dmv-grand"])
def test_second_order_grammars_begin_with_the_counts_of_their_trees(model):
    own = CountSettings(model=model, init=("trees", "a file"), language_strength=5.0, prior_strength=20.0)
    learner = CountsOfLanguages(own, CORPUS)
    learner.begin(TREES, CORPUS)
    *each, universal = parted(learner.table)
    for number, text in enumerate(by_language(CORPUS)):
        batch = tag_batch(own.order, text.tags, text.offsets, TAG_COUNT)
        heads = HEADS[np.repeat(CORPUS.language == number, CORPUS.lengths)]
        counts = tree_counts(universal, batch, heads)
        pseudo = parted(learner.family.pseudo)[number] + 5.0 * RuleCounts(*map(np.exp, universal.parts))
        assert pseudo.decision[:, GO].max() > 20
        wanted = Multinomials(own.order, TAG_COUNT, pseudo).estimate(counts)
        assert each[number].child == pytest.approx(wanted.child)


# ---------------------------------------------------------------- as a run

SIZES = {"size": 6, "child_rank": 4, "decision_rank": 3, "vector_size": 2}
LADDER = {
    "model": "sibling", "ladder": ("ndmv", "grand"), "members": 2, "epochs": 2, "anchor": 0.3, "batch_size": 15,
    "start_trees": "best", "grow_from": 7, "vector_dropout": 0.3, **SIZES,
}  # fmt: skip
RUNS = {
    "a ladder": LADDER,
    "counts": {"model": "dmv-grand", "ladder": ("dmv",), "iterations": 3, "prior_strength": 10.0},
    "best trees": {"model": "dmv-sibling", "em": "hard", "iterations": 3},
}


def run_of(directory: Path | None, values: dict, dev: Corpus | None = None) -> Run:
    return Run(configure(values), CORPUS, dev, directory)


def files(directory: Path) -> list[bytes]:
    places = [directory / INNER / name for name in (NUMBERS, NETWORK)]
    return [place.read_bytes() for place in places if place.exists()]


@some_now("name", ["best trees"], later=["a ladder", "counts"])
def test_an_interrupted_run_of_languages_goes_on_to_the_same_model(name, tmp_path):
    values = RUNS[name]
    seen: list[Progress] = []
    run_of(tmp_path / "whole", values, CORPUS).go(seen.append)
    for stop_at in {1, len(seen) // 2, len(seen) - 1}:
        place = tmp_path / f"{stop_at}"
        assert interrupted(run_of(place, values, CORPUS), stop_at).languages == NAMES
        require_finish(run_of(place, values, CORPUS))
        assert files(place) == files(tmp_path / "whole")


def ladder(directory: Path | None) -> Run:
    """Two rounds over short sentences and two over all for either member, and two for each rung above: 12."""
    return run_of(directory, LADDER)


KILLED = {
    "in a start": [("start", 0)],
    "in a member": [("round", 6)],
    "again and again": [("round", 3), ("start", 2), ("round", 9), ("start", 3), ("round", 11)],
}


@pytest.mark.slow
def test_a_killed_run_of_languages_ends_as_if_it_was_not(tmp_path):
    ladder(tmp_path / "whole").go()
    killed_runs(tmp_path / "killed", ladder, KILLED)
    for when in KILLED:
        require_finish(ladder(tmp_path / "killed" / when))
        assert files(tmp_path / "killed" / when) == files(tmp_path / "whole")


def test_every_rung_gives_trees_to_every_sentence_in_its_language():
    values = LADDER | {"ladder": ("ndmv",), "members": 1, "model": "grand"}
    run = run_of(None, values)
    run.climb()
    below = RuleTable(**run.members[0])
    assert len(parted(below)) == len(NAMES) + 1
    found = parse_corpus(PolyglotModel(Order.FIRST, CORPUS.tag_vocabulary, NAMES, below), CORPUS, Parsing("mbr"))
    assert np.array_equal(run.heads, found)


def test_rules_and_watching_are_there_for_languages_too(tmp_path):
    rules = tmp_path / "rules.toml"
    rules.write_text('share = 0.9\n[either]\nV = ["N", "A", "P"]\nN = ["D", "A", "P"]\nP = ["N"]\nRoot = ["V"]\n')
    values = {"model": "ndmv", "epochs": 2, "rules": str(rules), **SIZES}
    run = Run(configure(values), CORPUS, watch=lambda model: {"uas_15": float(len(model.languages))})
    model, _ = run.go()
    assert [line["watched"] for line in model.history["rounds"]] == [{"uas_15": 3.0}] * 2
    assert 0 < model.history["rules"][0]["found"] < 1


def test_a_start_by_harmonic_trees_takes_every_language_for_itself():
    run = run_of(None, LADDER)
    heads = run.start_trees(("harmonic",))
    for name, text in zip(NAMES, by_language(CORPUS), strict=True):
        alone = Run(configure(LADDER), replace(text, languages=(), language=None)).start_trees(("harmonic",))
        words = np.repeat(CORPUS.language == NAMES.index(name), CORPUS.lengths)
        assert np.array_equal(heads[words], alone)


def test_a_start_from_a_model_of_languages_parses_each_by_its_name(tmp_path):
    model, _ = run_of(None, {"model": "dmv", "iterations": 5, "language_strength": 0.0}).go()
    model.save(tmp_path / "model")
    names = ("mixed", "unheard", "initial")  # in another order than it knows them; one it does not know
    corpus = replace(CORPUS, languages=names, language=np.array([1, 2, 0])[CORPUS.language].astype(np.int32))
    heads = Run(configure(LADDER | {"init": ("model", str(tmp_path / "model"))}), corpus).start_trees(
        ("model", str(tmp_path / "model"))
    )
    for number, name in enumerate(names):
        mask = corpus.language == number
        grammar = model.in_language(name) if name in model.languages else model.universal
        alone = parse_corpus(grammar, replace(corpus.select(mask), language=None), Parsing())
        assert np.array_equal(heads[np.repeat(mask, corpus.lengths)], alone)


def test_a_start_by_hdp_dep_trains_it_for_every_language():
    trained: list[tuple[str, ...]] = []

    def start(rules, train, *others):
        trained.append(tuple(sorted(train.tag_vocabulary)))
        raise KeyboardInterrupt

    with patch("depinduce.learning.starts._hdp_model", start), pytest.raises(KeyboardInterrupt):
        run_of(None, LADDER).start_trees(("hdp-dep",))
    assert trained == [tuple(sorted({TAGS[tag] for tag in DRAWN["final"][0].tags}))]


WORDS = SIZES | {
    "tag_size": 3, "word_size": 3, "lexical_child_rank": 4, "lexical_decision_rank": 3, "epochs": 1, "start_epochs": 1,
}  # fmt: skip


@pytest.mark.parametrize("model", ["lexical", "joint-sibling"])
def test_models_over_words_start_from_the_grammar_of_their_language(model, tmp_path):
    known, _ = run_of(None, {"model": "dmv-grand", "iterations": 3, "language_strength": 0.0}).go()
    known.save(tmp_path / "many")
    init = ("model", str(tmp_path / "many"))
    text = together({"initial": DRAWN["initial"][0]})
    named, nameless = text, replace(text, languages=(), language=None)
    for corpus, grammar in ((named, known.in_language("initial")), (nameless, known.universal)):
        run = Run(configure(WORDS | {"model": model, "init": init}), corpus)
        made, finished = run.go()
        assert finished and made.languages == ()
        in_its_tags = replace(corpus, tags=known.tags.ids(corpus.tag_vocabulary)[corpus.tags], language=None)
        assert np.array_equal(run.heads, parse_corpus(grammar, in_its_tags, Parsing()))


def test_under_a_model_over_words_the_rungs_over_tags_tell_languages_apart():
    for model, languages in (("lexical-sibling", ()), ("joint-sibling", NAMES)):
        run = run_of(None, WORDS | {"model": model, "ladder": ("ndmv",), "members": 1, "start_trees": "best"})
        run.climb()
        assert len(parted(RuleTable(**run.members[0]))) == len(NAMES) + 1
        made, finished = run.go()
        assert finished and made.languages == tuple(languages)
