"""A dependency tree as a self-contained SVG picture: arcs above the words, tags below them.

An arc is a level line with two round shoulders, each a quarter of an ellipse that is never wider than high.
So an arc lies above the arcs inside it everywhere, and those of a projective tree never cross.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.sax.saxutils import escape, quoteattr

from depinduce.report.arc_layout import Arc, arc_levels, arcs_of, check_sentence, missed_arcs, wrong_words
from depinduce.report.display_width import is_right_to_left, printable

# All measures are in pixels.
WORD_SIZE, TAG_SIZE = 18, 11
WORD_GAP = 24  # between the texts of two words
PORT = 6  # from the middle of a word to where the longest arc to a child leaves
PORT_STEP, PORT_SPREAD = 4, 14  # between such arcs, and between all of them
LOWEST_ARC, LEVEL = 34, 23  # height of the first level, and of every further one
ROOT_ARROW = 30
ARROW_LENGTH, ARROW_WIDTH = 7, 7
MARGIN = 24
FAINTEST = 0.15  # opacity of an arc with the probability 0
LEGEND = [("", "right head"), ("dep-wrong", "wrong head"), ("dep-gold", "gold head")]
LEGEND_HEIGHT, LEGEND_STEP = 26, 124
LEGEND_WIDTH = len(LEGEND) * LEGEND_STEP - 28

# Class names begin with "dep-", as a page may hold many such pictures beside styles of its own.
STYLE = """
.dep-card{fill:#ffffff;stroke:#e4e7ee}
.dep-text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
.dep-word{font-size:18px;font-weight:500;text-anchor:middle;fill:#1c2333}
.dep-tag{font-size:11px;font-weight:500;text-anchor:middle;letter-spacing:.06em;fill:#7a8398}
.dep-legend{font-size:12px;fill:#7a8398}
.dep-arc path{fill:none;stroke:#3f6fd8;stroke-width:1.8;stroke-linecap:round}
.dep-arc polygon,.dep-arc circle{fill:#3f6fd8}
.dep-wrong path{stroke:#d9542b}
.dep-wrong polygon,.dep-wrong circle,.dep-word.dep-wrong{fill:#d9542b}
.dep-gold path{stroke:#2a9268;stroke-dasharray:5 4}
.dep-gold polygon,.dep-gold circle{fill:#2a9268}
@media (prefers-color-scheme:dark){
.dep-card{fill:#161b26;stroke:#2b3244}
.dep-word{fill:#e9ecf3}
.dep-tag,.dep-legend{fill:#929cb3}
.dep-arc path{stroke:#82a9f7}
.dep-arc polygon,.dep-arc circle{fill:#82a9f7}
.dep-wrong path{stroke:#f58b64}
.dep-wrong polygon,.dep-wrong circle,.dep-word.dep-wrong{fill:#f58b64}
.dep-gold path{stroke:#5fc99e}
.dep-gold polygon,.dep-gold circle{fill:#5fc99e}
}
"""


def tree_svg(
    words: Sequence[str],
    tags: Sequence[str],
    heads: Sequence[int],  # 1-based, 0 = root, -1 = unknown
    gold: Sequence[int] | None = None,
    posteriors: Sequence[float] | None = None,  # [n] probability of each word's head
    title: str | None = None,
) -> str:
    """The tree of one sentence as the text of an SVG file.

    Given a gold tree, wrong arcs have a second colour and the gold arcs in their place are dashed, below the
    words. Given posteriors, an arc is the fainter the less probable it is. The title (by default the
    sentence) is for screen readers. Sentences in a right-to-left script run from right to left.
    """
    check_sentence(words, tags, heads, gold)
    if posteriors is not None and len(posteriors) != len(words):
        raise ValueError(f"{len(words)} words but {len(posteriors)} posteriors")
    words, tags = [printable(word) for word in words], [printable(tag) for tag in tags]
    wrong = wrong_words(heads, gold)
    middles, width = _middles(words, tags, narrowest=0 if gold is None else LEGEND_WIDTH)

    tree = _Band(arcs_of(heads), middles, side=-1)
    missed = _Band(missed_arcs(heads, gold), middles, side=1)
    arcs_end = MARGIN + tree.height
    baseline = arcs_end + 4 + WORD_SIZE
    tag_line = baseline + 6 + TAG_SIZE
    height = tag_line + MARGIN + (missed.height + 4 if missed.arcs else 0)

    parts = []
    for arc in sorted(tree.arcs, key=lambda arc: arc.child in wrong):  # wrong arcs on top
        posterior = None if posteriors is None else float(posteriors[arc.child])
        parts.append(tree.element(arc, arcs_end, words, "dep-wrong" if arc.child in wrong else "", posterior))
    parts += [missed.element(arc, tag_line + 8, words, "dep-gold") for arc in missed.arcs]
    for word, middle in enumerate(middles):
        parts.append(_text("dep-word dep-wrong" if word in wrong else "dep-word", middle, baseline, words[word]))
        parts.append(_text("dep-tag", middle, tag_line, tags[word]))
    if gold is not None:
        parts += _legend(height)
        height += LEGEND_HEIGHT
    return _document(parts, width, height, printable(title or " ".join(words)))


@dataclass(frozen=True)
class _Band:
    """The arcs on one side of the words."""

    arcs: list[Arc]
    middles: list[float]  # of the words
    side: int  # -1 above the words, 1 below: the sign of y away from them

    @cached_property
    def levels(self) -> dict[Arc, int]:
        return arc_levels(self.arcs)

    @property
    def height(self) -> float:
        return max(map(self.arc_height, self.arcs), default=0)

    def arc_height(self, arc: Arc) -> float:
        return ROOT_ARROW if arc.head < 0 else LOWEST_ARC + LEVEL * (self.levels[arc] - 1)

    def element(
        self, arc: Arc, base: float, words: Sequence[str], kind: str = "", posterior: float | None = None
    ) -> str:
        """One arc that ends at the height `base`: its line, its arrowhead and a remark for the mouse."""
        child, arrow_base = self.middles[arc.child], base + self.side * ARROW_LENGTH
        left, right = child - ARROW_WIDTH / 2, child + ARROW_WIDTH / 2
        corners = f"{child:g},{base:g} {left:g},{arrow_base:g} {right:g},{arrow_base:g}"
        remark = f"{words[arc.head] if arc.head >= 0 else 'root'} → {words[arc.child]}"
        opacity = ""
        if posterior is not None:
            remark += f", probability {posterior:.2f}"
            opacity = f' opacity="{FAINTEST + (1 - FAINTEST) * min(max(posterior, 0.0), 1.0):.2f}"'
        return (
            f'<g class="{_arc_class(kind)}" data-head="{arc.head + 1}" data-child="{arc.child + 1}"{opacity}>'
            f"<title>{escape(remark)}</title>{self._line(arc, base, arrow_base)}"
            f'<polygon points="{corners}"/></g>'
        )

    def _line(self, arc: Arc, base: float, arrow_base: float) -> str:
        """From the head up a shoulder, along the level and down the other shoulder to the arrow."""
        child, peak = self.middles[arc.child], base + self.side * self.arc_height(arc)
        if arc.head < 0:
            start = f'<circle cx="{child:g}" cy="{peak:g}" r="3.2"/>'
            return f'{start}<path d="M{child:g} {peak:g}V{arrow_base:g}"/>'
        onward = 1 if child > self.middles[arc.head] else -1
        start = self.middles[arc.head] + onward * self._port(arc)
        shoulder = min(abs(child - start) / 2, abs(peak - base))
        clockwise = int(onward * self.side < 0)
        up = f"A{shoulder:g} {abs(peak - base):g} 0 0 {clockwise} {start + onward * shoulder:g} {peak:g}"
        down = f"A{shoulder:g} {abs(peak - arrow_base):g} 0 0 {clockwise} {child:g} {arrow_base:g}"
        return f'<path d="M{start:g} {base:g}{up}H{child - onward * shoulder:g}{down}"/>'

    def _port(self, arc: Arc) -> float:
        """How far from the middle of its head an arc leaves; the longest on its side is the nearest."""
        siblings = [a for a in self.arcs if a.head == arc.head and (a.child > a.head) == (arc.child > arc.head)]
        outer = sum(self.levels[sibling] > self.levels[arc] for sibling in siblings)
        return PORT + outer * min(PORT_STEP, PORT_SPREAD / len(siblings))


def _arc_class(kind: str) -> str:
    return f"dep-arc {kind}".strip()


def _middles(words: Sequence[str], tags: Sequence[str], narrowest: float) -> tuple[list[float], float]:
    """Where the middle of every word lies, and the width of the picture: of the words or `narrowest`."""
    widths = [
        max(_text_width(word, WORD_SIZE), _text_width(tag, TAG_SIZE) * 1.08, 4 * PORT)
        for word, tag in zip(words, tags, strict=True)
    ]
    needed = sum(widths) + WORD_GAP * (len(widths) - 1)
    whole = round(2 * MARGIN + max(needed, narrowest))
    middles, begin = [], (whole - needed) / 2
    for width in widths:
        middles.append(round(begin + width / 2, 1))
        begin += width + WORD_GAP
    if sum(map(is_right_to_left, words)) * 2 > len(words):
        middles = [round(whole - middle, 1) for middle in middles]
    return middles, whole


def _text_width(text: str, size: float) -> float:
    """The width of a text in a common sans serif typeface, rather too wide than too narrow."""
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
    return ems * size


def _text(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="dep-text {kind}" x="{x:g}" y="{y:g}">{escape(text)}</text>'


def _legend(top: float) -> list[str]:
    """What the colours mean, in one row around the height `top`."""
    parts = []
    for number, (kind, meaning) in enumerate(LEGEND):
        x = MARGIN + number * LEGEND_STEP
        parts.append(f'<g class="{_arc_class(kind)}"><path d="M{x} {top:g}h20"/></g>')
        parts.append(_text("dep-legend", x + 28, top + 4, meaning))
    return parts


def _document(parts: list[str], width: float, height: float, title: str) -> str:
    """The SVG file: a soft card with the parts on it."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
            f' viewBox="0 0 {width:g} {height:g}" role="img" aria-label={quoteattr(title)}>',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}</style>",
            f'<rect class="dep-card" x=".5" y=".5" width="{width - 1:g}" height="{height - 1:g}" rx="12"/>',
            *parts,
            "</svg>\n",
        ]
    )
