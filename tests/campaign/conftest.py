"""How long a campaign lasts, and where its random numbers begin.

DEPINDUCE_CAMPAIGN_SECONDS   for each test; 5 if it is not set
DEPINDUCE_CAMPAIGN_SEED      begins the same campaign again; a new one if it is not set
DEPINDUCE_CAMPAIGN_LOG       a file that gets a line of JSON for every test: its name, seed, tries and seconds
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest


@dataclass
class Campaign:
    """Tries without end, that is, until the time is over; every try has random numbers of its own."""

    seed: int
    seconds: float
    tries: int = 0
    counts: Counter[str] = field(default_factory=Counter)  # whatever else a test counts, for the log

    def __iter__(self) -> Iterator[random.Random]:
        end = time.monotonic() + self.seconds
        while time.monotonic() < end:
            yield self.one(self.tries)
            self.tries += 1

    def one(self, number: int) -> random.Random:
        """The random numbers of a try, to see one again that failed."""
        return random.Random(f"{self.seed} {number}")


@pytest.fixture
def campaign(request: pytest.FixtureRequest) -> Iterator[Campaign]:
    """The tries of one test. What it printed is shown if it fails: the seed and the number of the try."""
    seed = int(os.environ.get("DEPINDUCE_CAMPAIGN_SEED") or random.SystemRandom().randrange(10**9))
    made = Campaign(seed, float(os.environ.get("DEPINDUCE_CAMPAIGN_SECONDS") or 5))
    print(f"DEPINDUCE_CAMPAIGN_SEED={made.seed}")
    start, failed_before = time.monotonic(), request.session.testsfailed
    yield made
    counts = ", ".join(f"{number} {what}" for what, number in sorted(made.counts.items()))
    print(f"{request.node.name}: {made.tries} tries" + (f" ({counts})" if counts else ""))
    if log := os.environ.get("DEPINDUCE_CAMPAIGN_LOG"):
        line = {
            "test": request.node.nodeid,
            "seed": made.seed,
            "tries": made.tries,
            "seconds": round(time.monotonic() - start, 1),
            "failed": request.session.testsfailed > failed_before,
            "counts": dict(sorted(made.counts.items())),
        }
        with open(log, "a", encoding="utf-8") as file:  # a short line is appended whole, also beside other workers
            file.write(json.dumps(line) + "\n")
