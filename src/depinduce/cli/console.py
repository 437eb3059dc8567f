"""What a command shows while it works: a live display on a terminal, plain lines elsewhere; always on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from depinduce.visible import visible

if TYPE_CHECKING:
    from depinduce.evaluation.tables import Table

ROOMY = 110  # columns of a terminal that has room for everything the bar can tell


def say(message: str) -> None:
    """A line for the user, apart from the output."""
    print(visible(message, lines=True), file=sys.stderr, flush=True)


def warn(message: str) -> None:
    say(f"depinduce: warning: {message}")


def warn_once() -> Callable[..., None]:
    """What shows warnings, whoever gives them, each of them once."""
    told: set[str] = set()

    def show(message: Warning | str, *_: object) -> None:
        if str(message) not in told:
            told.add(str(message))
            warn(str(message))

    return show


def show_text(text: object) -> None:
    """Lines of output for people to read."""
    print(visible(str(text), lines=True))


def show_table(table: Table) -> None:
    """A table as output: with lines and colour on a terminal, plain elsewhere."""
    from depinduce.evaluation.tables import as_rich, as_text

    table = replace(table, rows=[[visible(cell) for cell in row] for row in table.rows])
    if sys.stdout.isatty():
        from rich.console import Console

        Console().print(as_rich(table))
    else:
        print(as_text(table))


@contextmanager
def progress(
    task: str, total: int | None = None, unit: str = "", *, shown: bool = True
) -> Iterator[Callable[..., None]]:
    """A function to call with the amount done so far and, if there is something to tell, a text and a new total.

    On a terminal it moves a bar. Elsewhere it prints a line, but not more than one every five seconds.
    """
    if not shown:
        yield lambda done, text="", total=None: None
    elif sys.stderr.isatty():
        with _bar(task, total, unit) as update:
            yield update
    else:
        yield _lines(task, total, unit)


@contextmanager
def _bar(task: str, total: int | None, unit: str) -> Iterator[Callable[..., None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    roomy = console.width >= ROOMY
    columns = [TextColumn("{task.description}"), MofNCompleteColumn()]
    if roomy:  # elsewhere the numbers need the room
        columns[1:] = [BarColumn(bar_width=16), MofNCompleteColumn(), TextColumn(unit)]
    columns += [TextColumn("{task.fields[text]}", markup=False)]
    shows_elapsed, shows_left = roomy or total is None, roomy or total is not None
    if shows_elapsed:
        columns += [TimeElapsedColumn()]
    if shows_left:
        columns += [TextColumn("left"), TimeRemainingColumn()]
    with Progress(*columns, console=console) as display:
        number = display.add_task(task, total=total, text="")

        def update(done: int, text: str = "", new_total: int | None = None) -> None:
            whole = new_total or total
            taken = len(task) + 2 * len(str(whole or done)) + 3 + (len(unit) + 18 if roomy else 0)
            room = console.width - taken - 8 * shows_elapsed - 13 * shows_left
            if len(text) > room:  # it would squeeze everything else
                text = f"{text[: max(room - 1, 0)]}…"
            display.update(number, completed=done, text=text, total=whole)

        yield update


def _lines(task: str, total: int | None, unit: str) -> Callable[..., None]:
    first = None  # when the first call came, and what was done then: compilation is before it, and resumed work
    last = time.monotonic() - 5.0

    def update(done: int, text: str = "", new_total: int | None = None) -> None:
        nonlocal first, last
        now, whole = time.monotonic(), new_total or total
        first = first or (now, done)
        if now - last >= 5.0 or done == whole:
            last = now
            of = f"/{whole}" if whole is not None else ""
            begin, before = first
            if whole and before < done < whole:
                text += f", about {as_duration((now - begin) / (done - before) * (whole - done))} left"
            say(f"{task}: {done}{of} {unit} {text}".rstrip())

    return update


def as_duration(seconds: float) -> str:
    """A duration in words, such as 40 s, 12 min, 1 h 05 min."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
