"""Sixteen clients at once, half of them hostile: small requests are answered rightly, and memory does not grow.

How long they take is measured and told, and no test fails by it: an idle server first, then one under load.
"""

from __future__ import annotations

import math
import random
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from campaign.served import PATIENCE, Served, ask, page_requests, serving
from serve.demo_models import train_models

pytestmark = pytest.mark.campaign

SMALL_CLIENTS = 8
PAUSE = (0.02, 0.2)  # seconds between two small requests of a client
MODELS = ("dmv", "siblings", "hidden")
MOST_GROWTH = 150  # megabytes that the server may need in addition
LONG = " ".join(["the/DET", "dogs/NOUN", "bark/VERB"] * 50)  # as long as a sentence may be
MIDDLING = " ".join(["the/DET", "dogs/NOUN", "bark/VERB"] * 15)


class Load:
    """Clients that ask until they are stopped."""

    def __init__(self, served: Served, expected: dict, seed: int):
        self.served, self.expected, self.seed = served, expected, seed
        self.over = threading.Event()
        self.seconds: list[float] = []  # of every small request
        self.faults: list[object] = []
        self.large = 0  # hostile requests

    def run(self, seconds: float, *hostile: Callable[[Load, random.Random], None]) -> None:
        clients = [Load.ask_for_little] * SMALL_CLIENTS + list(hostile)
        threads = [
            threading.Thread(target=self._guarded, args=(client, random.Random(f"{self.seed} {number}")))
            for number, client in enumerate(clients)
        ]
        for thread in threads:
            thread.start()
        self.over.wait(seconds)
        self.over.set()
        for thread in threads:
            thread.join()
        self.over.clear()

    def _guarded(self, client, chance: random.Random) -> None:
        try:
            client(self, chance)
        except BaseException as fault:
            self.faults.append(fault)

    def percentile(self, percent: float) -> float:
        """In milliseconds."""
        return 1000 * sorted(self.seconds)[math.ceil(percent / 100 * len(self.seconds)) - 1]

    # ---------------------------------------------------------------- clients

    def ask_for_little(self, chance: random.Random) -> None:
        """What a page asks for, on a connection that stays."""
        client = self.served.client()
        while not self.over.wait(chance.uniform(*PAUSE)):
            model, action = chance.choice(list(self.expected))
            start = time.perf_counter()
            found = ask(client, action, page_requests(model)[action])
            self.seconds.append(time.perf_counter() - start)
            if found != (200, self.expected[model, action]):
                self.faults.append((model, action, found))
        client.close()

    def ask_for_much_and_leave(self, chance: random.Random) -> None:
        while not self.over.is_set():
            with suppress(ConnectionError), self._connected() as connection:
                connection.sendall(self.served.message("parse", too_much(chance)))
                self.large += 1
                self.over.wait(chance.uniform(0, 0.5))

    def ask_for_much(self, chance: random.Random) -> None:
        """And wait for it."""
        while not self.over.is_set():
            status, answer = self.served.ask("parse", much(chance))
            self.large += 1
            if status not in (200, 503):
                self.faults.append((status, answer))

    def drip(self, chance: random.Random) -> None:
        while not self.over.is_set():
            with suppress(ConnectionError), self._connected() as connection:
                for byte in self.served.message("parse", much(chance)):
                    connection.sendall(bytes([byte]))
                    if self.over.wait(0.1):
                        break

    def say_nothing(self, chance: random.Random) -> None:
        """On as many connections as there can be, some of which are closed again."""
        silent: list[socket.socket] = []
        while not self.over.wait(0.05):
            with suppress(ConnectionError):
                silent.append(self._connected())
            if len(silent) > 100:
                silent.pop(chance.randrange(len(silent))).close()
        for connection in silent:
            connection.close()

    def _connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.served.port), timeout=PATIENCE)


def much(chance: random.Random) -> dict:
    """As much as a request may ask for."""
    text = "\n".join(chance.choice([[LONG] * 5, [MIDDLING] * 200]))
    return {"model": chance.choice(MODELS), "text": text}


def too_much(chance: random.Random) -> dict:
    """The same, or more than that."""
    return chance.choice([much(chance), {"model": chance.choice(MODELS), "text": "\n".join([LONG] * 200)}])


HOSTILE = [
    *[Load.ask_for_much_and_leave] * 3,
    *[Load.ask_for_much] * 2,
    *[Load.drip] * 2,
    Load.say_nothing,
]


@pytest.mark.skipif(sys.platform != "linux", reason="asks the system for the memory of a process")
def test_small_requests_are_answered_rightly_beside_hostile_ones(campaign, tmp_path):
    with serving(train_models(tmp_path), tmp_path, *MODELS) as served:
        expected = {}
        for model in MODELS:
            for action, request in page_requests(model).items():
                status, expected[model, action] = served.ask(action, request)
                assert status == 200
        idle = Load(served, expected, campaign.seed)
        idle.run(min(campaign.seconds / 4, 60))
        for chance in map(random.Random, range(12)):
            assert served.ask("parse", much(chance))[0] == 200  # memory for this is needed once
        busy = Load(served, expected, campaign.seed)
        before = served.memory
        busy.run(campaign.seconds, *HOSTILE)
        after = served.memory
        for number, load in enumerate((idle, busy)):
            name = ("idle", "under load")[number]
            for percent in (50, 90, 99):
                campaign.counts[f"µs {name} p{percent}"] = round(1000 * load.percentile(percent))
            campaign.counts[f"small requests {name}"] = campaign.tries = len(load.seconds)
        campaign.counts |= {"large requests": busy.large, "MB at the start": before, "MB at the end": after}
        assert idle.faults + busy.faults == []
        assert after - before <= MOST_GROWTH
