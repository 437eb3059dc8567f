"""What a sentence says about itself in another language: glosses in MISC and translations in comments."""

from __future__ import annotations

import re

from depinduce.corpus import Sentence
from depinduce.corpus.conllu import MISC

_GLOSS, _OF_MORPHEMES = (re.compile(rf"(?:^|\|){key}=([^|]*)") for key in ("Gloss", "MGloss"))
_TRANSLATION = re.compile(r"^#[ \t]*text_[\w-]+[ \t]*=[ \t]*(\S.*?)[ \t]*$")  # `# text_en = The dog sleeps.`
_ESCAPED = re.compile(r"\\([p\\])")


def glosses_of(sentence: Sentence) -> list[str] | None:
    """The gloss of every word, or of its morphemes, nothing where there is none; None if no word has one."""
    found = [_GLOSS.search(misc) or _OF_MORPHEMES.search(misc) for misc in sentence.column(MISC)]
    if not any(found):
        return None
    return ["" if match is None else _ESCAPED.sub(lambda sign: sign[1].replace("p", "|"), match[1]) for match in found]


def translations_of(sentence: Sentence) -> list[str]:
    """The sentence in other languages."""
    return [match[1] for match in map(_TRANSLATION.match, sentence.comments) if match]
