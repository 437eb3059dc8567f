"""The benchmark compares like with like, and tells when results differ."""

import dataclasses
import json

import numpy as np
import pytest

from depinduce.bench import charts
from depinduce.bench.chart_settings import ChartBench
from depinduce.cli import main
from depinduce.grammar.rules import Order

QUICK = ChartBench(lengths=(5,), alone=(), threads=1, seconds=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["sibling", "grandparent"])
def test_every_yardstick_is_timed_for_both_tasks(order):
    settings = dataclasses.replace(QUICK, order=order)
    table = charts.random_table(Order(order), seed=0)
    case = charts.measure_length(settings, table, 5, with_yardstick=True)
    for task in ("gradient", "decoding"):
        assert set(case.yardstick[task]) == set(charts.yardsticks(Order(order)))
        for which, seconds in case.yardstick[task].items():
            assert case.times_faster[task][which] == seconds / case.ours[task]
            assert case.batch_size[task][which] in charts.BATCH_SIZES


def test_a_difference_in_the_results_stops_the_benchmark(monkeypatch):
    table, tags = charts.random_table(Order.SIBLING, seed=0), charts.random_tags(3, 6, seed=0)
    assert charts.assert_equal_results(Order.SIBLING, table, tags) == 0
    other = charts.random_table(Order.SIBLING, seed=1)
    ours = charts.expectations
    monkeypatch.setattr(charts, "expectations", lambda _, batch: ours(other, batch))
    with pytest.raises(AssertionError):
        charts.assert_equal_results(Order.SIBLING, table, tags)


def test_the_growth_exponent_of_cubes_is_three():
    assert charts.growth_exponent([(n, 7e-9 * n**3) for n in (20, 40, 80, 160)]) == pytest.approx(3)


def test_random_grammars_are_normalised():
    table = charts.random_table(Order.GRANDPARENT, seed=0)
    for part in (table.root, table.child, table.decision):
        np.testing.assert_allclose(np.exp(part).sum(axis=-1), 1)


def test_lengths_that_the_yardstick_cannot_do_are_refused(capsys):
    assert main(["bench", "charts", "--lengths", "50"]) == 1
    assert "--lengths can be at most 40" in capsys.readouterr().err


@pytest.mark.slow
def test_the_command_writes_everything_as_json(tmp_path, capsys):
    options = [
        "--lengths",
        "4",
        "5",
        "--alone",
        "20",
        "24",
        "--seconds",
        "0.01",
        "--json",
        str(tmp_path / "bench.json"),
    ]
    assert main(["bench", "charts", *options]) == 0
    assert "times faster" in capsys.readouterr().out
    results = json.loads((tmp_path / "bench.json").read_text("utf-8"))
    assert [case["length"] for case in results["cases"]] == [4, 5, 20, 24]
    assert all(50 < peak < 3000 for peak in results["peak_memory_mb"].values())
    assert results["side_by_side"]["alone"] > 0
