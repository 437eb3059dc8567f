"""Training a count DMV of any order: a start, then EM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from depinduce.corpus import Corpus, Reading
from depinduce.errors import DepinduceError
from depinduce.grammar.between_orders import lower_order
from depinduce.grammar.rules import Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.configuration import as_saved, changes
from depinduce.learning.count_settings import CountSettings
from depinduce.learning.em import Data, Step, maximise
from depinduce.learning.starts import harmonic_table, start_trees
from depinduce.models.counts import Multinomials, random_counts, uniform_counts
from depinduce.models.grammar_model import GrammarModel, constraint


def train_counts(
    settings: CountSettings,
    reading: Reading,
    train: Corpus,
    dev: Corpus | None = None,
    report: Callable[[Step], None] = lambda step: None,
    earlier: GrammarModel | None = None,
) -> tuple[GrammarModel, bool]:
    """A trained model, and whether training finished (or Ctrl-C ended it early; then go on from it as `earlier`).

    Heads in the corpora, if any, are not looked at.
    """
    if earlier is not None:
        _require_same_run(earlier, settings, train)
    order, tags = settings.order, len(train.tag_vocabulary)
    family = Multinomials.smoothed(order, tags, settings.smoothing, settings.child_valence)
    table, family = start(settings, family, train, reading)  # also for the prior when there is an earlier table
    steps: list[dict] = []
    if earlier is not None:
        table, steps = earlier.table, list(earlier.history["steps"])

    def remember(step: Step) -> None:
        steps.append(asdict(step))
        report(step)

    outcome = maximise(
        table,
        family,
        _data(order, settings, train),
        None if dev is None else _data(order, settings, dev),
        kind=settings.em,
        iterations=settings.iterations,
        patience=settings.patience,
        threads=settings.threads,
        done=len(steps),
        report=remember,
    )
    history = {
        "settings": as_saved(asdict(settings)),
        "training_data": train.identity(),
        "steps": steps[: outcome.iteration],
    }
    constrained = settings.constrained_tags
    model = GrammarModel(order, train.tag_vocabulary, outcome.table, constrained, reading, history)
    return model, outcome.finished


def _require_same_run(earlier: GrammarModel, settings: CountSettings, train: Corpus) -> None:
    """Refuse to go on with a model that was trained otherwise."""
    wanted, found = as_saved(asdict(settings)), earlier.history.get("settings", {})
    free = {"iterations", "patience", "threads"}  # these may change on the way
    changed = sorted(name for name in wanted if name not in free and wanted[name] != found.get(name))
    if changed:
        was = changes(changed, found, wanted)
        raise DepinduceError(f"--resume: the settings differ from those of the model: {was}. Use the same.")
    if earlier.history["training_data"]["sha256"] != train.fingerprint():
        raise DepinduceError("--resume: the training sentences differ from those of the model. Use the same files.")


def start(
    settings: CountSettings, family: Multinomials, train: Corpus, reading: Reading
) -> tuple[RuleTable, Multinomials]:
    """The table to begin with, and the family with its prior around the first-order estimates of that start."""
    tags = len(train.tag_vocabulary)
    if settings.init[0] in ("uniform", "random"):
        counts = uniform_counts(family.order, tags)
        if settings.init[0] == "random":
            counts = random_counts(family.order, tags, settings.seed)
        return Multinomials.smoothed(family.order, tags, 0.0, settings.child_valence).estimate(counts), family
    if settings.init[0] == "harmonic" and family.order is Order.FIRST:
        return harmonic_table(train, settings.child_valence), family
    counts = counts_of_parses(settings, family.order, train, reading)
    if family.order is not Order.FIRST and settings.prior_strength > 0:
        first = Multinomials.smoothed(Order.FIRST, tags, settings.smoothing, settings.child_valence)
        family = family.around(first.estimate(lower_order(counts, family.order)), settings.prior_strength)
    return family.estimate(counts), family


def counts_of_parses(settings: CountSettings, order: Order, train: Corpus, reading: Reading) -> RuleCounts:
    """Rule counts of the trees that the start gives to the training sentences, constraint included."""
    heads = start_trees(
        settings.init, train, reading, settings.constrained_tags,
        child_valence=settings.child_valence, threads=settings.threads,
    )  # fmt: skip
    tags = len(train.tag_vocabulary)
    return tree_counts(uniform_counts(order, tags), tag_batch(order, train.tags, train.offsets, tags), heads)


def _data(order: Order, settings: CountSettings, corpus: Corpus) -> Data:
    vocabulary = corpus.tag_vocabulary
    batch = tag_batch(order, corpus.tags, corpus.offsets, len(vocabulary))
    return Data(batch, constraint(vocabulary, settings.constrained_tags, corpus, batch))
