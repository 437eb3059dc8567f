"""Training steps of models over words, beside the bare matrix products that they cannot do without.

Sentences are random: lengths from 1 to the longest, tokens by Zipf's law. The networks have the paper's sizes for
L-NDMV (200, ranks 150 and 50, its encoder for WSJ). What is timed is one step on one batch: probabilities, chart,
gradient by every weight, Adam.

    L-NDMV            first order over words
    joint             sibling-NDMV over tags and L-NDMV, one step on their product
    bare products     of L-NDMV: all tokens as children through the role, the five products of the encoder (W₄ W₃ is
                      one) in both valences and directions, and the factors; and the scores of the heads of the batch
                      with all tokens; forwards, and both products of each backwards; nothing else, into memory that is
                      there already

A step of the lexicalised sibling model is timed, and its memory measured in a process of its own, at a fifth of the
vocabulary and at all of it. So are steps of L-NDMV at several sizes of the vocabulary: with the softmax over all words,
which is the denominator, and with that of two levels, over the 1,000 most frequent words and classes of others of about
the same frequency. Beyond 1,000 words the two are different models; each is exact. Where every word is a class they are
the same, which is made sure of first.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace

import numpy as np
import torch

from depinduce.bench.charts import denominator, least_seconds, peak_memory_mb
from depinduce.bench.lexical_settings import LexicalBench
from depinduce.corpus import Corpus, Vocabulary
from depinduce.learning.learners.networks import WordLearner, make_learners
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.training import Training
from depinduce.networks.network_settings import NetworkSettings
from depinduce.networks.word_classes import Classes
from depinduce.networks.word_network import LexicalNetwork

TAGS = 40
COMPARED = 300  # tokens, the most for which the two ways are compared
SAME = 1e-4  # by so much probabilities may differ, relatively: networks compute in single precision


def measure(settings: LexicalBench, report: Callable[[str], None] = lambda what: None) -> dict:
    """The results of the benchmark, as a dictionary for JSON."""
    torch.set_num_threads(settings.threads)
    require_same_rules(settings)
    report("two levels with a class for every word are the softmax over all words")
    seconds = {}
    for name, model in (("L-NDMV", "lexical"), ("joint", "joint-sibling")):
        training, batch = new_training(settings, model)
        seconds[name] = least_seconds(lambda t=training, b=batch: t.learn_from(b), settings.seconds)
        report(name)
    words = new_training(settings, "lexical")
    seconds["bare products"] = least_seconds(bare_products(*words), settings.seconds)
    report("bare products")
    second_order = {}
    for vocabulary in (max(100, settings.vocabulary // 5), settings.vocabulary):
        second_order[str(vocabulary)] = measure_apart(replace(settings, vocabulary=vocabulary), "lexical-sibling")
        report(f"lexicalised sibling, vocabulary {vocabulary}")
    by_softmax = {}
    for vocabulary in settings.softmax_sizes:
        sized = replace(settings, vocabulary=vocabulary)
        full, classes = (measure_apart(sized, "lexical", softmax) for softmax in ("full", "frequency"))
        ratio = full["seconds"] / classes["seconds"]
        by_softmax[str(vocabulary)] = {"full": full, "frequency": classes, "full / frequency": ratio}
        report(f"softmax, vocabulary {vocabulary}")
    return {
        "benchmark": "lexical",
        "denominator": denominator(__doc__),
        "settings": asdict(settings),
        "seconds_per_step": seconds,
        "ratios": {
            "L-NDMV / bare products": seconds["L-NDMV"] / seconds["bare products"],
            "joint / L-NDMV": seconds["joint"] / seconds["L-NDMV"],
        },
        "lexicalised sibling": second_order,
        "softmax": by_softmax,
    }


def require_same_rules(settings: LexicalBench) -> None:
    """Fail unless a softmax of two levels is that over all words, where every word is a class."""
    training, batch = new_training(replace(settings, vocabulary=min(settings.vocabulary, COMPARED)), "lexical")
    (learner,), (data, _) = training.learners, training.train[0].take(batch)
    assert isinstance(learner, WordLearner) and data.words is not None  # it is L-NDMV
    full, lexicon = learner.network, learner.network.lexicon
    rank = full.rank, full.decision_factors.out_features
    sizes = NetworkSettings(size=full.symbols.shape[1], child_rank=rank[0], decision_rank=rank[1], encoder="wsj")
    every = Classes(np.arange(len(lexicon)))
    classes = LexicalNetwork(full.order, lexicon, sizes, full.tag_embedding.shape[1], classes=every)
    classes.load_state_dict(full.state_dict(), strict=False)
    for one, two in zip(full.rules(data.words)[0], classes.rules(data.words)[0], strict=True):
        np.testing.assert_allclose(two.exp(), one.exp(), rtol=SAME, err_msg="another softmax")


def random_corpus(settings: LexicalBench) -> Corpus:
    """One batch of sentences, preceded by every token once so that all of them are in the vocabulary."""
    random = np.random.default_rng(settings.seed)
    lengths = random.integers(1, settings.max_length + 1, settings.batch_size)
    pairs = settings.vocabulary - TAGS
    chances = 1.0 / np.arange(1, pairs + 1)
    drawn = random.choice(pairs, size=int(lengths.sum()), p=chances / chances.sum())
    words = np.concatenate([np.arange(pairs), drawn]).astype(np.int32)
    offsets = np.concatenate([np.arange(pairs), pairs + np.concatenate([[0], np.cumsum(lengths)])])
    return Corpus(
        offsets=offsets,
        tags=(words % TAGS).astype(np.int32),
        words=words,
        heads=None,
        index=np.arange(len(offsets) - 1),
        tag_vocabulary=Vocabulary([f"T{number}" for number in range(TAGS)], [1] * TAGS),
        word_vocabulary=Vocabulary([f"w{number}" for number in range(pairs)], [1] * pairs),
    )


def new_training(settings: LexicalBench, model: str, softmax: str = "full") -> tuple[Training, np.ndarray]:
    """A training, and the sentences of its batch."""
    corpus = random_corpus(settings)
    values = {
        "model": model,
        "init": ("random",),
        "min_count": 1,
        "threads": settings.threads,
        "seed": settings.seed,
        "encoder": "wsj",
        "softmax": softmax,
    }
    configuration = configure(values)
    learning = configuration.learning
    assert isinstance(learning, NeuralSettings)  # as those of every model over words are
    learners = make_learners(learning, configuration, corpus, settings.seed)
    training = Training(learning, learners, corpus, None, settings.seed)
    return training, np.arange(len(corpus) - settings.batch_size, len(corpus))


def bare_products(training: Training, batch: np.ndarray) -> Callable[[], None]:
    """A function that multiplies matrices of the shapes that a step of L-NDMV multiplies."""
    (learner,), (data, _) = training.learners, training.train[0].take(batch)
    assert isinstance(learner, WordLearner) and data.words is not None  # it is L-NDMV
    network = learner.network
    vocabulary, size, rank = len(network.lexicon), network.symbols.shape[1], network.rank
    heads = np.bincount(data.words.contexts[:, 0], minlength=4).tolist()  # of each direction and valence
    shapes = [
        (vocabulary, size, size),  # as a child
        (vocabulary, size, 2 * size),  # valence
        (2 * vocabulary, size, size),  # W₁
        (2 * vocabulary, size, 2 * size),  # direction
        (4 * vocabulary, size, size),  # W₂
        (4 * vocabulary, size, size),  # W₄ W₃
        (4 * vocabulary, size, rank),  # factors
        *((count, rank, vocabulary) for count in heads),  # scores
    ]
    products = [_product(*shape) for shape in shapes]

    def run() -> None:
        for product in products:
            product()

    return run


def _product(rows: int, inner: int, columns: int) -> Callable[[], None]:
    """A function that multiplies Y = X W, and what the gradients by X and by W take."""
    x, weight, y = torch.randn(rows, inner), torch.randn(inner, columns), torch.randn(rows, columns)
    to_x, to_weight = torch.empty_like(x), torch.empty_like(weight)

    def run() -> None:
        torch.mm(x, weight, out=y)
        torch.mm(y, weight.t(), out=to_x)
        torch.mm(x.t(), y, out=to_weight)

    return run


def measure_apart(settings: LexicalBench, model: str, softmax: str = "full") -> dict[str, float]:
    """Seconds of a step of a model, and the peak memory of its process in MB."""
    command = [sys.executable, "-m", "depinduce.bench.lexical", json.dumps(asdict(settings)), model, softmax]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def run_apart(settings: LexicalBench, model: str, softmax: str) -> dict[str, float]:
    torch.set_num_threads(settings.threads)
    training, batch = new_training(settings, model, softmax)
    seconds = least_seconds(lambda: training.learn_from(batch), settings.seconds)
    return {"seconds": seconds, "peak_memory_mb": peak_memory_mb()}


if __name__ == "__main__":
    print(json.dumps(run_apart(LexicalBench(**json.loads(sys.argv[1])), *sys.argv[2:])))
