"""The card of the grammar in the box: every text with its licence, and only free ones."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from pathlib import Path

from learning.languages import universal_of

sys.path.append(str(Path(__file__).parents[2] / "tools"))
make_universal = importlib.import_module("make_universal")


def test_the_card_names_every_text_with_its_licence_and_scores():
    model = universal_of(("final", "initial"))
    history = {"training_data": {"languages": dict.fromkeys(make_universal.SOURCES, 7)}}
    scores = [make_universal.Scores("fr", True, 71.25, 70.0), make_universal.Scores("pl", False, 80.0, 79.5)]
    card = make_universal.card_of(replace(model, history=history), scores, "0.2.0")
    for name, (treebank, licence) in make_universal.SOURCES.items():
        assert f"| {name} | UD {treebank} | 7 | {licence} |" in card
        assert licence.startswith(("CC BY 4", "CC BY-SA"))
    assert "| fr | yes | 71.2 / 70.0 |" in card and "| pl | no | 80.0 / 79.5 |" in card
    assert max(map(len, card.splitlines())) <= 120
