"""Every chart gives the passes its own functions, and every semiring has passes of its own."""

import pytest

from depinduce.chart import grandparent, sibling
from depinduce.chart.functions import ChartFunctions
from depinduce.chart.kernels import Kernels, kernels
from depinduce.chart.semirings import LOG, MAX, SUM

CHARTS = [sibling.CHART, grandparent.CHART]
every_chart = pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)


@every_chart
@pytest.mark.parametrize("name", ChartFunctions._fields)
def test_a_function_of_a_chart_comes_from_its_own_package_under_its_own_name(chart, name):
    function = getattr(chart.functions, name)
    assert function.__name__ == name
    assert function.__module__.startswith(f"depinduce.chart.{chart.name}.")


@every_chart
@pytest.mark.parametrize("semiring", [SUM, LOG, MAX], ids=lambda semiring: semiring.name)
def test_passes_are_compiled_with_the_functions_and_meanings_that_they_were_given(chart, semiring):
    for kernel in kernels(chart, semiring):
        names = kernel.py_func.__globals__
        assert names["ZERO"] == semiring.ZERO
        for function in names["chart"]:
            assert function.__module__.startswith(f"depinduce.chart.{chart.name}.")
        expand = names["chart"].expand.py_func
        assert expand.__globals__["times_scalar"] is semiring.times_scalar


def test_the_cache_on_disk_can_tell_all_passes_apart():
    names = {
        (kernel.py_func.__module__, kernel.py_func.__qualname__)
        for chart in CHARTS
        for semiring in (SUM, LOG, MAX)
        for kernel in kernels(chart, semiring)
    }
    assert len(names) == 2 * 3 * len(Kernels._fields)
