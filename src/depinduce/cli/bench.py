"""Measure the charts against the paper's own algorithm, in one run and with the same threads.

It first makes sure that both give the same results. Leave the machine alone meanwhile.
"""

from __future__ import annotations

import argparse
import json

from depinduce.cli.console import say, show_table
from depinduce.cli.options import add_settings, read_settings

EXAMPLE = "depinduce bench charts --json charts.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from depinduce.bench.chart_settings import ChartBench

    parser.add_argument("what", choices=("charts",), help="what to measure")
    parser.add_argument("--json", metavar="FILE", help="write everything here as JSON (- is stdout)")
    add_settings(parser, ChartBench, "charts")


def run(arguments: argparse.Namespace) -> int:
    from depinduce.bench.chart_settings import ChartBench
    from depinduce.bench.charts import measure
    from depinduce.corpus import open_output

    results = measure(read_settings(arguments, ChartBench), lambda case: say(f"measured length {case.length}"))
    if arguments.json != "-":
        show(results)
    if arguments.json:
        with open_output(arguments.json) as output:
            output.write(json.dumps(results, indent=2, ensure_ascii=False) + "\n")
    return 0


def show(results: dict) -> None:
    from depinduce.evaluation.tables import Table

    which = list(results["cases"][0]["times_faster"].get("gradient", {}))
    for task, title in (("gradient", "log Z and gradient"), ("decoding", "best tree")):
        rows = [[str(case["length"]), *_row(case, task, which)] for case in results["cases"]]
        columns = ["words", "ours, µs", *(f"vs {name}" for name in which)]
        show_table(Table(f"{results['settings']['order']}: {title}; µs per sentence (times faster)", columns, rows))
    exponents = ", ".join(f"{task} n^{value:.2f}" for task, value in results["growth_exponent"].items() if value)
    print(f"growth of ours, 20 to 160 words: {exponents}")
    rows = [[name, f"{peak:.0f}"] for name, peak in results["peak_memory_mb"].items()]
    show_table(Table("peak memory of a process", ["", "MB"], rows))
    share = results["side_by_side"]["share of the speed alone"]
    print(f"two training processes side by side: each runs at {100 * share:.0f} % of the speed of one alone")


def _row(case: dict, task: str, which: list[str]) -> list[str]:
    row = [f"{1e6 * case['ours'][task]:.1f}"]
    for name in which:
        known = case["yardstick"].get(task, {})
        row.append(f"{1e6 * known[name]:.0f} ({case['times_faster'][task][name]:.0f})" if name in known else "")
    return row
