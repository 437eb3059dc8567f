"""Runs: the rungs of a ladder, what each starts from, and how a run that was stopped anywhere ends as if it was not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from corpus.blocks import block, write
from learning.killed import killed_runs
from learning.tagged import random_sentences, random_table, tagged
from parameters import some_now
from parsing.agreement import agreed_trees

from depinduce.chart.engine import best_trees, log_partition
from depinduce.corpus import Corpus, load_corpus
from depinduce.errors import DepinduceError
from depinduce.evaluation.trees import find_cycle, projective_sentences
from depinduce.grammar.between_orders import raise_order
from depinduce.grammar.inside_out import as_outside_in
from depinduce.grammar.rules import Order, tag_batch
from depinduce.learning.checkpoints import read_checkpoint, write_checkpoint
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.ladder import rungs
from depinduce.learning.learners.learner import Start
from depinduce.learning.learners.networks import make_learners
from depinduce.learning.run import MODEL, Progress, Run
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.learning.training import Diverged, Training
from depinduce.models.loading import load_grammar
from depinduce.models.places import CHECKPOINT, CONFIGURATION, DESCRIPTION, METRICS, NUMBERS, require_place_for_model
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus

CORPUS = tagged(*random_sentences(3, count=30))
HELD_OUT = tagged(*random_sentences(103, tags="NNVDA"), vocabulary=CORPUS.tag_vocabulary)
TAGS = len(CORPUS.tag_vocabulary)
SMALL = {"size": 8, "child_rank": 5, "decision_rank": 4, "batch_size": 10, "learning_rate": 0.03, "start_epochs": 1}

# Two members of three epochs each (one of them growing), then a rung of two: eight epochs.
LADDER = {
    "model": "sibling", "ladder": ("ndmv",), "members": 2, "epochs": 2, "grow_from": 6, "non_heads": ("D",),
    "anchor": 0.2,
}  # fmt: skip


def configuration(**values) -> Configuration:
    return configure(SMALL | values)


def trained(
    values: dict | None = None, corpus: Corpus = CORPUS, dev: Corpus | None = None, directory: Path | None = None
) -> GrammarModel:
    model, finished = Run(configuration(**(values or LADDER)), corpus, dev, directory).go()
    assert finished
    return model


def same_model(one: GrammarModel, other: GrammarModel) -> bool:
    """Bit by bit."""
    tables = zip(vars(one.table).values(), vars(other.table).values(), strict=True)
    return all(a.tobytes() == b.tobytes() for a, b in tables) and one.history == other.history


def is_a_tree_of_each(corpus: Corpus, heads: np.ndarray) -> bool:
    trees = np.split(heads, corpus.offsets[1:-1])
    return (
        bool(projective_sentences(heads, corpus.offsets).all())
        and all(np.sum(tree == 0) == 1 for tree in trees)
        and all(find_cycle(tree) is None for tree in trees)
    )


# ---------------------------------------------------------------- seeds


def test_the_same_seed_gives_the_same_model_and_another_seed_another():
    one, again = (trained(LADDER | {"seed": 7}, dev=HELD_OUT) for _ in range(2))
    assert same_model(one, again)
    other = trained(LADDER | {"seed": 8}, dev=HELD_OUT)
    assert not np.allclose(one.table.child, other.table.child)


def test_every_rung_and_member_has_its_own_seed():
    seeds = [rung.seed for rung in rungs(configuration(**LADDER, seed=7).learning)]
    assert len(set(seeds)) == len(seeds) == 3
    assert not set(seeds) & {rung.seed for rung in rungs(configuration(**LADDER, seed=8).learning)}


def test_heads_in_the_corpora_are_not_looked_at():
    def with_heads(corpus: Corpus) -> Corpus:
        return replace(corpus, heads=np.zeros(len(corpus.tags), dtype=np.int32))

    plain = trained(dev=HELD_OUT)
    assert same_model(plain, trained(corpus=with_heads(CORPUS), dev=with_heads(HELD_OUT)))


def test_what_is_watched_decides_nothing_and_is_marked(tmp_path):
    seen = []

    def watch(model: GrammarModel) -> dict[str, float]:
        seen.append(model.order)
        return {"uas_15": float(len(seen))}

    plain = trained()
    watched, _ = Run(configuration(**LADDER), CORPUS, directory=tmp_path / "run", watch=watch).go()
    assert np.array_equal(plain.table.child, watched.table.child)
    assert seen == [Order.FIRST] * 8 + [Order.SIBLING] * 3
    assert (plain.history["watched"], watched.history["watched"]) == (False, True)
    lines = metrics(tmp_path / "run")
    assert [line["watched"]["uas_15"] for line in lines] == [2, 3, 4, 6, 7, 8, 10, 11]
    before = {number: line.pop("before") for number, line in enumerate(lines) if "before" in line}
    assert {number: one["watched"]["uas_15"] for number, one in before.items()} == {0: 1, 3: 5, 6: 9}
    assert [line | {"watched": 0} for line in plain.history["rounds"]] == [
        line | {"watched": 0} for line in without_times(lines)
    ]


def test_before_the_first_epoch_is_where_the_start_led():
    """The judge is a second run that learns its start and no more."""
    values = {"model": "sibling", "epochs": 1, "non_heads": ("D",)}
    run = Run(configuration(**values), CORPUS, HELD_OUT, watch=lambda model: {"uas_15": log_likelihood(model, CORPUS)})
    run.go()
    (line,) = run.history
    judge = Run(configuration(**values), CORPUS, HELD_OUT)
    judge.training = judge._new_training(judge.rungs[0])
    judge.training.begin()
    (model,) = judge._parts(best=False)
    assert line["before"]["watched"]["uas_15"] == log_likelihood(model, CORPUS)
    assert line["before"]["train"] == pytest.approx(log_likelihood(model, CORPUS), rel=1e-12)
    assert line["before"]["dev"] == pytest.approx(log_likelihood(model, HELD_OUT), rel=1e-12)
    assert line["before"]["dev"] != line["dev"]


def log_likelihood(model: GrammarModel, corpus: Corpus) -> float:
    """The mean of its sentences."""
    return float(model.problem(corpus).log_partition().mean())


def test_a_random_start_has_nothing_to_learn_before_the_first_epoch():
    run = Run(configuration(model="ndmv", init=("random",), epochs=1), CORPUS, watch=lambda model: {"uas_15": 1.0})
    run.go()
    assert "before" not in run.history[0] and "watched" in run.history[0]


# ---------------------------------------------------------------- interruption


def files(directory: Path) -> tuple[bytes, bytes]:
    return (directory / MODEL / DESCRIPTION).read_bytes(), (directory / MODEL / NUMBERS).read_bytes()


def metrics(directory: Path) -> list[dict]:
    return [json.loads(line) for line in (directory / METRICS).read_text("utf-8").splitlines()]


def without_times(lines: list[dict]) -> list[dict]:
    return [{name: value for name, value in line.items() if "second" not in name} for line in lines]


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """The directory of a run that nobody stopped."""
    directory = tmp_path_factory.mktemp("whole") / "run"
    trained(LADDER, dev=HELD_OUT, directory=directory)
    return directory


def test_a_run_leaves_its_settings_its_epochs_and_its_model(whole):
    assert sorted(path.name for path in whole.iterdir()) == sorted([CONFIGURATION, METRICS, CHECKPOINT, MODEL])
    lines = metrics(whole)
    assert [(line["rung"], line["model"], line["member"], line["round"], line["max_length"]) for line in lines] == [
        *((0, "ndmv", member, epoch, length) for member in (0, 1) for epoch, length in ((1, 6), (2, 7), (3, 7))),
        *((1, "sibling", 0, epoch, 7) for epoch in (1, 2)),
    ]
    model = load_grammar(whole)
    assert (model.order, model.non_heads) == (Order.SIBLING, ("D",))
    assert model.history["rounds"] == without_times(lines)
    assert (model.history["round_name"], model.history["finished"]) == ("epoch", True)
    assert model.history["settings"]["ladder"] == ["ndmv"]
    assert model.history["training_data"]["sha256"] == CORPUS.fingerprint()


KILLED = {  # where SIGKILL comes: in the start of a rung, or after an epoch and before it is saved
    "before there is anything": [("start", 0)],
    "in the first epoch": [("round", 1)],
    "in the last epoch of the first member": [("round", 3)],
    "in the start of the second member": [("start", 1)],
    "inside the second member": [("round", 5)],
    "before the trees on which they agree": [("round", 6)],
    "after these": [("start", 2)],
    "in the second rung": [("round", 7)],
    "before the model is written": [("round", 8)],
    "again and again": [("start", 0), ("round", 2), ("round", 2), ("start", 2), ("round", 8)],
}


def ladder_run(directory: Path | None) -> Run:
    return Run(configuration(**LADDER), CORPUS, HELD_OUT, directory)


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    """A folder of runs, one for each of KILLED."""
    folder = tmp_path_factory.mktemp("killed")
    killed_runs(folder, ladder_run, KILLED)
    return folder


def resumed(directory: Path, report: Callable[[Progress], None] = lambda progress: None) -> bool:
    run = ladder_run(directory)
    run.resume()
    return run.go(report)[1]


@pytest.mark.slow
@pytest.mark.parametrize("when", KILLED)
def test_a_killed_run_ends_as_if_it_was_not(when, whole, killed, tmp_path):
    directory = shutil.copytree(killed / when, tmp_path / "run")
    assert not (directory / MODEL).exists()
    assert resumed(directory)
    assert files(directory) == files(whole)
    assert without_times(metrics(directory)) == without_times(metrics(whole))


@pytest.mark.slow
def test_what_a_killed_process_left_half_written_does_no_harm(whole, killed, tmp_path):
    directory = shutil.copytree(killed / "inside the second member", tmp_path / "run")
    with open(directory / METRICS, "a") as file:
        file.write('{"rung": 0, "mod')
    (directory / f".{CHECKPOINT}.x1y2").write_bytes(b"half")
    require_place_for_model(directory)  # it is still ours
    assert resumed(directory)
    assert files(directory) == files(whole)
    assert without_times(metrics(directory)) == without_times(metrics(whole))


@some_now("stop_at", [1, 4, 8], later=[2, 3, 5, 6, 7])
def test_ctrl_c_leaves_a_model_that_parses_and_a_run_that_goes_on(stop_at, whole, tmp_path):
    def interrupt(progress: Progress) -> None:
        if progress.done == stop_at:
            raise KeyboardInterrupt

    run = Run(configuration(**LADDER), CORPUS, HELD_OUT, tmp_path / "run")
    model, finished = run.go(interrupt)
    assert not finished
    assert model.order is (Order.FIRST if stop_at <= 6 else Order.SIBLING)
    loaded = load_grammar(tmp_path / "run")
    assert same_model(loaded, model)
    assert is_a_tree_of_each(CORPUS, parse_corpus(loaded, CORPUS, Parsing()))
    assert resumed(tmp_path / "run")
    assert files(tmp_path / "run") == files(whole)
    assert without_times(metrics(tmp_path / "run")) == without_times(metrics(whole))


@pytest.mark.parametrize("rung", [0, 1, 2])
@pytest.mark.parametrize("place", ["begin", "run_round"])
def test_ctrl_c_works_anywhere(rung, place, whole, tmp_path, monkeypatch):
    """Also in the start of a rung, and in the middle of an epoch."""
    run = Run(configuration(**LADDER), CORPUS, HELD_OUT, tmp_path / "run")
    learn = Training._learn

    def interrupt(training, *arguments, **options):
        scores = learn(training, *arguments, **options)
        if run.rung == rung and (run.training is None) == (place == "begin"):
            raise KeyboardInterrupt
        return scores

    with monkeypatch.context() as patch:
        patch.setattr(Training, "_learn", interrupt)
        try:
            model, finished = run.go()
        except KeyboardInterrupt:
            model, finished = None, False
    assert not finished
    if (rung, place) == (0, "begin"):
        assert model is None  # there is nothing to keep
        assert not (tmp_path / "run" / MODEL).exists()
    else:
        assert model is not None
        assert model.order is (Order.SIBLING if (rung, place) == (2, "run_round") else Order.FIRST)
        assert is_a_tree_of_each(CORPUS, parse_corpus(load_grammar(tmp_path / "run"), CORPUS, Parsing()))
    assert resumed(tmp_path / "run")
    assert files(tmp_path / "run") == files(whole)


@pytest.mark.parametrize("place", ["before", "run_round"])
def test_a_watched_run_that_is_stopped_before_its_first_epoch_ends_has_the_same_history(place, tmp_path, monkeypatch):
    def watched(directory: Path | None) -> Run:
        values = {"model": "sibling", "ladder": ("ndmv",), "epochs": 1}
        return Run(configuration(**values), CORPUS, HELD_OUT, directory, lambda model: {"uas_15": model.table.root[0]})

    def interrupt(training, *arguments):
        raise KeyboardInterrupt

    whole = watched(None)
    whole.go()
    stopped = watched(tmp_path / "run")
    with monkeypatch.context() as patch:
        patch.setattr(Training, place, interrupt)
        assert stopped.go()[1] is False
    again = watched(tmp_path / "run")
    again.resume()
    assert again.go()[1]
    assert again.history == whole.history == without_times(metrics(tmp_path / "run"))
    assert ["before" in line for line in whole.history] == [True, True]


def test_a_run_in_memory_is_the_run_on_disk(whole):
    assert same_model(trained(dev=HELD_OUT), load_grammar(whole))


def test_progress_counts_all_epochs_of_the_run():
    seen: list[Progress] = []
    Run(configuration(**LADDER), CORPUS).go(seen.append)
    assert [progress.done for progress in seen] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert {progress.total for progress in seen} == {8}
    assert [str(progress.rung) for progress in seen] == ["ndmv 1/2"] * 3 + ["ndmv 2/2"] * 3 + ["sibling"] * 2


def test_resuming_what_is_finished_changes_nothing(whole):
    before = files(whole), metrics(whole)
    assert resumed(whole, report=lambda progress: pytest.fail("an epoch too many"))
    assert (files(whole), metrics(whole)) == before


def test_more_epochs_go_on_where_the_first_ended(tmp_path):
    values = {"model": "ndmv", "epochs": 2}
    trained(values, directory=tmp_path / "run")
    longer = Run(configuration(**values | {"epochs": 5}), CORPUS, None, tmp_path / "run")
    longer.resume()
    model, _ = longer.go()
    assert same_model(model, trained(values | {"epochs": 5}))
    assert len(metrics(tmp_path / "run")) == 5


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"learning_rate": 0.02}, "learning_rate was 0.03, is 0.02"),
        ({"model": "grand"}, "model was 'sibling', is 'grand'"),
        ({"seed": 1}, "seed was 0, is 1"),
        ({"size": 9, "members": 3}, "members was 2, is 3, size was 8, is 9"),
        ({"non_heads": ()}, r"non_heads was \['D'\], is \[\]"),
        ({"max_length": 9}, "max_length was 15, is 9"),
        ({"max_length": None}, "max_length was 15, is None"),
    ],
)
def test_resuming_with_other_settings_is_refused(changed, message, whole):
    run = Run(configuration(**LADDER | changed), CORPUS, HELD_OUT, whole)
    with pytest.raises(DepinduceError, match=message):
        run.resume()


def test_epochs_patience_and_threads_may_change_on_the_way(whole):
    Run(configuration(**LADDER | {"epochs": 9, "patience": 9, "threads": 2}), CORPUS, HELD_OUT, whole).resume()


@pytest.mark.parametrize(
    ("corpus", "dev", "name"),
    [
        (tagged("N V D A"), HELD_OUT, "training"),
        (CORPUS, tagged("N V D A", vocabulary=CORPUS.tag_vocabulary), "held-out"),
        (CORPUS, None, "held-out"),
    ],
)
def test_resuming_with_other_sentences_is_refused(corpus, dev, name, whole):
    with pytest.raises(DepinduceError, match=f"the {name} sentences differ"):
        Run(configuration(**LADDER), corpus, dev, whole).resume()


def flipped(data: bytes, place: float) -> bytes:
    """With one bit changed, so far in the file."""
    changed = bytearray(data)
    changed[int(place * len(data))] ^= 1
    return bytes(changed)


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: data[:-100], id="cut short"),
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: flipped(data, 0.1), id="a bit at the beginning"),
        pytest.param(lambda data: flipped(data, 0.6), id="a bit in the middle"),
        pytest.param(lambda data: flipped(data, 0.999), id="a bit at the end"),
    ],
)
def test_a_damaged_checkpoint_is_refused(damage, whole, tmp_path):
    directory = tmp_path / "run"
    directory.mkdir()
    (directory / CONFIGURATION).write_bytes((whole / CONFIGURATION).read_bytes())
    (directory / CHECKPOINT).write_bytes(damage((whole / CHECKPOINT).read_bytes()))
    with pytest.raises(DepinduceError, match=r"checkpoint\.safetensors: cannot be read .* --overwrite"):
        Run(configuration(**LADDER), CORPUS, HELD_OUT, directory).resume()


@pytest.mark.parametrize("state", [{}, {"rung": 7}, {"members": 9}, {"training": {}}, {"data": None}], ids=str)
def test_a_checkpoint_that_says_odd_things_is_refused(state, whole, tmp_path):
    directory = shutil.copytree(whole, tmp_path / "run")
    arrays, own, true = read_checkpoint(directory / CHECKPOINT)
    write_checkpoint(directory / CHECKPOINT, arrays, own, true | state if state else {})
    with pytest.raises(DepinduceError, match=r"checkpoint\.safetensors: cannot be read .* --overwrite"):
        Run(configuration(**LADDER), CORPUS, HELD_OUT, directory).resume()


def test_metrics_that_are_lost_or_damaged_are_written_again(whole, tmp_path):
    directory = shutil.copytree(whole, tmp_path / "run")
    lines = (whole / METRICS).read_bytes().splitlines(keepends=True)
    (directory / METRICS).write_bytes(b"".join([lines[0], b"\xff\n", *lines[2:4], b"[" * 100_000, b"\n"]))
    assert resumed(directory)
    found = (directory / METRICS).read_bytes().splitlines(keepends=True)
    assert [found[0], *found[2:4]] == [lines[0], *lines[2:4]]
    assert without_times(metrics(directory)) == without_times(metrics(whole))
    assert files(directory) == files(whole)


@pytest.mark.parametrize("batch_size", [0, 10])
def test_when_training_diverges_the_last_checkpoint_is_good(batch_size, tmp_path):
    values = {"model": "ndmv", "learning_rate": 0.9, "batch_size": batch_size, "epochs": 40}
    run = Run(configuration(**values), CORPUS, None, tmp_path / "run")
    with pytest.raises(Diverged, match="lower --learning-rate"):
        run.go()
    arrays, _, state = read_checkpoint(tmp_path / "run" / CHECKPOINT)
    assert all(np.isfinite(array).all() for array in arrays.values())
    assert len(metrics(tmp_path / "run")) == len(state["history"]) == state["training"]["numbers"]["round"]


# ---------------------------------------------------------------- starts


@pytest.fixture
def begun(monkeypatch) -> list[Training]:
    """The trainings of a run, in their order."""
    seen: list[Training] = []
    begin = Training.begin
    monkeypatch.setattr(Training, "begin", lambda self: seen.append(self) or begin(self))
    return seen


@pytest.fixture
def starts(monkeypatch) -> list[Start]:
    """What the rungs of a run start from, in their order."""
    seen: list[Start] = []
    begin = Training.begin
    monkeypatch.setattr(Training, "begin", lambda self: seen.append(self.starts[0]) or begin(self))
    return seen


def test_the_second_rung_starts_from_the_trees_on_which_the_members_agree(starts):
    more_than_one_opinion = 0
    for seed in range(5):
        whole = configuration(**LADDER | {"members": 3, "seed": seed})
        starts.clear()
        Run(whole, CORPUS).go()
        first, _, _, second = list(starts)
        tables = []
        for rung in rungs(whole.learning)[:3]:
            learners = make_learners(rung.settings, whole, CORPUS, rung.seed)
            member = Training(rung.settings, learners, CORPUS, None, rung.seed, [first])
            member.begin()
            while not member.finished:
                member.run_round()
            (learner,) = learners
            tables.append(learner.model({}).table)
        _, batch, factors = GrammarModel(Order.FIRST, CORPUS.tag_vocabulary, tables[0], ("D",)).problem(CORPUS)
        assert np.array_equal(second.heads, agreed_trees(tables, batch, factors))
        own = [agreed_trees([table], batch, factors) for table in tables]
        more_than_one_opinion += not any(np.array_equal(second.heads, heads) for heads in own)
    assert more_than_one_opinion > 0


def test_each_rung_starts_from_the_trees_of_the_one_before(starts):
    trained({"model": "sibling", "ladder": ("ndmv", "grand"), "epochs": 1})
    assert [start.heads is None for start in starts] == [True, False, False]
    assert not np.array_equal(starts[1].heads, starts[2].heads)
    assert all(is_a_tree_of_each(CORPUS, start.heads) for start in starts[1:])


def test_only_the_first_rung_grows_and_only_the_last_is_anchored():
    values = {"model": "sibling", "ladder": ("ndmv", "grand"), "members": 2, "grow_from": 3, "anchor": 0.3}
    found = [
        (rung.model, rung.settings.grow_from, rung.settings.anchor) for rung in rungs(configuration(**values).learning)
    ]
    assert found == [("ndmv", 3, 0), ("ndmv", 3, 0), ("grand", 0, 0), ("sibling", 0, 0.3)]


def test_a_random_start_is_no_start(begun):
    assert trained({"model": "ndmv", "init": ("random",), "epochs": 1}).order is Order.FIRST
    (training,) = begun
    assert training.starts == [Start("random")]
    assert not training.learns_start


@pytest.mark.parametrize("model", ["ndmv", "sibling", "grand"])
def test_the_harmonic_start_is_a_grammar_or_its_best_trees(model, begun):
    for start_trees in ("all", "best"):
        trained({"model": model, "start_trees": start_trees, "epochs": 1})
    grammar, best = begun
    harmonic = GrammarModel(Order.FIRST, CORPUS.tag_vocabulary, harmonic_table(CORPUS))
    assert grammar.starts[0].heads is None
    raised = raise_order(harmonic.table, grammar.learners[0].order)
    assert np.array_equal(grammar.start_tables[0].child, raised.child)
    assert best.start_tables == [None]
    assert np.array_equal(best.starts[0].heads, parse_corpus(harmonic, CORPUS, Parsing()))


def test_the_inside_out_start_is_a_grammar_too(begun):
    trained({"model": "sibling", "generation": "inside-out", "start_trees": "all", "epochs": 1})
    assert begun[0].starts == [Start("harmonic")]
    assert begun[0].start_tables[0] is not None


def test_generation_concerns_only_the_sibling_rung(begun):
    values = {"model": "sibling", "generation": "inside-out", "ladder": ("ndmv",), "start_trees": "all", "epochs": 1}
    assert trained(values).inside_out
    assert begun[0].start_tables[0] is not None  # all trees, as without the inside-out rung above
    plain = trained(values | {"generation": "outside-in"})
    assert not plain.inside_out
    assert np.array_equal(begun[1].starts[0].heads, begun[3].starts[0].heads)


def test_another_model_can_be_the_start(starts, tmp_path):
    other = GrammarModel(Order.GRANDPARENT, CORPUS.tag_vocabulary, random_table(Order.GRANDPARENT, TAGS, 1))
    other.save(tmp_path / "other")
    trained({"model": "sibling", "init": ("model", str(tmp_path / "other")), "epochs": 1})
    assert np.array_equal(starts[0].heads, parse_corpus(other, CORPUS, Parsing()))


def test_a_run_can_be_the_start_of_another(whole, starts):
    trained({"model": "grand", "init": ("model", str(whole)), "epochs": 1})
    assert np.array_equal(starts[0].heads, parse_corpus(load_grammar(whole), CORPUS, Parsing()))


BLOCKS = [("a/N b/V", (2, 0)), ("a/D b/N c/V", (2, 3, 0)), ("a/V b/D c/N ./PUNCT", (0, 3, 1, 1))]


def test_trees_of_a_file_can_be_the_start(starts, tmp_path):
    plain = write(tmp_path / "plain.conllu", *(block(words) for words, _ in BLOCKS))
    trees = write(tmp_path / "trees.conllu", *(block(words, heads) for words, heads in BLOCKS))
    trained({"model": "ndmv", "init": ("trees", str(trees)), "epochs": 1}, load_corpus(plain))
    assert starts[0].heads.tolist() == [2, 0, 2, 3, 0, 0, 3, 1]  # without the full stop


@pytest.mark.parametrize(
    "others",
    [
        BLOCKS[:2],  # one is missing
        [BLOCKS[1], BLOCKS[0], BLOCKS[2]],  # in another order
        [("a/V b/N", (2, 0)), *BLOCKS[1:]],  # with other tags
        [("a/X b/V", (2, 0)), *BLOCKS[1:]],  # with an unknown tag
    ],
)
def test_trees_of_other_sentences_are_refused_as_a_start(others, tmp_path):
    plain = write(tmp_path / "plain.conllu", *(block(words) for words, _ in BLOCKS))
    trees = write(tmp_path / "trees.conllu", *(block(words, heads) for words, heads in others))
    with pytest.raises(DepinduceError, match="it must hold the training sentences"):
        trained({"model": "ndmv", "init": ("trees", str(trees))}, load_corpus(plain))


def test_a_file_without_trees_is_refused_as_a_start(tmp_path):
    plain = write(tmp_path / "plain.conllu", *(block(words) for words, _ in BLOCKS))
    with pytest.raises(DepinduceError, match=r"plain\.conllu"):
        trained({"model": "ndmv", "init": ("trees", str(plain))}, load_corpus(plain))


# ---------------------------------------------------------------- the model


def test_an_inside_out_model_parses_from_the_inside_out_after_loading(tmp_path):
    values = {"model": "sibling", "generation": "inside-out", "epochs": 8}
    trained(values, directory=tmp_path / "run")
    model = load_grammar(tmp_path / "run")
    assert model.inside_out
    batch = tag_batch(Order.SIBLING, CORPUS.tags, CORPUS.offsets, TAGS)
    potentials = as_outside_in(model.table)
    heads = parse_corpus(model, CORPUS, Parsing())
    assert is_a_tree_of_each(CORPUS, heads)
    assert np.array_equal(heads, best_trees(potentials, batch).heads[0])
    for inside_out in (True, False):
        table, _, _ = replace(model, inside_out=inside_out).problem(CORPUS)
        same = np.allclose(log_partition(table, batch), log_partition(potentials, batch), rtol=1e-6)
        assert same == inside_out
    unknown = replace(CORPUS, tags=np.where(np.arange(len(CORPUS.tags)) % 5, CORPUS.tags, -1).astype(np.int32))
    assert is_a_tree_of_each(CORPUS, parse_corpus(model, unknown, Parsing()))


def determiners_that_head(heads: np.ndarray) -> int:
    """How many words hang on a D, in sentences in which something else might be the head."""
    determiner, count = CORPUS.tag_vocabulary.id("D"), 0
    for begin, end in zip(CORPUS.offsets[:-1], CORPUS.offsets[1:], strict=True):
        tags, tree = CORPUS.tags[begin:end], heads[begin:end]
        if (tags != determiner).any():
            count += np.sum(tags[tree[tree > 0] - 1] == determiner)
    return int(count)


@pytest.mark.parametrize("model", ["ndmv", "sibling", "grand"])
@pytest.mark.parametrize(
    "stages", [("start",), ("start", "training"), ("parsing",), ("start", "training", "parsing")], ids="+".join
)
def test_the_constraint_holds_in_its_stages_only(model, stages, starts):
    values = {"model": model, "start_trees": "best", "non_heads": ("D",), "constraint": stages, "epochs": 1}
    parser = trained(values)
    assert parser.non_heads == (("D",) if "parsing" in stages else ())
    assert (determiners_that_head(starts[0].heads) == 0) == ("start" in stages)
    if "parsing" in stages:
        assert determiners_that_head(parse_corpus(parser, CORPUS, Parsing())) == 0


@pytest.mark.parametrize("model", ["ndmv", "sibling", "grand"])
def test_function_words_may_head_where_the_constraint_does_not_hold_in_parsing(model):
    def heading(**values) -> list[int]:
        values |= {"model": model, "init": ("random",), "non_heads": ("D",), "epochs": 1}
        parsers = [trained(values | {"seed": seed}) for seed in range(4)]
        return [determiners_that_head(parse_corpus(parser, CORPUS, Parsing())) for parser in parsers]

    assert max(heading(constraint=("start",))) > 0
    assert heading() == [0, 0, 0, 0]
