"""Training grammars over words and joint ones: what a step climbs, agreement, starts, word vectors, and going on."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from corpus.blocks import block, write
from learning.languages import language, together
from learning.tagged import random_table
from models.worded import random_words, worded
from parameters import some_now

from depinduce.chart.engine import entropy, expectations, log_partition
from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, load_corpus
from depinduce.errors import DepinduceError, InputError
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import HAS, LEFT, NO, RIGHT, Factors, Order, RuleCounts, RuleTable, tag_batch
from depinduce.learning.expect import EStep
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.learners.learner import Start
from depinduce.learning.learners.networks import GradientLearner, TagLearner, WordLearner, make_learners, word_vectors
from depinduce.learning.run import MODEL, Progress, Run
from depinduce.learning.separate import SeparateTraining, training_of
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.training import Training
from depinduce.models.joint_model import JointModel
from depinduce.models.loading import load_model
from depinduce.models.tag_model import GrammarModel
from depinduce.models.word_model import LexicalModel
from depinduce.networks.word_batch import LexicalBatch, as_factors, from_factors, lexical_batch
from depinduce.parsing.decoding import Parsing, parse_corpus

torch.set_num_threads(1)  # the networks here are tiny

CORPUS = worded(*random_words(3, count=20))
HELD_OUT = worded(*random_words(103, count=8), tags=CORPUS.tag_vocabulary)  # its words are numbered otherwise
TAGS = len(CORPUS.tag_vocabulary)
SMALL = {
    "size": 8, "child_rank": 5, "decision_rank": 4, "tag_size": 4, "word_size": 3, "lexical_child_rank": 6,
    "lexical_decision_rank": 5, "dropout": 0.0, "batch_size": 8, "learning_rate": 0.01, "start_epochs": 1, "epochs": 2,
}  # fmt: skip
MODELS = {
    "lexical": Order.FIRST,
    "lexical-sibling": Order.SIBLING,
    "lexical-grand": Order.GRANDPARENT,
    "joint-sibling": Order.SIBLING,
    "joint-grand": Order.GRANDPARENT,
}
KINDS = {name: {"model": name} for name in MODELS} | {
    "joint-inside-out": {"model": "joint-sibling", "generation": "inside-out"},
    "constrained": {"model": "joint-sibling", "non_heads": ("D",)},
}
every_model = pytest.mark.parametrize("model", MODELS)
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
both_partners = pytest.mark.parametrize("model", ["joint-sibling", "joint-grand"])


NOWHERE = Start("random")


def configuration(**values) -> Configuration:
    """Without what the model does not have."""
    if values["model"] in ("sibling", "grand"):
        lexical = ("tag_size", "word_size", "lexical_child_rank", "lexical_decision_rank", "dropout", "dropout_of")
        return configure({name: value for name, value in (SMALL | values).items() if name not in lexical})
    return configure(SMALL | values)


def training(
    dev: Corpus | None = None, starts: list[Start] | None = None, seed: int = 1, exact: bool = False, **values
) -> Training | SeparateTraining:
    """exact: in double precision; without starts: from random weights"""
    whole = configuration(**values)
    learners = make_learners(whole.learning, whole, CORPUS, seed)
    if exact:
        learners = [
            type(learner)(learner.network.double(), own, learner.settings, seed)
            for learner in learners
            for own in [learner.tags if isinstance(learner, TagLearner) else learner.sizes]
        ]
    return training_of(whole.learning, learners, CORPUS, dev, seed, starts or [NOWHERE] * len(learners))


def chart(learners: list[GradientLearner], corpus: Corpus) -> Problem:
    """What is summed over: the trees of the only learner, or those of the product p₀(x, z) p₁(x, z)."""
    views = [learner.view(learner.sentences(corpus, "training").all()) for learner in learners]
    return EStep(learners, hard=False, constraint=None, threads=1).chart(views)


def likelihood(learners: list[GradientLearner], corpus: Corpus) -> float:
    """The mean of log Σ_z p(x, z), or of log Σ_z p₀(x, z) p₁(x, z)."""
    return float(chart(learners, corpus).log_partition().mean())


def same_weights(one: GradientLearner, other: GradientLearner) -> bool:
    """Bit by bit."""
    pairs = zip(one.weights().values(), other.weights().values(), strict=True)
    return all(torch.equal(a, b) for a, b in pairs)


# ---------------------------------------------------------------- learners


@every_model
def test_every_model_has_its_learners(model):
    whole = configuration(model=model, dropout=0.3)
    learners = make_learners(whole.learning, whole, CORPUS, seed=1)
    *tags, words = learners
    assert isinstance(words, WordLearner)
    assert words.network.dropout == 0.3
    assert words.network.word_embedding.shape == (TAGS + len(words.network.lexicon.words), 3)
    assert words.network.parent_factors.weight.shape == (6 + 5, 4 + 3)
    if model.startswith("joint"):
        (only,) = tags
        assert isinstance(only, TagLearner)
        assert (only.order, words.order) == (MODELS[model], Order.FIRST)
        assert only.network.parent_factors.weight.shape == (5 + 4, 8)
    else:
        assert not tags
        assert words.order is MODELS[model]


@every_model
def test_the_weights_depend_on_the_seed_only(model):
    whole = configuration(model=model)
    one, again, other = (make_learners(whole.learning, whole, CORPUS, seed) for seed in (1, 1, 2))
    assert all(map(same_weights, one, again))
    assert not any(map(same_weights, one, other))


# ---------------------------------------------------------------- a step


@every_kind
def test_a_step_of_dmo_goes_up_the_gradient_of_the_objective(kind):
    made = training(dev=HELD_OUT, exact=True, batch_size=0, **kind)
    before = [learner.parameters.data.clone() for learner in made.learners]
    one = made.run_round()
    assert one.dev == pytest.approx(likelihood(made.learners, HELD_OUT), rel=1e-12)
    gradients = [learner.parameters.grad.clone() for learner in made.learners]
    for learner, start, gradient in zip(made.learners, before, gradients, strict=True):
        assert float((learner.parameters.data - start) @ gradient) < 0  # it is that of the loss
        learner.parameters.data.copy_(start)
    assert one.train == pytest.approx(likelihood(made.learners, CORPUS), rel=1e-12)
    torch.manual_seed(0)
    for learner, start, gradient in zip(made.learners, before, gradients, strict=True):
        for _ in range(3):
            towards, step = torch.randn_like(start), 1e-5
            learner.parameters.data.copy_(start + step * towards)
            above = likelihood(made.learners, CORPUS)
            learner.parameters.data.copy_(start - step * towards)
            below = likelihood(made.learners, CORPUS)
            learner.parameters.data.copy_(start)
            assert -float(gradient @ towards) == pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-6)
        assert float(gradient.abs().max()) > 1e-3


@both_partners
def test_dmo_is_em_with_one_step(model):
    dmo, em = (training(model=model, method=method, m_steps=m) for method, m in (("dmo", 9), ("em", 1)))
    assert [dmo.run_round().train for _ in range(2)] == [em.run_round().train for _ in range(2)]
    assert all(map(same_weights, dmo.learners, em.learners))


@both_partners
def test_steps_of_product_em_keep_the_counts_of_the_product_before_them(model):
    trained = training(exact=True, model=model, method="em", m_steps=3, batch_size=0)
    by_hand = training(exact=True, model=model, method="em", m_steps=3, batch_size=0)
    trained.run_round()
    tags, words = by_hand.learners
    data = [learner.sentences(CORPUS, "training").all() for learner in by_hand.learners]
    expected = chart(by_hand.learners, CORPUS).expect(positions=True)
    counts = tags.counts(data[0], expected), words.counts_in_product(data[1], expected)
    for _ in range(3):
        for learner, own, fixed in zip((tags, words), data, counts, strict=True):
            learner.learn(learner.view(own), fixed, len(CORPUS), steps=1)
    for one, other in zip(trained.learners, by_hand.learners, strict=True):
        distance = (one.parameters - other.parameters).abs().max() / 0.01
        assert distance < 1e-3  # the order of the sentences is another


@both_partners
def test_hard_em_learns_from_the_best_trees_of_the_product(model):
    made = training(exact=True, model=model, method="hard-em", m_steps=1, batch_size=0)
    best = chart(made.learners, CORPUS).best_trees()
    on_these = training(exact=True, starts=[Start("trees", best.heads[0])] * 2, model=model, batch_size=0)
    assert made.run_round().train == pytest.approx(best.log_potential.mean(), rel=1e-9)
    on_these.begin()
    for one, other in zip(made.learners, on_these.learners, strict=True):
        np.testing.assert_allclose(one.parameters.grad, other.parameters.grad, atol=1e-9)


@every_model
@pytest.mark.parametrize("dropout_of", ["everything", "heads"])
def test_every_step_of_training_drops_embeddings_and_the_held_out_likelihood_none(model, dropout_of):
    values = {"model": model, "dropout_of": dropout_of, "batch_size": 0}
    still, noisy = (training(dev=HELD_OUT, dropout=dropout, **values) for dropout in (0.0, 0.5))
    assert all(map(same_weights, still.learners, noisy.learners))
    noise = noisy.learners[-1].noise
    states = [noise.get_state()]
    for _ in range(2):
        noisy.learn_from(np.arange(len(CORPUS)))
        states.append(noise.get_state())
    assert len({state.numpy().tobytes() for state in states}) == 3
    one = noisy.run_round()
    assert one.dev == pytest.approx(likelihood(noisy.learners, HELD_OUT), rel=1e-6)
    first = training(dropout=0.5, **values).run_round().train
    assert first != pytest.approx(still.run_round().train, rel=1e-7)  # random weights make little of words


@every_model
def test_only_where_heads_are_dropped_a_batch_to_learn_from_tells_words_of_one_token_apart(model):
    for values in ({"dropout": 0.5, "dropout_of": "heads"}, {"dropout": 0.5}, {"dropout_of": "heads"}):
        learner = training(model=model, **values).learners[-1]
        stages = [stage for stage in ("start", "training", "held-out")
                  if learner.sentences(CORPUS, stage).all().words.positions is not None]  # fmt: skip
        assert stages == (["training"] if len(values) == 2 else [])


@every_kind
def test_learning_raises_the_objective(kind):
    made = training(**kind)
    before = likelihood(made.learners, CORPUS)
    curve = [made.run_round().train for _ in range(6)]
    assert likelihood(made.learners, CORPUS) > before + 0.3
    assert curve[-1] > curve[0] + 0.1


# ---------------------------------------------------------------- agreement

CHAINS = Start("trees", np.concatenate([np.arange(n) for n in CORPUS.lengths]))  # each word hangs on the one before


@pytest.mark.parametrize(("model", "alone"), [("joint-sibling", "sibling"), ("joint-grand", "grand")])
@pytest.mark.parametrize("method", ["dmo", "hard-em"])
def test_without_agreement_each_part_learns_as_if_it_was_alone(model, alone, method):
    joint = training(starts=[CHAINS] * 2, model=model, method=method, agreement=False)
    tags = training(starts=[CHAINS], model=alone, method=method)
    words = training(starts=[CHAINS], model="lexical", method=method)
    agreeing = training(starts=[CHAINS] * 2, model=model, method=method)
    assert same_weights(joint.learners[0], tags.learners[0])  # the tags come first
    words.learners[0].network.load_state_dict(joint.learners[1].weights())
    for made in (joint, tags, words, agreeing):
        made.begin()
    for _ in range(2):
        together, one, other, agreed = (made.run_round() for made in (joint, tags, words, agreeing))
        assert together.train == pytest.approx(one.train + other.train, rel=1e-12)
        assert agreed.train != together.train
    assert same_weights(joint.learners[0], tags.learners[0])
    assert same_weights(joint.learners[1], words.learners[0])
    assert not same_weights(joint.learners[0], agreeing.learners[0])
    assert not same_weights(joint.learners[1], agreeing.learners[1])


# ---------------------------------------------------------------- the bound of product EM


BLOCKS = [(direction, valence) for direction in (LEFT, RIGHT) for valence in (NO, HAS)]


class Product:
    """A second-order and a first-order count model over tags whose trees must agree, and a distribution q of trees.

    The first-order one takes the way of a grammar over words, whose tokens here are the tags.
    """

    def __init__(self, order: Order, seed: int):
        self.batch = tag_batch(order, CORPUS.tags, CORPUS.offsets, TAGS)
        self.words: LexicalBatch = lexical_batch(Order.FIRST, CORPUS.tags.astype(np.int64), CORPUS.offsets)
        numbers = np.arange(2 * TAGS * 2).reshape(2, TAGS, 2)
        rows = [numbers[BLOCKS[b][0], parent, BLOCKS[b][1]] for b, parent, _ in self.words.contexts]
        self.rows = np.array(rows)[self.words.context_of_row]
        self.families = [Multinomials.smoothed(o, TAGS, 0.0) for o in (order, Order.FIRST)]
        self.tables = [random_table(order, TAGS, seed), random_table(Order.FIRST, TAGS, seed + 1)]

    def problem(self) -> tuple[RuleTable, object, Factors]:
        table, first = self.tables
        child = first.child[self.rows[:, None], self.words.children]
        own = self.words.problem(first.root[self.words.tokens], child, first.decision[self.rows])
        return table, self.batch, as_factors(own)

    def log_z(self) -> float:
        return float(log_partition(*self.problem()).sum())

    def e_step(self) -> None:
        """q(z) ∝ p₀(x, z) p₁(x, z): what the models are taught, and its entropy."""
        expected = expectations(*self.problem(), positions=True)
        first = RuleCounts.zeros_like(self.tables[1])
        child, decision = from_factors(self.words.batch, expected.arc, expected.decision)
        np.add.at(first.root, self.words.tokens, expected.root)
        np.add.at(first.child, (self.rows[:, None], self.words.children), child)
        np.add.at(first.decision, self.rows, decision)
        self.counts = [expected.counts, first]
        self.entropy = float(entropy(*self.problem()).sum())

    def m_step(self, number: int) -> None:
        self.tables[number] = self.families[number].estimate(self.counts[number])

    def bound(self) -> float:
        """L(θ, q) = E_q log p₀(x, z) + E_q log p₁(x, z) + H(q)"""
        return sum(counts.dot(table) for counts, table in zip(self.counts, self.tables, strict=True)) + self.entropy


@pytest.mark.parametrize("order", [Order.SIBLING, Order.GRANDPARENT])
@pytest.mark.parametrize("seed", range(3))
def test_no_coordinate_step_of_product_em_lowers_its_bound(order, seed):
    model, bounds = Product(order, seed), []
    for _ in range(8):
        model.e_step()
        assert model.bound() == pytest.approx(model.log_z(), rel=1e-9)  # the E-step makes it tight
        bounds.append(model.bound())
        for number in (0, 1):
            model.m_step(number)
            bounds.append(model.bound())
        assert model.log_z() >= bounds[-1] - 1e-9 * abs(bounds[-1])
    assert (np.diff(bounds) >= -1e-9 * np.abs(bounds[1:])).all()
    assert bounds[-1] > bounds[0] + 1


# ---------------------------------------------------------------- runs

NOISY = {"model": "joint-sibling", "dropout": 0.5, "epochs": 2, "ladder": ("ndmv",), "anchor": 0.2, "non_heads": ("D",)}


def files(directory: Path) -> dict[str, bytes]:
    folder = directory / MODEL
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(directory: Path | None = None, **values) -> Run:
    return Run(configuration(**values), CORPUS, HELD_OUT, directory)


class Killed(BaseException):
    """The end of a process: nobody tidies up after it."""


def killed(made: Run, moment: str, number: int, monkeypatch) -> None:
    """Train until the start of a rung, or until an epoch that is not saved."""

    def report(progress: Progress) -> None:
        if (moment, number) == ("epoch", progress.done):
            raise Killed

    begin = Training.begin

    def begin_and_die(training: Training) -> None:
        begin(training)
        if (moment, number) == ("start", made.rung):
            raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(Training, "begin", begin_and_die)
        made.go(report)


@pytest.fixture
def noisy(tmp_path) -> dict:
    """With word vectors and with trees from files, which may be gone when the run goes on."""
    vectors = tmp_path / "some.vec"
    vectors.write_text("a 1 2 3\nc 4 5 6\n", "utf-8")
    GrammarModel(Order.GRANDPARENT, CORPUS.tag_vocabulary, random_table(Order.GRANDPARENT, TAGS, 1)).save(
        tmp_path / "other"
    )
    return NOISY | {"vectors": ("file", str(vectors)), "word_init": ("model", str(tmp_path / "other"))}


@some_now(
    "moments",  # in the first epoch; in the rung below, in the start, in the last epoch, again and again
    [[("epoch", 3)]],
    later=[[("epoch", 1)], [("start", 1)], [("epoch", 4)], [("epoch", 2), ("start", 1), ("epoch", 4)]],
)
def test_a_killed_run_ends_as_if_it_was_not(moments, noisy, tmp_path, monkeypatch):
    whole, directory = tmp_path / "whole", tmp_path / "killed"
    _, finished = run(whole, **noisy).go()
    assert finished
    for number, moment in enumerate(moments):
        made = run(directory, **noisy)
        if number:
            made.resume()
        killed(made, *moment, monkeypatch)
        torch.manual_seed(number)  # what a new process brings along decides nothing
    assert not (directory / MODEL).exists()
    if moments[-1] in (("epoch", 3), ("epoch", 4)):  # the last rung has begun: all that files told is in the checkpoint
        Path(noisy["vectors"][1]).unlink()
        shutil.rmtree(noisy["word_init"][1])
    made = run(directory, **noisy)
    made.resume()
    _, finished = made.go()
    assert finished
    assert files(directory) == files(whole)
    assert {"words/lexicon.json", "tags/model.safetensors", "tags/network.safetensors", "model.json"} < files(
        whole
    ).keys()


@pytest.mark.parametrize("stop_at", [1, 3])
def test_ctrl_c_leaves_a_model_that_parses_and_a_run_that_goes_on(stop_at, noisy, tmp_path):
    def interrupt(progress: Progress) -> None:
        if progress.done == stop_at:
            raise KeyboardInterrupt

    run(tmp_path / "whole", **noisy).go()
    model, finished = run(tmp_path / "stopped", **noisy).go(interrupt)
    assert not finished
    assert type(model) is type(load_model(tmp_path / "stopped")) is (GrammarModel if stop_at == 1 else JointModel)
    heads = [parse_corpus(parser, HELD_OUT, Parsing()) for parser in (model, load_model(tmp_path / "stopped"))]
    assert np.array_equal(*heads)
    again = run(tmp_path / "stopped", **noisy)
    again.resume()
    assert again.go()[1]
    assert files(tmp_path / "stopped") == files(tmp_path / "whole")


@every_model
def test_the_same_seed_gives_the_same_model_and_another_seed_another(model, tmp_path):
    for name, seed in (("one", 7), ("again", 7), ("other", 8)):
        torch.manual_seed(len(name))
        run(tmp_path / name, model=model, dropout=0.5, epochs=1, seed=seed).go()
    one, again, other = (files(tmp_path / name) for name in ("one", "again", "other"))
    assert one == again
    numbers = [name for name in one if name.endswith("safetensors")]
    assert numbers and all(one[name] != other[name] for name in numbers)


@every_model
def test_a_run_gives_a_model_that_parses_with_its_best_weights(model, tmp_path):
    made, finished = run(tmp_path / "run", model=model, dropout=0.5, epochs=1, non_heads=("D",)).go()
    assert finished
    assert isinstance(made, JointModel if model.startswith("joint") else LexicalModel)
    assert made.history["model"] == model
    assert made.non_heads == ("D",)
    again = load_model(tmp_path / "run")
    heads = [parse_corpus(parser, HELD_OUT, Parsing()) for parser in (made, again)]
    assert np.array_equal(*heads)
    line = json.loads((tmp_path / "run" / "metrics.jsonl").read_text("utf-8").splitlines()[-1])
    log_z = log_partition(*again.problem(HELD_OUT))  # without noise
    assert line["dev"] == pytest.approx(log_z.mean(), rel=1e-6)


# ---------------------------------------------------------------- starts


@pytest.fixture
def starts(monkeypatch) -> list[list[Start]]:
    """What the rungs of a run start from, in their order: one start for each learner."""
    seen: list[list[Start]] = []
    begin = Training.begin
    monkeypatch.setattr(Training, "begin", lambda self: seen.append(self.starts) or begin(self))
    return seen


HARMONIC = GrammarModel(Order.FIRST, CORPUS.tag_vocabulary, harmonic_table(CORPUS))


@every_model
@pytest.mark.parametrize("start_trees", ["best", "all"])
def test_a_harmonic_start_of_words_is_its_best_trees(model, start_trees, starts):
    run(model=model, epochs=1, start_trees=start_trees).go()
    (only,) = starts
    assert len(only) == 1 + model.startswith("joint")
    for start in only:
        assert np.array_equal(start.heads, parse_corpus(HARMONIC, CORPUS, Parsing()))


@both_partners
def test_a_random_start_is_no_start(model, starts):
    run(model=model, epochs=1, init=("random",)).go()
    assert starts == [[NOWHERE] * 2]


@both_partners
def test_the_part_over_words_may_start_elsewhere(model, starts, tmp_path):
    other = GrammarModel(Order.SIBLING, CORPUS.tag_vocabulary, random_table(Order.SIBLING, TAGS, 4))
    other.save(tmp_path / "other")
    run(model=model, epochs=1, word_init=("model", str(tmp_path / "other"))).go()
    ((tags, words),) = starts
    assert np.array_equal(tags.heads, parse_corpus(HARMONIC, CORPUS, Parsing()))
    assert np.array_equal(words.heads, parse_corpus(other, CORPUS, Parsing()))
    assert not np.array_equal(tags.heads, words.heads)


def test_it_may_start_elsewhere_than_a_ladder_ends(starts):
    run(model="joint-grand", epochs=1, ladder=("ndmv",), start_trees="best", word_init=("harmonic",)).go()
    below, (tags, words) = starts
    assert np.array_equal(below[0].heads, words.heads)
    assert not np.array_equal(tags.heads, words.heads)


def test_a_ladder_from_a_random_start_may_be_anchored(starts):
    run(model="joint-sibling", epochs=1, ladder=("ndmv",), init=("random",), anchor=0.3).go()
    below, (tags, words) = starts
    assert below == [NOWHERE]
    assert tags.heads is words.heads is not None


def test_a_joint_model_may_be_the_start_of_another(starts, tmp_path):
    joint, _ = run(tmp_path / "joint", model="joint-sibling", epochs=1).go()
    starts.clear()
    places = {
        "init": ("model", str(tmp_path / "joint" / MODEL / "tags")),
        "word_init": ("model", str(tmp_path / "joint")),
    }
    run(model="joint-grand", epochs=1, **places).go()
    ((tags, words),) = starts
    assert np.array_equal(tags.heads, parse_corpus(joint.over_tags, CORPUS, Parsing()))
    assert np.array_equal(words.heads, parse_corpus(joint, CORPUS, Parsing()))


def test_the_part_over_words_may_start_from_trees_of_a_file(starts, tmp_path):
    sentences = [("a/N b/V", (2, 0)), ("the/D b/N a/V", (2, 3, 0)), ("a/V the/D b/N", (0, 3, 1))]
    trees = write(tmp_path / "trees.conllu", *(block(words, heads) for words, heads in sentences))
    whole = configuration(model="joint-sibling", epochs=1, word_init=("trees", str(trees)))
    Run(whole, load_corpus(trees)).go()
    ((_, words),) = starts
    assert words.heads.tolist() == [2, 0, 2, 3, 0, 0, 3, 1]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"model": "lexical", "word_init": ("harmonic",)}, "--word-init is for joint models; lexical has one start"),
        ({"model": "sibling", "word_init": ("harmonic",)}, "--word-init is for joint models; sibling has one start"),
        (
            {"model": "joint-grand", "word_init": ("random",)},
            "There is no start 'random'. Choose from: harmonic, model",
        ),
        ({"model": "joint-grand", "word_init": ("model",)}, "There is no start 'model'"),
        ({"model": "joint-grand", "word_init": ("harmonic",), "init": ("random",)}, "--word-init"),
        ({"model": "joint-grand", "generation": "inside-out"}, "inside-out is for --model sibling and joint-sibling"),
        ({"model": "lexical-sibling", "generation": "inside-out"}, "inside-out is for --model sibling"),
        ({"model": "joint-sibling", "ladder": ("lexical",)}, "--ladder cannot have 'lexical'"),
        ({"model": "lexical", "dropout": 1.0}, "dropout cannot be 1.0"),
        (
            {"model": "lexical", "dropout_of": "words"},
            "There is no dropout_of 'words'. Choose from: everything, heads.",
        ),
        ({"model": "lexical", "min_count": 0}, "--min-count must be at least 1"),
        (
            {"model": "lexical", "vectors": ("glove",)},
            "There are no word vectors 'glove'. Choose from: random, file FILE",
        ),
        ({"model": "sibling", "min_count": 2}, "there is no setting 'min_count' for the model sibling"),
    ],
)
def test_impossible_settings_are_refused(values, message):
    with pytest.raises(DepinduceError) as refusal:
        configuration(**values)
    assert message in str(refusal.value)


# ---------------------------------------------------------------- word vectors


def with_vectors(text: str, folder: Path, corpus: Corpus = CORPUS, seed: int = 1, **values) -> GradientLearner:
    path = folder / "some.vec"
    path.write_text(text, "utf-8")
    whole = configuration(model="joint-sibling", vectors=("file", str(path)), **values)
    return make_learners(whole.learning, whole, corpus, seed, word_vectors(whole, corpus))[-1]


@pytest.mark.parametrize("header", ["", "4 3\n"])
def test_vectors_of_a_file_become_those_of_exactly_the_words_found(header, tmp_path):
    found = with_vectors(f"{header}a 0.5 -1 2\nN 9 9 9\nzebra 7 7 7\nd 0.1 0.2 0.3\n", tmp_path).network
    random = training(model="joint-sibling").learners[-1].network  # from the same seed
    words = found.lexicon.words
    assert "b" in words and "zebra" not in words
    for name, parameter in random.named_parameters():
        expected = parameter.detach().clone()
        if name == "word_embedding":
            for word, vector in (("a", (0.5, -1, 2)), ("d", (0.1, 0.2, 0.3))):
                expected[TAGS + words.id(word)] = torch.tensor(vector)
            assert not torch.equal(expected, parameter)
        assert torch.equal(found.get_parameter(name), expected), name


def test_vectors_are_looked_up_as_the_words_are_read(tmp_path):
    reading = {"lowercase": True, "fold_numbers": True}
    path = write(tmp_path / "train.conllu", block("Der/D 1999/N sah/V Der/D 12/N"))
    corpus = load_corpus(path, configuration(model="lexical", **reading).reading)
    learner = with_vectors("der 1 2 3\n0 4 5 6\nDer 7 7 7\n", tmp_path, corpus, **reading)
    words = learner.network.lexicon.words
    assert set(words) == {"der", "0"}
    vectors = learner.network.word_embedding.detach()[3:]
    assert vectors[words.id("der")].tolist() == [1, 2, 3]
    assert vectors[words.id("0")].tolist() == [4, 5, 6]


def test_vectors_go_on_learning(tmp_path):
    learner = with_vectors("a 0.5 -1 2\n", tmp_path)
    row = TAGS + learner.network.lexicon.words.id("a")
    made = Training(replace(learner.settings, model="lexical"), [learner], CORPUS, None, 1, [NOWHERE])
    made.run_round()
    moved = learner.network.word_embedding.detach()[row] - torch.tensor([0.5, -1, 2])
    assert 0 < float(moved.abs().max()) < 0.1


@pytest.mark.slow
def test_vectors_can_be_trained_on_another_file(tmp_path):
    pytest.importorskip("gensim")
    path = write(tmp_path / "more.conllu", *[block("A/N B/V ./PUNCT")] * 20, block("Zebra/N"))
    values = {"model": "lexical", "vectors": ("fasttext", str(path)), "lowercase": True}
    whole = configuration(**values)
    network, again = (
        make_learners(whole.learning, whole, CORPUS, 1, word_vectors(whole, CORPUS))[0].network for _ in range(2)
    )
    random = training(model="lexical").learners[0].network
    assert torch.equal(network.word_embedding, again.word_embedding)
    assert torch.equal(network.word_embedding[:TAGS], random.word_embedding[:TAGS])  # tags are no words
    assert not torch.equal(network.word_embedding[TAGS:], random.word_embedding[TAGS:])


def test_vectors_are_asked_for_with_the_seed_and_the_size_of_the_settings_and_nothing_else(tmp_path, monkeypatch):
    """Window and epochs stay as the paper has them, and long sentences take part."""
    asked = []

    def train_vectors(sentences, words, dimension, **options):
        asked.append(([len(sentence) for sentence in sentences], dimension, options))
        return np.zeros((len(words), dimension), dtype=np.float32)

    monkeypatch.setattr("depinduce.learning.learners.networks.train_vectors", train_vectors)
    path = write(tmp_path / "all.conllu", block("a/N b/V"), block(" ".join(["a/N"] * 30)))
    word_vectors(configure({"model": "lexical", "vectors": ("fasttext", str(path)), "seed": 7, "threads": 2}), CORPUS)
    assert asked == [([2, 30], 100, {"seed": 7, "threads": 2})]


@pytest.mark.parametrize(
    ("text", "message"), [("a 1 2\n", "has 2 numbers where 3 are wanted"), ("", "the file holds no vectors")]
)
def test_a_file_of_other_vectors_is_refused(text, message, tmp_path):
    with pytest.raises(InputError, match=message):
        with_vectors(text, tmp_path)


# ---------------------------------------------------------------- several languages


def test_the_part_over_tags_tells_languages_apart_and_both_parse_together(tmp_path):
    corpus = together({order: language(order, 40, 1)[0] for order in ("final", "initial")})
    small = {"size": 6, "child_rank": 4, "decision_rank": 3, "vector_size": 3, "min_count": 1, "word_size": 4}
    settings = {"model": "joint-sibling", "ladder": ("ndmv",), "epochs": 2, "batch_size": 10, **small}
    model, _ = Run(configure(settings), corpus).go()
    assert model.languages == ("final", "initial") and list(model.parts) == ["tags", "words"]
    model.save(tmp_path / "joint")
    again = load_model(tmp_path / "joint")
    first, second = (parse_corpus(one, corpus, Parsing()) for one in (model, again))
    assert np.array_equal(first, second)
    for number, name in enumerate(model.languages):
        some = corpus.select(corpus.language == number)
        alone = parse_corpus(again.in_language(name), replace(some, language=None, languages=()), Parsing())
        assert np.array_equal(alone, first[np.repeat(corpus.language == number, corpus.lengths)])
    tables = [again.in_language(name).over_tags.table.child for name in again.languages]
    assert not np.allclose(*tables)
    whole = again.problem(corpus)
    assert np.isfinite(whole.log_partition()).all()
