"""Many trees on one HTML page that needs nothing from outside.

Every sentence stands above its tree as text, so that the browser finds it. A tree that is wider than the window scrolls
by itself, one of a right-to-left script from its right end; printed, it is made as narrow as the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from depinduce.report.display_width import runs_from_right
from depinduce.report.html_page import PAGE_END, page_begin, text
from depinduce.report.svg_style import STYLE
from depinduce.report.svg_tree import LEGEND_STEP, legend, legend_parts, svg_document
from depinduce.report.tree_picture import TreePicture

PAGE_STYLE = """
body{max-width:1500px}
h1{font-size:20px;font-weight:600;margin:0 0 12px}
.legend{position:sticky;top:0;background:var(--ground);padding:4px 0;z-index:1}
figure{margin:0 0 28px;content-visibility:auto;contain-intrinsic-size:auto 320px}
figcaption{font-size:13px;margin:0 0 6px;color:var(--soft)}
figcaption a{color:inherit;text-decoration:none}
figure div{overflow-x:auto}
figure svg{direction:ltr}
figure .sentence{font-size:15px;margin:0 0 6px;color:var(--ink)}
p{font-size:14px;margin:0 0 12px;color:var(--soft)}
@media print{.legend{position:static;background:none}
figure{content-visibility:visible}figure div{overflow:visible}figure svg{max-width:100%;height:auto;max-height:95vh}}
"""


def tree_page(pictures: Sequence[TreePicture], title: str, width: float | None = None) -> Iterator[str]:
    """The page in pieces: its head, every tree, its end. What `width` does is told by `tree_svg`."""
    kinds = legend(any(p.gold is not None for p in pictures), any(p.posteriors is not None for p in pictures))
    yield f"""{page_begin(title, PAGE_STYLE, STYLE)}<h1>{text(title)}</h1>
<p>{overall(pictures)}</p>
{tree_legend(kinds) if kinds else ""}"""
    for picture in pictures:
        place = f"sentence-{picture.number}"
        direction = "rtl" if runs_from_right(picture.words) else "ltr"
        yield (
            f'<figure id="{place}"><figcaption><a href="#{place}">{text(picture.caption)}</a></figcaption>'
            f'<p class="sentence" dir="{direction}">{text(" ".join(picture.words))}</p>'
            f'<div dir="{direction}">{picture.svg(width, alone=False)}</div></figure>\n'
        )
    yield PAGE_END


def overall(pictures: Sequence[TreePicture]) -> str:
    """How many trees there are and, given gold trees, how many of their heads are right."""
    trees = f"{len(pictures)} tree{'s' if len(pictures) != 1 else ''}"
    scored = sum(picture.scored for picture in pictures)
    if not scored:
        return trees
    right = sum(picture.right for picture in pictures)
    return f"{trees}: {right} of {scored} heads right ({100 * right / scored:.1f}%)"


def tree_legend(kinds: list[tuple[str, str]]) -> str:
    """What the kinds of arcs on a page mean."""
    width = len(kinds) * LEGEND_STEP
    meanings = ", ".join(meaning for _, meaning in kinds)
    return f'<div class="legend">{svg_document(legend_parts(kinds, 1, 12), width, 24, meanings, None)}</div>\n'
