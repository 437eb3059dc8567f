"""The parts of a report about what the grammar does: the corpus, scores, which tags hang on which, roots, trees."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import compress

import numpy as np

from depinduce.evaluation.scores import Attachment
from depinduce.evaluation.tables import cut_label, share_text
from depinduce.report.run_report.elements import (
    Bar,
    Section,
    columns_side_by_side,
    figure,
    grid,
    paragraph,
    side_by_side,
    subtitle,
    table,
)
from depinduce.report.run_report.file_facts import FileFacts
from depinduce.report.run_report.heat_map import LEAST, heat_map, shares_of_children
from depinduce.report.run_report.sureness import sureness_section
from depinduce.report.run_report.training_facts import TrainingFacts
from depinduce.report.svg_tree import legend
from depinduce.report.tree_page import tree_legend
from depinduce.report.tree_picture import TreePicture

MOST_TAGS_LISTED = 60
MOST_COLUMNS = 40  # in the histogram of lengths
PICTURE_WIDTH = 1250  # pixels: longer sentences run down the page
NO_FILE = "Name a file for this, with --gold (it has trees to compare with) or with --sentences (it has none)."
NO_GOLD = "There were no gold trees to compare with. Name a file that has some with --gold."


# ---------------------------------------------------------------- the corpus


def corpus_section(training: TrainingFacts, file: FileFacts | None, learned: str = "") -> Section:
    """learned: what the grammar learned from the file before it parsed it"""
    content = []
    if file is not None:
        content += [paragraph(_about_words(file)), *map(paragraph, _doubts(file))]
        if learned:
            content.append(paragraph(f"Before it parsed them, it looked at the sentences: {learned}."))
        pieces = [_tag_table(file.tag_counts, training.tags, f"Tags of {file.name}")]
        pieces.append(_histogram(file.lengths))
        content.append(grid(pieces))
    else:
        if training.sentences is not None:
            words = f"{training.sentences:,} sentences with {training.words:,} words"
            content.append(paragraph(f"It was trained on {words}, punctuation not counted."))
        content.append(_tag_table(training.tags, None, "Tags of the training sentences"))
        content.append(paragraph("How long the training sentences were, it does not remember.", "note"))
    return Section("corpus", "The corpus", "Corpus", content)


def _about_words(file: FileFacts) -> str:
    lengths = file.lengths
    marks = f", and {file.punctuation:,} punctuation marks that it leaves out" if file.punctuation else ""
    return (
        f"{file.name} has {len(lengths):,} sentences with {len(file.tags):,} words{marks}. "
        f"A sentence has {lengths.mean():.1f} words on average, the longest {lengths.max()}."
    )


def _doubts(file: FileFacts) -> list[str]:
    told = []
    if file.non_projective:
        share = 100 * file.non_projective / len(file.lengths)
        told.append(
            f"{file.non_projective:,} of the gold trees ({share:.1f} %) have crossing arcs, which the grammar cannot "
            "draw."
        )
    if file.unknown_tags:
        told.append(f"Tags that training has not seen are parsed like an average tag: {' '.join(file.unknown_tags)}.")
    return told


def _tag_table(counts: Mapping[str, int], training: Mapping[str, int] | None, caption: str) -> str:
    total, largest = sum(counts.values()) or 1, max(counts.values(), default=1) or 1
    of_training = sum((training or {}).values()) or 1
    rows = []
    for tag, count in list(counts.items())[:MOST_TAGS_LISTED]:
        row = [tag, f"{count:,}", Bar(f"{100 * count / total:.1f}", count / largest)]
        if training is not None:
            share = training.get(tag, 0) / of_training
            row.append(Bar(f"{100 * share:.1f}", share * total / largest, "pale"))
        rows.append(row)
    if len(counts) > MOST_TAGS_LISTED:
        caption += f": the {MOST_TAGS_LISTED} most frequent of {len(counts)}"
    return table(["tag", "words", "%", *(["% in training"] if training is not None else [])], rows, caption)


def _histogram(lengths: np.ndarray) -> str:
    width = math.ceil(int(lengths.max()) / MOST_COLUMNS)
    counts = np.bincount((lengths - 1) // width)
    columns = []
    for number, count in enumerate(counts.tolist()):
        first, last = number * width + 1, (number + 1) * width
        name = str(first) if width == 1 else f"{first}–{last}"
        columns.append((name, f"{name} words: {count:,} sentences", float(count)))
    most = columns[int(counts.argmax())][1]
    about = f"Sentences have {lengths.min()} to {lengths.max()} words, half of them up to {np.median(lengths):g}."
    return figure(columns_side_by_side(columns, about), f"{about} The highest column: {most}.")


# ---------------------------------------------------------------- scores


def file_sections(file: FileFacts | None) -> list[Section]:
    """What it does: scores, which tags hang on which, and the roots."""
    if file is None:
        note = f"What its trees are like: scores, heads and children, roots, the best and the worst trees. {NO_FILE}"
        return [Section("scores", "What it does", "Scores", [paragraph(note, "note")])]
    sureness = [] if file.sureness is None else [sureness_section(file.sureness)]
    return [scores_section(file), *sureness, arcs_section(file), roots_section(file)]


def scores_section(file: FileFacts) -> Section:
    title, short = "How many heads are right", "Scores"
    if file.scores is None:
        return Section("scores", title, short, [paragraph(NO_GOLD, "note")])
    lead = (
        "The attachment score (UAS) is the share of words, in percent, that hang on the right head. Beside it stands "
        "what trees get that know nothing of the language. UUAS also counts arcs that are there but point the other "
        "way; root and exact are the shares of sentences whose root, or whose whole tree, is right."
    )
    systems = {"this grammar": file.scores, **file.baselines}
    by_length = []
    for name, cut in file.scores.by_length.items():
        others = (cut.uuas, cut.root_accuracy, cut.exact_match)
        row = _score_row(cut_label(name), [scores.by_length[name] for scores in systems.values()])
        by_length.append([row[0], f"{cut.sentences:,}", *row[1:], *map(share_text, others)])
    columns = ["words", *systems]
    arcs = {name: [scores.by_arc_length[name] for scores in systems.values()] for name in file.scores.by_arc_length}
    tags = {tag: [scores.by_tag[tag] for scores in systems.values()] for tag in file.scores.by_tag}
    listed = list(tags.items())[:MOST_TAGS_LISTED]
    caption = "UAS of sentences of up to so many words"
    content = [
        paragraph(lead),
        subtitle("By sentence length"),
        table(["length", "sentences", *columns, "UUAS", "root", "exact"], by_length, caption),
        subtitle("By tag"),
        table(["tag", *columns], [_score_row(*item) for item in listed], "UAS of the words of each tag"),
        subtitle("By length of the arc"),
        table(
            ["length", *columns],
            [_score_row(*item) for item in arcs.items()],
            "UAS of the words by how far away their gold head is: 1 is the neighbouring word",
        ),
    ]
    if several := file.scores.overall.multi_root_gold:
        note = f"{several:,} gold sentences have several roots; a root counts as right if it is one of them."
        content.append(paragraph(note, "note"))
    return Section("scores", title, short, content)


def _score_row(name: str, groups: list[Attachment]) -> list[str | Bar]:
    """The words of a group, then a bar for every system, ours first."""
    bars = [
        Bar(share_text(group.uas), group.uas / 100, "pale" if number else "") for number, group in enumerate(groups)
    ]
    return [name, f"{groups[0].words:,}", *bars]


# ---------------------------------------------------------------- arcs and roots


def arcs_section(file: FileFacts) -> Section:
    title, short = "Which tag hangs on which", "Heads and children"
    arcs = file.arcs
    lead = (
        "A column is a tag, and its numbers say on which heads its words hang, in percent: every column sums to 100. "
        "Empty cells and missing rows are below half a percent."
    )
    shares = [shares_of_children(counts) for counts in (arcs.grammar, arcs.gold) if counts is not None]
    is_shown = np.max(shares, axis=(0, 2)) >= LEAST
    heads, ours = list(compress(arcs.heads, is_shown)), shares[0][is_shown]
    maps = [heat_map(heads, arcs.tags, ours, "In the trees of the grammar")]
    if arcs.gold is None:
        return Section("arcs", title, short, [paragraph(lead), *maps, paragraph(NO_GOLD, "note")])
    gold = shares[1][is_shown]
    maps.append(heat_map(heads, arcs.tags, gold, "In the gold trees"))
    difference = "The difference: + the grammar has too many, − too few"
    maps.append(heat_map(heads, arcs.tags, ours - gold, difference, differences=True))
    return Section("arcs", title, short, [paragraph(lead), side_by_side([*maps, _error_table(file)])])


def _error_table(file: FileFacts) -> str:
    wrong = int((file.gold != file.heads).sum())
    rows = []
    for error in file.errors:
        other = "another " if error.wrong == error.right else ""
        on = "as the root" if error.wrong == "ROOT" else f"on {other}{error.wrong}"
        instead = "the root" if error.right == "ROOT" else error.right
        share = error.times / wrong
        rows.append([error.child, on, instead, f"{error.times:,}", Bar(f"{100 * share:.1f}", share * 4, "pale")])
    if not rows:
        return paragraph("There is not a single wrong head.")
    caption = f"The most frequent kinds of errors, of {wrong:,} wrong heads"
    return table(["child", "hangs", "gold head", "times", "% of errors"], rows, caption, "errors")


def roots_section(file: FileFacts) -> Section:
    arcs = file.arcs
    shares = [counts[0] / max(counts[0].sum(), 1) for counts in (arcs.grammar, arcs.gold) if counts is not None]
    kinds = ("", "gold")[: len(shares)]
    ranked = sorted(range(len(arcs.tags)), key=lambda tag: -max(share[tag] for share in shares))
    rows = [
        [
            arcs.tags[tag],
            *(Bar(f"{100 * share[tag]:.1f}", share[tag], kind) for share, kind in zip(shares, kinds, strict=True)),
        ]
        for tag in ranked
        if max(share[tag] for share in shares) > 0
    ]
    columns = ["tag", "grammar, %", "gold, %"][: 1 + len(shares)]
    return Section("roots", "Roots", "Roots", [table(columns, rows, "The tags of the words that are roots")])


# ---------------------------------------------------------------- trees


def trees_section(file: FileFacts) -> Section:
    """The best and the worst ones, drawn."""
    has_gold = file.gold is not None
    if has_gold:
        lead = "Wrong arcs have another colour; the gold arcs in their place are dashed and hang below the words."
        names = "Best sentences", "Worst sentences"
    else:
        lead = "An arc is the fainter the less probable it is; point at it to read its probability."
        names = "Surest sentences", "Least sure sentences"
    content = [paragraph(lead), tree_legend(legend(has_gold, not has_gold))]
    for name, pictures in zip(names, (file.best, file.worst), strict=True):
        if pictures:
            content.append(subtitle(name))
            content += [_tree(picture) for picture in pictures]
    return Section("trees", "Trees", "Trees", content)


def _tree(picture: TreePicture) -> str:
    caption = picture.caption
    if picture.posteriors is not None:
        known = [posterior for posterior in picture.posteriors if posterior is not None]
        caption += f": mean probability of an arc {np.mean(known):.2f}"
    return figure(picture.svg(PICTURE_WIDTH, alone=False), caption, f"sentence-{picture.number}")
