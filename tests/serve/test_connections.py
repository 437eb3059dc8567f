"""One connection: bytes that come slowly or never end, clients that leave, and room for the next one."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from itertools import count, repeat
from typing import Any

import pytest

from depinduce.serve import connections
from depinduce.serve.connections import MOST_HEAD, SENDING, SILENCE, Guests, Incoming, has_left
from depinduce.serve.requests import MOST_BYTES, RequestError


class Client:
    """A socket that gives what a client sends, piece by piece, one every so many seconds."""

    def __init__(self, pieces: Iterator[bytes], monkeypatch, seconds: float = 0.0):
        self.pieces, self.seconds, self.now, self.given = pieces, seconds, 0.0, 0
        monkeypatch.setattr(connections, "monotonic", lambda: self.now)

    def settimeout(self, seconds: float) -> None:
        self.patience = seconds

    def recv(self, most: int) -> bytes:
        self.now += min(self.seconds, self.patience)
        if self.seconds >= self.patience:
            raise TimeoutError
        piece = next(self.pieces, b"")
        assert len(piece) <= most
        self.given += len(piece)
        return piece

    def shutdown(self, how: int) -> None:
        assert how == socket.SHUT_WR


def incoming(client: Client) -> Incoming:
    made: Any = client
    return Incoming(made)


def test_requests_are_read_one_after_the_other(monkeypatch):
    text = b"GET / HTTP/1.1\r\nA: b\r\n\r\nbodyGET /x HTTP/1.1\r\n\r\n"
    for size in (1, 2, 3, 5, 1000):
        client = incoming(Client((text[at : at + size] for at in range(0, len(text), size)), monkeypatch))
        assert client.head() == b"GET / HTTP/1.1\r\nA: b"
        assert client.body(4) == b"body"
        assert client.head() == b"GET /x HTTP/1.1"
        assert client.head() is None


def test_a_client_that_drips_is_cut_off(monkeypatch):
    client = Client(repeat(b"x"), monkeypatch, seconds=1.0)
    with pytest.raises(TimeoutError):
        incoming(client).head()
    assert client.given <= SENDING + 1


def test_a_body_that_drips_is_cut_off(monkeypatch):
    client = Client(iter([b"POST / HTTP/1.1\r\n\r\n", *[b"x"] * 1000]), monkeypatch, seconds=1.0)
    reading = incoming(client)
    reading.head()
    with pytest.raises(TimeoutError):
        reading.body(100)


def test_a_client_that_says_nothing_is_left(monkeypatch):
    client = Client(repeat(b"x"), monkeypatch, seconds=2.0 * SILENCE)
    with pytest.raises(TimeoutError):
        incoming(client).head()


@pytest.mark.parametrize("piece", [b"x" * 1000, b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 10000])
def test_a_head_without_end_is_not_read_to_its_end(piece, monkeypatch):
    client = Client(repeat(piece), monkeypatch)
    with pytest.raises(RequestError) as refused:
        incoming(client).head()
    assert refused.value.status == 431
    assert client.given <= MOST_HEAD + len(piece)


def test_a_refused_client_may_write_on_for_a_while_but_not_for_ever(monkeypatch):
    endless = Client(repeat(b"x" * 60_000), monkeypatch)
    incoming(endless).end()
    assert endless.given <= 4 * MOST_BYTES + 60_000
    slow = Client(repeat(b"x"), monkeypatch, seconds=0.5)
    with pytest.raises(TimeoutError):
        incoming(slow).end()


def test_a_request_that_ends_too_early(monkeypatch):
    with pytest.raises(RequestError, match="too early"):
        incoming(Client(iter([b"GET / HT"]), monkeypatch)).head()
    reading = incoming(Client(iter([b"POST / HTTP/1.1\r\n\r\nx"]), monkeypatch))
    reading.head()
    with pytest.raises(ConnectionError, match="too early"):
        reading.body(2)


# ---------------------------------------------------------------- clients that leave


@pytest.fixture
def pairs() -> Iterator[Iterator[tuple[socket.socket, socket.socket]]]:
    """Connections, each as our end and that of the client."""
    made = []

    def more():
        for _ in count():
            made.append(socket.socketpair())
            yield made[-1]

    yield more()
    for pair in made:
        for end in pair:
            end.close()


def test_one_sees_that_a_client_has_left(pairs):
    ours, client = next(pairs)
    assert not has_left(ours)
    client.sendall(b"the next request")
    assert not has_left(ours)
    client.close()
    assert has_left(ours)
    ours.close()
    assert has_left(ours)


def test_there_is_room_for_the_next_when_the_client_that_was_silent_longest_has_to_go(pairs):
    guests = Guests(most=2)
    (first, client_1), (second, client_2), (third, client_3) = (next(pairs) for _ in range(3))
    assert guests.admit(first)
    assert guests.admit(second)
    with guests.served(first):
        pass  # and has been silent for less time than the second
    assert guests.admit(third)
    assert client_2.recv(1) == b""
    with pytest.raises(ConnectionError), guests.served(second):
        pass
    for ours, client in ((first, client_1), (third, client_3)):
        ours.sendall(b"x")
        assert client.recv(1) == b"x"


def test_nobody_has_to_go_who_is_served(pairs):
    guests = Guests(most=1)
    (first, client), (second, _) = next(pairs), next(pairs)
    assert guests.admit(first)
    with guests.served(first):
        assert not guests.admit(second)
    guests.leave(first)
    assert guests.admit(second)
    first.sendall(b"x")
    assert client.recv(1) == b"x"
