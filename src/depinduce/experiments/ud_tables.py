"""The paper's tables 2 and 3 with our numbers beside the printed ones, for the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from depinduce.evaluation.tables import Table, markdown_lines
from depinduce.experiments.results import (
    AVERAGE,
    Pick,
    Results,
    knowledge,
    log_likelihood,
    misprinted_averages,
    paper_numbers,
    uas,
)
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.experiments.ud import LANGUAGES, LENGTHS

TABLE_2 = {
    "NDMV, ours": "ndmv",
    "+sibling, ours": "sibling",
    "+grand, ours": "grand",
    "E-DMV of Jiang et al.": "jiang-ndmv",
    "no context": "paper-ndmv",
    "+sibling, rerun": "paper-sibling",
    "+grand, rerun": "paper-grand",
}
WITH_RULES = {  # beside what the paper quotes with its universal linguistic prior
    "+sibling +UP, ours": "sibling-rules",
    "no context +UP": "paper-ndmv-rules",
}
TABLE_3 = {
    "DMO": "paper-sibling",
    "DMO, no skip connections": "paper-sibling-no-skip",
    "EM": "paper-sibling-em",
}
CONSTRAINT = {
    "ours, with": "sibling",
    "ours, without": "sibling-free",
    "rerun, with": "paper-sibling",
    "rerun, without": "paper-sibling-free",
}
RERUN = "Rerun: the paper's recipe as published, run by us."
NO_CONTEXT = (
    "No context: our encoder of first order, by the paper's recipe; no rerun of the paper's NDMV, which has another "
    "network."
)
OF_JIANG = "E-DMV of Jiang et al.: the neural one (2016), by a recipe for their networks, from the harmonic grammar."
QUOTED = "Quoted: as the paper prints it, test sentences."
TERMINAL_COLUMNS = 8  # of a table that fits into eighty columns of text


@dataclass(frozen=True)
class Captioned:
    """A table with what a reader has to know about it."""

    table: Table
    notes: list[str]


def ud_tables(results: Results) -> list[Captioned]:
    """All tables, of whatever is there."""
    return [
        *(table_2(results, length) for length in LENGTHS),
        table_3_likelihood(results),
        table_3_scores(results),
        constraint_table(results),
        decoder_table(results),
    ]


def table_2(results: Results, length: str) -> Captioned:
    """Our recipes, the paper's recipe run by us, and all that the paper prints."""
    paper = paper_numbers()["table2"]

    def run_here(columns: Mapping[str, str]) -> dict[str, dict[str, str]]:
        return {
            column: {language: str(results.spread(experiment, language, uas(length))) for language in languages}
            for column, experiment in columns.items()
        }

    def quoted(with_rules: bool) -> dict[str, dict[str, str]]:
        return {
            f"{column}{' +UP' * with_rules}, quoted": {
                language: _quoted(results, paper[length][language][number], language) for language in languages
            }
            for number, column in enumerate(paper["columns"])
            if (column in paper["with_up"]) is with_rules
        }

    languages = with_average(results)
    columns = run_here(TABLE_2) | quoted(False) | run_here(WITH_RULES) | quoted(True)
    rows = [[name_of(language), *(column[language] for column in columns.values())] for language in languages]
    misprints = [
        f"{column}: {computed:.1f} computed, {printed} printed"
        for column, of, computed, printed in misprinted_averages()
        if of == length
    ]
    notes = [
        f"{RERUN} {NO_CONTEXT} {OF_JIANG} {QUOTED}",
        knowledge_used(TABLE_2 | WITH_RULES)
        + " Quoted columns: the paper does not say; +UP: with the universal linguistic prior.",
    ]
    if misprints:
        notes.append(f"Some averages that the paper prints are not those of its rows ({'; '.join(misprints)}).")
    return Captioned(Table(title_of(results, f"Table 2, UAS (%), ≤{length} words"), ["", *columns], rows), notes)


def table_3_likelihood(results: Results) -> Captioned:
    """The log-likelihood part of table 3."""
    paper = paper_numbers()["table3"]["log_likelihood"]
    rows = [
        [name_of(language)]
        + [both_likelihoods(results, experiment, language) for experiment in TABLE_3.values()]
        + [str(number) for number in paper[language]]
        for language in results.languages
    ]
    notes = [
        "Mean per training and per dev sentence of up to 15 words under the model that was kept. Which of the two the "
        "paper prints it does not say.",
        f"{RERUN} {QUOTED}",
        knowledge_used(TABLE_3),
    ]
    return Captioned(
        Table(title_of(results, "Table 3, log-likelihood, train / dev", "mean", False), _table_3_columns(), rows), notes
    )


def table_3_scores(results: Results) -> Captioned:
    """The attachment part of table 3."""
    paper = paper_numbers()["table3"]
    rows = [
        [name_of(language)]
        + [both_lengths(results, experiment, language) for experiment in TABLE_3.values()]
        + [f"{short} / {long}" for short, long in zip(paper["15"][language], paper["40"][language], strict=True)]
        for language in results.languages
    ]
    title = title_of(results, "Table 3, UAS (%), ≤15 / ≤40 words")
    return Captioned(Table(title, _table_3_columns(), rows), [f"{RERUN} {QUOTED}", knowledge_used(TABLE_3)])


def constraint_table(results: Results) -> Captioned:
    """What the function-word constraint is worth."""
    rows = [
        [name_of(language), *(both_lengths(results, experiment, language) for experiment in CONSTRAINT.values())]
        for language in with_average(results)
    ]
    title = title_of(results, "sibling-NDMV with and without the function-word constraint, UAS (%), ≤15 / ≤40 words")
    return Captioned(Table(title, ["", *CONSTRAINT], rows), [RERUN, knowledge_used(CONSTRAINT)])


def decoder_table(results: Results) -> Captioned:
    """The two ways to choose a tree, on average."""
    names = [name for name in results.experiments if not EXPERIMENTS[name].watched]
    decoders = {"Viterbi": "viterbi", "minimum Bayes risk": "mbr"}
    rows = [[name, *(both_lengths(results, name, AVERAGE, decoder) for decoder in decoders.values())] for name in names]
    title = title_of(results, "two ways to choose the tree, UAS (%), ≤15 / ≤40 words, average of the languages")
    return Captioned(
        Table(title, ["", *decoders], rows),
        ["All other tables: Viterbi.", knowledge_used({name: name for name in names})],
    )


def in_parts(table: Table) -> list[Table]:
    """The table for a terminal: a wide one as several, by our recipes, by those of papers, quoted, and with rules."""
    rows = [[cell.replace(" ± ", "±") for cell in row] for row in table.rows]
    columns = list(enumerate(table.columns))[1:]
    with_rules = [number for number, name in columns if "+UP" in name]
    quoted = [number for number, name in columns if name.endswith(", quoted") and number not in with_rules]
    if len(table.columns) <= TERMINAL_COLUMNS or not quoted:
        return [Table(table.title, table.columns, rows)]

    def part(title: str, chosen: list[int], without: str = "") -> Table:
        names = [table.columns[number].removesuffix(without) for number in (0, *chosen)]
        return Table(title, names, [[row[number] for number in (0, *chosen)] for row in rows])

    ours = [number for number, name in columns if name.endswith(", ours") and number not in with_rules]
    published = [number for number, _ in columns if number not in ours + quoted + with_rules]
    return [
        part(table.title, ours),
        part("the same, by recipes of papers", published),
        part("the same, quoted from the paper", quoted, ", quoted"),
        part("the same, with universal rules", with_rules),
    ]


def as_markdown(tables: Sequence[Captioned]) -> str:
    """A fragment of a Markdown page."""
    lines = []
    for captioned in tables:
        table = captioned.table
        lines += [f"### {table.title}", "", *markdown_lines(table)]
        lines += ["", *(f"- {note}" for note in captioned.notes), ""]
    return "\n".join(lines)


def title_of(results: Results, what: str, mean: str = "mean ± sd", scored: bool = True) -> str:
    seeds = "1 seed" if results.seeds == 1 else f"{mean} of {results.seeds} seeds"
    return f"{what}; {results.split} sentences, {seeds}" if scored else f"{what}; {seeds}"


def with_average(results: Results) -> list[str]:
    return [*results.languages, AVERAGE] if len(results.languages) > 1 else results.languages


def _table_3_columns() -> list[str]:
    return ["", *(f"{name}, rerun" for name in TABLE_3), *(f"{name}, quoted" for name in TABLE_3)]


def name_of(language: str) -> str:
    return LANGUAGES.get(language, language)


def _quoted(results: Results, number: float, language: str) -> str:
    """A printed number; an average of all languages says nothing about some of them."""
    if language == AVERAGE and set(results.languages) != set(LANGUAGES):
        return ""
    return str(number)


def both_lengths(
    results: Results, experiment: str, language: str | Sequence[str], decoder: str = "viterbi", part: str | None = None
) -> str:
    """The attachment scores of short sentences and of longer ones."""
    picks: list[Pick] = [uas(length, decoder, part) for length in EXPERIMENTS[experiment].lengths]
    return " / ".join(str(results.spread(experiment, language, pick)) for pick in picks).strip(" /")


def both_likelihoods(results: Results, experiment: str, language: str) -> str:
    """The means of a training and of a dev sentence."""
    spreads = [results.spread(experiment, language, log_likelihood(part)) for part in ("train", "dev")]
    return " / ".join(f"{spread.mean:.2f}" for spread in spreads if spread.values) + spreads[0].missing


def knowledge_used(columns: Mapping[str, str], trees: str | None = None) -> str:
    """What the experiments of a table know of the language, those that know the same together."""
    known: dict[str, list[str]] = {}
    for column, experiment in columns.items():
        known.setdefault(knowledge(experiment, trees), []).append(column)
    if len(known) == 1:
        return f"Knowledge used: {next(iter(known))}."
    parts = (f"{'; '.join(names)}: {what}" for what, names in known.items())
    return f"Knowledge used: {'. '.join(parts)}."
