"""The paper's table 5 on Universal Dependencies: trained separately or jointly, parsed by one part or by both."""

from __future__ import annotations

from depinduce.evaluation.tables import Table
from depinduce.experiments.results import Results, log_likelihood
from depinduce.experiments.ud import JOINT, TWO
from depinduce.experiments.ud_tables import (
    Captioned,
    both_lengths,
    knowledge_used,
    name_of,
    title_of,
    with_average,
)

PARSED_BY = {"L-NDMV": "words", "second-order": "tags", "both": None}  # the part of the model
TRAINED = {"separate": "separately", "joint": "jointly"}
VARIANTS = {
    "sibling + L, jointly": "joint",
    "sibling + L, separately": "separate",
    "sibling + L, product EM": "joint-em",
    "sibling + L, no skip connections": "joint-no-skip",
    "grand + L, jointly": "joint-grand",
    "grand + L, separately": "separate-grand",
}
KNOWN = knowledge_used({name: name for name in JOINT})


def joint_tables(results: Results) -> list[Captioned]:
    """All tables, of whatever is there."""
    return [table_5(results, "viterbi", "Viterbi"), table_5(results, "mbr", "minimum Bayes risk"), variants(results)]


def table_5(results: Results, decoder: str, decoded: str) -> Captioned:
    """Every language, and the average."""
    columns = [f"{way}, by {name}" for way in TRAINED.values() for name in PARSED_BY]
    rows = [
        [name_of(language)]
        + [
            both_lengths(results, experiment, language, decoder, part)
            for experiment in TRAINED
            for part in PARSED_BY.values()
        ]
        for language in with_average(results)
    ]
    title = title_of(results, f"Table 5 on UD: sibling-NDMV and L-NDMV, {decoded}, UAS (%), ≤15 / ≤40 words")
    notes = ["Columns: how the two were trained, and which of them parses.", KNOWN]
    return Captioned(Table(title, ["", *columns], rows), notes)


def variants(results: Results) -> Captioned:
    """Other second-order partners and other training, where they were run."""
    languages = [language for language in TWO if language in results.languages]
    columns = [f"{name_of(language)}, by {name}" for language in languages for name in PARSED_BY]
    rows = []
    for name, experiment in VARIANTS.items():
        row = [
            both_lengths(results, experiment, language, part=part)
            for language in languages
            for part in PARSED_BY.values()
        ]
        likelihoods = [results.spread(experiment, language, log_likelihood("dev")).mean for language in languages]
        shown = " / ".join("–" if value is None else f"{value:.1f}" for value in likelihoods)
        rows.append([name, *row, shown])
    title = title_of(results, "variants, Viterbi, UAS (%), ≤15 / ≤40 words")
    together = f"log Σ p₀p₁ of a dev sentence ({' / '.join(languages)})"
    return Captioned(Table(title, ["", *columns, together], rows), [KNOWN])
