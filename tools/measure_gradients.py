"""How long the gradients that are written out by hand take beside autograd through the same forward pass.

python tools/measure_gradients.py [FILE.conllu]       (the demo corpus, if no file is named)

One core, a batch of 100 sentences of up to 15 words, the network alone; the least of seven times.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import torch

from depinduce.corpus import Corpus, Reading, load_corpus
from depinduce.corpus.demo import demo_file
from depinduce.learning.learners.networks import make_learners
from depinduce.learning.settings.configuration import configure


def least_seconds(work: Callable[[], object], times: int) -> float:
    taken = []
    for _ in range(7):
        begin = time.perf_counter()
        for _ in range(times):
            work()
        taken.append((time.perf_counter() - begin) / times)
    return min(taken)


def main(path: str) -> None:
    torch.set_num_threads(1)
    corpus = load_corpus([path], Reading(max_length=15))
    for model, times in (("ndmv", 20), ("sibling", 20), ("grand", 20), ("lexical", 1)):
        measure(model, corpus, times)


def measure(model: str, corpus: Corpus, times: int) -> None:
    configuration = configure({"model": model, "init": ("random",)})
    (learner,) = make_learners(configuration.learning, configuration, corpus, 0)
    data, _ = learner.sentences(corpus, "training").take(np.arange(100))
    network, weights = learner.network, list(learner.network.parameters())
    forward = (lambda: type(network).rules.__wrapped__(network, data.words)) if data.words else (
        lambda: network._compute(*network._weights)
    )  # fmt: skip

    @torch.no_grad()
    def by_hand() -> torch.Tensor:
        rules, pull_back = learner.rules(data)
        return torch.cat([part.flatten() for part in pull_back(*map(torch.ones_like, rules))])

    @torch.enable_grad()
    def by_autograd() -> torch.Tensor:
        rules, _ = forward()
        parts = torch.autograd.grad(rules, weights, [*map(torch.ones_like, rules)], materialize_grads=True)
        return torch.cat([part.flatten() for part in parts])

    difference = (by_hand() - by_autograd()).abs().max() / by_hand().abs().max()
    ours, theirs = least_seconds(by_hand, times), least_seconds(by_autograd, times)
    print(f"{model:8} by hand {1e3 * ours:7.2f} ms, autograd {theirs / ours:.2f} times that; apart by {difference:.0e}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else str(demo_file("train")))
