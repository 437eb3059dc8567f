"""Score trees against gold trees: attachment scores by length, by tag and by arc length.

Where both have labels, labelled attachment (LAS: head and label are right) and label accuracy, too, of all words and of
each relation, without subtypes. Files that say only `root` and `dep` get these scores with --json alone.
"""

from __future__ import annotations

import argparse
import json

from depinduce.cli.console import show_table
from depinduce.cli.options import add_settings, read_settings
from depinduce.corpus import Reading
from depinduce.errors import DepinduceError

EXAMPLE = "depinduce evaluate gold.conllu parsed.conllu --baselines"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("gold", metavar="GOLD", help="CoNLL-U file with the right trees")
    parser.add_argument("predicted", metavar="PRED", help="CoNLL-U file with the same words and other trees")
    parser.add_argument("--baselines", action="store_true", help="score the trivial baselines beside it")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    add_settings(parser, Reading, "reading", leave_out=("rare_tags", "lowercase", "fold_numbers"))


def run(arguments: argparse.Namespace) -> int:
    from depinduce.evaluation.baselines import BASELINES
    from depinduce.evaluation.files import align_files
    from depinduce.evaluation.label_scores import score_files
    from depinduce.evaluation.scores import score
    from depinduce.evaluation.tables import comparison_table, score_tables

    if arguments.gold == arguments.predicted == "-":
        raise DepinduceError("GOLD and PRED cannot both be standard input. Name a file for one of them.")
    reading = read_settings(arguments, Reading)
    trees = align_files(arguments.gold, arguments.predicted, reading)
    if len(trees.gold) == 0:
        raise DepinduceError(f"{arguments.gold}: no words to score with these options.")
    scores = score_files(trees)
    baselines = {}
    if arguments.baselines:
        baselines = {
            name: score(trees.gold, heads(trees.offsets, 0), trees.offsets) for name, heads in BASELINES.items()
        }
    if arguments.json:
        report = {"punctuation": reading.punctuation} | scores.to_json()
        if baselines:
            report["baselines"] = {name: baseline.to_json() for name, baseline in baselines.items()}
        print(json.dumps(report, indent=2))
        return 0
    for table in score_tables(scores):
        show_table(table)
    if baselines:
        show_table(comparison_table({"these trees": scores} | baselines, title="beside the baselines"))
    multi_root = scores.overall.multi_root_gold
    if multi_root:
        print(f"{multi_root} gold sentences have several roots; a predicted root counts if it is one of them.")
    return 0
