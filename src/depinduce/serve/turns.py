"""Who computes when: small requests at once, large ones step by step, and the least work first.

An answer is made in steps by a generator that tells before each step how much work is left, in the unit of
`requests.work_of`. Steps of small requests have hands of their own. Of the large ones that wait, that one goes on which
is due first: a request of W units that comes when C units have been done is due at C + W. So a smaller one overtakes a
larger one, and none waits for ever, as those that come W units later are due later.

A hand is a thread. Were steps done by the threads of their connections, each of these would keep the memory that a
large sentence once needed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from typing import Generic, TypeVar

from depinduce.serve.requests import STEP, RequestError

T = TypeVar("T")
Steps = Generator[float, None, T]

MOST_WORK_IN_ALL = 300_000_000  # of all large requests together: some seconds
HANDS_FOR_SMALL = 2
GLANCE = 0.5  # seconds between two looks whether the client of a request that waits is still there
TOO_BUSY = "The server is busy with large texts. Paste less, or try again in a moment."


class ClientLeft(ConnectionError):
    """Nobody waits for the answer any more."""


@dataclass(eq=False)
class _Job:
    """A request on its way to its answer."""

    come: float  # how much work had been done then
    called: threading.Condition
    done: float = 0.0
    left: float = 0.0
    sent_away: bool = False

    @property
    def due(self) -> float:
        return self.come + self.done + self.left

    @property
    def is_small(self) -> bool:
        return self.done + self.left <= STEP


@dataclass(frozen=True)
class _Last(Generic[T]):
    """What there is after the last step."""

    answer: T


class _Lane:
    """Some hands, and the jobs that wait for them."""

    def __init__(self, hands: int):
        self.free = hands
        self.waiting: list[_Job] = []
        self.threads = ThreadPoolExecutor(hands, "at work")

    def first(self) -> _Job | None:
        return min(self.waiting, key=lambda job: job.due, default=None)  # of two the one that has waited longer

    def call_first(self) -> None:
        if self.free and (job := self.first()):
            job.called.notify()


class Turns:
    """The hands of a server, and who waits for them."""

    def __init__(self, hands: int | None = None, most: float = MOST_WORK_IN_ALL):
        """hands: for large requests; by default one for every core but one"""
        self._lock = threading.Lock()
        self._small = _Lane(HANDS_FOR_SMALL)
        self._large = _Lane(hands or max(1, (os.cpu_count() or 1) - 1))
        self._jobs: list[_Job] = []  # large ones that are not finished
        self._most = most
        self._clock = 0.0
        self._is_open = True

    def close(self) -> None:
        """Whoever waits, waits no longer."""
        with self._lock:
            self._is_open = False
            for lane in (self._small, self._large):
                lane.threads.shutdown(wait=False)

    def answer(self, steps: Steps[T], left: float, has_left: Callable[[], bool]) -> T:
        """What the steps come to, each of them in its turn.

        left: how much work the first step is; one of none is done at once, by the thread that asks
        has_left: whether the client of a large request has gone, and it need not be answered
        """
        job = _Job(self._clock, threading.Condition(self._lock))
        try:
            while True:
                found = _next(steps) if left == 0 else self._step(job, steps, left, has_left)
                if isinstance(found, _Last):
                    return found.answer
                left = found
        finally:
            steps.close()
            with self._lock:
                if job in self._jobs:
                    self._jobs.remove(job)

    def _step(self, job: _Job, steps: Steps[T], left: float, has_left: Callable[[], bool]) -> float | _Last[T]:
        """Do one step when its turn has come."""
        job.left, after = left, 0.0
        lane = self._small if job.is_small else self._large
        with self._lock:
            if lane is self._large:
                self._make_room_for(job)
            self._wait(job, lane, has_left)
            at_work = lane.threads.submit(_next, steps)
            lane.free -= 1
        try:
            found = at_work.result()
            after = found if isinstance(found, float | int) else 0.0
            return found
        finally:
            with self._lock:
                done = max(0.0, left - after)  # what is asked for can turn out to be more than reading it was
                job.done += done
                self._clock += done
                lane.free += 1
                lane.call_first()

    def _wait(self, job: _Job, lane: _Lane, has_left: Callable[[], bool]) -> None:
        """Until a hand is free and nobody is before us."""
        lane.waiting.append(job)
        try:
            while True:
                if job.sent_away:
                    raise RequestError(TOO_BUSY, HTTPStatus.SERVICE_UNAVAILABLE)
                if not self._is_open or (lane is self._large and has_left()):
                    raise ClientLeft
                if lane.free and lane.first() is job:
                    return
                job.called.wait(GLANCE)
        finally:
            lane.waiting.remove(job)
            lane.call_first()

    def _make_room_for(self, job: _Job) -> None:
        """Send those away that have most before them, if all together have too much."""
        if job not in self._jobs and not job.sent_away:
            self._jobs.append(job)
        while len(self._jobs) > 1 and sum(job.left for job in self._jobs) > self._most:
            largest = max(self._jobs, key=lambda job: job.left)
            largest.sent_away = True
            largest.called.notify()
            self._jobs.remove(largest)


def _next(steps: Steps[T]) -> float | _Last[T]:
    try:
        return next(steps)
    except StopIteration as end:
        return _Last(end.value)
