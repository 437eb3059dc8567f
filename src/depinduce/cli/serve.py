"""Show what grammars find, on a page in your browser.

Choose a grammar, type `word/TAG word/TAG` or paste CoNLL-U, and see the tree with the probabilities of its arcs, the
next best trees, and the rules that made an arc. Compare two grammars, correct heads, and download the CoNLL-U. The
page is for this machine only, unless --host says otherwise, and sees no files but the grammars that are named here.
"""

from __future__ import annotations

import argparse
import sys
import warnings

from depinduce.cli.console import say, warn
from depinduce.errors import DepinduceError

EXAMPLE = """depinduce serve grammar
  depinduce serve grammars/ another-grammar --port 0 --open"""
PORT = 8321
ONE_AFTER_THE_OTHER = 0.001  # seconds for which one thread may keep the interpreter while another waits for it
M_ARENA_MAX = -8  # malloc.h


def add_arguments(parser: argparse.ArgumentParser) -> None:
    directory_help = "directory that `depinduce train` wrote, or one that holds several of these"
    parser.add_argument("models", nargs="+", metavar="DIR", help=directory_help)
    port_help = f"of the page's address; 0 takes any that is free (default: {PORT})"
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=port_help)
    host_help = "address to listen at (default: 127.0.0.1, which no other machine can reach)"
    parser.add_argument("--host", default="127.0.0.1", metavar="HOST", help=host_help)
    parser.add_argument("--open", action="store_true", help="open the page in the browser")


def run(arguments: argparse.Namespace) -> int:
    if not 0 <= arguments.port <= 65535:
        raise DepinduceError(f"--port must be from 0 to 65535, not {arguments.port}.")
    from depinduce.serve.shelf import Shelf

    shelf = Shelf(arguments.models)  # its faults come before the wait for everything else
    import torch

    from depinduce.serve.server import is_loopback

    _share_heaps()
    torch.set_num_threads(1)  # for a single sentence, several are slower
    sys.setswitchinterval(ONE_AFTER_THE_OTHER)  # a small request takes it many times beside a large one
    server = _server(shelf, arguments)
    if not is_loopback(arguments.host):
        warn(f"other machines can reach this page: it listens at {arguments.host}, without a password")
    models = f"{len(shelf.models)} model{'s' if len(shelf.models) != 1 else ''}"
    print(f"{models} at {server.address} (Ctrl-C ends it)", flush=True)
    warnings.filterwarnings("ignore", message="tags that training has not seen")  # the page says it
    next(iter(shelf.models.values())).prepare()
    if arguments.open:
        import webbrowser
        from threading import Thread

        Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()  # some wait until it is closed
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        say("\ndepinduce: the page is closed")
    finally:
        server.server_close()
    return 0


def _share_heaps() -> None:
    """Let threads share two heaps: each of many connections would keep what a large request once needed."""
    import ctypes
    from contextlib import suppress

    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, 2)


def _server(shelf, arguments: argparse.Namespace):
    from depinduce.serve.server import PageServer

    try:
        return PageServer(shelf, arguments.host, arguments.port)
    except OSError as error:
        raise DepinduceError(
            f"no page at {arguments.host}, port {arguments.port} ({error.strerror}). "
            "Choose another --port (0 takes any that is free), or another --host."
        ) from error
