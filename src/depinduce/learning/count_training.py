"""Training a count DMV of any order: a start, then EM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING

from depinduce.corpus import Corpus, Reading
from depinduce.errors import DepinduceError
from depinduce.grammar.between_orders import lower_order
from depinduce.grammar.constraints import constraint
from depinduce.grammar.multinomials import Multinomials, random_counts, uniform_counts
from depinduce.grammar.rules import Order, RuleCounts, RuleTable, tag_batch
from depinduce.grammar.trees import tree_counts
from depinduce.learning.em import Alternation, C, CountSteps, Data, Outcome, P, Step, alternate
from depinduce.learning.posterior_constraint import ShareConstraint
from depinduce.learning.settings.configuration import as_saved, changes
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.starts import harmonic_table, start_trees
from depinduce.models.tag_model import GrammarModel

if TYPE_CHECKING:
    from depinduce.learning.settings.states import HdpSettings
    from depinduce.models.state_model import HdpModel


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
        require_same_run(earlier, settings, train)
    order, tags = settings.order, len(train.tag_vocabulary)
    family = Multinomials.smoothed(order, tags, settings.smoothing, settings.child_valence)
    table, family = start(settings, family, train, reading)  # also for the prior when there is an earlier table
    parts = [None if corpus is None else _data(order, settings, corpus) for corpus in (train, dev)]
    steps = CountSteps(family, *parts, settings.em, settings.threads, ShareConstraint.of(settings, train))
    outcome, history = learn(steps, table if earlier is None else earlier.table, settings, train, report, earlier)
    constrained = settings.constrained_tags
    model = GrammarModel(order, train.tag_vocabulary, outcome.parameters, constrained, reading, history)
    return model, outcome.finished


def learn(
    steps: Alternation[P, C],
    parameters: P,
    settings: CountSettings | HdpSettings,
    train: Corpus,
    report: Callable[[Step], None],
    earlier: GrammarModel | HdpModel | None,
) -> tuple[Outcome[P], dict]:
    """EM from the start, or from where an earlier model was; and all that a model remembers of it."""
    reported = [] if earlier is None else list(earlier.history["steps"])
    if earlier is not None and steps.constraint is not None:
        steps.constraint.restore(earlier.history["rules"][0])

    def remember(step: Step) -> None:
        reported.append(asdict(step))
        report(step)

    iterations, patience = settings.iterations, settings.patience
    done = len(reported)
    outcome = alternate(steps, parameters, iterations=iterations, patience=patience, done=done, report=remember)
    history = {
        "settings": as_saved(asdict(settings)),
        "training_data": train.identity(),
        "steps": reported[: outcome.iteration],
    }
    if steps.constraint is not None:
        history["rules"] = [steps.constraint.as_history(settings.rules)]
    return outcome, history


def require_same_run(earlier: GrammarModel | HdpModel, settings: CountSettings | HdpSettings, train: Corpus) -> None:
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
        child_valence=settings.child_valence, seed=settings.seed, threads=settings.threads,
    )  # fmt: skip
    tags = len(train.tag_vocabulary)
    return tree_counts(uniform_counts(order, tags), tag_batch(order, train.tags, train.offsets, tags), heads)


def _data(order: Order, settings: CountSettings, corpus: Corpus) -> Data:
    vocabulary = corpus.tag_vocabulary
    batch = tag_batch(order, corpus.tags, corpus.offsets, len(vocabulary))
    return Data(batch, constraint(vocabulary, settings.constrained_tags, corpus, batch))
