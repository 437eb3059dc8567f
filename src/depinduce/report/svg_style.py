"""Typefaces and colours of trees in SVG pictures, on a light and on a dark ground, and how wide texts are in them."""

from __future__ import annotations

import unicodedata

WORD_SIZE, TAG_SIZE, LABEL_SIZE, GLOSS_SIZE, TRANSLATION_SIZE = 18, 11, 11, 12, 13  # pixels

# Class names begin with "dep-", as a page may hold many such pictures beside styles of its own.
STYLE = """
.dep-card{fill:#ffffff;stroke:#e4e7ee}
.dep-text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
.dep-word,.dep-tag{text-anchor:middle}
.dep-word{font-size:18px;font-weight:500;fill:#1c2333}
.dep-tag{font-size:11px;font-weight:500;letter-spacing:.06em;fill:#7a8398}
.dep-gloss{font-size:12px;font-style:italic;text-anchor:middle;fill:#4d5670}
.dep-translation{font-size:13px;fill:#4d5670}
.dep-row{text-anchor:start}
.dep-label{font-size:11px;text-anchor:middle;fill:#4d5670;stroke:#ffffff;stroke-width:5;paint-order:stroke}
.dep-label.dep-row{text-anchor:start;stroke:none}
.dep-legend{font-size:12px;fill:#7a8398}
.dep-arc path{fill:none;stroke:#3f6fd8;stroke-width:1.8;stroke-linecap:round}
.dep-arc polygon,.dep-arc circle{fill:#3f6fd8}
.dep-arc:hover{opacity:1}
.dep-arc:hover path{stroke-width:3.6}
.dep-mark path{stroke:#b4bccb;stroke-width:1.3}
.dep-mark polygon,.dep-mark circle{fill:#b4bccb}
.dep-wrong path{stroke:#d9542b}
.dep-wrong polygon,.dep-wrong circle,.dep-word.dep-wrong{fill:#d9542b}
.dep-gold path{stroke:#2a9268;stroke-dasharray:5 4}
.dep-gold polygon,.dep-gold circle{fill:#2a9268}
@media (prefers-color-scheme:dark){
.dep-card{fill:#161b26;stroke:#2b3244}
.dep-word{fill:#e9ecf3}
.dep-tag,.dep-legend{fill:#929cb3}
.dep-gloss,.dep-translation{fill:#b9c2d6}
.dep-label{fill:#b9c2d6;stroke:#161b26}
.dep-arc path{stroke:#82a9f7}
.dep-arc polygon,.dep-arc circle{fill:#82a9f7}
.dep-mark path{stroke:#5b657c}
.dep-mark polygon,.dep-mark circle{fill:#5b657c}
.dep-wrong path{stroke:#f58b64}
.dep-wrong polygon,.dep-wrong circle,.dep-word.dep-wrong{fill:#f58b64}
.dep-gold path{stroke:#5fc99e}
.dep-gold polygon,.dep-gold circle{fill:#5fc99e}
}
"""


def word_width(text: str) -> float:
    return _ems(text) * WORD_SIZE


def tag_width(text: str) -> float:
    return _ems(text) * TAG_SIZE * 1.08  # tags are spaced out


def gloss_width(text: str) -> float:
    return _ems(text) * GLOSS_SIZE


def translation_width(text: str) -> float:
    return _ems(text) * TRANSLATION_SIZE


def label_width(text: str) -> float:
    return _ems(text) * LABEL_SIZE


def _ems(text: str) -> float:
    """The width of a text in a common sans serif typeface, in ems, rather too wide than too narrow."""
    ems = 0.0
    for char in text:
        if unicodedata.category(char) in ("Mn", "Me", "Cf"):
            continue
        if unicodedata.east_asian_width(char) in "WF":
            ems += 1.0
        elif char in "fijlrtI.,:;'’|!()[]-":
            ems += 0.36
        elif char in "mwMW@%—":
            ems += 0.92
        else:
            ems += 0.7 if char.isupper() else 0.58
    return ems
