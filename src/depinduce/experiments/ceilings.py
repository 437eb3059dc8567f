"""What a kind of grammar could reach: counted from gold trees, which nothing else here ever learns from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from depinduce.corpus import load_corpus
from depinduce.errors import DepinduceError
from depinduce.learning.learners.learner import Start
from depinduce.learning.settings.configuration import Configuration
from depinduce.models.model import Model
from depinduce.models.table import find


def counted_grammar(configuration: Configuration, texts: Sequence[str]) -> Model:
    """The count grammar whose rules are as frequent as in the gold trees of files; sentences without one are left out.

    This is supervised learning: no other grammar may be made of it.
    """
    settings = configuration.learning
    train = load_corpus(texts, configuration.reading, with_heads=True)
    if len(train):
        train = train.select(np.minimum.reduceat(train.gold, train.offsets[:-1]) >= 0)
    if len(train) == 0:
        raise DepinduceError(f"{' '.join(texts)}: no gold trees to count. Name a data directory with training trees.")
    (learner,) = find(settings.entry.learners)(settings, configuration, train, settings.seed)
    learner.begin(Start("trees", train.gold), train)
    about = {"non_heads": settings.non_heads_in("parsing"), "reading": configuration.reading}
    return learner.model(about, best=False)
