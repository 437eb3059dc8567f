"""Typefaces and colours of the drawings, those of the trees (`report.svg_style`) with a few more."""

from __future__ import annotations

from depinduce.report.svg_style import STYLE as TREE_STYLE

# name: (line and text, tint) on a light ground, then on a dark one
COLOURS = {
    "blue": ("#3f6fd8", "#edf2fd", "#82a9f7", "#1b2640"),
    "green": ("#23805a", "#e7f5ef", "#5fc99e", "#15302a"),
    "red": ("#c9471f", "#fdefe9", "#f58b64", "#371f1b"),
    "purple": ("#8a56c2", "#f4eefb", "#bd94ee", "#2a2140"),
}
LINE, TEXT, QUIET = ("#b4bccb", "#5b657c"), ("#1c2333", "#e9ecf3"), ("#5a6379", "#a4adc2")
PANEL, GROUND = ("#f5f6f9", "#1d2433"), ("#ffffff", "#161b26")
SIZES = {
    "draw-head": 15,
    "draw-note": 13,
    "draw-code": 12,
    "draw-chip": 11.5,
    "draw-small": 11.5,
    "draw-piece": 11.5,
    "draw-sign": 21,
}  # of texts, in pixels
WORD = 16

_SANS = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
_MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"


def _coloured(dark: bool) -> str:
    """The rules that differ between light and dark."""
    rules = [
        f".draw-text{{fill:{TEXT[dark]}}}",
        f".draw-note,.draw-small,.draw-sign{{fill:{QUIET[dark]}}}",
        f".draw-panel{{fill:{PANEL[dark]}}}",
        f".draw-box{{fill:{GROUND[dark]};stroke:{LINE[dark]}}}",
        f".draw-line{{stroke:{LINE[dark]}}}",
        f".draw-tip,.draw-bar{{fill:{LINE[dark]}}}",
        f".draw-old path{{stroke:{LINE[dark]}}}",
        f".draw-old polygon,.draw-old circle{{fill:{LINE[dark]}}}",
    ]
    for name, shades in COLOURS.items():
        line, tint = shades[2 * dark : 2 * dark + 2]
        rules += [
            f".draw-box.draw-{name}{{fill:{tint};stroke:{line}}}",
            f".draw-line.draw-{name}{{stroke:{line}}}",
            f".draw-text.draw-{name},.draw-tip.draw-{name},.draw-bar.draw-{name}{{fill:{line}}}",
            f".dep-arc.draw-{name} path{{stroke:{line}}}",
            f".dep-arc.draw-{name} polygon,.dep-arc.draw-{name} circle{{fill:{line}}}",
        ]
    return "\n".join(rules)


STYLE = f"""{TREE_STYLE}.draw-text{{font-family:{_SANS}}}
.draw-head{{font-size:{SIZES["draw-head"]}px;font-weight:600}}
.draw-note{{font-size:{SIZES["draw-note"]}px}}
.draw-piece{{font-size:{SIZES["draw-piece"]}px;font-family:{_MONO}}}
.draw-sign{{font-size:{SIZES["draw-sign"]}px}}
.draw-small{{font-size:{SIZES["draw-small"]}px}}
.draw-code,.draw-mono{{font-family:{_MONO}}}
.draw-code{{font-size:{SIZES["draw-code"]}px}}
.draw-mono{{font-size:.95em}}
.draw-cited{{font-style:italic}}
.draw-chip{{font-size:{SIZES["draw-chip"]}px;font-weight:600;letter-spacing:.04em}}
.draw-word{{font-size:{WORD}px;font-weight:500}}
.draw-box{{stroke-width:1.2;stroke-linejoin:round}}
.draw-line{{fill:none;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}}
.draw-thin{{stroke-width:1.1}}
.draw-dashed{{stroke-dasharray:4 4}}
{_coloured(dark=False)}
@media (prefers-color-scheme:dark){{
{_coloured(dark=True)}
}}
"""
