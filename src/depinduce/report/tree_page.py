"""Many trees on one HTML page that needs nothing from outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from depinduce.report.display_width import printable
from depinduce.report.svg_style import STYLE
from depinduce.report.svg_tree import LEGEND_STEP, legend, legend_parts, svg_document
from depinduce.report.tree_picture import TreePicture

PAGE_STYLE = """
:root{color-scheme:light dark}
body{margin:0 auto;padding:24px;max-width:1500px;background:#f5f6f9;color:#1c2333;
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
h1{font-size:20px;font-weight:600;margin:0 0 12px}
.legend{position:sticky;top:0;background:inherit;padding:4px 0;z-index:1}
figure{margin:0 0 28px;content-visibility:auto;contain-intrinsic-size:auto 320px}
figcaption{font-size:13px;margin:0 0 6px;color:#5a6379}
figcaption a{color:inherit;text-decoration:none}
figure div{overflow-x:auto}
svg{display:block}
p{font-size:14px;margin:0 0 12px;color:#5a6379}
@media (prefers-color-scheme:dark){body{background:#0e121a;color:#e9ecf3}figcaption,p{color:#929cb3}}
@media print{body{background:none;padding:0}figure{break-inside:avoid}.legend{position:static}}
"""


def tree_page(pictures: Sequence[TreePicture], title: str, width: float | None = None) -> Iterator[str]:
    """The page in pieces: its head, every tree, its end. What `width` does is told by `tree_svg`."""
    title = escape(printable(title))
    kinds = legend(any(p.gold is not None for p in pictures), any(p.posteriors is not None for p in pictures))
    yield f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{PAGE_STYLE}{STYLE}</style>
</head>
<body>
<h1>{title}</h1>
<p>{overall(pictures)}</p>
{_legend(kinds) if kinds else ""}"""
    for picture in pictures:
        caption = escape(printable(picture.caption))
        place = f"sentence-{picture.number}"
        yield (
            f'<figure id="{place}"><figcaption><a href="#{place}">{caption}</a></figcaption>'
            f"<div>{picture.svg(width, alone=False)}</div></figure>\n"
        )
    yield "</body>\n</html>\n"


def overall(pictures: Sequence[TreePicture]) -> str:
    """How many trees there are and, given gold trees, how many of their heads are right."""
    trees = f"{len(pictures)} tree{'s' if len(pictures) != 1 else ''}"
    scored = sum(picture.scored for picture in pictures)
    if not scored:
        return trees
    right = sum(picture.right for picture in pictures)
    return f"{trees}: {right} of {scored} heads right ({100 * right / scored:.1f}%)"


def _legend(kinds: list[tuple[str, str]]) -> str:
    width = len(kinds) * LEGEND_STEP
    meanings = ", ".join(meaning for _, meaning in kinds)
    return f'<div class="legend">{svg_document(legend_parts(kinds, 1, 12), width, 24, meanings, None)}</div>\n'
