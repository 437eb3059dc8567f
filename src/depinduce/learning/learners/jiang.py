"""The neural DMV of Jiang, Han & Tu (2016), by EM: the counts of all sentences, then several passes over these.

To the original a pass is many steps of SGD, each on a few uses of rules. Here all counts are one table, so that a pass
is a step on it, and a step of Adam. Roots are no network's: they are the relative frequencies of their counts.
"""

from __future__ import annotations

import numpy as np
import torch

from depinduce.corpus import Corpus
from depinduce.grammar.rules import RuleCounts
from depinduce.learning.learners.learner import Learner, View
from depinduce.learning.learners.networks import TagLearner
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.networks.jiang_network import JiangNetwork
from depinduce.networks.network_settings import JiangNetworkSettings

ROOT_SMOOTHING = 0.1  # pseudo-count of every root, as the rules of a count model have it


class JiangLearner(TagLearner):
    """The two networks; to them the start is the first E-step."""

    network: JiangNetwork

    @torch.no_grad()
    def learn(self, view: View | None, counts: RuleCounts, sentences: int, steps: int | None = None) -> None:
        """As many passes over the counts of the start as over others. In batches, roots follow the gradient, too."""
        super().learn(view, counts, sentences)
        if not self.settings.batch_size:
            self.network.root_scores.copy_(torch.from_numpy(np.log(counts.root + ROOT_SMOOTHING)))


def make_learners(
    settings: NeuralSettings, configuration: Configuration, train: Corpus, seed: int, vectors: np.ndarray | None = None
) -> list[Learner]:
    """The learner of a model, with random weights."""
    torch.set_num_threads(settings.threads)
    torch.manual_seed(seed)
    tags, own = train.tag_vocabulary, configuration.network
    sizes = own if isinstance(own, JiangNetworkSettings) else None  # None: a rung below another kind of model
    return [JiangLearner(JiangNetwork(len(tags), sizes), tags, settings, seed)]
