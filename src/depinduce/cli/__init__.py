"""The command line: one module per command, imported when it is called."""

from __future__ import annotations

import argparse
import difflib
import io
import os
import sys
import threading
import warnings
from contextlib import suppress
from importlib import import_module

from depinduce import __version__
from depinduce.cli.console import warn_once
from depinduce.cli.options import ArgumentParser, HelpFormatter
from depinduce.errors import EXTRAS, DepinduceError, MissingPackageError
from depinduce.interruption import INTERRUPTED, exit_code, like_ctrl_c
from depinduce.visible import visible

COMMANDS = {
    "demo": "parse the built-in corpus at once, adapt, train, score, draw: the whole of depinduce in seconds",
    "train": "learn a grammar from tagged sentences",
    "parse": "add trees to a file",
    "evaluate": "score trees against gold trees",
    "draw": "draw the trees of a file: in the terminal, as SVG or as an HTML page",
    "inspect": "print what a grammar has learned, in words",
    "report": "write all that is known of a training to one HTML page: curves, scores, rules, trees",
    "serve": "look at trees, rules and alternatives on a page in your browser",
    "sample": "generate sentences with their trees from a grammar",
    "pack": "write a grammar with its model card to one file or a folder, to hand it on",
    "models": "list the grammars that come with the package, and those in a folder",
    "check": "look over a CoNLL-U file: counts, tags, lengths, problems",
    "convert": "convert what you have to CoNLL-U: tagged texts, tables, FLEx, ELAN, spaCy, the Penn Treebank",
    "tag": "fill in tags that are missing, learned from those that are there",
    "reproduce": "run the paper's experiments and set the results beside its tables",
    "completion": "print what lets a shell complete commands and options on Tab",
    "bench": "measure charts and training against the paper's own algorithm",
}


def program() -> None:
    """The command as a process of its own, which ends with it.

    A thread that nobody waits for, such as one that compiles for a page that was closed, may be deep inside other
    libraries: were Python to take itself apart around it, some of these abort the process. So do, now and then, the
    threads by which the processes of a training talk to each other.
    """
    code = main()
    if any(thread.daemon for thread in threading.enumerate()) or os.environ.get("WORLD_SIZE", "1") != "1":
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):  # nobody reads it any more
                stream.flush()
        os._exit(code)
    sys.exit(code)


def main(arguments: list[str] | None = None) -> int:
    """Run one command; gives the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without ≤ still gets the table
    with like_ctrl_c() as received, warnings.catch_warnings():
        warnings.showwarning = warn_once()
        code = _guarded(arguments)
    return exit_code(code, received)


def _guarded(arguments: list[str]) -> int:
    """Run one command; what the user can mend is told without a traceback."""
    try:
        return _run(arguments)
    except DepinduceError as error:
        print(f"depinduce: {error}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        if error.name not in EXTRAS:
            raise
        print(f"depinduce: {MissingPackageError(f'depinduce {arguments[0]}', error.name)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("depinduce: interrupted; nothing half-written is left behind", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has gone; that is their good right
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        print(f"depinduce: {visible(str(error.filename or 'output'))}: {error.strerror or error}", file=sys.stderr)
        return 1


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_overview())
        return 0 if arguments else 2
    if arguments[0] == "--version":
        print(f"depinduce {__version__}")
        return 0
    name = arguments[0]
    if name not in COMMANDS:
        close = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        print(f"depinduce: there is no command {name!r}.{hint} Commands: {', '.join(COMMANDS)}.", file=sys.stderr)
        return 2
    if name != "train" and "TORCHELASTIC_RUN_ID" in os.environ and os.environ.get("WORLD_SIZE", "1") != "1":
        raise DepinduceError(f"{name}: every process would do the same. Leave torchrun away, which is for train.")
    return import_module(f"depinduce.cli.{name}").run(parser_of(name).parse_args(arguments[1:])) or 0


def parser_of(name: str) -> argparse.ArgumentParser:
    """What reads the options of a command."""
    command = import_module(f"depinduce.cli.{name}")
    parser = ArgumentParser(
        prog=f"depinduce {name}",
        description=command.__doc__,
        epilog=f"example:\n  {command.EXAMPLE}",
        formatter_class=HelpFormatter,
    )
    command.add_arguments(parser)
    return parser


def _overview() -> str:
    lines = [
        "usage: depinduce COMMAND [options]",
        "",
        "Dependency trees for a language from part-of-speech tagged text alone, with no treebank.",
        "",
        *(f"  {name:10} {help}" for name, help in COMMANDS.items()),
        "",
        "depinduce COMMAND --help tells about one command. A first try:",
        "  depinduce demo",
    ]
    return "\n".join(lines)
