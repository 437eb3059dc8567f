"""One epoch of direct marginal likelihood optimisation, sibling model: first the same gradients, then the time.

All learn from the same sentences with the same network (the paper's for UD), Adam and number of threads, in one
process, without constraints. What is timed is an epoch: of every batch the rule probabilities, log Z of its
sentences, the gradient by every weight, and Adam's step. A batch (of a yardstick: one of every shape) is timed several
times, and its shortest time counts.

    ours                          the program's own step: random batches, a rule table per batch, compiled charts
    the authors' way              network and chart at the words of every batch, as the authors' program does it
    our network, published chart  our network, once per batch for the tags; then the chart as the authors keep it

Their batches are drawn at random and padded, as the authors' program has it. Three more are kinder to the paper's
algorithm: their batches hold sentences of one length, so that nothing is padding,

    the authors' way, no padding
    our network, published chart, no padding
    our network, growing chart, no padding     the fastest form of the paper's chart that we could write

The yardsticks are `bench.authors_way` and `bench.yardstick`, in our writing: torch, single precision, O(n⁴), gradient
by autograd, Adam the fused one as in ours. Ours has the network in single and the charts in double precision. Beside
it stands the shortest of several whole epochs of the program, shuffling included, which no yardstick is asked for.

Beside them stand epochs of first-order models of ours: `ndmv`, with one table for a batch; and D-NDMVs, in which every
sentence has rules of its own. These are other models, so that nothing is equal between them.

The parts of ours: `chart` is taking batches and computing expected counts, `network forward` is making the table, each
run alone for as many batches as an epoch has; the rest of the epoch is back-propagation and Adam.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass

import numpy as np
import torch
from torch import Tensor, nn

from depinduce.bench import authors_way, yardstick
from depinduce.bench.authors_way import PlainNetwork, as_plain
from depinduce.bench.charts import denominator, least_seconds, peak_memory_mb
from depinduce.bench.training_settings import TrainingBench
from depinduce.chart.problems import Problem
from depinduce.corpus import Corpus, Reading, load_corpus
from depinduce.corpus.demo import demo_file
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.learning.learners.networks import TagLearner
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.training import Training
from depinduce.models.table import find
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.tag_network import RuleNetwork, Rules

OURS, AUTHORS = "ours", "the authors' way"
NETWORK = NetworkSettings()  # the paper's for UD
CHECKED = 3  # batches whose gradients are compared
SIBLING = {"model": "sibling"}
FIRST_ORDER = {  # models whose epochs are set beside each other
    "ndmv": {"model": "ndmv"},
    "d-ndmv": {"model": "d-ndmv"},
    "d-ndmv, variational": {"model": "d-ndmv", "variational": True},
}
EPOCHS = 10  # so many times longer than one batch of a yardstick an epoch of ours is repeated
SINGLE = 2e-5  # what single precision may change of a gradient, as a share of the parameter's largest


@dataclass(frozen=True)
class Padded:
    """Sentences as a rectangle of tags."""

    tags: Tensor  # [sentence, word]
    lengths: Tensor | None = None  # [sentence], if they differ


LogLikelihood = Callable[[Padded], Tensor]  # [sentence], open to autograd


@dataclass(frozen=True)
class Yardstick:
    """A way from the weights of a network to the log-likelihood of sentences."""

    start: Callable[[RuleNetwork], tuple[nn.Module, LogLikelihood]]  # a network of its own with the same weights
    padding: bool  # random batches, padded, or batches of sentences of one length


def _at_words(like: RuleNetwork) -> tuple[nn.Module, LogLikelihood]:
    network = PlainNetwork.like(like, NETWORK)
    return network, lambda batch: authors_way.log_partition(*network.at_positions(batch.tags), batch.lengths)


def _published(like: RuleNetwork) -> tuple[nn.Module, LogLikelihood]:
    return _with_chart(like, yardstick.PUBLISHED)


def _growing(like: RuleNetwork) -> tuple[nn.Module, LogLikelihood]:
    return _with_chart(like, yardstick.GROWING)


def _with_chart(like: RuleNetwork, form: str) -> tuple[nn.Module, LogLikelihood]:
    network = copy.deepcopy(like)

    def log_likelihood(batch: Padded) -> Tensor:
        rules: Rules = network()
        return yardstick.log_partition(Order.SIBLING, *rules, batch.tags, form=form, lengths=batch.lengths)

    return network, log_likelihood


YARDSTICKS = {
    AUTHORS: Yardstick(_at_words, padding=True),
    "our network, published chart": Yardstick(_published, padding=True),
    f"{AUTHORS}, no padding": Yardstick(_at_words, padding=False),
    "our network, published chart, no padding": Yardstick(_published, padding=False),
    "our network, growing chart, no padding": Yardstick(_growing, padding=False),
}


def measure(settings: TrainingBench, report: Callable[[str], None] = lambda what: None) -> dict:
    """The results of the benchmark, as a dictionary for JSON."""
    torch.set_num_threads(settings.threads)
    corpus = load_sentences(settings)
    chosen = random_batches(corpus, settings)
    batches = {True: [padded(corpus, batch) for batch in chosen], False: batches_by_length(corpus, settings.batch_size)}
    assert_equal_results(settings, corpus)
    report("the gradients are equal")
    training = new_training(settings, corpus)
    whole_epoch = least_seconds(training.run_round, EPOCHS * settings.seconds)
    seconds = {OURS: time_batches(settings, training.learn_from, chosen)}
    report(OURS)
    breakdown = measure_parts(settings, training, chosen, seconds[OURS])
    first_order = {}
    for name, values in FIRST_ORDER.items():
        first_order[name] = time_batches(settings, new_training(settings, corpus, values).learn_from, chosen)
        report(name)
    for name, way in YARDSTICKS.items():
        seconds[name] = time_yardstick(settings, way, network_of(training), batches[way.padding])
        report(name)
    return {
        "benchmark": "train",
        "denominator": denominator(__doc__),
        "settings": asdict(settings),
        "corpus": {
            "file": settings.train or "the demo corpus",
            "sentences": len(corpus),
            "words": len(corpus.tags),
            "tags": len(corpus.tag_vocabulary),
        },
        "batches_per_epoch": {"random": len(batches[True]), "of one length": len(batches[False])},
        "seconds_per_epoch": seconds,
        "seconds_of_a_whole_epoch_of_ours": whole_epoch,
        "times_faster": {name: seconds[name] / seconds[OURS] for name in YARDSTICKS},
        "breakdown": breakdown,
        "first_order": {
            "seconds_per_epoch": first_order,
            "times_as_long_as_ndmv": {name: spent / first_order["ndmv"] for name, spent in first_order.items()},
        },
        **measure_memory(settings),
    }


def load_sentences(settings: TrainingBench) -> Corpus:
    path = settings.train or demo_file("train")
    corpus = load_corpus(path, Reading(max_length=settings.max_length))
    if len(corpus) == 0:
        raise DepinduceError(f"{path}: no sentences of at most {settings.max_length} words. Raise --max-length.")
    return corpus


def new_training(settings: TrainingBench, corpus: Corpus, values: Mapping[str, object] = SIBLING) -> Training:
    """Our training: epochs of a model as `depinduce train` runs them, without an anchor."""
    common = {"method": "dmo", "init": ("random",), "batch_size": settings.batch_size}
    configuration = configure({**common, **values, "threads": settings.threads, "seed": settings.seed})
    learning = configuration.learning
    assert isinstance(learning, NeuralSettings)
    learners = find(learning.entry.learners)(learning, configuration, corpus, settings.seed)
    return Training(learning, learners, corpus, None, settings.seed)


def network_of(training: Training) -> RuleNetwork:
    """The network of its only learner."""
    (learner,) = training.learners
    assert isinstance(learner, TagLearner) and isinstance(learner.network, RuleNetwork)
    return learner.network


def random_batches(corpus: Corpus, settings: TrainingBench) -> list[np.ndarray]:
    """The sentences of every batch of an epoch."""
    order = np.random.default_rng(settings.seed).permutation(len(corpus))
    return np.split(order, range(settings.batch_size, len(order), settings.batch_size))


def padded(corpus: Corpus, sentences: np.ndarray) -> Padded:
    """Sentences side by side, as wide as the longest."""
    lengths = corpus.lengths[sentences]
    word = np.minimum(np.arange(lengths.max()), lengths[:, None] - 1)  # the last word again and again is the padding
    tags = corpus.tags[corpus.offsets[sentences][:, None] + word]
    return Padded(torch.from_numpy(tags).long(), torch.from_numpy(lengths).long())


def batches_by_length(corpus: Corpus, size: int) -> list[Padded]:
    """The corpus in batches of up to so many sentences of one length."""
    return [
        Padded(torch.from_numpy(corpus.tags[corpus.offsets[chosen][:, None] + np.arange(length)]).long())
        for length, sentences in sentences_by_length(corpus)
        for chosen in np.split(sentences, range(size, len(sentences), size))
    ]


def sentences_by_length(corpus: Corpus) -> Iterator[tuple[int, np.ndarray]]:
    for length in np.unique(corpus.lengths):
        yield int(length), np.flatnonzero(corpus.lengths == length)


# ---------------------------------------------------------------- the same results


def assert_equal_results(settings: TrainingBench, corpus: Corpus) -> None:
    """An error unless ours and every yardstick give some batches the same log-likelihood and the same gradients."""
    lengths = list(sentences_by_length(corpus))
    for which in np.unique(np.linspace(0, len(lengths) - 1, CHECKED).astype(int)):
        chosen = np.isin(np.arange(len(corpus)), lengths[which][1][: settings.batch_size])
        _assert_equal(settings, corpus.select(chosen), padding=False)
    mixed = corpus.select(np.arange(len(corpus)) < settings.batch_size)
    _assert_equal(settings, mixed, padding=True)


def _assert_equal(settings: TrainingBench, corpus: Corpus, padding: bool) -> None:
    training = new_training(settings, corpus)
    weights = copy.deepcopy(network_of(training)).double()
    likelihood = training.run_round().train  # an epoch of one batch: one step, whose gradient stays with the weights
    gradient = gradients(network_of(training))
    (batch,) = [padded(corpus, np.arange(len(corpus)))] if padding else batches_by_length(corpus, len(corpus))
    for name, way in YARDSTICKS.items():
        if way.padding == padding:
            network, log_likelihood = way.start(weights)
            theirs = log_likelihood(batch).mean()
            theirs.neg().backward()
            np.testing.assert_allclose(theirs.item(), likelihood, rtol=1e-5, err_msg=f"log-likelihood, {name}")
            ours = as_plain(gradient) if isinstance(network, PlainNetwork) else gradient
            _assert_same_gradients(gradients(network), ours, name)


def _assert_same_gradients(theirs: dict[str, Tensor], ours: dict[str, Tensor], name: str) -> None:
    assert theirs.keys() == ours.keys(), f"{name}: other parameters"
    for parameter, gradient in theirs.items():
        tolerance = SINGLE * float(gradient.abs().max()) + 1e-9
        message = f"gradient of {parameter}, {name}"
        np.testing.assert_allclose(ours[parameter], gradient, rtol=0, atol=tolerance, err_msg=message)


def gradients(network: nn.Module) -> dict[str, Tensor]:
    """The gradient of every parameter; zero if nothing depends on it."""
    return {
        name: torch.zeros_like(parameter.data) if parameter.grad is None else parameter.grad
        for name, parameter in network.named_parameters()
    }


# ---------------------------------------------------------------- the time


def time_yardstick(settings: TrainingBench, way: Yardstick, like: RuleNetwork, batches: list[Padded]) -> float:
    """Seconds of an epoch: the shortest time of each shape of a batch, times the number of such batches."""
    learn = learner(*way.start(like))
    shapes = Counter(batch.tags.shape for batch in batches)
    examples = {batch.tags.shape: batch for batch in batches}
    return sum(
        count * least_seconds(lambda batch=examples[shape]: learn(batch), settings.seconds)
        for shape, count in shapes.items()
    )


def learner(network: nn.Module, log_likelihood: LogLikelihood) -> Callable[[Padded], None]:
    """A gradient step of a yardstick."""
    optimiser = torch.optim.Adam(network.parameters(), lr=NeuralSettings.learning_rate, fused=True)

    def learn(batch: Padded) -> None:
        optimiser.zero_grad()
        log_likelihood(batch).mean().neg().backward()
        optimiser.step()

    return learn


def time_batches(settings: TrainingBench, learn: Callable[[np.ndarray], object], batches: list[np.ndarray]) -> float:
    """Seconds of an epoch: the shortest time of each batch over several epochs."""
    shortest = np.full(len(batches), np.inf)
    start = time.perf_counter()
    while not np.isfinite(shortest).all() or time.perf_counter() - start < EPOCHS * settings.seconds:
        for number, batch in enumerate(batches):
            begin = time.perf_counter()
            learn(batch)
            shortest[number] = min(shortest[number], time.perf_counter() - begin)
    return float(shortest.sum())


def measure_parts(
    settings: TrainingBench, training: Training, batches: list[np.ndarray], epoch: float
) -> dict[str, float]:
    """Where the seconds of an epoch of ours go."""
    network = network_of(training)
    table = network.table()

    def chart(batch: np.ndarray) -> None:
        data, _ = training.train[0].take(batch)
        Problem(table, data.batch, data.factors).expect(threads=settings.threads)

    chart_seconds = time_batches(settings, chart, batches)
    forward_seconds = len(batches) * least_seconds(network.rules, settings.seconds)
    rest = epoch - chart_seconds - forward_seconds
    return {"chart": chart_seconds, "network forward": forward_seconds, "backward and Adam": rest}


# ---------------------------------------------------------------- the memory, in processes of their own

NOTHING = "nothing but imports and the corpus"


def measure_memory(settings: TrainingBench) -> dict:
    """The peak resident memory of fresh processes that train, in MB."""
    peaks = {}
    for name in (OURS, AUTHORS, NOTHING):
        command = [sys.executable, "-m", "depinduce.bench.training", json.dumps([asdict(settings), name])]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks[name] = float(done.stdout)
    return {"peak_memory_mb": peaks, "times_smaller": peaks[AUTHORS] / peaks[OURS]}


def run_and_measure_memory(settings: TrainingBench, name: str) -> float:
    """The peak memory of an epoch (the authors' way: of one batch of each shape), or of loading the corpus alone."""
    torch.set_num_threads(settings.threads)
    corpus = load_sentences(settings)
    if name == OURS:
        new_training(settings, corpus).run_round()
    elif name != NOTHING:
        network = RuleNetwork(Order.SIBLING, len(corpus.tag_vocabulary), NETWORK)
        learn = learner(*YARDSTICKS[name].start(network))
        batches = [padded(corpus, chosen) for chosen in random_batches(corpus, settings)]
        for batch in {batch.tags.shape: batch for batch in batches}.values():
            learn(batch)
    return peak_memory_mb()


if __name__ == "__main__":
    chosen_settings, what = json.loads(sys.argv[1])
    print(run_and_measure_memory(TrainingBench(**chosen_settings), what))
