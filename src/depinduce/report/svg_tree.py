"""A dependency tree as a self-contained SVG picture.

The words stand side by side with the arcs above them, or, where there is no room for that, one below the other with
the arcs to their left. Gold arcs that the tree misses are on the other side of the words.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from depinduce.report.arc_layout import arcs_of, check_sentence, missed_arcs, wrong_words
from depinduce.report.display_width import is_right_to_left, printable, shortened
from depinduce.report.svg_arcs import ACROSS, DOWN, Band, arc_class
from depinduce.report.svg_style import (
    GLOSS_SIZE,
    STYLE,
    TAG_SIZE,
    WORD_SIZE,
    gloss_width,
    label_width,
    tag_width,
    translation_width,
    word_width,
)

# All measures are in pixels.
MARGIN = 24
WORD_GAP, NARROWEST = 24, 24  # between the texts of two words side by side, and of a word
ROW, TAG_GAP = 26, 14  # height of a word below another, and between words and tags
TRANSLATION_HEIGHT = 20
LABEL_GAP = 44  # more than a label needs from the middle of its head to that of the child
LONGEST_WORD = 40  # columns; a longer word is cut
LEGEND_HEIGHT, LEGEND_STEP, LEGEND_SAMPLE = 26, 124, 28
RIGHT, WRONG, GOLD = ("", "right head"), ("dep-wrong", "wrong head"), ("dep-gold", "gold head")
DOUBTFUL = ("dep-doubtful", "improbable")


@dataclass(frozen=True)
class _Picture:
    """What is drawn, and the room it needs."""

    parts: list[str]
    width: float
    height: float


@dataclass(frozen=True)
class _Sentence:
    """What is drawn of a sentence; words are 0..n-1."""

    words: list[str]
    tags: list[str]
    heads: Sequence[int]
    gold: Sequence[int] | None
    posteriors: Sequence[float | None] | None
    punctuation: Collection[int]
    labels: Sequence[str] | None  # nothing where they are empty
    glosses: Sequence[str]  # likewise

    @property
    def wrong(self) -> set[int]:
        return wrong_words(self.heads, self.gold)

    def tree(self, band: Band, base: float) -> list[str]:
        """The arcs of the tree, wrong ones on top of others, and those on top of the arcs of punctuation."""
        wrong, parts = self.wrong, []
        for arc in sorted(band.arcs, key=lambda arc: (arc.child in wrong, arc.child not in self.punctuation)):
            if arc.child in self.punctuation:
                parts.append(band.element(arc, base, self.words, "dep-mark"))
            else:
                posterior = None if self.posteriors is None else self.posteriors[arc.child]
                kind = "dep-wrong" if arc.child in wrong else ""
                label = "" if self.labels is None else self.labels[arc.child]
                parts.append(band.element(arc, base, self.words, kind, posterior, label))
        return parts

    def missed(self, band: Band, base: float) -> list[str]:
        """The gold arcs that the tree does not have."""
        return [band.element(arc, base, self.words, "dep-gold") for arc in band.arcs]

    def texts(self, word: int, at_word: tuple[float, float], at_tag: tuple[float, float], kind: str = "") -> list[str]:
        """A word and its tag, if it has one."""
        word_kind = " ".join(["dep-word", *["dep-wrong"] * (word in self.wrong), kind]).rstrip()
        number = f' data-word="{word + 1}"'  # for pages on which something can be done with a word
        parts = [_text(word_kind, *at_word, self.words[word], number)]
        return parts + [_text(f"dep-tag {kind}".rstrip(), *at_tag, self.tags[word], number)] * bool(self.tags[word])

    def gloss(self, word: int, x: float, y: float, kind: str = "") -> list[str]:
        """What a word means, if that is told."""
        return [_text(f"dep-gloss {kind}".rstrip(), x, y, self.glosses[word])] * bool(self.glosses[word])

    @property
    def legend(self) -> list[tuple[str, str]]:
        return legend(self.gold is not None, self.posteriors is not None)


def tree_svg(
    words: Sequence[str],
    tags: Sequence[str],
    heads: Sequence[int],  # 1-based, 0 = root, -1 = unknown
    gold: Sequence[int] | None = None,
    posteriors: Sequence[float | None] | None = None,  # [n] probability of each word's head, where known
    title: str | None = None,
    width: float | None = None,
    punctuation: Collection[int] = (),  # words 0..n-1
    alone: bool = True,
    labels: Sequence[str] | None = None,  # [n] what each word is to its head; nothing where it is empty
    glosses: Sequence[str] | None = None,  # [n] what each word means; nothing where it is empty
    translations: Sequence[str] = (),  # of the sentence, to stand below it
) -> str:
    """The tree of one sentence as the text of an SVG file.

    Given a gold tree, wrong arcs have a second colour and the gold arcs in their place are dashed, on the other
    side of the words. Given posteriors, an arc is the fainter the less probable it is. The arcs of punctuation
    step back. Labels stand on the arcs or, where words run down the page, behind the tags. Glosses stand
    below the tags or behind them, translations below all. The title (by default the
    sentence) is for screen readers.

    The words run down the page if side by side they do not fit into the width, in pixels; those of a right-to-left
    script otherwise run from right to left. A picture that is not alone goes into a page, which has STYLE and a
    legend already.
    """
    check_sentence(words, tags, heads, gold, posteriors=posteriors, labels=labels, glosses=glosses)
    title = printable(title or " ".join(words))
    words, tags = ([shortened(printable(text), LONGEST_WORD) for text in texts] for texts in (words, tags))
    if labels is not None:
        labels = [shortened(printable(label), LONGEST_WORD) for label in labels]
    glosses = [shortened(printable(gloss), LONGEST_WORD) for gloss in glosses or [""] * len(words)]
    sentence = _Sentence(words, tags, heads, gold, posteriors, punctuation, labels, glosses)
    legend_width = len(sentence.legend) * LEGEND_STEP - LEGEND_SAMPLE if alone else 0
    picture = _across(sentence, legend_width)
    if width is not None and picture.width > width:
        picture = _down(sentence, legend_width)
    parts, height = picture.parts, picture.height
    for line in (
        line for each in translations for line in _wrapped(f"‘{printable(each)}’", picture.width - 2 * MARGIN)
    ):
        parts.append(_text("dep-translation", MARGIN, height - 4, line))
        height += TRANSLATION_HEIGHT
    if alone and sentence.legend:
        parts += legend_parts(sentence.legend, MARGIN, height)
        height += LEGEND_HEIGHT
    card = f'<rect class="dep-card" x=".5" y=".5" width="{picture.width - 1:g}" height="{height - 1:g}" rx="12"/>'
    style, description = (STYLE, described(words, heads)) if alone else (None, "")
    return svg_document([card, *parts], picture.width, height, title, style, description)


def _across(sentence: _Sentence, narrowest: float) -> _Picture:
    """Words side by side: the tree above them, the gold arcs that it misses below."""
    middles, width = _middles(sentence, narrowest)
    tree = Band(ACROSS, arcs_of(sentence.heads), middles, side=-1)
    missed = Band(ACROSS, missed_arcs(sentence.heads, sentence.gold), middles, side=1)
    arcs_end = MARGIN + tree.height
    baseline = arcs_end + 4 + WORD_SIZE
    tag_line = baseline + 6 + TAG_SIZE if any(sentence.tags) else baseline + 4
    texts_end = tag_line + 4 + GLOSS_SIZE if any(sentence.glosses) else tag_line
    parts = sentence.tree(tree, arcs_end) + sentence.missed(missed, texts_end + 8)
    for word, middle in enumerate(middles):
        parts += sentence.texts(word, (middle, baseline), (middle, tag_line))
        parts += sentence.gloss(word, middle, texts_end)
    return _Picture(parts, width, texts_end + MARGIN + (missed.height + 4 if missed.arcs else 0))


def _down(sentence: _Sentence, narrowest: float) -> _Picture:
    """The words one below the other: the tree to their left, the gold arcs that it misses to the right of the tags."""
    middles = [MARGIN + ROW * (word + 0.5) for word in range(len(sentence.words))]
    tree = Band(DOWN, arcs_of(sentence.heads), middles, side=-1)
    missed = Band(DOWN, missed_arcs(sentence.heads, sentence.gold), middles, side=1)
    arcs_end = MARGIN + tree.height
    words_at = arcs_end + 6
    tags_at = words_at + max(map(word_width, sentence.words), default=0) + TAG_GAP
    labels_at = tags_at + max(map(tag_width, sentence.tags), default=0)
    texts_end = labels_at
    if sentence.labels is not None:
        labels_at += TAG_GAP
        texts_end = labels_at + max(map(label_width, sentence.labels), default=0)
    glosses_at = texts_end + TAG_GAP
    if any(sentence.glosses):
        texts_end = glosses_at + max(map(gloss_width, sentence.glosses))
    parts = sentence.tree(tree, arcs_end) + sentence.missed(missed, texts_end + 6)
    for word, middle in enumerate(middles):
        parts += sentence.texts(word, (words_at, middle + 6), (tags_at, middle + 4), "dep-row")
        parts += sentence.gloss(word, glosses_at, middle + 4, "dep-row")
        if sentence.labels is not None and sentence.labels[word]:
            of_word = f' data-label="{word + 1}"'
            parts.append(_text("dep-label dep-row", labels_at, middle + 4, sentence.labels[word], of_word))
    width = texts_end + MARGIN + (missed.height + 6 if missed.arcs else 0)
    return _Picture(parts, round(max(width, narrowest + 2 * MARGIN)), 2 * MARGIN + ROW * len(middles))


def _middles(sentence: _Sentence, narrowest: float) -> tuple[list[float], float]:
    """Where the middle of every word lies, and the width of the picture: of the words or `narrowest`."""
    texts = zip(sentence.words, sentence.tags, sentence.glosses, strict=True)
    widths = [max(word_width(word), tag_width(tag), gloss_width(gloss), NARROWEST) for word, tag, gloss in texts]
    gaps = _gaps(widths, sentence)
    needed = sum(widths) + sum(gaps[:-1])
    whole = round(2 * MARGIN + max(needed, narrowest))
    middles, begin = [], (whole - needed) / 2
    for width, gap in zip(widths, gaps, strict=True):
        middles.append(round(begin + width / 2, 1))
        begin += width + gap
    if sum(map(is_right_to_left, sentence.words)) * 2 > len(sentence.words):
        middles = [round(whole - middle, 1) for middle in middles]
    return middles, whole


def _gaps(widths: list[float], sentence: _Sentence) -> list[float]:
    """The room after every word, so wide that each label fits between its two words."""
    gaps = [float(WORD_GAP)] * len(widths)
    if sentence.labels is None:
        return gaps
    for arc in sorted(arcs_of(sentence.heads), key=lambda arc: arc.right - arc.left):
        label = sentence.labels[arc.child]
        if arc.head >= 0 and label:
            between = sum(widths[arc.left : arc.right]) + sum(gaps[arc.left : arc.right])
            reach = between - widths[arc.left] / 2 + widths[arc.right] / 2  # from middle to middle
            missing = label_width(label) + LABEL_GAP - reach
            gaps[arc.child if arc.child < arc.head else arc.child - 1] += max(missing, 0.0)
    return gaps


def _wrapped(text: str, width: float) -> list[str]:
    """The lines of a text in a picture that has so much room."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and translation_width(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _text(kind: str, x: float, y: float, text: str, more: str = "") -> str:
    return f'<text class="dep-text {kind}" x="{x:g}" y="{y:g}"{more}>{escape(text)}</text>'


def described(words: Sequence[str], heads: Sequence[int]) -> str:
    """The tree in words: every head with its children, from left to right."""
    children: dict[int, list[str]] = {}
    for word, head in zip(words, heads, strict=True):
        if head >= 0:
            children.setdefault(head, []).append(word)
    names = ["The root", *words]
    return " ".join(f"{names[head]} has the {_children(below)}." for head, below in sorted(children.items()))


def _children(words: list[str]) -> str:
    return f"child{'ren' if len(words) > 1 else ''} {', '.join(words)}"


def legend(gold: bool, posteriors: bool) -> list[tuple[str, str]]:
    """The kinds of arcs that need to be told apart, each with its meaning."""
    return [RIGHT, WRONG, GOLD] * gold + [DOUBTFUL] * posteriors


def legend_parts(kinds: list[tuple[str, str]], left: float, middle: float) -> list[str]:
    """What the colours mean, in one row around the height `middle`."""
    parts = []
    for number, (kind, meaning) in enumerate(kinds):
        x = left + number * LEGEND_STEP
        opacity = ' opacity=".35"' if kind == DOUBTFUL[0] else ""
        parts.append(f'<g class="{arc_class(kind)}"{opacity}><path d="M{x:g} {middle:g}h20"/></g>')
        parts.append(_text("dep-legend", x + LEGEND_SAMPLE, middle + 4, meaning))
    return parts


def svg_document(
    parts: Sequence[str], width: float, height: float, title: str, style: str | None, description: str = ""
) -> str:
    """The text of an SVG file. Title and description are for screen readers."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
            f' viewBox="0 0 {width:g} {height:g}" role="img" aria-label={quoteattr(title)}>',
            f"<title>{escape(title)}</title>",
            *([f"<desc>{escape(description)}</desc>"] if description else []),
            *([f"<style>{style}</style>"] if style else []),
            *parts,
            "</svg>\n",
        ]
    )
