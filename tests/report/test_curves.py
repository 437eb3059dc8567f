"""The line chart is a well-formed picture that shows every number where it belongs."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from depinduce.report.curves import HEIGHT, WIDTH, Series, line_chart, nice_ticks

SVG = "{http://www.w3.org/2000/svg}"
FINITE = st.floats(-1e6, 1e6)


def chart(*series: Series, **options: str) -> ElementTree.Element:
    return ElementTree.fromstring(line_chart("A title", "epoch", "score (%)", series, **options))


def drawn(picture: ElementTree.Element, name: str) -> list[tuple[float, float]]:
    """The pixels of the line with this name."""
    (line,) = [path for path in picture.iter(f"{SVG}path") if path.findtext(f"{SVG}title") == name]
    return [tuple(map(float, point.split())) for point in line.get("d")[1:].split("L")]


def texts(picture: ElementTree.Element, kind: str) -> list[str]:
    return [text.text for text in picture.iter(f"{SVG}text") if kind in text.get("class").split()]


def test_title_axes_and_legend_are_told():
    picture = chart(Series("DMO", [(1, 60), (2, 65)]), Series("EM", [(1, 60), (2, 55)], 1), description="Two methods.")
    assert texts(picture, "curve-title") == ["A title"]
    assert texts(picture, "curve-label") == ["epoch", "score (%)"]
    assert texts(picture, "curve-legend") == ["DMO", "EM"]
    assert picture.findtext(f"{SVG}title") == "A title"
    assert picture.findtext(f"{SVG}desc") == "Two methods."
    assert picture.get("viewBox") == f"0 0 {WIDTH} {HEIGHT}"
    assert "prefers-color-scheme:dark" in picture.findtext(f"{SVG}style")


def test_a_higher_number_is_drawn_higher_and_a_later_one_further_right():
    (x1, y1), (x2, y2), (x3, y3) = drawn(chart(Series("line", [(1, 10), (2, 30), (4, 20)])), "line")
    assert x1 < x2 < x3
    assert x3 - x2 == pytest.approx(2 * (x2 - x1), abs=0.2)
    assert y2 < y3 < y1
    assert y1 - y2 == pytest.approx(2 * (y3 - y2), abs=0.2)


@given(st.lists(st.tuples(FINITE, FINITE), min_size=2, max_size=20))
def test_every_point_lies_in_the_picture(points):
    for x, y in drawn(chart(Series("line", points)), "line"):
        assert 0 < x < WIDTH
        assert 0 < y < HEIGHT


@given(FINITE, FINITE)
@example(0.0, 5e-324)
def test_ticks_are_few_even_and_reach_around_the_numbers(one, other):
    lowest, highest = sorted((one, other))
    ticks = nice_ticks(lowest, highest)
    slack = 1e-6 * max(1.0, highest - lowest)
    assert ticks[0] <= lowest + slack
    assert ticks[-1] >= highest - slack
    assert 2 <= len(ticks) <= 9
    steps = [after - before for before, after in pairwise(ticks)]
    assert max(steps) == pytest.approx(min(steps), rel=1e-3)


@pytest.mark.parametrize(
    ("lowest", "highest", "ticks"),
    [(1, 40, [0, 10, 20, 30, 40]), (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (5, 5, [4.4, 4.6, 4.8, 5, 5.2, 5.4, 5.6])],
)
def test_ticks_are_round_numbers(lowest, highest, ticks):
    assert nice_ticks(lowest, highest) == pytest.approx(ticks)


def test_the_numbers_on_an_axis_have_the_digits_they_need_and_a_real_minus():
    shown = texts(chart(Series("line", [(1, -21.3), (40, -19.1)])), "curve-tick")
    assert "−21.5" in shown
    assert "−19.0" in shown
    assert "40" in shown


def test_a_band_lies_below_the_lines_and_within_the_axes():
    series = Series("line", [(1, 10), (2, 12)], band=[(1, 8, 13), (2, 9, 30)])
    picture = chart(series)
    order = [element.get("class", "") for element in picture]
    assert order.index("curve-band curve-band-0") < max(k for k, name in enumerate(order) if "curve-line" in name)
    (band,) = picture.iter(f"{SVG}polygon")
    heights = [float(corner.split(",")[1]) for corner in band.get("points").split()]
    assert len(heights) == 4
    assert 0 < min(heights) < max(heights) < HEIGHT


def test_a_dashed_line_is_dashed_in_the_legend_too():
    picture = chart(Series("solid", [(0, 1), (1, 2)]), Series("dashed", [(0, 2), (1, 1)], dashed=True))
    assert sum("curve-dashed" in path.get("class").split() for path in picture.iter(f"{SVG}path")) == 2


def test_a_single_point_is_a_dot():
    (dot,) = chart(Series("alone", [(3, 5)])).iter(f"{SVG}circle")
    assert dot.findtext(f"{SVG}title") == "alone"


def test_names_are_text_and_not_markup():
    picture = chart(Series("<a> & b", [(0, 1), (1, 2)]), description="x < y")
    assert texts(picture, "curve-legend") == ["<a> & b"]
    assert picture.findtext(f"{SVG}desc") == "x < y"


def test_a_chart_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one point"):
        line_chart("t", "x", "y", [Series("empty", [])])
