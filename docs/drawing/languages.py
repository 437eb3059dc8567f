"""The languages of the grammar in the box on a plane, as `depinduce report universal` shows them."""

from __future__ import annotations

from depinduce.models.loading import load_universal
from depinduce.report.run_report.language_facts import language_facts
from depinduce.report.run_report.language_sections import plane_picture


def picture() -> str:
    facts = language_facts(load_universal())
    assert facts is not None and facts.plane is not None, "it has many languages"
    return plane_picture(facts.plane, alone=True)
