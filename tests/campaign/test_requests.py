"""Requests that no browser would send: the server of the page answers them or hangs up, and goes on."""

from __future__ import annotations

import json
import random
import re
import socket
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from campaign.served import PATIENCE, Served, page_requests, serving
from serve.demo_models import SENTENCE, train_models

from depinduce.corpus.cycles import find_cycle

pytestmark = pytest.mark.campaign

REFUSALS = {501, 503, 505}  # besides those from 400 to 499
PIECES = [
    b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\0", b" ", b"\t", b":", b"\xff", b"HTTP/1.1", b"HTTP/1.0", b"HTTP/9.9",
    b"GET ", b"POST ", b"HEAD ", b"BREW ", b"/api/parse", b"/../", b"%00", b"Host: evil.example\r\n",
    b"Content-Length: 5\r\n", b"Content-Length: -1\r\n", b"Content-Length: 99999999999\r\n", b"Content-Length: 1e3\r\n",
    b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding: identity\r\n", b"5\r\nhello\r\n0\r\n\r\n",
    b"Connection: close\r\n", b"Expect: 100-continue\r\n", b"Origin: null\r\n", b" folded: yes\r\n",
    b"X: " + b"y" * 40_000, b"X: y\r\n" * 120,
    b'"', b"{", b"}", b"[" * 2000, b"\\ud800", b"NaN", b"1e999", b"9" * 5000, b"\\u202e", b"null", b"\\t", b"\\n\\n",
]  # fmt: skip
VALUES = [
    None, True, False, 0, -1, 1, 2.5, 10**30, 1e308, [], {}, [[]], [0] * 8, [9] * 8, [None] * 8, "", "x", "a/b", "dmv",
    "../dmv", "\u202e", "\x1b[2J", "\t", "\n", "a/NOUN " * 151, "a/NOUN\n" * 201, SENTENCE, SENTENCE.replace(" ", "\n"),
    "1\ta\t_\tNOUN\t_\t_\t0\t_\t_\t_\n\n", "9" * 5000 + "\ta" + "\t_" * 8, "1-2\tx" + "\t_" * 8 + "\n", "# a remark\n",
]  # fmt: skip


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    place = tmp_path_factory.mktemp("requested")
    with serving(train_models(place), place, "dmv", "hidden") as served:
        yield served


def test_whatever_is_sent_the_server_answers_in_order_or_hangs_up(served, campaign):
    ways = [mangled, sprinkled, smuggled, with_odd_values, with_random_json]
    for chance in campaign:
        way = chance.choice(ways)
        data = way(chance, served)
        statuses = check_answers(exchange(served, data, chance), data)
        campaign.counts.update(f"{way.__name__} {status}" for status in statuses or ["closed"])
        if campaign.tries % 20 == 0:
            check_health(served)
    check_health(served)


# ---------------------------------------------------------------- what is sent


def valid(chance: random.Random, served: Served) -> bytes:
    if chance.random() < 0.2:
        path = chance.choice(["/", "/app.js", "/api/models", "/nothing"])
        return f"{chance.choice(['GET', 'HEAD'])} {path} HTTP/1.1\r\nHost: localhost:{served.port}\r\n\r\n".encode()
    action, request = chance.choice(list(page_requests(chance.choice(["dmv", "hidden"])).items()))
    return served.message(action, request)


def mangled(chance: random.Random, served: Served) -> bytes:
    """A request some bytes of which are others, gone, or there twice."""
    data = bytearray(valid(chance, served))
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(data) + 1)
        end = min(len(data), at + chance.choice([1, 1, 1, 4, 30]))
        data[at:end] = chance.choice([b"", bytes([chance.randrange(256)]), bytes(data[at:end]) * 2])
    head, blank, body = bytes(data).partition(b"\r\n\r\n")
    if chance.random() < 0.5:  # or hardly any would be read to its end
        head = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % len(body), head)
    return head + blank + body


def sprinkled(chance: random.Random, served: Served) -> bytes:
    """A request with pieces of others in it."""
    data = bytearray(valid(chance, served))
    for _ in range(chance.randint(1, 4)):
        line_ends = [found.end() for found in re.finditer(rb"\r\n", bytes(data))] or [0]
        at = chance.choice([chance.randrange(len(data) + 1), chance.choice(line_ends)])
        data[at:at] = chance.choice(PIECES)
    return bytes(data)


def smuggled(chance: random.Random, served: Served) -> bytes:
    """Several requests in one, the lengths of which may be wrong."""
    data = b"".join(valid(chance, served) for _ in range(chance.randint(2, 4)))
    return re.sub(
        rb"Content-Length: (\d+)",
        lambda found: b"Content-Length: %d" % max(0, int(found[1]) + chance.choice([0, 0, 0, -1, 1, -20, 20, 10**6])),
        data,
    )


def with_odd_values(chance: random.Random, served: Served) -> bytes:
    """A request in which a value is another one, or has a part of another kind."""
    action, request = chance.choice(list(page_requests(chance.choice(["dmv", "hidden"])).items()))
    return served.message(action, altered(chance, deepcopy(request)))


def altered(chance: random.Random, value: Any) -> Any:
    if isinstance(value, dict | list) and value and chance.random() < 0.9:
        key = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        value[key] = altered(chance, value[key])
        return value
    if isinstance(value, str) and chance.random() < 0.6:
        at = chance.randrange(len(value) + 1)
        odd = chance.choice(["\t", "\n", "\n\n", "/", " ", "\0", "\u202e", "\ufeff", "#", "_", "7", "\ud800", "é", "-"])
        return value[:at] + odd + value[at + chance.choice([0, 1, 5]) :]
    return chance.choice(VALUES)


def with_random_json(chance: random.Random, served: Served) -> bytes:
    action = chance.choice(list(page_requests("dmv")))
    names = ["model", "text", "block", "heads", "trees", "probabilities", "width", "sentences"]
    request = {name: grown(chance, 4) for name in chance.sample(names, chance.randint(0, len(names)))}
    return served.message(action, chance.choice([request, request | {"model": "dmv"}, grown(chance, 6)]))


def grown(chance: random.Random, depth: int) -> Any:
    if depth == 0 or chance.random() < 0.4:
        return chance.choice(VALUES)
    grow: Callable[[], Any] = lambda: grown(chance, depth - 1)  # noqa: E731
    size = chance.randrange(5)
    return [grow() for _ in range(size)] if chance.random() < 0.5 else {str(number): grow() for number in range(size)}


# ---------------------------------------------------------------- what comes back


def exchange(served: Served, data: bytes, chance: random.Random) -> bytes:
    """All that comes back; in pieces or at once, with an end or without one."""
    answer = b""
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE) as connection:
        try:
            cut = chance.randrange(len(data) + 1) if chance.random() < 0.2 else 0
            for piece in (data[:cut], data[cut:]):
                connection.sendall(piece)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(1 << 16):
                answer += piece
        except ConnectionError:  # it has hung up
            pass
    return answer


def check_answers(answer: bytes, data: bytes) -> list[int]:
    """The statuses of some answers, all of which are as they should be."""
    statuses = []
    while answer:
        head, blank, rest = answer.partition(b"\r\n\r\n")
        found = re.match(rb"HTTP/1\.1 (\d{3}) ", head)
        assert found, (data, answer[:200])
        status = int(found[1])
        assert status in (100, 200) or 400 <= status <= 499 or status in REFUSALS, (data, answer[:2000])
        statuses.append(status)
        length = re.search(rb"\r\nContent-Length: (\d+)", head)
        if status == 100:
            answer = rest
            continue
        assert length, head
        if rest and not rest.startswith(b"HTTP/1.1 "):  # or it answers HEAD
            body, rest = rest[: int(length[1])], rest[int(length[1]) :]
            if b"application/json" in head and len(body) == int(length[1]):
                check_trees(json.loads(body), status)
        answer = rest
    return statuses


def check_trees(answer: dict, status: int) -> None:
    assert ("error" in answer) == (status != 200)
    for found in (*answer.get("sentences", ()), *answer.get("trees", ())):
        assert found["heads"].count(0) == 1
        assert not find_cycle(found["heads"])
        assert all(0 <= head <= len(found["heads"]) for head in found["heads"])


def check_health(served: Served) -> None:
    for action, request in page_requests("dmv").items():
        status, answer = served.ask(action, request)
        assert status == 200, (action, answer)
    assert "Traceback" not in served.terminal.read_text(encoding="utf-8")
