"""A shelf of real models, learned from some sentences of the demo corpus in a second, and a server for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cli.demo_parts import demo_part

from depinduce import Parser
from depinduce.serve.api import ACTIONS
from depinduce.serve.desk import Desk
from depinduce.serve.server import PageServer
from depinduce.serve.shelf import Shelf

SENTENCE = "The/DET girls/NOUN answer/VERB the/DET letter/NOUN at/ADP home/NOUN ./PUNCT"
TRAININGS = {
    "dmv": {"model": "dmv", "iterations": 10, "non_heads": "ud"},
    "siblings": {"model": "dmv-sibling", "iterations": 4, "non_heads": "ud"},
    "hidden": {"model": "hdp-dep", "rules": "ud", "iterations": 2, "subsymbols": 2},
}


def train_models(folder: Path) -> Path:
    """A folder with all of them; `folder` itself has the sentences, too, which no page may see."""
    train = demo_part(folder / "train.conllu", count=200)
    for name, settings in TRAININGS.items():
        Parser.train(train, **settings, out=folder / "models" / name)
    return folder / "models"


def answer(shelf: Shelf, action: str, request: Mapping) -> dict:
    """What all steps of an action come to."""
    steps = ACTIONS[action](shelf, request)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@contextmanager
def running(shelf: Shelf, host: str = "127.0.0.1", desk: Desk | None = None) -> Iterator[PageServer]:
    with PageServer(shelf, host, desk=desk) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))  # seconds until it sees that it should end
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
