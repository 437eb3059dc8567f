"""All seven trees of a sentence of three words, and what a grammar thinks of them."""

from __future__ import annotations

from depinduce.grammar.rules import Order
from drawing.sheet import Sheet
from drawing.toy_corpus import SENTENCES, SHORTEST, all_trees, articles_below_nouns, grammar_of, probabilities
from drawing.tree_panels import PANEL_WIDTH, corner, panel, sheet_height

SMOOTHING = 4.0  # pseudo-counts: the grammar of a learner that is far from sure


def picture() -> str:
    examples = [(words, articles_below_nouns(words)) for words in map(str.split, SENTENCES)]
    trees = all_trees(len(SHORTEST))
    joint = probabilities(grammar_of(Order.FIRST, examples, SMOOTHING), SHORTEST, trees)
    ranked = sorted(zip(joint / joint.sum(), trees, strict=True), key=lambda pair: (-round(pair[0], 9), pair[1]))
    sentence = " ".join(SHORTEST)
    sheet = Sheet(
        sheet_height(len(trees), bars=1),
        f"All trees of a sentence: {sentence}",
        f"The seven projective trees of {sentence}, from the most to the least probable: "
        + ", ".join(f"{share:.0%}" for share, _ in ranked)
        + ". Their probabilities sum to that of the sentence.",
    )
    for number, (share, heads) in enumerate(ranked):
        panel(sheet, number, heads, [(share, "draw-blue")])
    x, y = corner(len(ranked), bars=1)
    middle = x + PANEL_WIDTH / 2
    sheet.text(middle, y + 52, "all seven together:", anchor="middle")
    sheet.text(middle, y + 77, f"Z = {joint.sum():.2g}", "draw-head", "middle")
    sheet.lines(middle, y + 101, ["the probability", "of the sentence"], anchor="middle")
    return sheet.svg()
