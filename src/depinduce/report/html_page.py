"""The frame of an HTML page that needs nothing from outside, and the colours and typefaces of all our pages."""

from __future__ import annotations

from html import escape

from depinduce.report.display_width import printable

BASE_STYLE = """
:root{color-scheme:light dark;
--ground:#f5f6f9;--card:#ffffff;--line:#e4e7ee;--ink:#1c2333;--soft:#5a6379;--blue:#3f6fd8;--red:#d9542b;--green:#2a9268}
@media (prefers-color-scheme:dark){:root{
--ground:#0e121a;--card:#161b26;--line:#2b3244;--ink:#e9ecf3;--soft:#a4adc2;--blue:#82a9f7;--red:#f58b64;--green:#5fc99e}}
body{margin:0 auto;padding:24px;background:var(--ground);color:var(--ink);
font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
svg{display:block}
@media print{body{background:none;padding:0}figure{break-inside:avoid}}
"""


def text(raw: object) -> str:
    """Any text as the content of an element or of a quoted attribute."""
    return escape(printable(str(raw)))


def page_begin(title: str, *styles: str) -> str:
    """All that comes before the first element of a page. title: plain text"""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{text(title)}</title>
<style>{BASE_STYLE}{"".join(styles)}</style>
</head>
<body>
"""


PAGE_END = "</body>\n</html>\n"
