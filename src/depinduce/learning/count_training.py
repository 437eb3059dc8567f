"""Training a count DMV of any order: a start, then EM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np

from depinduce.chart.engine import best_trees
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.grammar.between_orders import lower_order
from depinduce.grammar.constraints import UD_NON_HEADS
from depinduce.grammar.rules import Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.em import Data, Step, maximise
from depinduce.learning.harmonic import harmonic_counts
from depinduce.models.counts import Multinomials, random_counts, uniform_counts
from depinduce.models.grammar_model import GrammarModel, constraint
from depinduce.settings import setting

ORDERS = {"dmv": Order.FIRST, "dmv-sibling": Order.SIBLING, "dmv-grand": Order.GRANDPARENT}
STARTS = ("harmonic", "uniform", "random")
HARMONIC_SMOOTHING = 0.001


@dataclass(frozen=True)
class CountSettings:
    """How a count DMV is trained."""

    model: str = setting("dmv", "which grammar: a rule sees no context, the sibling, or the grandparent",
                         choices=tuple(ORDERS))  # fmt: skip
    init: tuple[str, ...] = setting(
        ("harmonic",),
        "where to start: harmonic, uniform, random, or `model DIR`, the parses of another model",
        metavar="START",
    )
    em: str = setting("soft", "learn from all trees, weighted, or from the best tree of each sentence",
                      choices=("soft", "hard"))  # fmt: skip
    iterations: int = setting(50, "at most so many iterations of EM")
    patience: int = setting(3, "with --dev: stop after so many iterations without a better held-out likelihood")
    smoothing: float = setting(0.1, "pseudo-count of every rule")
    prior_strength: float = setting(
        1000.0, "second order: pseudo-counts per row around the first-order estimates of the start (0: none)"
    )
    child_valence: bool = setting(True, "let the choice of a child depend on whether it is the first")
    non_heads: tuple[str, ...] = setting(
        (), "tags that may not have children; `ud` stands for " + " ".join(UD_NON_HEADS), metavar="TAG"
    )
    seed: int = setting(0, "for --init random")
    threads: int = setting(1, "threads for the charts")

    def __post_init__(self):
        if self.init[0] == "model":
            if len(self.init) != 2:
                raise DepinduceError("--init model needs a directory: --init model DIR.")
        elif self.init[0] not in STARTS or len(self.init) != 1:
            raise DepinduceError(
                f"There is no start {' '.join(self.init)!r}. Choose from: {', '.join(STARTS)}, model DIR."
            )
        for name in ("iterations", "patience", "threads"):
            if getattr(self, name) < 1:
                raise DepinduceError(f"--{name} must be at least 1, not {getattr(self, name)}.")
        for name in ("smoothing", "prior_strength"):
            if not getattr(self, name) >= 0:
                raise DepinduceError(f"--{name.replace('_', '-')} cannot be {getattr(self, name)}: 0 or more.")

    @property
    def constrained_tags(self) -> tuple[str, ...]:
        """The non-heads by name."""
        named = [UD_NON_HEADS if tag == "ud" else (tag,) for tag in self.non_heads]
        return tuple(dict.fromkeys(tag for tags in named for tag in tags))


def train_counts(
    settings: CountSettings,
    reading: Reading,
    train: Corpus,
    dev: Corpus | None = None,
    report: Callable[[Step], None] = lambda step: None,
) -> GrammarModel:
    """A trained model. Heads in the corpora, if any, are not looked at."""
    order, tags = ORDERS[settings.model], len(train.tag_vocabulary)
    steps: list[Step] = []

    def remember(step: Step) -> None:
        steps.append(step)
        report(step)

    family = Multinomials.smoothed(order, tags, settings.smoothing, settings.child_valence)
    table, family = start(settings, family, train)
    table = maximise(
        table,
        family,
        _data(order, settings, train),
        None if dev is None else _data(order, settings, dev),
        kind=settings.em,
        iterations=settings.iterations,
        patience=settings.patience,
        threads=settings.threads,
        report=remember,
    )
    history = {
        "settings": asdict(settings),
        "training_data": {"sha256": train.fingerprint(), "sentences": len(train), "words": len(train.tags)},
        "steps": [asdict(step) for step in steps],
    }
    return GrammarModel(order, train.tag_vocabulary, table, settings.constrained_tags, reading, history)


def start(settings: CountSettings, family: Multinomials, train: Corpus) -> tuple[RuleTable, Multinomials]:
    """The table to begin with, and the family with its prior around the first-order estimates of that start."""
    tags = len(train.tag_vocabulary)
    if settings.init[0] in ("uniform", "random"):
        counts = uniform_counts(family.order, tags)
        if settings.init[0] == "random":
            counts = random_counts(family.order, tags, settings.seed)
        return Multinomials.smoothed(family.order, tags, 0.0, settings.child_valence).estimate(counts), family
    if settings.init[0] == "harmonic" and family.order is Order.FIRST:
        return harmonic_table(train, settings.child_valence), family
    counts = counts_of_parses(settings, family.order, train)
    if family.order is not Order.FIRST and settings.prior_strength > 0:
        first = Multinomials.smoothed(Order.FIRST, tags, settings.smoothing, settings.child_valence)
        family = family.around(first.estimate(lower_order(counts, family.order)), settings.prior_strength)
    return family.estimate(counts), family


def harmonic_table(train: Corpus, child_valence: bool = True) -> RuleTable:
    """The first-order grammar of the harmonic counts."""
    tags = len(train.tag_vocabulary)
    counts = harmonic_counts(train.tags, train.offsets, tags)
    return Multinomials.smoothed(Order.FIRST, tags, HARMONIC_SMOOTHING, child_valence).estimate(counts)


def counts_of_parses(settings: CountSettings, order: Order, train: Corpus) -> RuleCounts:
    """Rule counts of the best trees that the start gives to the training sentences, constraint included."""
    if settings.init[0] == "model":
        source = GrammarModel.load(settings.init[1])
        source = replace(source, non_heads=tuple({*source.non_heads, *settings.constrained_tags}))
    else:
        table = harmonic_table(train, settings.child_valence)
        source = GrammarModel(Order.FIRST, train.tag_vocabulary, table, settings.constrained_tags)
    problem = source.problem(in_vocabulary(train, source.tags))
    heads = best_trees(*problem, threads=settings.threads).heads[0]
    tags = len(train.tag_vocabulary)
    like = uniform_counts(order, tags)
    return tree_counts(
        RuleTable(like.root, like.child, like.decision), tag_batch(order, train.tags, train.offsets, tags), heads
    )


def in_vocabulary(corpus: Corpus, tags: Vocabulary) -> Corpus:
    """The corpus with its tags numbered as in another vocabulary, -1 where that one lacks them."""
    translation = tags.ids(corpus.tag_vocabulary.symbols)
    return replace(corpus, tags=np.where(corpus.tags >= 0, translation[corpus.tags], -1).astype(np.int32))


def _data(order: Order, settings: CountSettings, corpus: Corpus) -> Data:
    vocabulary = corpus.tag_vocabulary
    batch = tag_batch(order, corpus.tags, corpus.offsets, len(vocabulary))
    return Data(batch, constraint(vocabulary, settings.constrained_tags, corpus, batch))
