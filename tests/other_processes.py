"""Processes that a test starts, lets come to a certain place, and ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WAIT = "\nprint('ready', flush=True); sys.stdin.read()"  # the place, in the program of such a process

ONLY_WRITER = "from depinduce.files import only_writer\nlock = only_writer(sys.argv[1]); lock.__enter__()" + WAIT


@contextmanager
def another_process(program: str, *arguments: Path | str) -> Iterator[subprocess.Popen[str]]:
    """A process that has come to WAIT; it is killed at the end, if it still lives."""
    paths = [*sys.path, str(Path(__file__).parent)]
    command = [sys.executable, "-c", f"import sys; sys.path[:] = {paths!r}\n{program}", *map(str, arguments)]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, start_new_session=True, **streams) as process:
        try:
            assert process.stdout.readline() == "ready\n", process.stderr.read()
            yield process
        finally:
            process.kill()
