"""Small files made from the demo corpus, and the command line as a function."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from itertools import islice
from pathlib import Path

from depinduce.cli import main
from depinduce.corpus import read_sentences
from depinduce.corpus.demo import demo_file


def demo_part(path: Path, split: str = "train", count: int = 120) -> Path:
    """The first sentences of a split, with their gold trees."""
    text = "".join(sentence.render() for sentence in islice(read_sentences(demo_file(split)), count))
    path.write_text(text, encoding="utf-8")
    return path


def without_heads(text: str) -> str:
    """The file with every HEAD blanked."""
    return re.sub(r"^(\d+(?:\t[^\t]*){5}\t)\d+", r"\1_", text, flags=re.MULTILINE)


def without_trees(text: str) -> str:
    """The file with HEAD, DEPREL and DEPS of every word blanked: what `parse` may change."""
    return re.sub(r"^(\d+(?:\t[^\t\n]*){5})(?:\t[^\t\n]*){3}", r"\1\t_\t_\t_", text, flags=re.MULTILINE)


def depinduce(*arguments: object) -> int:
    """The command in this process; gives the exit code."""
    return main([str(argument) for argument in arguments])


def depinduce_process(*arguments: object, **options) -> subprocess.CompletedProcess:
    """The command in a process of its own."""
    command = [sys.executable, "-m", "depinduce", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=300, check=False, **options)


def on_a_terminal(*arguments: object) -> str:
    """All that the command shows on a terminal of eighty columns."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "depinduce", *map(str, arguments)]
    environment = os.environ | {"COLUMNS": "80", "TERM": "xterm"}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # what Linux says when the last writer has gone
            while piece := os.read(ours, 1 << 16):
                shown += piece
        assert process.wait(timeout=300) == 0
    os.close(ours)
    return shown.decode()


def model_files(run: Path) -> dict[str, bytes]:
    """The files of the model that a training wrote; no clock is in them."""
    return contents(run / "model")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in a folder, hidden ones too."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
