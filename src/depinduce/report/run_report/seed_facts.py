"""Several seeds beside each other: likelihoods, scores, and how far their trees agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from depinduce.evaluation.scores import LENGTH_CUTS, score

if TYPE_CHECKING:
    from depinduce.report.run_report.file_facts import FileFacts
    from depinduce.report.run_report.place import SeedsOnDisk


@dataclass(frozen=True)
class SeedLine:
    """One seed; what is not known of it is None."""

    seed: int
    kept: bool
    train: float | None  # mean log-likelihood of a sentence
    dev: float | None
    scores: dict[str, float] | None  # UAS by the cuts of sentence length


@dataclass(frozen=True)
class SeedFacts:
    by: str  # what decided which was kept: dev or train
    lines: list[SeedLine]
    seeds_parsed: list[int]  # those whose models were there to parse the file
    agreement: np.ndarray | None  # [parsed, parsed] the share of words on whose head two of them agree

    @property
    def mean_agreement(self) -> float | None:
        """The share of words on whose head two seeds agree, averaged over all pairs of them."""
        if self.agreement is None or len(self.seeds_parsed) < 2:
            return None
        return float(self.agreement[np.triu_indices(len(self.seeds_parsed), k=1)].mean())

    def column(self, name: str) -> list[float]:
        """The numbers of all seeds that have one: train, dev, or a cut of sentence length."""
        values = [
            getattr(line, name) if name in ("train", "dev") else (line.scores or {}).get(name) for line in self.lines
        ]
        return [value for value in values if value is not None and not np.isnan(value)]

    def mean_and_sd(self, name: str) -> tuple[float, float] | None:
        values = self.column(name)
        if not values:
            return None
        return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def seed_facts(seeds: SeedsOnDisk, file: FileFacts | None) -> SeedFacts:
    heads: dict[int, np.ndarray] = {}
    if file is not None:
        found = {seeds.best: file.heads, **file.other_seeds}
        heads = {line["seed"]: found[line["seed"]] for line in seeds.lines if line["seed"] in found}
    lines = []
    for line in seeds.lines:
        seed, scores = line["seed"], None
        if file is not None and file.gold is not None and seed in heads:
            by_length = score(file.gold, heads[seed], file.offsets).by_length
            scores = {cut: by_length[cut].uas for cut in LENGTH_CUTS}
        lines.append(SeedLine(seed, seed == seeds.best, line.get("train"), line.get("dev"), scores))
    return SeedFacts(seeds.by, lines, list(heads), _agreement(list(heads.values())))


def _agreement(trees: list[np.ndarray]) -> np.ndarray | None:
    if not trees:
        return None
    return np.array([[float(np.mean(ours == theirs)) for theirs in trees] for ours in trees])
