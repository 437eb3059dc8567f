"""Interlinear texts of FLEx (FieldWorks Language Explorer), as it exports them to `.flextext`.

A phrase is a sentence. The tag of a word is its category (`pos`) or, if it has none, the grammatical information
(`msa`) of its stem. Glosses go to MISC, Gloss for the word, MSeg and MGloss for its morphemes; translations, literal
ones and notes become comments such as `# text_en = …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from depinduce.corpus.formats.brought import PUNCT, Brought, Opened, Word, one_line
from depinduce.corpus.formats.xml_tree import XmlFile
from depinduce.errors import InputError

_STEM = re.compile("stem|root|phrase|particle")  # types of morphemes that have the word's category
_COMMENTS = {"gls": "text", "lit": "literal", "note": "note"}
_NO_KEY = re.compile(r"[^\w-]+")


def read_flextext(path: str | Path) -> Opened:
    """The sentences of a text of FLEx."""
    xml = XmlFile(path)
    if xml.root.tag not in ("document", "interlinear-text"):
        found = f"<{xml.root.tag}> where a text of FLEx has <document>"
        remedy = "Export the text from FLEx: File, Export Interlinear, ELAN/SayMore (FLExText)."
        if xml.root.tag == "ANNOTATION_DOCUMENT":
            remedy = "This is a file of ELAN: depinduce convert elan FILE -o corpus.conllu."
        xml.refuse(xml.root, found, remedy)
    words = [word for phrase in _phrases(xml.root) for word in _words(phrase)]
    if not any(_form(word) for word in words):
        found = "no phrase has words"
        raise InputError(
            xml.name, None, found, "Let FLEx divide the text into words (its tab Gloss), and export again."
        )
    by_word, by_stem = (
        sum(_pos(word) != "" for word in words),
        sum(not _pos(word) and _msa(word) != "" for word in words),
    )
    texts = [_items(text, "title") for text in xml.root.iter("interlinear-text")]
    titles = [next(iter(titles.values())) for titles in texts if titles]
    taken = [
        f"interlinear text of FLEx{': ' if titles else ''}{', '.join(titles[:3])}",
        f"  tag: the word's category (pos) of {by_word} words"
        + (f", the grammatical information of the stem (msa) of {by_stem} without one" if by_stem else ""),
        "  glosses: in MISC; translations: in comments",
    ]
    return Opened(taken, _sentences(xml))


def _sentences(xml: XmlFile) -> Iterator[Brought]:
    for phrase in _phrases(xml.root):
        words = [_word(word) for word in _words(phrase) if _form(word)]
        if words:
            yield Brought(words, _comments(phrase))


def _phrases(root: Element) -> Iterator[Element]:
    """The phrases of all texts; in older files they are words with words inside."""
    for phrases in root.iter("phrases"):
        yield from (phrase for phrase in phrases if phrase.tag in ("phrase", "word"))


def _words(phrase: Element) -> list[Element]:
    return [word for words in phrase.findall("words") for word in words.findall("word")]


def _word(word: Element) -> Word:
    if mark := _first(word, "punct"):
        return Word(mark, PUNCT)
    misc = {}
    for number, (language, gloss) in enumerate(_items(word, "gls").items()):
        misc["Gloss" if number == 0 else f"Gloss_{language}"] = gloss
    morphs = word.findall("morphemes/morph")
    texts = [_first(morph, "txt") or _first(morph, "cf") for morph in morphs]
    if any(texts):
        misc["MSeg"] = _joined(texts, texts)
    glosses = [_first(morph, "gls") for morph in morphs]
    if any(glosses):
        misc["MGloss"] = _joined([gloss or "?" for gloss in glosses], texts)
    return Word(_form(word), _pos(word) or _msa(word) or "_", misc=misc)


def _form(word: Element) -> str:
    return _first(word, "txt") or _first(word, "punct")


def _pos(word: Element) -> str:
    return _first(word, "pos")


def _msa(word: Element) -> str:
    """The category of the stem; that of an affix says what it attaches to, as in v:Any."""
    morphs = [morph for morph in word.findall("morphemes/morph") if _first(morph, "msa")]
    stems = [morph for morph in morphs if _STEM.search(morph.get("type", ""))]
    plain = [morph for morph in morphs if ":" not in _first(morph, "msa") and not morph.get("type")]
    return _first((stems or plain)[0], "msa") if stems or plain else ""


def _joined(parts: list[str], texts: list[str]) -> str:
    """The parts of a word with a hyphen between them, or = before and after clitics, as their texts have it."""
    joined = ""
    for place, (part, text) in enumerate(zip(parts, texts, strict=True)):
        is_clitic = text.startswith("=") or (place > 0 and texts[place - 1].endswith("="))
        joined += ("" if not place else "=" if is_clitic else "-") + part.strip("-=")
    return joined


def _comments(phrase: Element) -> list[str]:
    comments = []
    for kind, key in _COMMENTS.items():
        for language, text in _items(phrase, kind).items():
            comments.append(f"{key}_{language} = {text}" if language else f"{key}_translation = {text}")
    number = _first(phrase, "segnum")
    return [f"segnum = {number}"] * bool(number) + comments


def _first(element: Element, kind: str) -> str:
    """The text of its first item of a kind; nothing if there is none, or FLEx wrote its *** for one that is missing."""
    return next(iter(_items(element, kind).values()), "")


def _items(element: Element, kind: str) -> dict[str, str]:
    """The texts of its items of a kind, by language."""
    found = {}
    for item in element.findall("item"):
        text = one_line("".join(item.itertext()))
        if item.get("type") == kind and text.strip("*"):
            found.setdefault(_NO_KEY.sub("", item.get("lang", "")), text)
    return found
