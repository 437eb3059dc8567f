"""How long a campaign lasts, and where its random numbers begin.

DEPINDUCE_CAMPAIGN_SECONDS   for each test; 5 if it is not set
DEPINDUCE_CAMPAIGN_SEED      begins the same campaign again; a new one if it is not set
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest


@dataclass
class Campaign:
    """Tries without end, that is, until the time is over; every try has random numbers of its own."""

    seed: int
    seconds: float
    tries: int = 0

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
    yield made
    print(f"{request.node.name}: {made.tries} tries")
