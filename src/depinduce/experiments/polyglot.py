"""The experiments on many languages: one grammar for all, each language alone, and languages that were left out.

There are two worlds that never mix: UD 1.4, where a language has thousands of sentences, and UD 2, where it has
hundreds. In each every language learns a grammar of its own; all of them, or all but one, learn a universal grammar;
and from that a language learns its order. What is scored are the eight languages of the paper's tables, and the dev
trees of three more languages of UD 1.4 and of six of UD 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from depinduce.experiments.experiment import Experiment
from depinduce.experiments.ud import LANGUAGES

MORE = {"ru": "Russian", "ar": "Arabic", "ja": "Japanese"}  # of UD 1.4, with dev trees
OF_UD2 = {"eu": "Basque", "fi": "Finnish", "fr": "French", "ja": "Japanese", "pl": "Polish", "ru": "Russian"}
SCORED = LANGUAGES | MORE | OF_UD2  # all languages with trees to look at
WORLDS = {"ud1": "UD 1.4", "ud2": "UD 2"}
LEFT_OUT_SEEDS = 2  # every seed of a language that is left out needs a universal grammar of its own
FEW = (50, 10)  # sentences of a new language
WITH_TRAINING_TREES = ("eu", "fr", "it", "pl", "pt", "es")  # of the eight
ORDER_FREE: dict[str, Any] = {"model": "order-free", "init": ("universal",), "non_heads": ("ud",)}
FROM_UNIVERSAL: dict[str, Any] = {"init": ("model", "universal")}  # from the trees of the universal grammar
COUNTED: dict[str, Any] = {"non_heads": ("ud",), "constraint": ("parsing",), "smoothing": 0.1}


@dataclass(frozen=True)
class PolyglotExperiment(Experiment):
    """Grammars of one kind, that differ in language and seed only."""

    world: str = "ud1"
    grammar: str = "own"  # what is scored: own, universal, order-free, adapt, vectors, together or counted
    left_out: bool = False  # the universal grammar has not seen the language
    sentences: int | None = None  # of the language's own text: no more than these

    @property
    def learns(self) -> bool:
        """Whether a cell learns something itself; others score what several cells need."""
        return self.grammar in ("adapt", "counted") or (self.grammar == "order-free" and self.left_out)

    @property
    def sources(self) -> tuple[str, ...]:
        if self.grammar == "own":
            return ("the language's own text",)
        if self.grammar == "universal":
            return ("text of other languages",)
        if self.grammar == "together":
            return ("the language's own text and that of others, not told apart",)
        if self.grammar == "counted":
            return ("gold trees of the language's own text: supervised",)
        own = "the language's own text" if self.sentences is None else f"{self.sentences} sentences of its own text"
        return (f"{own} and that of other languages",)


def _grammars(prefix: str, **where: Any) -> Mapping[str, PolyglotExperiment]:
    """What is scored of some languages."""
    make = partial(PolyglotExperiment, **where)
    most = {"most_seeds": LEFT_OUT_SEEDS, "left_out": True}
    free, alone = {"grammar": "order-free"}, "of all but the language"
    return {
        f"{prefix}own": make("ud-sibling", "the language's own grammar"),
        f"{prefix}order-free": make("universal", "the language in the universal grammar of all", grammar="order-free"),
        f"{prefix}adapt": make("adapt", "adapted from the universal grammar of all", grammar="adapt"),
        f"{prefix}out-universal": make("universal", f"the universal grammar {alone}", grammar="universal", **most),
        f"{prefix}out-order-free": make(None, f"order learned around that {alone}", ORDER_FREE, **free, **most),
        f"{prefix}out-adapt": make("adapt", f"adapted from that {alone}", grammar="adapt", **most),
    }


def _few(sentences: int, **where: Any) -> PolyglotExperiment:
    about = f"the same, with {sentences} sentences"
    return PolyglotExperiment("adapt", about, grammar="adapt", left_out=True, sentences=sentences, **where)


def _ceiling(model: str, order: str) -> PolyglotExperiment:
    """How far a kind of grammar could get. Nothing in it is random."""
    about = f"supervised: a {order} count grammar from gold trees"
    changes = {**COUNTED, "model": model}
    return PolyglotExperiment(None, about, changes, WITH_TRAINING_TREES, most_seeds=1, grammar="counted")


_ON_UD2: dict[str, Any] = {"world": "ud2", "languages": tuple(OF_UD2), "split": "dev", "most_seeds": LEFT_OUT_SEEDS}
CEILINGS = {
    "ceiling-first": _ceiling("dmv", "first-order"),
    "ceiling-sibling": _ceiling("dmv-sibling", "sibling"),
}
_one_network = partial(PolyglotExperiment, "ud-student", languages=tuple(LANGUAGES), most_seeds=1)
VECTORS = {  # what is a vector of every language worth?
    "vectors": _one_network("one network of all, a vector for each", FROM_UNIVERSAL, grammar="vectors"),
    "together": _one_network(
        "the same without vectors", {**FROM_UNIVERSAL, "languages": "together"}, grammar="together"
    ),
}
EIGHT = {**_grammars("", languages=tuple(LANGUAGES)), **VECTORS, **CEILINGS}
THREE = _grammars("more-", languages=tuple(MORE), split="dev")
SIX = {**_grammars("ud2-", **_ON_UD2), **{f"ud2-out-adapt-{few}": _few(few, **_ON_UD2) for few in FEW}}
POLYGLOT: dict[str, Experiment] = {**EIGHT, **THREE, **SIX}
OF_WORLD = {"ud1": "", "ud2": "ud2-"}  # before the names of experiments whose settings its shared grammars have
