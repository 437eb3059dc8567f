"""The experiments on Universal Dependencies: the paper's tables, and joint training, which it left to others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from depinduce.errors import DepinduceError
from depinduce.experiments.experiment import CURVE_EPOCHS, CURVE_SEEDS, EM, NO_SKIP, SEPARATE, Experiment

LANGUAGES = {
    "eu": "Basque",
    "nl": "Dutch",
    "fr": "French",
    "de": "German",
    "it": "Italian",
    "pl": "Polish",
    "pt": "Portuguese",
    "es": "Spanish",
}  # in the order of the paper's tables
DEVELOPMENT = ("fr", "pl", "eu")  # the languages whose dev trees may be looked at while developing
LENGTHS = ("15", "40")  # of the sentences that are scored
_on_ud = partial(Experiment, languages=tuple(LANGUAGES))


def _curve(recipe: str, about: str) -> Experiment:
    """A training that does not stop early, watched."""
    changes = {"epochs": CURVE_EPOCHS, "patience": CURVE_EPOCHS}
    return _on_ud(recipe, about, changes, languages=("fr",), most_seeds=CURVE_SEEDS, watched=True)


FREE = {"non_heads": ()}  # function words may head anything
RULES = {"rules": "ud"}  # most dependencies should match the universal rules
UD = {
    "ndmv": _on_ud("ud-ndmv", "NDMV by our recipe"),
    "sibling": _on_ud("ud-sibling", "sibling-NDMV by our recipe"),
    "grand": _on_ud("ud-grand", "grand-NDMV by our recipe"),
    "paper-ndmv": _on_ud("paper-ud-ndmv", "our encoder without a context (first order) by the paper's recipe"),
    "paper-sibling": _on_ud("paper-ud-sibling", "sibling-NDMV by the paper's recipe"),
    "paper-grand": _on_ud("paper-ud-grand", "grand-NDMV by the paper's recipe"),
    "paper-sibling-no-skip": _on_ud("paper-ud-sibling-no-skip", "paper-sibling without skip connections"),
    "paper-sibling-em": _on_ud("paper-ud-sibling-em", "paper-sibling by EM instead of DMO"),
    "jiang-ndmv": _on_ud("ud-jiang-ndmv", "neural E-DMV of Jiang et al. (2016)"),
    "sibling-free": _on_ud("ud-sibling", "sibling without the function-word constraint", FREE),
    "paper-sibling-free": _on_ud("paper-ud-sibling", "paper-sibling without that constraint", FREE),
    "sibling-rules": _on_ud("ud-sibling", "sibling with the universal rules for UD", RULES),
    "paper-ndmv-rules": _on_ud("paper-ud-ndmv", "paper-ndmv with these rules", RULES),
    "curve-dmo": _curve("paper-ud-sibling", "paper-sibling on French, every epoch scored (figures)"),
    "curve-em": _curve("paper-ud-sibling-em", "paper-sibling-em on French, every epoch scored (figures)"),
}
TWO = ("fr", "pl")
JOINT = {
    "joint": _on_ud("ud-joint-sibling", "sibling-NDMV and L-NDMV, trained to agree"),
    "separate": _on_ud("ud-joint-sibling", "the same two, each trained for itself", SEPARATE),
    "joint-grand": _on_ud("ud-joint-grand", "grand-NDMV and L-NDMV, trained to agree", languages=TWO),
    "separate-grand": _on_ud("ud-joint-grand", "the same two, each for itself", SEPARATE, languages=TWO),
    "joint-em": _on_ud("ud-joint-sibling", "joint by product EM instead of DMO", EM, languages=TWO),
    "joint-no-skip": _on_ud("ud-joint-sibling", "joint without skip connections", NO_SKIP, languages=TWO),
}


def require_data(data: Path, languages: Iterable[str], split: str) -> None:
    """Refuse a data directory that lacks a file."""
    files = [data / language / f"{name}.conllu" for language in languages for name in ("train", "dev", split)]
    missing = [path for path in files if not path.is_file()]
    if missing:
        raise DepinduceError(
            f"{missing[0]}: no such file. --data names a directory with LANG/train.conllu, LANG/dev.conllu and "
            "LANG/test.conllu for every language; --languages chooses among them."
        )


def may_be_looked_at(language: str) -> bool:
    """Whether its dev trees may be scored: those of the other languages of the tables are kept aside."""
    return language in DEVELOPMENT or language not in LANGUAGES


def require_development(languages: Iterable[str]) -> None:
    """Refuse to score dev trees of the languages that nobody looks at while developing."""
    kept_aside = [language for language in languages if not may_be_looked_at(language)]
    if kept_aside:
        raise DepinduceError(
            f"--split dev: the dev trees of {' '.join(kept_aside)} are kept aside. The protocol: while developing a "
            f'recipe, "look at dev UAS of fr, pl and eu only". Add --languages {" ".join(DEVELOPMENT)}.'
        )
