"""Pack a grammar to hand it on: with its model card in one zip file, or in a folder as model hubs have them.

The card (README.md) says whence the grammar is and what it was told; with --gold, how good it is. `Parser.load` and all
commands that take a MODEL read the file or the folder again. --upload also copies a folder to a model hub, as the
user whom `hf auth login` knows; without it, nothing leaves this machine.
"""

from __future__ import annotations

import argparse

from depinduce.cli.console import say, warn
from depinduce.errors import DepinduceError

EXAMPLE = """depinduce pack grammar grammar.zip --licence "CC BY-SA 4.0"
  depinduce pack grammar for-the-hub --licence MIT --language fr --gold gold.conllu
  depinduce pack grammar for-the-hub --licence MIT --upload user/grammar"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="directory that `depinduce train` wrote")
    parser.add_argument("output", metavar="OUT", help="grammar.zip for one file; any other name is that of a folder")
    told = parser.add_argument_group("what the card says")
    told.add_argument("--name", metavar="TEXT", help="what it is called (default: as OUT)")
    licence_help = "that of the grammar, such as MIT or CC BY-SA 4.0; ask what the texts that it learned from allow"
    told.add_argument("--licence", "--license", metavar="TEXT", help=licence_help)
    language_help = "the languages, such as fr, if they were not named in training"
    told.add_argument("--language", nargs="+", default=[], metavar="CODE", help=language_help)
    told.add_argument("--data", metavar="TEXT", help="which texts it learned from, in words")
    told.add_argument(
        "--gold", metavar="FILE", help="CoNLL-U file with trees: parse it, and write the scores to the card"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace the packed grammar that is there")
    hub = parser.add_argument_group("a model hub")
    hub.add_argument("--upload", metavar="NAME", help="copy the folder to this repository there, such as user/grammar")
    hub.add_argument("--private", action="store_true", help="if it is a new one: that only you can see")


def run(arguments: argparse.Namespace) -> int:
    from depinduce.bridges.hub import require_upload, upload
    from depinduce.parser import Parser

    if arguments.upload is not None:
        require_upload(arguments.output)
    elif arguments.private:
        raise DepinduceError("--private: of which repository? Name it with --upload.")
    parser = Parser.load(arguments.model)
    licence = parser.pack(
        arguments.output,
        name=arguments.name,
        licence=arguments.licence,
        languages=arguments.language,
        data=arguments.data,
        gold=arguments.gold,
        overwrite=arguments.overwrite,
    )
    if licence is None:
        warn("the card says no licence, so that nobody knows what they may do with it. Say one: --licence TEXT")
    if arguments.upload is not None:
        say(f"uploaded to {upload(arguments.output, arguments.upload, private=arguments.private)}")
    say(f"wrote {arguments.output}; now try: depinduce inspect {arguments.output}")
    return 0
