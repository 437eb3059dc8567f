"""Characters that cannot be seen, or that turn others round, made visible wherever a text is shown to people.

Words, tags, comments and file names come from anywhere. On a terminal an escape character in them begins a command, a
bidirectional override makes a line read differently from what it is, and an XML file with either may not open at all.
Files that programs read (CoNLL-U, JSON) keep every character.
"""

from __future__ import annotations

import re

# Controls; separators of lines, overrides of directions, other format characters without a use in words; the byte order
# mark; what is no character. Joiners, soft hyphens and the marks of Hebrew and Arabic belong to the spelling of words.
_HIDDEN = re.compile("[\0-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2061-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff]")
_PICTURES, _DELETE, _PICTURE_OF_DELETE = 0x2400, 0x7F, "\N{SYMBOL FOR DELETE}"


def visible(text: str, *, lines: bool = False) -> str:
    """The text with ␛ in the place of an escape, <U+202E> in that of a right-to-left override, and so on.

    lines: it may have several; their breaks stay
    """
    if not lines:
        return _HIDDEN.sub(lambda found: _shown(found[0]), text)
    return "\n".join(map(visible, text.split("\n")))


def _shown(character: str) -> str:
    number = ord(character)
    if number < ord(" "):
        return chr(_PICTURES + number)
    return _PICTURE_OF_DELETE if number == _DELETE else f"<U+{number:04X}>"
