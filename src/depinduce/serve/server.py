"""The page over HTTP, on this machine only unless the user says otherwise.

Whatever a browser could be talked into is refused: hosts that are not ours (a foreign name that points here), posts
from other pages, anything but JSON, bodies without a bounded length. Files come from a fixed list.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
import traceback
from contextlib import suppress
from functools import cached_property
from http import HTTPStatus
from importlib.resources import files
from socketserver import ThreadingTCPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from depinduce.report.svg_style import STYLE
from depinduce.serve.connections import JSON, MOST_CONNECTIONS, Connection, Guests, fault_in_json
from depinduce.serve.http_messages import response
from depinduce.serve.shelf import Shelf
from depinduce.serve.turns import Turns
from depinduce.visible import visible

if TYPE_CHECKING:
    from depinduce.serve.desk import Desk

PAGE, DESK_PAGE = "index.html", "desk.html"
STATIC = {
    PAGE: "text/html",
    DESK_PAGE: "text/html",
    "app.css": "text/css",
    "desk.css": "text/css",
    "icon.svg": "image/svg+xml",
    **dict.fromkeys(
        (
            "app.js",
            "captions.js",
            "corrections.js",
            "desk.js",
            "desk_list.js",
            "desk_retraining.js",
            "dom.js",
            "heads.js",
            "label_chooser.js",
            "messages.js",
            "panels.js",
            "server.js",
            "tree_view.js",
        ),
        "text/javascript",
    ),
}
_LOOPBACK_NAMES = {"localhost", "127.0.0.1", "::1"}


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class PageServer(ThreadingTCPServer):
    """The server of the page, which answers with the models of a shelf."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 2 * MOST_CONNECTIONS

    def __init__(self, shelf: Shelf, host: str = "127.0.0.1", port: int = 0, desk: Desk | None = None):
        """desk: the file that people work on, if there is one; then its page comes first"""
        self.shelf, self.desk = shelf, desk
        self.turns = Turns()
        self.guests = Guests()
        if ":" in host:
            self.address_family = socket.AF_INET6
        self.host = host
        super().__init__((host, port), Connection)
        self.server_port: int = self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        if self.guests.admit(request):
            super().process_request(request, client_address)
            return
        busy = fault_in_json("The server has no room for another connection. Try again in a moment.")
        with suppress(OSError):
            request.setblocking(False)
            request.send(response(HTTPStatus.SERVICE_UNAVAILABLE, JSON, busy, ends_connection=True))
        self.shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        self.turns.close()

    def shutdown_request(self, request: Any) -> None:
        self.guests.leave(request)
        super().shutdown_request(request)

    @property
    def address(self) -> str:
        """Where the page is."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server_port}/"

    def handle_error(self, request, client_address) -> None:
        """A client that goes away is no error of ours."""
        if not isinstance(sys.exception(), OSError):
            print(visible(traceback.format_exc(), lines=True), file=sys.stderr)

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
        first = PAGE if self.desk is None else DESK_PAGE
        return found | {"/": found[f"/{first}"], "/tree.css": ("text/css", STYLE.encode())}


def _host_and_port(host: str) -> tuple[str, int | None]:
    parts = urlsplit(f"//{host}")
    if (
        not (host.isascii() and host.isprintable())
        or parts.path
        or parts.query
        or parts.username is not None
        or not parts.hostname
    ):
        raise ValueError(host)
    return parts.hostname, parts.port


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
