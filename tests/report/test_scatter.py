"""Points with names: all in their places, and no name covers another name or a point."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from depinduce.report.scatter import DOT, HEIGHT, NAME_HEIGHT, NAME_SIZE, WIDTH, Point, scatter_plot
from depinduce.report.svg_style import WORD_SIZE, word_width

SVG = "{http://www.w3.org/2000/svg}"


def plot(points: list[Point], x_more=("a before b",), y_more=("c after d",)) -> ElementTree.Element:
    return ElementTree.fromstring(scatter_plot("A title", x_more, y_more, points, "What lies where."))


def dots(picture: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(dot.get("cx")), float(dot.get("cy"))) for dot in picture.iter(f"{SVG}circle")]


def boxes(picture: ElementTree.Element) -> dict[str, tuple[float, float, float, float]]:
    """The room of every name: left, top, right, bottom."""
    found = {}
    for name in picture.iter(f"{SVG}text"):
        if "curve-name" in name.get("class").split():
            half = word_width(name.text) * NAME_SIZE / WORD_SIZE / 2
            x, bottom = float(name.get("x")), float(name.get("y")) + 4
            found[name.text] = (x - half, bottom - NAME_HEIGHT, x + half, bottom)
    return found


def cover(one, other) -> bool:
    """Whether they share more than the width of a line."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    return across > 0.2 and min(one[3], other[3]) - max(one[1], other[1]) > 0.2


def test_points_lie_where_they_should_and_both_axes_have_one_scale():
    (x1, y1), (x2, y2), (x3, y3) = dots(plot([Point("a", 0, 0), Point("b", 2, 0), Point("c", 0, 1)]))
    assert x2 - x1 == pytest.approx(2 * (y1 - y3), abs=0.2) and x2 > x1
    assert (y1, x1) == (y2, x3)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("count", "crowded"), [(20, 1.0), (35, 0.4), (120, 0.2)])
def test_names_cover_neither_each_other_nor_points(count, crowded, seed):
    places = np.random.default_rng(seed).normal(size=(count, 2)) * [1, crowded]
    picture = plot([Point(f"lang_{number}", x, y) for number, (x, y) in enumerate(places.tolist())])
    names = boxes(picture)
    assert len(names) == count or count == 120  # some may find no room, and are told to whoever points at the point
    assert not any(cover(one, other) for one, other in combinations(names.values(), 2))
    for x, y in dots(picture):
        assert not any(cover(box, (x - DOT, y - DOT, x + DOT, y + DOT)) for box in names.values())
    for left, top, right, bottom in names.values():
        assert 0 <= left < right <= WIDTH and 0 <= top < bottom <= HEIGHT
    assert len(picture.findall(f".//{SVG}g/{SVG}title")) == count


def test_points_in_one_place_have_their_names_around_it():
    picture = plot([Point(name, 1.0, 1.0) for name in ("fr", "de", "ru")])
    assert set(boxes(picture)) == {"fr", "de", "ru"}
    assert len(set(dots(picture))) == 1


def test_what_is_new_has_another_shape_and_a_name():
    picture = plot([Point("fr", 0, 0), Point("here", 1, 1, is_new=True)])
    assert len(dots(picture)) == 1
    assert [path.get("class") for path in picture.findall(f".//{SVG}g/{SVG}path")] == ["curve-dot-1"]
    assert "here" in boxes(picture)


def test_axes_say_what_there_is_more_of_as_far_as_there_is_room():
    more = [f"NOUN+Number=Sing before VERB+Tense={number}" for number in range(9)]
    picture = plot([Point("fr", 0, 0)], more, ["x" * 200])
    labels = [text for text in picture.iter(f"{SVG}text") if "curve-label" in text.get("class").split()]
    told = " ".join(label.text for label in labels)
    assert told.startswith(f"→ {more[0]}, {more[1]}") and more[8] not in told and "xxx" not in told
    for label in labels:
        assert word_width(label.text) * NAME_SIZE / WORD_SIZE < WIDTH
    assert picture.findtext(f"{SVG}desc") == "What lies where."


def test_a_plot_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least one point"):
        plot([])
