"""Texts of many languages, and trees to score: the folders of a world, UD 1.4 or UD 2."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from depinduce.corpus.languages import TEXTS, files_below
from depinduce.errors import DepinduceError
from depinduce.experiments.polyglot import WORLDS


@dataclass(frozen=True)
class World:
    """Languages that can be pooled."""

    name: str
    texts: dict[str, list[str]]  # files by language

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.texts)

    def without(self, language: str) -> tuple[str, ...]:
        """All languages but this one, under whatever name: `ja_ktc` is Japanese, too."""
        return tuple(name for name in self.texts if _language(name) != _language(language))

    def trees(self, language: str, split: str) -> Path | None:
        """The file with the trees of a language, if there is one."""
        places = [Path(text).with_name(f"{split}.conllu") for text in self.texts.get(language, ())]
        return next((place for place in places if place.is_file()), None)

    def digest(self, languages: Iterable[str]) -> str:
        """A name for the texts of these languages, to tell those of different files apart."""
        told = "".join(f"{language} {_sha256(tuple(self.texts[language]))}\n" for language in languages)
        return hashlib.sha256(told.encode()).hexdigest()[:16]


def _language(name: str) -> str:
    return name.partition("_")[0]


@cache
def _sha256(paths: tuple[str, ...]) -> str:
    return hashlib.sha256(b"".join(Path(path).read_bytes() for path in paths)).hexdigest()


def read_worlds(folders: Iterable[str]) -> dict[str, World]:
    """The worlds that folders belong to: UD 1.4 has LANG/train.conllu, UD 2 has LANG/text.conllu."""
    of_world: dict[str, list[str]] = {}
    for folder in folders:
        names = {Path(path).name for paths in files_below([folder], "--data")[0].values() for path in paths}
        if len(names) > 1:
            raise DepinduceError(
                f"--data {folder}: some languages have {TEXTS[0]}, as UD 1.4 here, and others {TEXTS[1]}, as UD 2. "
                "They are never pooled: put them into two folders."
            )
        of_world.setdefault(tuple(WORLDS)[TEXTS.index(names.pop())], []).append(folder)
    worlds = {name: World(name, files_below(of_world[name], "--data")[0]) for name in WORLDS if name in of_world}
    for world in worlds.values():
        if len(world.texts) < 2:
            (alone,) = world.languages
            raise DepinduceError(f"--data: {WORLDS[world.name]} has one language only, {alone}. Name two at least.")
    return worlds
