"""The tables say what the cells say, beside what the paper prints, and what each number knows of the language."""

from __future__ import annotations

import re
import statistics
from io import StringIO
from xml.etree import ElementTree

import pytest
from experiments.numbered import both_lengths_of, numbered_cells, told
from experiments.paper import needs_paper, numbers_in, sums, table_of, text_of_paper
from experiments.tiny_ud import made_up_cell
from rich.console import Console

from depinduce.evaluation.tables import as_rich
from depinduce.experiments.figures import figures_of
from depinduce.experiments.results import AVERAGE, Results, misprinted_averages, paper_numbers, uas
from depinduce.experiments.ud import LANGUAGES, UD
from depinduce.experiments.ud_tables import as_markdown, constraint_table, decoder_table, in_parts, table_2, ud_tables
from depinduce.experiments.ud_tables import table_3_likelihood as likelihoods
from depinduce.experiments.ud_tables import table_3_scores as scores

EVERYWHERE = "function-word constraint (ADP AUX CONJ CCONJ DET PART SCONJ head nothing) in start, training, parsing"


def cells_of(experiment: str, by_language: dict[str, list[float]]) -> list[dict]:
    """A cell for every UAS; its place in the list is the seed."""
    return [
        made_up_cell(experiment, language, seed, value)
        for language, values in by_language.items()
        for seed, value in enumerate(values)
    ]


def row_of(table, name: str) -> dict[str, str]:
    return next(dict(zip(table.columns, row, strict=True)) for row in table.rows if row[0] == name)


# ---------------------------------------------------------------- the paper's numbers

IN_TABLES = [*LANGUAGES, AVERAGE]
SUMS = {  # of what the paper prints: of every row in its order, and of every column
    ("table2", "15"): (
        [349.8, 336.6, 482.4, 459.7, 554.4, 549.8, 497.6, 485.4, 461.6],
        [490.4, 520.5, 518.4, 540.5, 556.9, 515.5, 489.4, 545.7],
    ),
    ("table2", "40"): (
        [337.9, 332.3, 446.1, 422.1, 522.5, 518.7, 473.0, 494.8, 443.3],
        [456.0, 497.8, 506.1, 519.6, 539.1, 497.4, 457.0, 517.7],
    ),
    ("table3", "log_likelihood"): (
        [-59.0, -57.8, -60.1, -64.5, -50.3, -50.1, -54.1, -63.4],
        [-150.7, -156.3, -152.3],
    ),
    ("table3", "15"): ([104.3, 125.0, 167.9, 157.9, 212.9, 205.0, 185.5, 178.2], [495.0, 404.6, 437.1]),
    ("table3", "40"): ([103.9, 121.6, 169.5, 153.8, 195.1, 199.1, 174.7, 173.7], [479.2, 396.7, 415.5]),
}


@pytest.mark.parametrize(("table", "group"), SUMS)
def test_quoted_numbers_add_up_to_what_those_of_the_paper_do(table, group):
    rows = paper_numbers()[table][group]
    assert list(rows) == IN_TABLES[: len(rows)]
    assert sums(list(rows.values())) == SUMS[table, group]


@needs_paper
def test_the_quoted_tables_are_those_of_the_paper_number_by_number():
    paper = paper_numbers()
    names, *rows = (row for row in table_of("ud_result") if "NDMV &" in row or len(numbers_in(row)) == 8)
    columns = re.findall(r"[A-Z]{2,4}(?= *(?:&|}|$))|[+][a-z]+", names.partition("{2-9}")[2])
    assert columns == paper["table2"]["columns"]
    assert [*paper["table2"]["15"].values(), *paper["table2"]["40"].values()] == [numbers_in(row) for row in rows]
    assert [name in row for name, row in zip([*LANGUAGES.values(), "Average"] * 2, rows, strict=True)] == [True] * 18
    rows = [numbers_in(row) for row in table_of("UD: SC and EM") if numbers_in(row)]
    assert list(paper["table3"]["log_likelihood"].values()) == [row[:3] for row in rows]
    assert list(paper["table3"]["15"].values()) == [row[3::2] for row in rows]
    assert list(paper["table3"]["40"].values()) == [row[4::2] for row in rows]


@needs_paper
@pytest.mark.parametrize(("suite", "figure"), [("ud", "ud_uas"), ("wsj", "wsj_uas")])
def test_the_paper_tells_where_its_curves_begin(suite, figure):
    begin = paper_numbers(suite)["figures"]["uas_at_0"]
    assert re.search(rf"initial UAS of {begin}\\% \(Figure \\ref{{{figure}}}\)", text_of_paper())


def test_the_curves_of_the_paper_begin_at_38_and_75():
    assert [paper_numbers(suite)["figures"]["uas_at_0"] for suite in ("ud", "wsj")] == [38.5, 75]


@pytest.mark.parametrize("length", ["15", "40"])
def test_the_averages_of_the_paper_follow_from_its_rows_but_for_the_known_misprints(length):
    table = paper_numbers()["table2"]
    misprints = {("NDMV", "15"), ("CM", "15")}
    for number, column in enumerate(table["columns"]):
        computed = statistics.fmean(table[length][language][number] for language in LANGUAGES)
        close = abs(computed - table[length][AVERAGE][number]) < 0.1
        assert close is ((column, length) not in misprints)


def test_the_misprints_are_those_of_the_protocol():
    found = [
        (column, length, round(computed, 1), printed) for column, length, computed, printed in misprinted_averages()
    ]
    assert found == [("NDMV", "15", 54.6, 53.3), ("CM", "15", 60.8, 59.3)]


def test_the_tables_of_the_paper_agree_where_they_print_the_same_model():
    numbers = paper_numbers()
    sibling = numbers["table2"]["columns"].index("+sibling")
    for length in ("15", "40"):
        for language in LANGUAGES:
            assert numbers["table2"][length][language][sibling] == numbers["table3"][length][language][0]


def test_every_row_of_the_paper_is_complete():
    numbers = paper_numbers()
    for table, groups in (("table2", ("15", "40")), ("table3", ("15", "40", "log_likelihood"))):
        for group in groups:
            rows = numbers[table][group]
            assert set(rows) - {AVERAGE} == set(LANGUAGES)
            assert {len(row) for row in rows.values()} == {len(numbers[table]["columns"])}


# ---------------------------------------------------------------- means


def test_the_spread_of_the_average_is_that_of_the_averages_of_each_seed():
    results = Results(cells_of("ndmv", {"fr": [60, 62, 64], "pl": [74, 72, 70]}), ["fr", "pl"], 3)
    assert str(results.spread("ndmv", "fr", uas("15"))) == "62.0 ± 2.0"
    assert str(results.spread("ndmv", "pl", uas("40"))) == "71.0 ± 2.0"
    assert str(results.spread("ndmv", AVERAGE, uas("15"))) == "67.0 ± 0.0"


def test_missing_seeds_are_counted_and_missing_cells_empty():
    results = Results(cells_of("ndmv", {"fr": [60, 62, 64], "pl": [74]}), ["eu", "fr", "pl"], 5)
    assert str(results.spread("ndmv", "fr", uas("15"))) == "62.0 ± 2.0 (3)"
    assert str(results.spread("ndmv", "pl", uas("15"))) == "74.0 (1)"
    assert str(results.spread("ndmv", "eu", uas("15"))) == ""
    assert str(results.spread("ndmv", AVERAGE, uas("15"))) == ""


def test_an_average_is_made_of_the_seeds_that_every_language_has():
    results = Results(cells_of("ndmv", {"fr": [60, 62, 64], "pl": [74, 76]}), ["fr", "pl"], 3)
    assert str(results.spread("ndmv", AVERAGE, uas("15"))) == "68.0 ± 1.4 (2)"


def test_one_seed_has_no_deviation():
    results = Results(cells_of("ndmv", {"fr": [60.04]}), ["fr"], 1)
    assert str(results.spread("ndmv", "fr", uas("15"))) == "60.0"


# ---------------------------------------------------------------- tables


def test_table_2_has_the_rows_of_the_paper_in_its_order():
    table = table_2(Results([], list(LANGUAGES), 5), "15").table
    names = ["Basque", "Dutch", "French", "German", "Italian", "Polish", "Portuguese", "Spanish", "average"]
    assert [row[0] for row in table.rows] == names
    french = row_of(table, "French")
    assert french["NDMV, quoted"] == "59.5"
    assert french["CM +UP, quoted"] == "61.6"
    assert french["+sibling, ours"] == french["+sibling, rerun"] == french["+sibling +UP, ours"] == ""
    assert row_of(table, "average")["NDMV, quoted"] == "53.3"


def test_table_2_sets_ours_the_rerun_and_the_quoted_numbers_side_by_side():
    cells = cells_of("sibling", {"fr": [70, 71]}) + cells_of("paper-sibling", {"fr": [60, 64]})
    french = row_of(table_2(Results(cells, ["fr"], 2), "40").table, "French")
    assert french["+sibling, ours"] == "69.5 ± 0.7"
    assert french["+sibling, rerun"] == "61.0 ± 2.8"
    assert french["+sibling, quoted"] == "64.9"


COLUMNS_2 = {  # of what was run: the recipe, and the rules if there are any
    "NDMV, ours": ("ud-ndmv", None),
    "+sibling, ours": ("ud-sibling", None),
    "+grand, ours": ("ud-grand", None),
    "E-DMV of Jiang et al.": ("ud-jiang-ndmv", None),
    "no context": ("paper-ud-ndmv", None),
    "+sibling, rerun": ("paper-ud-sibling", None),
    "+grand, rerun": ("paper-ud-grand", None),
    "+sibling +UP, ours": ("ud-sibling", "ud"),
    "no context +UP": ("paper-ud-ndmv", "ud"),
}
COLUMNS_3 = {  # the model, how it is trained, and whether it has skip connections
    "DMO, rerun": ("sibling", "dmo", True),
    "DMO, no skip connections, rerun": ("sibling", "dmo", False),
    "EM, rerun": ("sibling", "em", True),
}
COLUMNS_OF_CONSTRAINT = {
    "ours, with": ("ud-sibling", True),
    "ours, without": ("ud-sibling", False),
    "rerun, with": ("paper-ud-sibling", True),
    "rerun, without": ("paper-ud-sibling", False),
}


NAMES = list(UD)
NUMBERED = Results(numbered_cells(NAMES, "fr", ("15", "40")), ["fr"], 1)


@pytest.mark.parametrize(("length", "kind"), [("15", "viterbi short"), ("40", "viterbi long")])
def test_every_column_of_table_2_shows_what_its_name_says(length, kind):
    french = row_of(table_2(NUMBERED, length).table, "French")
    for column, (recipe, rules) in COLUMNS_2.items():
        ((name, part, shown),) = told(french.pop(column), NAMES)
        assert (part, shown) == ("both", kind)
        assert (UD[name].recipe, UD[name].configuration().learning.rules) == (recipe, rules)
    del french[""]
    assert all(column.endswith(", quoted") for column in french) and len(french) == 8


def test_every_column_of_table_3_shows_what_its_name_says():
    french, likelihood = (row_of(table(NUMBERED).table, "French") for table in (scores, likelihoods))
    for column, (model, method, skips) in COLUMNS_3.items():
        name = both_lengths_of(french[column], NAMES)
        assert told(likelihood[column], NAMES) == [(name, "both", "train"), (name, "both", "dev")]
        configuration = UD[name].configuration()
        assert UD[name].recipe.startswith("paper-ud-") and configuration.learning.non_heads == ("ud",)
        assert (configuration.learning.model, configuration.learning.method) == (model, method)
        assert configuration.network.skip_connections is skips


def test_every_column_of_the_constraint_shows_what_its_name_says():
    french = row_of(constraint_table(NUMBERED).table, "French")
    for column, (recipe, constrained) in COLUMNS_OF_CONSTRAINT.items():
        experiment = UD[both_lengths_of(french[column], NAMES)]
        assert (experiment.recipe, bool(experiment.configuration().learning.non_heads)) == (recipe, constrained)


def test_every_row_of_the_decoders_is_that_experiment_and_every_column_that_decoder():
    table = decoder_table(NUMBERED).table
    assert table.columns == ["", "Viterbi", "minimum Bayes risk"]
    for name, viterbi, minimum_risk in table.rows:
        assert both_lengths_of(viterbi, NAMES) == both_lengths_of(minimum_risk, NAMES, decoder="mbr") == name
    assert [row[0] for row in table.rows] == [name for name in UD if not UD[name].watched]


def test_with_universal_rules_ours_stand_beside_the_quoted_systems_and_say_so():
    captioned = table_2(Results(cells_of("sibling-rules", {"fr": [70, 71]}), ["fr"], 2), "15")
    with_rules = [column for column in captioned.table.columns if "+UP" in column]
    assert with_rules == ["+sibling +UP, ours", "no context +UP", "NVTP +UP, quoted", "CM +UP, quoted"]
    assert captioned.table.columns[-4:] == with_rules
    assert row_of(captioned.table, "French")["+sibling +UP, ours"] == "70.5 ± 0.7"
    (note,) = [note for note in captioned.notes if note.startswith("Knowledge used: ")]
    assert f"+sibling +UP, ours; no context +UP: {EVERYWHERE} and universal rules for UD in training." in note


def test_our_encoder_without_a_context_is_not_called_a_rerun_of_the_papers_ndmv():
    captioned = table_2(Results([], ["fr"], 1), "15")
    assert "NDMV, rerun" not in captioned.table.columns
    assert any("No context: our encoder of first order" in note and "no rerun" in note for note in captioned.notes)


def test_an_average_of_all_languages_is_not_set_beside_some():
    table = table_2(Results([], ["fr", "pl"], 5), "15").table
    assert row_of(table, "average")["NDMV, quoted"] == ""


def test_misprinted_averages_have_a_footnote_where_they_are_printed():
    results = Results([], list(LANGUAGES), 5)
    (note,) = [note for note in table_2(results, "15").notes if "averages" in note]
    assert "NDMV: 54.6 computed, 53.3 printed; CM: 60.8 computed, 59.3 printed" in note
    assert not [note for note in table_2(results, "40").notes if "averages" in note]


def test_table_3_shows_train_and_dev_likelihood_beside_the_printed_one():
    french = row_of(likelihoods(Results(cells_of("paper-sibling-em", {"fr": [60, 61]}), ["fr"], 3)).table, "French")
    assert french["EM, rerun"] == "-20.50 / -21.00 (2)"
    assert french["DMO, rerun"] == ""
    assert french["EM, quoted"] == "-19.4"


def test_table_3_shows_scores_of_both_lengths():
    cells = cells_of("paper-sibling-no-skip", {"fr": [60, 62]})
    french = row_of(scores(Results(cells, ["fr"], 2)).table, "French")
    assert french["DMO, no skip connections, rerun"] == "61.0 ± 1.4 / 60.0 ± 1.4"
    assert french["DMO, no skip connections, quoted"] == "47.2 / 50.1"
    assert french["DMO, rerun"] == ""


def test_the_decoders_are_compared():
    table = decoder_table(Results(cells_of("grand", {"fr": [60]}), ["fr"], 1)).table
    assert table.rows == [["grand", "60.0 / 59.0", "61.0 / 60.0"]]


def test_every_table_names_the_knowledge_that_it_uses():
    cells = cells_of("sibling", {"fr": [60]}) + cells_of("sibling-free", {"fr": [40]})
    results = Results(cells, ["fr"], 1)
    for captioned in ud_tables(results):
        assert any(note.startswith("Knowledge used: ") and EVERYWHERE in note for note in captioned.notes)
    (note,) = [note for note in constraint_table(results).notes if "Knowledge" in note]
    assert note.endswith("ours, without; rerun, without: none.")


def test_on_a_terminal_a_wide_table_is_four():
    cells = cells_of("ndmv", {"fr": [60, 62]}) + cells_of("jiang-ndmv", {"fr": [50, 52]})
    results = Results(cells, ["fr"], 2)
    ours, published, quoted, with_rules = in_parts(table_2(results, "15").table)
    assert row_of(ours, "French")["NDMV, ours"] == "61.0±1.4"
    assert row_of(published, "French")["E-DMV of Jiang et al."] == "51.0±1.4"
    assert row_of(quoted, "French")["VV"] == "61.7"
    assert row_of(with_rules, "French")["CM +UP, quoted"] == "61.6"
    assert [len(part.columns) for part in (ours, published, quoted, with_rules)] == [4, 5, 7, 5]
    for captioned in (scores(results), constraint_table(results)):
        (whole,) = in_parts(captioned.table)
        assert whole.columns == captioned.table.columns


def test_on_a_terminal_of_eighty_columns_no_number_of_table_2_is_cut():
    cells = [cell for name in UD for cell in cells_of(name, {"pt": [60, 62]})]
    for part in in_parts(table_2(Results(cells, ["pt"], 2), "15").table):
        terminal = Console(width=80, file=StringIO())
        terminal.print(as_rich(part))
        shown = terminal.file.getvalue()
        assert "Portuguese" in shown and "…" not in shown


def test_the_markdown_is_a_table_that_every_row_fits():
    results = Results(cells_of("ndmv", {"fr": [60, 61], "pl": [70, 71]}), ["fr", "pl"], 2)
    blocks = as_markdown(ud_tables(results)).split("### ")[1:]
    assert len(blocks) == 6
    for block in blocks:
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({row.count("|") for row in rows}) == 1
        assert "- Knowledge used" in block
    assert "Table 2, UAS (%), ≤15 words; test sentences, mean ± sd of 2 seeds" in blocks[0]


def test_the_json_has_every_mean_with_its_seeds_and_the_numbers_of_the_paper():
    report = Results(cells_of("ndmv", {"fr": [60, 62], "pl": [70, 71]}), ["fr", "pl"], 2).to_json()
    french = report["experiments"]["ndmv"]["fr"]
    assert french["viterbi"]["15"] == {"mean": 61, "sd": 1.4142, "seeds": [60, 62]}
    assert french["mbr"]["40"]["mean"] == 61
    assert french["log_likelihood"]["dev"]["mean"] == -21
    assert report["experiments"]["ndmv"]["average"]["viterbi"]["15"]["seeds"] == [65, 66.5]
    assert report["experiments"]["ndmv"]["knowledge"] == EVERYWHERE
    assert report["paper"] == paper_numbers()


# ---------------------------------------------------------------- figures


def curve(experiment: str, seed: int, heights: list[float]) -> dict:
    lines = [{"train": height - 100, "dev": height - 101, "watched": {"uas_15": height}} for height in heights]
    return made_up_cell(experiment, "fr", seed, 60, history=lines)


def test_the_figures_draw_dmo_and_em_with_a_band_for_several_seeds():
    cells = [curve("curve-dmo", 0, [60, 61, 62]), curve("curve-dmo", 1, [60, 63, 58]), curve("curve-em", 0, [50, 51])]
    figures = figures_of(Results(cells, ["fr"], 5))
    assert set(figures) == {"figure-4-likelihood.svg", "figure-5-uas.svg"}
    lines = {name: text.count('class="curve-line') - text.count("h26") for name, text in figures.items()}
    assert lines == {"figure-4-likelihood.svg": 4, "figure-5-uas.svg": 2}
    assert figures["figure-5-uas.svg"].count("<polygon") == 1  # EM has one seed
    for text in figures.values():
        assert "Trainings: 2 of DMO and 1 of EM." in ElementTree.fromstring(text).find("{*}desc").text


def begun(cell: dict, height: float) -> dict:
    """The same training, watched before its first epoch, too."""
    first, *others = cell["history"]
    before = {"train": height - 100, "dev": height - 101, "watched": {"uas_15": height}}
    return cell | {"history": [first | {"before": before}, *others]}


def points_in(figure: str, name: str) -> list[list[float]]:
    """The line of a name in a figure, in pixels."""
    paths = ElementTree.fromstring(figure).findall(".//{*}path")
    (path,) = [path for path in paths if path.findtext("{*}title") == name]
    return [[float(number) for number in point.split()] for point in path.get("d").removeprefix("M").split("L")]


def test_the_figures_begin_before_the_first_epoch_where_that_was_recorded():
    cells = [curve("curve-dmo", 0, [60, 62]), curve("curve-dmo", 1, [62, 64]), curve("curve-em", 0, [50, 51])]
    old = figures_of(Results(cells, ["fr"], 5))
    new = figures_of(
        Results([begun(cell, height) for cell, height in zip(cells, (30, 34, 40), strict=True)], ["fr"], 5)
    )
    for name, line in (("figure-5-uas.svg", "DMO"), ("figure-4-likelihood.svg", "EM, held out")):
        (x_0, y_0), (x_1, y_1), (x_2, _) = points_in(new[name], line)
        assert x_2 - x_1 == pytest.approx(x_1 - x_0, abs=0.11) and y_0 > y_1  # lower, which is further down
        assert len(points_in(old[name], line)) == 2
    assert ">0<" in new["figure-5-uas.svg"]  # on the axis
    about = ElementTree.fromstring(new["figure-5-uas.svg"]).findtext("{*}desc")
    assert "Epoch 0 is after the start, before the first. The paper's curves begin at 38.5." in about
    assert "Epoch 0" not in old["figure-5-uas.svg"] + old["figure-4-likelihood.svg"]


def test_every_line_of_a_figure_is_what_the_legend_says():
    """DMO is given the higher curves, and training sentences are one more probable than held-out ones."""
    figures = figures_of(Results([curve("curve-dmo", 0, [60, 70]), curve("curve-em", 0, [50, 40])], ["fr"], 1))

    def heights(number: int, line: str) -> list[float]:
        name = {4: "figure-4-likelihood.svg", 5: "figure-5-uas.svg"}[number]
        return [-y for _, y in points_in(figures[name], line)]

    (dmo, higher_dmo), (em, lower_em) = heights(5, "DMO"), heights(5, "EM")
    assert higher_dmo > dmo > em > lower_em
    for method in ("DMO", "EM"):
        training, held_out = heights(4, f"{method}, training"), heights(4, f"{method}, held out")
        assert all(one > other for one, other in zip(training, held_out, strict=True))
    assert heights(4, "DMO, training")[1] > heights(4, "DMO, training")[0] > heights(4, "EM, training")[0]


def test_a_line_is_the_mean_of_the_seeds_and_its_band_reaches_from_the_lowest_to_the_highest():
    """Three seeds, so that the mean is neither the middle of the band nor an end of it."""
    cells = [curve("curve-dmo", seed, heights) for seed, heights in enumerate(([60, 50], [61, 53], [65, 68]))]
    figure = figures_of(Results(cells, ["fr"], 3))["figure-5-uas.svg"]
    (band,) = ElementTree.fromstring(figure).findall(".//{*}polygon")
    low_1, low_2, high_2, high_1 = (float(corner.split(",")[1]) for corner in band.get("points").split())
    (_, mean_1), (_, mean_2) = points_in(figure, "DMO")
    pixels = (low_1 - high_1) / 5  # of a point of UAS
    heights = [(low_1 - mean_1) / pixels, (low_2 - high_2) / pixels, (low_2 - mean_2) / pixels]
    assert heights == pytest.approx([2, 18, 7], abs=0.1)


def test_where_some_trainings_did_not_record_it_the_figures_begin_with_the_first_epoch():
    cells = [begun(curve("curve-dmo", 0, [60, 62]), 30), curve("curve-dmo", 1, [62, 64])]
    mixed = figures_of(Results(cells, ["fr"], 5))["figure-5-uas.svg"]
    assert len(points_in(mixed, "DMO")) == 2
    assert "Epoch 0" not in mixed


def test_without_curves_there_are_no_figures():
    assert figures_of(Results(cells_of("ndmv", {"fr": [60]}), ["fr"], 1)) == {}
