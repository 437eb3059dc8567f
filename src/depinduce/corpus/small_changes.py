"""Small changes to a block of CoNLL-U: a comment, or an attribute in MISC, added or taken away."""

from __future__ import annotations

import re


def with_comment(lead: str, comment: str, line_end: str) -> str:
    """The lines before a block with one more, or with another value of its key."""
    key, equals, _ = comment[1:].partition("=")
    if equals:
        older = rf"^(\ufeff*)#[ \t]*{re.escape(key.strip())}[ \t]*=[^\n]*\n"
        lead, found = re.subn(older, lambda old: f"{old[1]}{comment}{line_end}", lead, count=1, flags=re.MULTILINE)
        if found:
            return lead
    return f"{lead}{comment}{line_end}"


def without_attributes(misc: str, gone: re.Pattern[str]) -> str:
    """A MISC column without the attributes that look like this."""
    if not gone.search(misc):
        return misc
    old = misc.rstrip("\r")
    kept = [attribute for attribute in old.split("|") if not gone.fullmatch(attribute)]
    return ("|".join(kept) or "_") + misc[len(old) :]


def with_attributes(misc: str, added: str) -> str:
    """A MISC column with `key=value` or `key=value|key=value` added, the older values of the keys gone."""
    if not added:
        return misc
    old = misc.rstrip("\r")
    keys = {attribute.partition("=")[0] for attribute in added.split("|")}
    before = [] if old in ("_", "") else old.split("|")
    kept = [attribute for attribute in before if attribute.partition("=")[0] not in keys]
    return "|".join([*kept, added]) + misc[len(old) :]
