"""Every model that `--model` can name, a line each: what it is, its settings, who trains it, and what it becomes.

A model of your own is one more line here or, in a package of yours, an entry point of the group `depinduce.models` that
leads to an `Entry`. Modules are given by their names, so that `--help` need not wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from depinduce.corpus.faults import shortened
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order


@dataclass(frozen=True)
class Entry:
    """A model by the places of its parts, each written `module:name`."""

    order: Order  # of the rules; of a joint model, that of the part over tags
    about: str  # what it is, after "a model is …"
    settings: str  # the dataclass of its settings
    learners: str  # makes those who learn it: (settings, configuration, corpus, seed, word vectors) -> learners
    model: str  # the class of the trained model
    kind: str  # the name of that class in model.json
    network: str = ""  # the dataclass of the settings of its network, if it has one
    sees_words: bool = False  # and of a network over words
    is_joint: bool = False  # has a part over tags and a part over words
    tells_languages: bool = False  # can have rules of every language; others learn from all thrown together
    trained_by_torch: bool = False  # which not everybody has installed

    @property
    def over_tags(self) -> bool:
        """Whether it is a table of rules over tags."""
        return self.kind == "tags"

    @property
    def can_be_rung(self) -> bool:
        """Whether it may be below others in a ladder: it sees tags, of one text, and knows what a single tree is."""
        return not self.sees_words and self.kind not in ("hdp-dep", "committee", "polyglot")


def _counts(order: Order) -> Entry:
    return Entry(
        order,
        "a count grammar over tags",
        settings="depinduce.learning.settings.counts:CountSettings",
        learners="depinduce.learning.learners.closed_form:make_learners",
        model="depinduce.models.tag_model:GrammarModel",
        kind="tags",
        tells_languages=True,
    )


def _network(order: Order, about: str, model: str, kind: str, **more: bool) -> Entry:
    return Entry(
        order,
        about,
        settings="depinduce.learning.settings.networks:NeuralSettings",
        learners="depinduce.learning.learners.networks:make_learners",
        model=model,
        kind=kind,
        network="depinduce.networks.network_settings:NetworkSettings",
        trained_by_torch=True,
        **more,
    )


def _tags(order: Order) -> Entry:
    place = "depinduce.models.tag_model:GrammarModel"
    return _network(order, "a neural grammar over tags", place, "tags", tells_languages=True)


def _words(order: Order) -> Entry:
    place = "depinduce.models.word_model:LexicalModel"
    return _network(order, "a neural grammar over words", place, "words", sees_words=True)


def _joint(order: Order) -> Entry:
    about = "a pair of neural grammars, one over tags and one over words, that parse together"
    place, has = "depinduce.models.joint_model:JointModel", {"sees_words": True, "is_joint": True}
    return _network(order, about, place, "joint", tells_languages=True, **has)


MODELS = {
    "dmv": _counts(Order.FIRST),
    "dmv-sibling": _counts(Order.SIBLING),
    "dmv-grand": _counts(Order.GRANDPARENT),
    "e-dmv": Entry(
        Order.FIRST,
        "a count grammar over tags, smoothed by what all heads have in common",
        settings="depinduce.learning.settings.interpolated:InterpolatedSettings",
        learners="depinduce.learning.learners.interpolated:make_learners",
        model="depinduce.models.tag_model:GrammarModel",
        kind="tags",
        trained_by_torch=True,
    ),
    "hdp-dep": Entry(
        Order.FIRST,
        "a grammar over tags with hidden refinements",
        settings="depinduce.learning.settings.states:HdpSettings",
        learners="depinduce.learning.learners.variational:make_learners",
        model="depinduce.models.state_model:HdpModel",
        kind="hdp-dep",
        trained_by_torch=True,
    ),
    "feature-dmv": Entry(
        Order.FIRST,
        "a grammar over tags whose rules share features, that of Berg-Kirkpatrick et al. (2010)",
        settings="depinduce.learning.settings.features:FeatureSettings",
        learners="depinduce.learning.learners.features:make_learners",
        model="depinduce.models.tag_model:GrammarModel",
        kind="tags",
    ),
    "ln-dmv": Entry(
        Order.FIRST,
        "a grammar over tags with logistic-normal priors, that of Cohen, Gimpel & Smith (2008)",
        settings="depinduce.learning.settings.logistic_normal:LogisticNormalSettings",
        learners="depinduce.learning.learners.logistic_normal:make_learners",
        model="depinduce.models.tag_model:GrammarModel",
        kind="tags",
    ),
    "crfae": Entry(
        Order.FIRST,
        "a CRF autoencoder over tags",
        settings="depinduce.learning.settings.crf:CrfSettings",
        learners="depinduce.learning.learners.crf:make_learners",
        model="depinduce.models.crf_model:CrfModel",
        kind="crf",
    ),
    "order-free": Entry(
        Order.FIRST,
        "a count grammar over tags, around what other languages have in common",
        settings="depinduce.learning.settings.order_free:OrderFreeSettings",
        learners="depinduce.learning.learners.order_free:make_learners",
        model="depinduce.models.tag_model:GrammarModel",
        kind="tags",
    ),
    "committee": Entry(
        Order.SIBLING,
        "a committee: an order-free grammar, the language's own if it agrees, and one that learned from their trees",
        settings="depinduce.learning.settings.committee:CommitteeSettings",
        learners="depinduce.learning.learners.order_free:make_learners",
        model="depinduce.models.committee_model:CommitteeModel",
        kind="committee",
    ),
    "polyglot": Entry(
        Order.FIRST,
        "a universal grammar over tags: count grammars of many languages around what they have in common",
        settings="depinduce.learning.settings.order_free:PolyglotSettings",
        learners="depinduce.learning.learners.polyglot:make_learners",
        model="depinduce.models.polyglot_model:PolyglotModel",
        kind="polyglot",
        tells_languages=True,
    ),
    "ndmv": _tags(Order.FIRST),
    "sibling": _tags(Order.SIBLING),
    "grand": _tags(Order.GRANDPARENT),
    "jiang-ndmv": Entry(
        Order.FIRST,
        "a neural grammar over tags, that of Jiang et al. (2016)",
        settings="depinduce.learning.settings.networks:NeuralSettings",
        learners="depinduce.learning.learners.jiang:make_learners",
        model="depinduce.models.tag_model:GrammarModel",
        kind="tags",
        network="depinduce.networks.network_settings:JiangNetworkSettings",
        trained_by_torch=True,
    ),
    "d-ndmv": Entry(
        Order.FIRST,
        "a neural grammar over tags whose rules see the whole sentence, that of Han et al. (2019)",
        settings="depinduce.learning.settings.d_ndmv:SentenceSettings",
        learners="depinduce.learning.learners.d_ndmv:make_learners",
        model="depinduce.models.sentence_model:SentenceModel",
        kind="sentences",
        network="depinduce.networks.network_settings:SentenceNetworkSettings",
        trained_by_torch=True,
    ),
    "lexical": _words(Order.FIRST),
    "lexical-sibling": _words(Order.SIBLING),
    "lexical-grand": _words(Order.GRANDPARENT),
    "joint-sibling": _joint(Order.SIBLING),
    "joint-grand": _joint(Order.GRANDPARENT),
}


def models() -> dict[str, Entry]:
    """All models by their names: ours, and those of installed packages."""
    return MODELS | _installed()


@cache
def _installed() -> dict[str, Entry]:
    return {point.name: point.load() for point in entry_points(group="depinduce.models")}


def entry(name: object) -> Entry:
    """The model of this name; another name is refused."""
    if not isinstance(name, str) or name not in models():
        raise DepinduceError(f"there is no model {shortened(repr(name))}. Models: {', '.join(models())}.")
    return models()[name]


def kinds() -> dict[str, str]:
    """The places of the classes of trained models, by their names in model.json."""
    return {entry.kind: entry.model for entry in models().values()}


def find(place: str) -> Any:
    """What stands at a place, `module:name`."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
