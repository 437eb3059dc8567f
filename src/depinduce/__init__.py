"""Dependency trees for a language from part-of-speech tagged text alone, with no treebank.

from depinduce import Parser

parser = Parser.load("grammar")  # what `depinduce train` wrote; or Parser.train("corpus.conllu", model="dmv")
(parse,) = parser.parse(["the/DET dog/NOUN barks/VERB"])
print(parse.draw())
"""

from typing import TYPE_CHECKING

__version__ = "0.2.0"

if TYPE_CHECKING:
    from depinduce.errors import DepinduceError
    from depinduce.parser import Parse, Parser

__all__ = ["DepinduceError", "Parse", "Parser", "__version__"]


def __getattr__(name: str):
    """What a program needs, imported when it is asked for, so that the command line answers at once."""
    if name in ("Parse", "Parser"):
        from depinduce import parser

        return getattr(parser, name)
    if name == "DepinduceError":
        from depinduce.errors import DepinduceError

        return DepinduceError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
