"""XML files of other programs, read with the lines on which elements stand; what is dangerous in them is refused."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from depinduce.corpus.formats.brought import name_of, read_bytes
from depinduce.errors import InputError

_DEEPEST = 100  # elements inside one another; no such file has twenty


class XmlFile:
    """The elements of an XML file, and their lines."""

    def __init__(self, path: str | Path):
        self.name = name_of(path)
        self._lines: dict[Element, int] = {}
        self._builder, self._parser, self._depth = TreeBuilder(), expat.ParserCreate(), 0
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._builder.data
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        try:
            self._parser.Parse(read_bytes(path), True)
        except expat.ExpatError as fault:
            found = f"this is not whole XML ({expat.errors.messages[fault.code]})"
            raise InputError(self.name, fault.lineno, found, "Export the file once more.") from fault
        self.root = self._builder.close()

    def line(self, element: Element) -> int:
        """The line on which an element begins."""
        return self._lines[element]

    def refuse(self, element: Element, found: str, remedy: str) -> NoReturn:
        raise InputError(self.name, self.line(element), found, remedy)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            found = f"more than {_DEEPEST} elements inside one another"
            raise InputError(self.name, self._parser.CurrentLineNumber, found, "Export the file once more.")
        self._lines[self._builder.start(tag, attributes)] = self._parser.CurrentLineNumber

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._builder.end(tag)

    def _refuse_doctype(self, *_: object) -> NoReturn:
        # Its entities can stand for gigabytes, or for other files.
        found = "a document type (<!DOCTYPE …>), which could hide anything and is not read"
        remedy = "Take it away: neither FLEx nor ELAN writes one."
        raise InputError(self.name, self._parser.CurrentLineNumber, found, remedy)
