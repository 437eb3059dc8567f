"""Tests mirror src: one knows from a module's name where its claims are tested.

The claims of `room/module.py` are in `tests/room/test_module.py`, or in `tests/room/test_room_module.py` where another
room has a module of that name (pytest wants every file to have a name of its own). A folder inside a room has its own
under tests, or one file for all of it: `room/folder/module.py` is tested in `tests/room/folder/test_module.py` or in
`tests/room/test_folder.py`. Everything else is in the table.
"""

from __future__ import annotations

from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "src" / "depinduce"

# a module, or a folder for those of its modules that have no file of their own -> where it is tested, and why there
ELSEWHERE = {
    "__init__.py": ("test_parser_api.py", "it hands on Parser"),
    "__main__.py": ("cli/test_cli_help.py", "run as `python -m depinduce`"),
    "compile_cache.py": ("test_compiled.py", "where the functions that are compiled are kept"),
    "errors.py": ("corpus/test_broken_files.py", "the place of a fault; other messages are tested where they arise"),
    "parser.py": ("test_parser_api.py", "Parser, with what the package hands on"),
    "bench/authors_way.py": ("bench/test_bench_training.py", "what is timed against it must give the same numbers"),
    "bench/chart_settings.py": ("bench/test_bench_charts.py", "settings of that benchmark"),
    "bench/lexical_settings.py": ("bench/test_bench_lexical.py", "settings of that benchmark"),
    "bench/scale_settings.py": ("bench/test_bench_scale.py", "settings of that benchmark"),
    "bench/training_settings.py": ("bench/test_bench_training.py", "settings of that benchmark"),
    "bulk/tasks.py": ("bulk/test_bulk_parse.py", "what the files are made by; in other processes in test_cluster.py"),
    "chart/": ("chart/test_charts.py", "pieces of one chart, which as a whole equals the enumeration of all trees"),
    "cli/__init__.py": ("cli/test_cli_help.py", "the commands and their help"),
    "cli/bench.py": ("bench/test_bench_charts.py", "the command with what it measures; so in the room's other tests"),
    "cli/least_sure.py": ("cli/test_cli_parse.py", "`parse --least-sure`"),
    "cli/sample.py": ("cli/test_cli_inspect.py", "the same grammars, in words and in sentences"),
    "cli/tag.py": ("tagging/test_tag_command.py", "the command with what it does"),
    "cli/serve.py": ("serve/test_server.py", "the command starts the server"),
    "corpus/cycles.py": ("evaluation/test_evaluation_trees.py", "against a definition written out slowly"),
    "corpus/faults.py": ("corpus/test_broken_files.py", "a file for every fault"),
    "corpus/small_changes.py": ("corpus/test_conllu.py", "what a block does to its comments and to MISC"),
    "corpus/streams.py": ("corpus/test_conllu.py", "plain and packed files and pipes, by way of the reader"),
    "corpus/formats/brought.py": ("corpus/test_corpus_tables.py", "what every format comes down to, by way of one"),
    "corpus/formats/columns.py": ("corpus/test_corpus_tables.py", "what the columns of a table are"),
    "corpus/formats/elan_tiers.py": ("corpus/formats/test_elan.py", "what hangs on what in such a file"),
    "corpus/formats/xml_tree.py": ("corpus/formats/test_flextext.py", "broken and dangerous XML, by way of one format"),
    "experiments/cells.py": ("experiments/test_ud_cells.py", "cells of Universal Dependencies"),
    "experiments/compared_tables.py": ("experiments/test_compared.py", "tables of the cells there"),
    "experiments/correction_tables.py": ("experiments/test_correction_cells.py", "made of the cells there"),
    "experiments/corrections.py": ("experiments/test_correction_cells.py", "which cells there are"),
    "experiments/experiment.py": ("experiments/test_ud_cells.py", "what a cell is asked for"),
    "experiments/figures.py": ("experiments/test_ud_tables.py", "drawn from the same cells"),
    "experiments/joint_tables.py": ("cli/test_cli_reproduce_joint.py", "the table that the command writes"),
    "experiments/polyglot.py": ("experiments/test_polyglot_cells.py", "which cells there are"),
    "experiments/results.py": ("experiments/test_ud_tables.py", "the numbers in the tables"),
    "experiments/suites.py": ("experiments/test_ud_cells.py", "which cells there are"),
    "experiments/ud.py": ("experiments/test_ud_cells.py", "which cells there are"),
    "experiments/wsj_tables.py": ("experiments/test_wsj.py", "tables with the cells that they are made of"),
    "insight/texts.py": ("cli/test_cli_inspect.py", "the sentences that the command prints"),
    "learning/checkpoints.py": ("learning/test_run.py", "a run that was stopped goes on from one"),
    "learning/held_out.py": ("cli/test_cli_train.py", "`train` with `--dev` and without"),
    "learning/ladder.py": ("learning/learners/test_polyglot.py", "a ladder for every language; one alone in test_run"),
    "learning/learners/learner.py": ("learning/test_training.py", "what a training asks of its learners"),
    "learning/learners/one_table.py": ("learning/test_count_runs.py", "what learners of counts have in common"),
    "learning/lesson.py": ("test_parser_api.py", "`Parser.train`, by way of the files that it is given"),
    "learning/run_files.py": ("learning/test_run.py", "what a run leaves, and what was lost of it"),
    "learning/progress_texts.py": ("cli/test_cli_train.py", "shown while it trains; no test reads its words yet"),
    "learning/seeds.py": ("cli/test_cli_neural.py", "`train --seeds`"),
    "learning/settings/": ("learning/settings/test_configuration.py", "settings by name, in files and recipes"),
    "learning/starts.py": ("learning/test_run.py", "what each rung starts from"),
    "learning/watching.py": ("cli/test_cli_neural.py", "`train --watch`"),
    "models/joint_model.py": ("models/test_joint.py", "with the grammar over words that it is made of"),
    "models/loading.py": ("models/test_model_files.py", "models on disk"),
    "models/model.py": ("models/test_model_files.py", "what every model answers to; its parts in models/test_joint.py"),
    "models/refinement.py": ("learning/learners/test_variational.py", "with the training that needs it"),
    "models/state_model.py": ("learning/learners/test_variational.py", "with the training that makes it"),
    "models/tag_model.py": ("models/test_unknown_tags.py", "a grammar over tags, and tags it does not know"),
    "models/word_model.py": ("models/test_joint.py", "with the joint models that it is part of"),
    "networks/encoder.py": ("networks/test_tag_network.py", "as part of the network"),
    "networks/gradients.py": ("networks/test_tag_network.py", "as part of the network; over words in the other one"),
    "networks/lexical_settings.py": ("networks/test_word_network.py", "settings of that network"),
    "networks/network_settings.py": ("networks/test_tag_network.py", "settings of that network"),
    "networks/sentence_batch.py": ("networks/test_sentence_network.py", "the rules that a batch of sentences needs"),
    "networks/trilinear.py": ("networks/test_tag_network.py", "as part of the network"),
    "networks/word_batch.py": ("networks/test_word_network.py", "the rules that a batch of words needs"),
    "parsing/decoding.py": ("parsing/test_streams.py", "trees of files; those of joint models in models/test_joint.py"),
    "parsing/parsed_sentences.py": ("test_parser_api.py", "what Parser gives"),
    "report/arc_layout.py": ("report/test_svg_tree.py", "no needless crossings in a drawing"),
    "report/canvas.py": ("report/test_text_tree.py", "what is drawn on it is read back"),
    "report/display_width.py": ("report/test_text_details.py", "wide characters in a drawing"),
    "report/html_page.py": ("report/test_tree_page.py", "the frame of that page and of the report"),
    "report/svg_arcs.py": ("report/test_svg_tree.py", "one form of the drawing"),
    "report/svg_style.py": ("report/test_svg_tree.py", "the looks of the drawing"),
    "report/text_arcs.py": ("report/test_text_tree.py", "one form of the drawing"),
    "report/text_outline.py": ("report/test_text_tree.py", "one form of the drawing"),
    "report/tree_picture.py": ("report/test_tree_page.py", "the pictures on the page"),
    "serve/desk_api.py": ("serve/test_desk.py", "what the page of a desk asks, with the answers"),
    "serve/presentation.py": ("serve/test_api.py", "what the page shows, with the answers"),
    "serve/relations.py": ("serve/test_retraining.py", "names that the validator of UD knows"),
    "serve/requests.py": ("serve/test_api.py", "what the page asks, with the answers"),
    "serve/shelf.py": ("serve/test_api.py", "the grammars that answer"),
    "serve/survey.py": ("serve/test_choice.py", "what sentences are chosen by"),
}


def modules() -> list[str]:
    """The modules that have something to claim: an `__init__.py` only if it defines a function."""
    paths = sorted(PACKAGE.rglob("*.py"))
    with_claims = (path for path in paths if path.name != "__init__.py" or "\ndef " in path.read_text(encoding="utf-8"))
    return [path.relative_to(PACKAGE).as_posix() for path in with_claims]


def own_file(module: str) -> Path | None:
    """The file of tests that a module's name leads to."""
    *rooms, name = module.removesuffix(".py").split("/")
    room = rooms[0] if rooms else ""
    names = [name, f"{room}_{name}", *rooms[1:]]
    places = [TESTS.joinpath(*rooms) / f"test_{name}.py", *(TESTS / room / f"test_{each}.py" for each in names)]
    return next((place for place in places if place.exists()), None)


def entry_of(module: str) -> str | None:
    """The entry of the table that a module falls under: its own before that of a folder."""
    fitting = [entry for entry in ELSEWHERE if module == entry or (entry.endswith("/") and module.startswith(entry))]
    return max(fitting, key=len, default=None)


@pytest.mark.parametrize("module", modules())
def test_every_module_leads_to_its_tests(module):
    named = own_file(module)
    room, _, name = f"/{module}".removesuffix(".py").rpartition("/")
    assert named or entry_of(module), (
        f"{module} has no tests{room}/test_{name}.py: write it, or say in ELSEWHERE where it is tested"
    )


@pytest.mark.parametrize("entry", ELSEWHERE)
def test_every_entry_is_needed_and_leads_to_a_file(entry):
    file, why = ELSEWHERE[entry]
    assert (TESTS / file).is_file(), f"{file} is not there"
    assert why
    assert [module for module in modules() if entry_of(module) == entry and not own_file(module)], (
        f"no module needs the entry {entry}: it is gone, or has a file of its own"
    )


def test_every_file_of_tests_has_a_name_of_its_own():
    names = sorted(path.name for path in TESTS.rglob("test_*.py"))
    assert names == sorted(set(names))
