"""The page over HTTP, on this machine only unless the user says otherwise.

Whatever a browser could be talked into is refused: hosts that are not ours (a foreign name that points here), posts
from other pages, anything but JSON, bodies without a bounded length. Files come from a fixed list.
"""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import sys
import threading
import traceback
from contextlib import nullcontext
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from urllib.parse import urlsplit

from depinduce.errors import DepinduceError
from depinduce.report.svg_style import STYLE
from depinduce.serve.api import ACTIONS, QUICK, Answer, list_models
from depinduce.serve.requests import MOST_BYTES, RequestError
from depinduce.serve.shelf import Shelf

LONGEST_LENGTH = 20  # digits of a number of bytes that may be meant
PATIENCE = 30  # seconds that a connection may be silent
PAGE = "index.html"
STATIC = {
    PAGE: "text/html",
    "app.css": "text/css",
    "icon.svg": "image/svg+xml",
    **dict.fromkeys(
        (
            "app.js",
            "captions.js",
            "corrections.js",
            "dom.js",
            "heads.js",
            "messages.js",
            "panels.js",
            "server.js",
            "tree_view.js",
        ),
        "text/javascript",
    ),
}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_LOOPBACK_NAMES = {"localhost", "127.0.0.1", "::1"}


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class PageServer(ThreadingHTTPServer):
    """The server of the page, which answers with the models of a shelf."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, shelf: Shelf, host: str = "127.0.0.1", port: int = 0):
        self.shelf = shelf
        self.at_work = threading.BoundedSemaphore(max(2, os.cpu_count() or 1))  # more would only be in each other's way
        if ":" in host:
            self.address_family = socket.AF_INET6
        self.host = host
        super().__init__((host, port), _Handler)

    def server_bind(self) -> None:
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)  # HTTPServer would ask the network for our name
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.host, self.server_address[1]

    @property
    def address(self) -> str:
        """Where the page is."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server_port}/"

    def handle_error(self, request, client_address) -> None:
        """A client that goes away is no error of ours."""
        if not isinstance(sys.exception(), OSError):
            traceback.print_exc(file=sys.stderr)

    def is_ours(self, host: str) -> bool:
        """Whether a Host header names this server, and not a foreign name that was pointed here."""
        try:
            name, port = _host_and_port(host)
        except ValueError:
            return False
        if (port or 80) != self.server_port:
            return False
        if name in _LOOPBACK_NAMES | {self.host.lower()}:
            return True
        if self.host in ("0.0.0.0", "::"):
            return name == socket.gethostname().lower() or _is_address(name)
        return False

    @cached_property
    def texts(self) -> dict[str, tuple[str, bytes]]:
        """What can be had by GET: the type and the bytes of each path."""
        folder = files("depinduce.serve") / "static"
        found = {f"/{name}": (kind, (folder / name).read_bytes()) for name, kind in STATIC.items()}
        return found | {"/": found[f"/{PAGE}"], "/tree.css": ("text/css", STYLE.encode())}


def _host_and_port(host: str) -> tuple[str, int | None]:
    parts = urlsplit(f"//{host}")
    if parts.path or parts.query or parts.username is not None or not parts.hostname:
        raise ValueError(host)
    return parts.hostname, parts.port


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class _Handler(BaseHTTPRequestHandler):
    """The handler of one connection."""

    server: PageServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "depinduce", ""
    timeout = PATIENCE

    def do_GET(self) -> None:
        self._answer(self._get)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        self._answer(self._post)

    def _answer(self, way) -> None:
        try:
            if not self.server.is_ours(self.headers.get("Host", "")):
                self.close_connection = True  # or a body, which is not read, would be taken for the next request
                raise RequestError(f"This server is at {self.server.address} only.", HTTPStatus.FORBIDDEN)
            kind, body = way()
            self._send(HTTPStatus.OK, kind, body)
        except RequestError as error:
            self._send_fault(error.status, str(error))
        except DepinduceError as error:
            self._send_fault(HTTPStatus.BAD_REQUEST, str(error))
        except OSError:
            self.close_connection = True  # the client has gone, or says nothing
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self._send_fault(
                HTTPStatus.INTERNAL_SERVER_ERROR,
                "Something went wrong that should not have; the terminal of the server tells what.",
            )

    def _get(self) -> tuple[str, bytes]:
        if "Content-Length" in self.headers or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # as above
        path = urlsplit(self.path).path
        if path == "/api/models":
            return _json(list_models(self.server.shelf))
        if path not in self.server.texts:
            raise RequestError("There is nothing here.", HTTPStatus.NOT_FOUND)
        return self.server.texts[path]

    def _post(self) -> tuple[str, bytes]:
        body = self._body()  # read in any case, so that the connection can go on
        origin, site = self.headers.get("Origin"), self.headers.get("Sec-Fetch-Site", "same-origin")
        if origin not in (None, f"http://{self.headers.get('Host')}") or site not in ("same-origin", "none"):
            raise RequestError("Only the page of this server may ask it.", HTTPStatus.FORBIDDEN)
        if self.headers.get_content_type() != "application/json":
            raise RequestError("Requests are JSON.", HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        folder, _, name = urlsplit(self.path).path.rpartition("/")
        if folder != "/api" or name not in ACTIONS:
            raise RequestError("There is nothing here.", HTTPStatus.NOT_FOUND)
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            raise RequestError("The request is not JSON.") from None
        if not isinstance(request, dict):
            raise RequestError("The request is not a JSON object.")
        with nullcontext() if name in QUICK else self.server.at_work:
            return _json(ACTIONS[name](self.server.shelf, request))

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        told = length.isascii() and length.isdecimal() and len(length) <= LONGEST_LENGTH
        if not told or self.headers.get("Transfer-Encoding"):
            self.close_connection = True
            raise RequestError("The request does not tell its length.", HTTPStatus.LENGTH_REQUIRED)
        if int(length) > MOST_BYTES:
            self.close_connection = True
            self._discard(min(int(length), 4 * MOST_BYTES))
            raise RequestError(
                f"This is too much text at once: the page takes up to {MOST_BYTES // 1000} kB. "
                "Paste less, or parse the file with `depinduce parse`.",
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            )
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise ConnectionError("the request ends too early")
        return body

    def _discard(self, length: int) -> None:
        """Read a body that we do not want, or the client would still be writing and never see our answer."""
        while length > 0 and (piece := self.rfile.read(min(length, 1 << 16))):
            length -= len(piece)

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _send_fault(self, status: int, message: str) -> None:
        try:
            self._send(status, *_json({"error": message}))
        except OSError:
            self.close_connection = True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library finds wrong with a request, in our form."""
        self.close_connection = True
        self.command = getattr(self, "command", "")
        self._send_fault(code, f"{message or HTTPStatus(code).phrase}.")

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: the terminal is for faults."""


def _json(answer: Answer) -> tuple[str, bytes]:
    return "application/json", json.dumps(answer, allow_nan=False).encode()
