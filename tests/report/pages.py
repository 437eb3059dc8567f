"""An HTML page taken apart, with what is wrong with any page told at once."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

VOID = {"meta", "br", "input"}


class Page(HTMLParser):
    """Its text, tables, captions, pictures and links; a page that is not sound is an AssertionError.

    Sound: every element is closed, ids are unique, links lead somewhere within it, and nothing comes from outside.
    """

    def __init__(self, source: str):
        super().__init__()
        self.open: list[str] = []
        self.captions: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.tables: dict[str, list[list[str]]] = {}  # rows of cells by caption, the headings first
        self.feed(source)
        self.close()
        assert self.open == []
        assert len(set(self.ids)) == len(self.ids)
        assert {link.removeprefix("#") for link in self.links} <= set(self.ids)
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)|url\(|@import|<link", source)
        self.pictures = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", source, re.DOTALL)]

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        named = dict(attrs)
        assert not {"src", "srcset", "data", "onclick", "onload", "onerror"} & set(named)
        if "id" in named:
            self.ids.append(named["id"])
        if "href" in named:
            assert named["href"].startswith("#")
            self.links.append(named["href"])
        if tag == "caption":
            self._rows: list[list[str]] = []
            self._caption = ""
        if tag == "tr":
            self._rows.append([])
        if tag in ("td", "th"):
            assert tag == "td" or named.get("scope") in ("row", "col")
            self._rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "table":
            assert self._caption not in self.tables
            self.tables[self._caption] = self._rows

    def handle_data(self, data):
        if "style" in self.open:
            return
        if "script" in self.open:
            self.scripts.append(data)
            return
        self.texts.append(data)
        if "figcaption" in self.open:
            self.captions.append(data)
        elif "caption" in self.open:
            self._caption += data
        elif "td" in self.open or "th" in self.open:
            self._rows[-1][-1] += data

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())

    def table(self, beginning: str) -> list[list[str]]:
        """The only table whose caption begins so."""
        (found,) = [rows for caption, rows in self.tables.items() if caption.startswith(beginning)]
        return found
