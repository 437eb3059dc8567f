"""Show what grammars find, on a page in your browser.

Choose a grammar, type `word/TAG word/TAG` or paste CoNLL-U, and see the tree with the probabilities of its arcs, the
next best trees, and the rules that made an arc. Compare two grammars, correct heads, and download the CoNLL-U. The
page is for this machine only, unless --host says otherwise, and sees no files but those that are named here.

With --file it is a place to work: page through a corpus of any size, the least sure trees first, correct heads and
labels, mark trees as checked, let the grammar learn from them, and export CoNLL-U. Every correction is saved at once,
to a journal in the folder FILE.desk; the file itself is never written.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.cli.console import progress, say, warn
from depinduce.errors import DepinduceError

if TYPE_CHECKING:
    from depinduce.serve.desk import Desk
    from depinduce.serve.shelf import Shelf

EXAMPLE = """depinduce serve grammar
  depinduce serve grammars/ another-grammar --port 0 --open
  depinduce serve grammar --examples corpus.conllu
  depinduce serve grammar --file corpus.conllu --open
  depinduce serve grammar --file corpus.conllu --export treebank.conllu --checked"""
PORT = 8321
ONE_AFTER_THE_OTHER = 0.001  # seconds for which one thread may keep the interpreter while another waits for it
M_ARENA_MAX = -8  # malloc.h
LINES_TOLD = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    directory_help = "directory that `depinduce train` wrote, or one that holds several of these"
    parser.add_argument("models", nargs="+", metavar="DIR", help=directory_help)
    port_help = f"of the page's address; 0 takes any that is free (default: {PORT})"
    parser.add_argument("--port", type=int, default=PORT, metavar="N", help=port_help)
    host_help = "address to listen at (default: 127.0.0.1, which no other machine can reach)"
    parser.add_argument("--host", default="127.0.0.1", metavar="HOST", help=host_help)
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    examples_help = "CoNLL-U file with sentences for *Another example*, in your language (default: English ones)"
    parser.add_argument("--examples", metavar="FILE", help=examples_help)
    work = parser.add_argument_group("working on a corpus")
    work.add_argument("--file", metavar="FILE", help="CoNLL-U file to correct; what is done is kept in FILE.desk")
    export_help = "open no page: write the file with all that was done to it (- is stdout)"
    work.add_argument("--export", metavar="OUT", help=export_help)
    work.add_argument("--checked", action="store_true", help="with --export: only sentences that were checked")


def run(arguments: argparse.Namespace) -> int:
    if not 0 <= arguments.port <= 65535:
        raise DepinduceError(f"--port must be from 0 to 65535, not {arguments.port}.")
    if arguments.file is None and (arguments.export is not None or arguments.checked):
        raise DepinduceError("--export and --checked are about a --file. Name it.")
    if arguments.checked and arguments.export is None:
        raise DepinduceError("--checked is for --export: the page shows all sentences, and can choose.")
    from depinduce.serve.shelf import Shelf

    shelf = Shelf(arguments.models)  # its faults come before the wait for everything else
    if arguments.examples is not None:
        shelf.text = examples_of(arguments)
    if arguments.file is None:
        return serve(shelf, arguments)
    from depinduce.serve.desk import Desk

    with ExitStack() as stack:
        with progress("reading", None, "sentences") as update:
            desk = stack.enter_context(Desk.opened(arguments.file, shelf, update))
        return export(desk, arguments) if arguments.export is not None else serve(shelf, arguments, desk)


def examples_of(arguments: argparse.Namespace) -> Path:
    """The file that examples are to come from; what is wrong with its beginning is told now, not on the page."""
    from depinduce.corpus import read_sentences

    if arguments.file is not None:
        raise DepinduceError("--examples is for a page without --file, whose own sentences are the examples.")
    if next(read_sentences(arguments.examples), None) is None:
        raise DepinduceError(f"{arguments.examples}: no sentences. Name a file that has some.")
    return Path(arguments.examples)


def export(desk: Desk, arguments: argparse.Namespace) -> int:
    """Write down what was done to a file, without a page."""
    desk.survey.begin(lambda first, after: desk.survey.stop())  # the grammar is enough
    warn_of_damage(desk)
    if arguments.export != "-" and desk.owns(arguments.export):
        raise DepinduceError(f"{arguments.export}: is the file itself, or in the folder of its journal. Name another.")
    number = desk.export(arguments.export, checked=arguments.checked)
    say(f"wrote {arguments.export}: {number} sentence{'' if number == 1 else 's'}, {len(desk.checked)} checked")
    return 0


def serve(shelf: Shelf, arguments: argparse.Namespace, desk: Desk | None = None) -> int:
    """Show the page until somebody ends it."""
    from depinduce.serve.server import is_loopback

    _share_heaps()
    with suppress(ModuleNotFoundError):  # only grammars over words ask it
        import torch

        torch.set_num_threads(1)  # for a single sentence, several are slower
    sys.setswitchinterval(ONE_AFTER_THE_OTHER)  # a small request takes it many times beside a large one
    server = _server(shelf, arguments, desk)
    if not is_loopback(arguments.host):
        can = "reach" if desk is None else "reach, and change what is done on,"
        warn(f"other machines can {can} this page: it listens at {arguments.host}, without a password")
    models = f"{len(shelf.models)} model{'s' if len(shelf.models) != 1 else ''}"
    if desk is not None:
        models += f", {len(desk.file)} sentence{'s' if len(desk.file) != 1 else ''}"
        warn_of_damage(desk)
    print(f"{models} at {server.address} (Ctrl-C ends it)", flush=True)
    warnings.filterwarnings("ignore", message="tags that training has not seen")  # the page says it
    if desk is None:
        next(iter(shelf.models.values())).prepare()
    else:
        desk.begin()
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


def warn_of_damage(desk: Desk) -> None:
    if lines := desk.journal.damaged:
        some = ", ".join(map(str, lines[:LINES_TOLD])) + (", …" if len(lines) > LINES_TOLD else "")
        warn(f"{desk.journal.path}: lines that cannot be read are left out: {some}")


def _share_heaps() -> None:
    """Let threads share two heaps: each of many connections would keep what a large request once needed."""
    import ctypes

    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, 2)


def _server(shelf: Shelf, arguments: argparse.Namespace, desk: Desk | None):
    from depinduce.serve.server import PageServer

    try:
        return PageServer(shelf, arguments.host, arguments.port, desk)
    except OSError as error:
        raise DepinduceError(
            f"no page at {arguments.host}, port {arguments.port} ({error.strerror}). "
            "Choose another --port (0 takes any that is free), or another --host."
        ) from error
