"""A sheet of character cells on which lines join with box-drawing characters."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8

# the character for every set of directions in which lines leave a cell
JOINS = {
    0: " ",
    UP: "╵",
    DOWN: "╷",
    LEFT: "─",  # a level line has full ends: it runs up to a word
    RIGHT: "─",
    UP | DOWN: "│",
    LEFT | RIGHT: "─",
    DOWN | RIGHT: "╭",
    DOWN | LEFT: "╮",
    UP | RIGHT: "╰",
    UP | LEFT: "╯",
    UP | DOWN | RIGHT: "├",
    UP | DOWN | LEFT: "┤",
    DOWN | LEFT | RIGHT: "┬",
    UP | LEFT | RIGHT: "┴",
    UP | DOWN | LEFT | RIGHT: "┼",
}

# ANSI codes of the styles; any other style is plain
STYLES = {"tag": "2", "faint": "2", "wrong": "31", "faint wrong": "2;31", "gold": "32", "word": "1"}


def styled(text: str, style: str | None, colour: bool) -> str:
    """The text in an ANSI style when colour is wanted."""
    code = STYLES.get(style or "")
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code and text.strip() else text


@dataclass
class _Cell:
    directions: int = 0
    is_joined: bool = False  # a line ends here: what meets here belongs together
    text: str = ""
    style: str | None = None


@dataclass
class Canvas:
    """Cells by (row, column), from 0 at the top left; lines that only cross do not join."""

    cells: dict[tuple[int, int], _Cell] = field(default_factory=dict)

    def horizontal(self, row: int, left: int, right: int, style: str | None = None) -> None:
        """A line along a row, from the middle of one cell to the middle of another."""
        self._line([(row, column) for column in range(left, right + 1)], RIGHT, LEFT, style)

    def vertical(self, column: int, top: int, bottom: int, style: str | None = None) -> None:
        """A line along a column, from the middle of one cell to the middle of another."""
        self._line([(row, column) for row in range(top, bottom + 1)], DOWN, UP, style)

    def put(self, row: int, column: int, text: str, style: str | None = None) -> None:
        """One character in place of whatever lines there are."""
        cell = self.cells.setdefault((row, column), _Cell())
        cell.text, cell.style = text, style

    def is_empty(self, row: int, column: int) -> bool:
        return (row, column) not in self.cells

    def lines(self, rows: int, colour: bool = False) -> list[str]:
        """The first rows as text."""
        drawn = []
        for row in range(rows):
            last = max((column for r, column in self.cells if r == row), default=-1)
            cells = [self._shown(row, column) for column in range(last + 1)]
            runs = groupby(cells, key=lambda cell: cell[1])
            drawn.append("".join(styled("".join(text for text, _ in run), style, colour) for style, run in runs))
        return drawn

    def _line(self, places: list[tuple[int, int]], ahead: int, back: int, style: str | None) -> None:
        for number, place in enumerate(places):
            cell = self.cells.setdefault(place, _Cell())
            is_first, is_last = number == 0, number == len(places) - 1
            cell.directions |= (0 if is_last else ahead) | (0 if is_first else back)
            cell.is_joined |= is_first or is_last
            cell.style = style or cell.style

    def _shown(self, row: int, column: int) -> tuple[str, str | None]:
        """The character of a cell and its style."""
        cell = self.cells.get((row, column))
        if cell is None:
            return " ", None
        directions = cell.directions
        if directions == UP | DOWN | LEFT | RIGHT and not cell.is_joined:
            directions = UP | DOWN  # the upright line passes over the level one
        return cell.text or JOINS[directions], cell.style
