"""Who computes when: the small at once, the least first, nobody never, and nobody for a client that has left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from depinduce.serve.requests import STEP, RequestError
from depinduce.serve.turns import ClientLeft, Turns

PATIENCE = 60  # seconds, after which a test hangs


@pytest.fixture
def turns() -> Iterator[Turns]:
    turns = Turns(hands=1)
    yield turns
    turns.close()


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(20) as threads:
        yield threads


def stays() -> bool:
    return False


def work(steps: int, done: Callable[[], object] = lambda: None):
    """So many steps, each of the size of one; a large request if there are several."""
    for left in range(steps, 0, -1):
        yield left * STEP
        done()
    return steps


@contextmanager
def busy(turns: Turns, threads: ThreadPoolExecutor, size: float = 2 * STEP) -> Iterator[Future]:
    """While a request of this size is at its first step."""
    begun, may_end = threading.Event(), threading.Event()

    def hold():
        yield size
        begun.set()
        assert may_end.wait(PATIENCE)
        return "held"

    holding = threads.submit(turns.answer, hold(), size, stays)
    assert begun.wait(PATIENCE)
    try:
        yield holding
    finally:
        may_end.set()


def queue(turns: Turns, threads: ThreadPoolExecutor, steps, left: float) -> Future:
    """Ask for something, and come back when it waits for its turn."""
    waits = threading.Event()

    def has_left() -> bool:
        waits.set()
        return False

    asked = threads.submit(turns.answer, steps, left, has_left)
    assert waits.wait(PATIENCE)
    return asked


@pytest.mark.parametrize("steps", [0, 1, 7])
def test_an_answer_is_what_the_steps_return(steps, turns):
    assert turns.answer(work(steps), STEP, stays) == steps


def test_small_requests_do_not_wait_for_large_ones(turns, threads):
    with busy(turns, threads) as large:
        assert turns.answer(work(1), STEP / 2, stays) == 1
        assert not large.done()


def test_what_is_no_work_waits_for_nobody(turns, threads):
    """So a grammar that is loaded for one request holds nobody else up."""
    with busy(turns, threads), busy(turns, threads, STEP), busy(turns, threads, STEP):  # no hand is free
        assert turns.answer(work(0), 0, stays) == 0


def test_the_least_work_comes_first(turns, threads):
    order: list[int] = []
    with busy(turns, threads):
        asked = [
            queue(turns, threads, work(steps, lambda steps=steps: order.append(steps)), steps * STEP)
            for steps in (5, 3, 9, 4)
        ]
    assert [one.result(PATIENCE) for one in asked] == [5, 3, 9, 4]
    assert order == [3] * 3 + [4] * 4 + [5] * 5 + [9] * 9


def test_nobody_is_overtaken_for_ever(turns, threads):
    with busy(turns, threads):
        large = queue(turns, threads, work(12), 12 * STEP)
    others = 0
    while not large.done() and others < 1000:
        turns.answer(work(2), 2 * STEP, stays)
        others += 1
    assert large.result(PATIENCE) == 12
    assert others < 100


def test_nothing_more_is_done_for_a_client_that_has_left(turns):
    done, closed = [], []

    def steps():
        try:
            for left in range(10, 0, -1):
                yield left * STEP
                done.append(left)
        finally:
            closed.append(True)

    with pytest.raises(ClientLeft):
        turns.answer(steps(), STEP, lambda: len(done) == 3)
    assert (done, closed) == ([10, 9, 8], [True])
    assert turns.answer(work(3), STEP, stays) == 3


def test_if_all_together_is_too_much_the_largest_is_sent_away(threads):
    turns = Turns(hands=1, most=12 * STEP)
    with busy(turns, threads):
        larger = queue(turns, threads, work(7), 7 * STEP)
        smaller = queue(turns, threads, work(4), 4 * STEP)
        with pytest.raises(RequestError, match="busy with large texts") as refused:
            larger.result(PATIENCE)
        assert refused.value.status == 503
        with pytest.raises(RequestError, match="busy"):
            turns.answer(work(20), 20 * STEP, stays)
    assert smaller.result(PATIENCE) == 4
    assert turns.answer(work(20), 20 * STEP, stays) == 20  # alone, it is not too much
    turns.close()


def test_a_fault_in_a_step_is_told_and_the_hand_is_free_again(turns):
    def fail():
        yield 5 * STEP
        raise RequestError("no tree")

    for _ in range(3):
        with pytest.raises(RequestError, match="no tree"):
            turns.answer(fail(), STEP, stays)
    assert turns.answer(work(3), STEP, stays) == 3


def test_at_the_end_nobody_waits(turns, threads):
    with busy(turns, threads):
        waiting = queue(turns, threads, work(3), 3 * STEP)
        turns.close()
        with pytest.raises(ClientLeft):
            waiting.result(PATIENCE)
        with pytest.raises(ClientLeft):
            turns.answer(work(1), STEP, stays)
