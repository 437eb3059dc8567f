"""Measure charts and training against the paper's own algorithm, in one run and with the same threads.

It first makes sure that both give the same results. Leave the machine alone meanwhile.
"""

from __future__ import annotations

import argparse
import json

from depinduce.cli.console import say, show_table
from depinduce.cli.options import HelpFormatter, add_settings, read_settings

EXAMPLE = "depinduce bench charts --json charts.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from depinduce.bench.chart_settings import ChartBench
    from depinduce.bench.lexical_settings import LexicalBench
    from depinduce.bench.scale_settings import ScaleBench
    from depinduce.bench.training_settings import TrainingBench

    kinds = parser.add_subparsers(dest="what", required=True, metavar="WHAT", title="what to measure")
    paper = "the paper's own algorithm"
    for what, settings, help, against in (
        ("charts", ChartBench, "log Z, gradients and best trees of random sentences", paper),
        ("train", TrainingBench, "an epoch of training a sibling model", paper),
        ("lexical", LexicalBench, "training steps of models over words", "the matrix products that they need"),
        ("scale", ScaleBench, "training in several processes, as torchrun starts them", "one process"),
    ):
        kind = kinds.add_parser(
            what,
            help=help,
            description=f"Measure {help}, against {against}.",
            epilog=f"example:\n  depinduce bench {what} --json {what}.json",
            formatter_class=HelpFormatter,
        )
        kind.add_argument("--json", metavar="FILE", help="write everything here as JSON (- is stdout)")
        add_settings(kind, settings, what)
        kind.set_defaults(settings=settings)


def run(arguments: argparse.Namespace) -> int:
    from depinduce.corpus import open_output

    measure, show = {
        "charts": (measure_charts, show_charts),
        "train": (measure_training, show_training),
        "lexical": (measure_lexical, show_lexical),
        "scale": (measure_scale, show_scale),
    }[arguments.what]
    settings = read_settings(arguments, arguments.settings)
    say("this takes minutes; a line tells what is done. Leave the machine alone meanwhile")
    results = measure(settings)
    if arguments.json != "-":
        show(results)
    if arguments.json:
        with open_output(arguments.json) as output:
            output.write(json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    return 0


def measure_charts(settings) -> dict:
    from depinduce.bench.charts import measure

    return measure(settings, lambda case: say(f"measured length {case.length}"))


def show_charts(results: dict) -> None:
    from depinduce.evaluation.tables import Table

    which = list(results["cases"][0]["times_faster"].get("gradient", {}))
    for task, title in (("gradient", "log Z and gradient"), ("decoding", "best tree")):
        rows = [[str(case["length"]), *_row(case, task, which)] for case in results["cases"]]
        columns = ["words", "ours, µs", *(f"vs {name}" for name in which)]
        show_table(Table(f"{results['settings']['order']}: {title}; µs per sentence (times faster)", columns, rows))
    exponents = ", ".join(f"{task} n^{value:.2f}" for task, value in results["growth_exponent"].items() if value)
    print(f"growth of ours, 20 to 160 words: {exponents}")
    show_memory(results)
    share = results["side_by_side"]["share of the speed alone"]
    print(f"two training processes side by side: each runs at {100 * share:.0f} % of the speed of one alone")


def _row(case: dict, task: str, which: list[str]) -> list[str]:
    row = [f"{1e6 * case['ours'][task]:.1f}"]
    for name in which:
        known = case["yardstick"].get(task, {})
        row.append(f"{1e6 * known[name]:.0f} ({case['times_faster'][task][name]:.0f})" if name in known else "")
    return row


def measure_training(settings) -> dict:
    from depinduce.bench.training import measure

    return measure(settings, lambda what: say(f"measured {what}"))


def show_training(results: dict) -> None:
    from depinduce.evaluation.tables import Table

    corpus, faster = results["corpus"], results["times_faster"]
    seconds = results["seconds_per_epoch"].items()
    rows = [[name, f"{spent:.3f}", f"{faster[name]:.1f}" if name in faster else ""] for name, spent in seconds]
    title = f"sibling model: an epoch over {corpus['sentences']} sentences, {corpus['words']} words"
    show_table(Table(title, ["", "seconds", "times as long as ours"], rows))
    parts = ", ".join(f"{part} {spent:.3f} s" for part, spent in results["breakdown"].items())
    whole = results["seconds_of_a_whole_epoch_of_ours"]
    print(f"of ours: {parts}; a whole epoch with shuffling: {whole:.3f} s")
    first_order = results["first_order"]
    ratios = first_order["times_as_long_as_ndmv"]
    rows = [[name, f"{spent:.3f}", f"{ratios[name]:.1f}"] for name, spent in first_order["seconds_per_epoch"].items()]
    show_table(Table("an epoch of first-order models of ours", ["", "seconds", "times as long as ndmv"], rows))
    show_memory(results)


def measure_lexical(settings) -> dict:
    from depinduce.bench.lexical import measure

    return measure(settings, lambda what: say(f"measured {what}"))


def show_lexical(results: dict) -> None:
    from depinduce.evaluation.tables import Table

    settings = results["settings"]
    title = f"a step on {settings['batch_size']} sentences, vocabulary {settings['vocabulary']}"
    seconds = results["seconds_per_step"].items()
    show_table(Table(title, ["", "seconds"], [[name, f"{spent:.3f}"] for name, spent in seconds]))
    print(", ".join(f"{name}: {ratio:.2f}" for name, ratio in results["ratios"].items()))
    rows = [
        [vocabulary, f"{found['seconds']:.3f}", f"{found['peak_memory_mb']:.0f}"]
        for vocabulary, found in results["lexicalised sibling"].items()
    ]
    show_table(Table("a step of the lexicalised sibling model", ["vocabulary", "seconds", "peak MB"], rows))
    rows = []
    for vocabulary, found in results["softmax"].items():
        full, classes = (
            [f"{found[way]['seconds']:.3f}", f"{found[way]['peak_memory_mb']:,.0f}"] for way in ("full", "frequency")
        )
        rows.append([f"{int(vocabulary):,}", *full, *classes, f"{found['full / frequency']:.1f}"])
    columns = ["vocabulary", "all words, s", "peak MB", "classes, s", "peak MB", "times as fast"]
    show_table(Table("a step of L-NDMV, softmax over all words and over classes", columns, rows))


def measure_scale(settings) -> dict:
    from depinduce.bench.scale import measure

    return measure(settings, say)


def show_scale(results: dict) -> None:
    from depinduce.evaluation.tables import Table

    settings, cases = results["settings"], results["cases"]
    kinds = ("strong", "weak", "strong, without reading")
    rows = [
        [
            case,
            *(f"{100 * found['efficiency'][name]:.0f} %" for name in kinds),
            *(f"{found['seconds'][name]:.1f}" for name in ("alone", "strong", "weak")),
        ]
        for case, found in cases.items()
    ]
    title = f"{settings['processes']} processes on {results['cores']} cores: efficiency, end to end with reading"
    columns = ["", "strong", "weak", "no reading", "alone, s", "strong, s", "weak, s"]
    show_table(Table(title, columns, rows))
    rows = [
        [
            case,
            *(f"{1000 * found['step'][name]:.1f}" for name in ("alone", "strong")),
            f"{1000 * found['step']['adding']:.2f}",
            f"{found['step']['bytes']:,.0f}",
            *(f"{found['words_per_second'][name]:,.0f}" for name in ("alone", "strong")),
        ]
        for case, found in cases.items()
    ]
    columns = ["", "alone, ms", "strong", "adding", "bytes", "words/s", "strong"]
    show_table(Table("a step: its time, of which adding so many bytes, and words a second", columns, rows))
    paper = next(iter(cases.values()))["on paper"]["processes"]
    rows = [
        [
            case,
            *(f"{found['on paper']['processes'][many]['times faster']:.1f}" for many in paper),
            str(found["on paper"]["more processes stop to pay at"]),
        ]
        for case, found in cases.items()
    ]
    title = "on paper, from these steps: so many processes are times as fast as one"
    show_table(Table(title, ["", *(f"{int(many):,}" for many in paper), "more stop to pay at"], rows))


def show_memory(results: dict) -> None:
    from depinduce.evaluation.tables import Table

    rows = [[name, f"{peak:.0f}"] for name, peak in results["peak_memory_mb"].items()]
    show_table(Table("peak memory of a process", ["", "MB"], rows))
