"""DMVs with logistic-normal priors: of Cohen, Gimpel & Smith (2008), and with shared experts, of Cohen & Smith (2009).

Every sentence has a grammar of its own. Its distributions are drawn from priors that all sentences have in common,

    own       θ = softmax η,               η ~ N(μ_k, Σ_k) for every sentence and kind k of distribution
    shared    θ = softmax (η + η') / 2,    η' the same for all heads of a group, such as verbs, on that side

and the priors, means and full covariances, are learned: a covariance tells that a head which takes one tag more often
takes another more often, too. Inference is variational EM with the bound of `learning.experts`: the chart gives
expected counts under exp(E log θ) of every sentence's own rules, beliefs follow the counts, and priors follow the
beliefs. A new sentence is parsed with softmax μ.

As in the originals: a prior for each distribution, beliefs with diagonal covariances, empirical Bayes, covariances
that start with 1 for each tag and 1/2 between tags of a family (nouns, verbs, …), and shared experts for nouns and
for verbs. Otherwise than there: one chart in every iteration, and not one until the beliefs about a sentence settle;
steps in closed form, and not conjugate gradients; the mean of a prior also moves together with the beliefs around it
(`Experts.shift`), by which a prior of no variance is the count DMV; only heads that a sentence has are drawn for it,
which changes nothing but the bound; the decision to stop is shared as the choice of a child is; a child depends on
the valence (`child_valence=false`: it does not).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from depinduce.corpus import Corpus, Vocabulary
from depinduce.corpus.tag_classes import family, in_class
from depinduce.grammar.log_linear import LOWEST, log_softmax
from depinduce.grammar.rules import Batch, Order, RuleCounts, RuleTable
from depinduce.learning.experts import Distributions, Experts, Prior
from depinduce.learning.learners.learner import Arrays, Learner, Start, View
from depinduce.learning.learners.one_table import TableLearner
from depinduce.learning.minibatches import Data, Minibatches
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.logistic_normal import LogisticNormalSettings


@dataclass(frozen=True)
class Layout:
    """Where the distributions of every sentence lie in one table, in the order of their kinds."""

    batch: Batch
    sentence: np.ndarray  # [row] whose distribution
    kind: np.ndarray  # [row] direction, head and valence, as the row of a first-order table
    child: np.ndarray  # [row] its distribution of children: itself, or one for both valences
    child_kind: np.ndarray  # [distribution of children], in order
    child_sentence: np.ndarray  # [distribution of children]

    @classmethod
    def of(cls, train: Corpus, child_valence: bool) -> Layout:
        """A row for every sentence, tag in it, direction and valence."""
        tags, sentences = len(train.tag_vocabulary), len(train)
        in_sentence = np.repeat(np.arange(sentences), train.lengths)
        pairs, pair = np.unique(in_sentence * tags + train.tags, return_inverse=True)  # sentence and tag
        sentence, head = np.repeat(pairs // tags, 4), np.repeat(pairs % tags, 4)  # [slot]
        side = np.tile(np.arange(4), len(pairs))  # direction · 2 + valence
        kind = (side // 2 * tags + head) * 2 + side % 2
        order = np.argsort(kind, kind="stable")
        rows = np.empty(len(order), dtype=np.int32)
        rows[order] = np.arange(len(order))
        batch = Batch(
            order=Order.FIRST,
            offsets=np.ascontiguousarray(train.offsets, dtype=np.int64),
            column=np.ascontiguousarray(train.tags, dtype=np.int32),
            base=np.stack([4 * pair, 4 * pair + 2], axis=1).astype(np.int32),
            context=np.zeros(len(train.tags), dtype=np.int32),
            no_context=0,
            rows=rows,
            root_column=(in_sentence * tags + train.tags).astype(np.int32),
        )
        sentence, kind = sentence[order], kind[order]
        children = kind if child_valence else kind // 2
        named, child = np.unique(children * sentences + sentence, return_inverse=True)
        return cls(batch, sentence, kind, child, named // sentences, named % sentences)


class DrawnSentences(Minibatches):
    """A corpus in which every sentence has rules of its own."""

    def __init__(self, layout: Layout, corpus: Corpus, non_heads: tuple[str, ...]):
        super().__init__(Order.FIRST, corpus, non_heads, distinct=False)
        self.layout = layout

    def batch(self, tags: np.ndarray, offsets: np.ndarray) -> Batch:
        assert len(tags) == len(self.layout.batch.column), "beliefs are about all sentences at once"
        return self.layout.batch


class LogisticNormalLearner(TableLearner):
    """Priors over the rules of a sentence, and beliefs about those of every one. Its table is that of the means."""

    settings: LogisticNormalSettings

    def __init__(self, settings: LogisticNormalSettings, train: Corpus):
        super().__init__(settings)
        self.tags = train.tag_vocabulary
        self.layout = Layout.of(train, settings.child_valence)
        self.group_of_tag = groups_of(self.tags, settings.groups if settings.experts == "shared" else ())
        self.root, self.child, self.decision = self._distributions(self.first_order_start(Start("uniform"), train))
        self.table = self.table_of_means()
        self.keep()

    # ---------------------------------------------------------------- priors, and where they start

    def begin(self, start: Start, train: Corpus) -> None:
        """Priors whose means are the rules of a count model at this start."""
        self.root, self.child, self.decision = self._distributions(self.first_order_start(start, train))
        self.table = self.table_of_means()

    def _distributions(self, table: RuleTable) -> tuple[Distributions, Distributions, Distributions]:
        """Those of roots, children and decisions, of which nothing is known but priors around a table."""
        layout, valence = self.layout, self.settings.child_valence
        root, child, decision = (np.maximum(part, LOWEST) for part in table.parts)
        child = child if valence else child[::2]
        alike, apart = self.settings.variance * of_families(self.tags, self.settings.family_correlation), np.eye(2)
        sentences = len(layout.batch)
        return (
            drawn(np.zeros(sentences, dtype=int), np.arange(sentences), root[None], alike, np.array([-1])),
            drawn(layout.child_kind, layout.child_sentence, child, alike, self._groups(2 if valence else 1)),
            drawn(layout.kind, layout.sentence, decision, self.settings.variance * apart, self._groups(2)),
        )

    def _groups(self, valences: int) -> np.ndarray:
        """The kind of the expert that the distributions of each kind share, -1 where there is none. [kind]"""
        groups = self.group_of_tag.max(initial=-1) + 1
        direction, head, valence = np.indices((2, len(self.tags), valences)).reshape(3, -1)
        group = self.group_of_tag[head]
        return np.where(group < 0, -1, (direction * groups + group) * valences + valence)

    # ---------------------------------------------------------------- from sentences to counts

    def sentences(self, corpus: Corpus, stage: str) -> Minibatches:
        if stage != "training":
            return super().sentences(corpus, stage)
        return DrawnSentences(self.layout, corpus, self.settings.non_heads_in(stage))

    def view(self, data: Data, training: bool = False) -> View:
        table = self.table_of_sentences() if data.batch is self.layout.batch else self.table
        return View(data.problem(table), data)

    def table_of_sentences(self) -> RuleTable:
        """The bound on E log θ of every rule in every sentence."""
        child = self.child.expected_logs()[self.layout.child]
        return RuleTable(self.root.expected_logs().ravel(), child, self.decision.expected_logs())

    def table_of_means(self) -> RuleTable:
        """The rules of a sentence of which nothing is known: softmax μ."""
        child = self.child.prior_scores()
        child = child if self.settings.child_valence else np.repeat(child, 2, axis=0)
        root, decision = self.root.prior_scores()[0], self.decision.prior_scores()
        return RuleTable(log_softmax(root), log_softmax(child), log_softmax(decision))

    # ---------------------------------------------------------------- from counts to parameters

    def learn(self, view: View | None, counts: RuleCounts, sentences: int, steps: int | None = None) -> None:
        child = np.zeros((len(self.layout.child_kind), len(self.tags)))
        np.add.at(child, self.layout.child, counts.child)
        of_each = counts.root.reshape(-1, len(self.tags)), child, counts.decision
        for distributions, own in zip((self.root, self.child, self.decision), of_each, strict=True):
            distributions.improve(own, self.settings.belief_steps)
            distributions.estimate_priors(own)
        self.table = self.table_of_means()

    def beside_likelihood(self) -> float:
        return -sum(each.divergence() for each in (self.root, self.child, self.decision))

    # ---------------------------------------------------------------- what is kept

    def _experts(self) -> Iterable[tuple[str, Experts]]:
        for name in ("root", "child", "decision"):
            distributions = getattr(self, name)
            yield f"{name} own ", distributions.own
            if distributions.group is not None:
                yield f"{name} group ", distributions.group

    def state(self) -> Arrays:
        arrays = super().state()
        for name, experts in self._experts():
            arrays |= {f"{name}mean": experts.mean, f"{name}variance": experts.variance}
            arrays |= {f"{name}prior mean": experts.prior.mean, f"{name}prior covariance": experts.prior.covariance}
        return arrays

    def restore(self, state: Arrays) -> None:
        super().restore(state)
        for name, experts in self._experts():
            experts.mean, experts.variance = state[f"{name}mean"], state[f"{name}variance"]
            experts.prior = Prior(state[f"{name}prior mean"], state[f"{name}prior covariance"])


def groups_of(tags: Vocabulary, groups: Iterable[str]) -> np.ndarray:
    """The group of every tag, the first that it belongs to, or -1. [tag]"""
    found = np.full(len(tags), -1)
    for number, name in enumerate(groups):
        found[in_class(tags, name) & (found < 0)] = number
    return found


def of_families(tags: Vocabulary, correlation: float) -> np.ndarray:
    """The correlations of child tags at the start: 1, and less between tags of one family. [tag, tag]"""
    families = np.array([family(tag) for tag in tags])
    same = families[:, None] == families[None, :]
    return np.where(np.eye(len(families), dtype=bool), 1.0, correlation * same)


def drawn(
    kind: np.ndarray, sentence: np.ndarray, scores: np.ndarray, covariance: np.ndarray, group_of_kind: np.ndarray
) -> Distributions:
    """Distributions with experts of their own and of groups, whose priors have these scores as their means.

    kind, sentence: [distribution]; scores: [kind, outcome]; group_of_kind: [kind], -1 where there is none
    """
    kinds, sentences = group_of_kind.max(initial=-1) + 1, int(sentence.max()) + 1  # kinds of experts of groups
    in_group = group_of_kind >= 0
    in_common = np.zeros((kinds, scores.shape[1]))
    for number in range(kinds):
        members = group_of_kind == number
        in_common[number] = scores[members].mean(axis=0) if members.any() else 0.0
    own = scores.copy()
    own[in_group] = 2 * scores[in_group] - in_common[group_of_kind[in_group]]  # so that the mean of both is the score

    def prior(means: np.ndarray) -> Prior:
        return Prior(means, np.repeat(covariance[None], len(means), axis=0))

    of_own = Experts(kind, prior(own), np.where(in_group, 0.5, 1.0)[kind])
    if not in_group.any():
        return Distributions(of_own)
    group = group_of_kind[kind]
    experts, expert = np.unique(group[group >= 0] * sentences + sentence[group >= 0], return_inverse=True)
    expert_of = np.full(len(kind), -1)
    expert_of[group >= 0] = expert
    shared = Experts(experts // sentences, prior(in_common), np.full(len(experts), 0.5))
    return Distributions(of_own, shared, expert_of, group_of_kind)


def make_learners(
    settings: LogisticNormalSettings,
    configuration: Configuration,
    train: Corpus,
    seed: int,
    vectors: np.ndarray | None = None,
) -> list[Learner]:
    """The learner of a DMV with logistic-normal priors."""
    return [LogisticNormalLearner(settings, train)]
