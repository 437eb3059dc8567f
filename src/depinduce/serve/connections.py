"""One connection with a client: its requests, one after the other, in bounded time and room."""

from __future__ import annotations

import select
import socket
import socketserver
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING

from depinduce.errors import DepinduceError
from depinduce.serve.api import ACTIONS, answer, as_json, list_models, work_of_reading
from depinduce.serve.desk_api import DESK_ACTIONS, answer_on_desk
from depinduce.serve.http_messages import RequestHead, response
from depinduce.serve.requests import MOST_BYTES, RequestError
from depinduce.visible import visible

if TYPE_CHECKING:
    from depinduce.serve.server import PageServer

SILENCE = 30  # seconds that a connection may be silent between requests
SENDING = 20  # seconds that a client may take to send a request, and again to take its answer
LINGERING = 2  # seconds in which a client that is refused may stop sending
MOST_HEAD = 32_768  # bytes before the body
MOST_CONNECTIONS = 64
LONGEST_FAULT = 2000  # characters of a message, which can quote the request
_PIECE = 1 << 16  # bytes that are taken from the system at once
JSON = "application/json"


class Incoming:
    """The bytes that a client sends, which has only so much time to do it."""

    def __init__(self, connection: socket.socket):
        self._connection = connection
        self._received = bytearray()
        self._until = 0.0

    def head(self) -> bytes | None:
        """All lines of the next request before its blank one; None if no request comes."""
        self._give(SILENCE)
        if not self._received and not self._receive():
            return None
        self._give(SENDING)
        return self._up_to(b"\r\n\r\n")

    def body(self, length: int) -> bytes:
        while len(self._received) < length:
            if not self._receive():
                raise ConnectionError("the request ends too early")
        return self._take(length)

    def end(self) -> None:
        """Read on for a while, or a client that is still writing would never see our answer."""
        self._connection.shutdown(socket.SHUT_WR)
        self._give(LINGERING)
        read = 0
        while read < 4 * MOST_BYTES and self._receive():
            read += len(self._received)
            self._received.clear()

    def _up_to(self, mark: bytes) -> bytes:
        looked_through = 0
        while (end := self._received.find(mark, looked_through)) < 0:
            if len(self._received) > MOST_HEAD:
                break
            looked_through = max(0, len(self._received) - len(mark))
            if not self._receive():
                raise RequestError("The request ends too early.")
        if not 0 <= end <= MOST_HEAD:
            raise RequestError("The request has too long lines.", HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
        found = self._take(end)
        del self._received[: len(mark)]
        return found

    def _take(self, length: int) -> bytes:
        taken = bytes(self._received[:length])
        del self._received[:length]
        return taken

    def _give(self, seconds: float) -> None:
        self._until = monotonic() + seconds

    def _receive(self) -> bool:
        """Some more bytes; whether there were any."""
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        piece = self._connection.recv(_PIECE)
        self._received += piece
        return bool(piece)


def has_left(connection: socket.socket) -> bool:
    """Whether a client has closed its end, even if bytes that it sent before are still to be read."""
    try:
        if sys.platform == "linux":
            watched = select.poll()
            watched.register(connection, select.POLLRDHUP)
            return bool(watched.poll(0))
        ready, _, _ = select.select([connection], [], [], 0)
        return bool(ready) and not connection.recv(1, socket.MSG_PEEK)
    except (OSError, ValueError):
        return True


class Guests:
    """The open connections: so many at the most."""

    def __init__(self, most: int = MOST_CONNECTIONS):
        self._most = most
        self._lock = threading.Lock()
        self._idle: dict[socket.socket, None] = {}  # for whose clients we wait, the longest first
        self._served: set[socket.socket] = set()

    def admit(self, connection: socket.socket) -> bool:
        """Make room for a connection, by the end of that whose client has let us wait longest; whether there is any."""
        with self._lock:
            if len(self._idle) + len(self._served) >= self._most:
                if not self._idle:
                    return False
                longest = next(iter(self._idle))
                del self._idle[longest]
                with suppress(OSError):
                    longest.shutdown(socket.SHUT_RDWR)  # which its thread notices
            self._idle[connection] = None
            return True

    def leave(self, connection: socket.socket) -> None:
        with self._lock:
            self._idle.pop(connection, None)
            self._served.discard(connection)

    @contextmanager
    def served(self, connection: socket.socket) -> Iterator[None]:
        """While it waits for us."""
        with self._lock:
            if connection not in self._idle:
                raise ConnectionError("it had to go")
            del self._idle[connection]
            self._served.add(connection)
        try:
            yield
        finally:
            with self._lock:
                self._served.discard(connection)
                self._idle[connection] = None


class Connection(socketserver.BaseRequestHandler):
    """The conversation with one client."""

    server: PageServer
    request: socket.socket

    def setup(self) -> None:
        self._incoming = Incoming(self.request)

    def handle(self) -> None:
        with suppress(ConnectionError, TimeoutError):  # the client has gone, or is too slow
            while self._answer_next():
                pass

    def _answer_next(self) -> bool:
        """Answer the next request; whether another may follow."""
        self._goes_on = False  # before a request is read to its end, its rest could be taken for the next one
        method, status, kind = "", HTTPStatus.OK, JSON
        try:
            text = self._incoming.head()
            if text is None:
                return False
            head = RequestHead.read(text)
            method = head.method
            kind, body = self._answer(head)
        except (ConnectionError, TimeoutError):
            raise
        except DepinduceError as error:
            status = error.status if isinstance(error, RequestError) else HTTPStatus.BAD_REQUEST
            body = fault_in_json(str(error))
        except Exception:
            print(visible(traceback.format_exc(), lines=True), file=sys.stderr)
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            body = fault_in_json("Something went wrong that should not have; the terminal of the server tells what.")
        self._send(response(status, kind, body, ends_connection=not self._goes_on, without_body=method == "HEAD"))
        if not self._goes_on:
            self._incoming.end()
        return self._goes_on

    def _answer(self, head: RequestHead) -> tuple[str, bytes]:
        if not self.server.is_ours(head.get("host")):
            raise RequestError(f"This server is at {self.server.address} only.", HTTPStatus.FORBIDDEN)
        if head.method in ("GET", "HEAD"):
            self._goes_on = not head.ends_connection and not head.has_body
            return self._get(head)
        if head.method == "POST":
            body = self._body(head)
            self._goes_on = not head.ends_connection
            return JSON, self._post(head, body)
        raise RequestError(f"This server does not know {head.method}.", HTTPStatus.NOT_IMPLEMENTED)

    def _get(self, head: RequestHead) -> tuple[str, bytes]:
        if head.path == "/api/models":
            return JSON, as_json(list_models(self.server.shelf, self.server.desk))
        if head.path not in self.server.texts:
            raise RequestError("There is nothing here.", HTTPStatus.NOT_FOUND)
        return self.server.texts[head.path]

    def _body(self, head: RequestHead) -> bytes:
        length = head.length
        if head.get("expect").lower() == "100-continue":
            self._send(b"HTTP/1.1 100 Continue\r\n\r\n")
        return self._incoming.body(length)

    def _post(self, head: RequestHead, body: bytes) -> bytes:
        own = f"http://{head.get('host')}"
        if head.get("origin", own) != own or head.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            raise RequestError("Only the page of this server may ask it.", HTTPStatus.FORBIDDEN)
        if head.get("content-type").partition(";")[0].strip().lower() != JSON:
            raise RequestError("Requests are JSON.", HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        folder, _, action = head.path.rpartition("/")
        desk = self.server.desk
        if folder == "/api" and action in ACTIONS:
            steps = answer(self.server.shelf, action, body)
        elif folder == "/api" and desk is not None and action in DESK_ACTIONS:
            steps = answer_on_desk(desk, action, body)
        else:
            raise RequestError("There is nothing here.", HTTPStatus.NOT_FOUND)
        with self.server.guests.served(self.request):
            return self.server.turns.answer(steps, work_of_reading(body), lambda: has_left(self.request))

    def _send(self, data: bytes) -> None:
        self.request.settimeout(SENDING)
        self.request.sendall(data)


def fault_in_json(message: str) -> bytes:
    """What is wrong, for the page to show."""
    return as_json({"error": message if len(message) <= LONGEST_FAULT else f"{message[:LONGEST_FAULT]}…"})
