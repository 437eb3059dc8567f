"""The parts of a report about languages: how their orders differ, and what one of them has learned of its own."""

from __future__ import annotations

from depinduce.evaluation.tables import share_text
from depinduce.insight.language_plane import LanguagePlane
from depinduce.insight.word_order import WordOrder
from depinduce.report.run_report.elements import Bar, Section, figure, paragraph, side_by_side, subtitle, table
from depinduce.report.run_report.language_facts import AdaptationFacts, LanguageFacts
from depinduce.report.scatter import Point, scatter_plot

PAIRS_TOLD = 8  # of a head and a child, in the table of languages
CHANGES_TOLD = 15
NEAREST_TOLD = 8
HERE = "this language"

BEFORE = "“NOUN before VERB” is the share of nouns, among those that hang on a verb, which stand before it"


def languages_section(facts: LanguageFacts) -> Section:
    count = len(facts.order.languages)
    if facts.one_headedness:
        lead = (
            f"It knows {count} languages. Which tags head which is the same in all of them; on which side of its head "
            "a child stands each has learned from its own text. The universal grammar, for all other languages, is "
            "their mean."
        )
    else:
        lead = f"It knows {count} languages, each with rules of its own, and has a universal grammar for all others."
    content = [paragraph(lead)]
    if facts.plane is not None:
        content += _plane(facts.plane)
    if facts.plane_of_vectors is not None:
        content += _plane_of_vectors(facts.plane_of_vectors)
    content += [subtitle("Order by order"), _orders(facts)]
    if facts.in_file:
        content += [subtitle("The sentences of the file, by language"), _in_file(facts)]
    return Section("languages", "The languages compared", "Languages", content)


# ---------------------------------------------------------------- the plane


def _plane(plane: LanguagePlane, here: Point | None = None) -> list[str]:
    """The picture, and what it shows."""
    right, up = plane.axes
    how = (
        "A point is a language. Two lie near each other if their words stand on the same sides of their heads. To the "
        f"right there is more of {_listed(right.more)}; this axis tells {right.share:.0%} of all differences between "
        f"the languages. Upwards there is more of {_listed(up.more)}; it tells {up.share:.0%}. (The two axes are the "
        "principal components of the shares of children on the left of their heads, for every pair of tags, weighted "
        "by how frequent the pair is.)"
    )
    marked = "" if here is None else f" The diamond is {HERE}."
    return [paragraph(how + marked), figure(plane_picture(plane, here))]


def _plane_of_vectors(plane: LanguagePlane) -> list[str]:
    """The same of what the vectors of languages do."""
    right, up = plane.axes
    how = (
        "The network has a vector for every language, which changes what it makes of each tag. Here two languages lie "
        "near each other if their vectors change the same (the axes are the principal components of all changes, and "
        f"tell {right.share:.0%} and {up.share:.0%} of the differences). To the right there is also more of "
        f"{_listed(right.more)}, and upwards of {_listed(up.more)}."
    )
    return [paragraph(how), figure(plane_picture(plane, title="Languages by their vectors"))]


def plane_picture(
    plane: LanguagePlane,
    here: Point | None = None,
    alone: bool = False,
    title: str = "Languages by the order of heads and children",
) -> str:
    """The languages as points, and another one among them. alone: as an SVG file of its own"""
    points = [Point(name, float(x), float(y)) for name, (x, y) in zip(plane.languages, plane.points, strict=True)]
    ranked = " ".join(name for _, name in sorted((point.x, point.name) for point in points))
    right, up = plane.axes
    return scatter_plot(
        title,
        right.more,
        up.more,
        points if here is None else [*points, here],
        f"From left to right: {ranked}.{'' if here is None else f' {HERE} lies {_beside(points, here)}.'}",
        alone,
    )


def _listed(more: list[str]) -> str:
    *others, last = more or ["nothing that can be named"]
    return f"{', '.join(others)} and {last}" if others else last


def _beside(points: list[Point], here: Point) -> str:
    nearest = sorted(points, key=lambda point: (point.x - here.x) ** 2 + (point.y - here.y) ** 2)
    return f"nearest to {' '.join(point.name for point in nearest[:3])}"


# ---------------------------------------------------------------- tables


def _orders(facts: LanguageFacts) -> str:
    order = facts.order
    pairs = order.most_frequent(PAIRS_TOLD)
    columns = ["language", "sentences", "as universal, %", *(_called(order, *pair) for pair in pairs)]
    rows = []
    places = range(len(order.languages)) if facts.plane is None else facts.plane.points[:, 0].argsort().tolist()
    for number in places:
        name = order.languages[number]
        share = facts.agreement(number)
        sentences = f"{facts.sentences[name]:,}" if name in facts.sentences else "–"
        shares = (float(order.left[number, head, child]) for head, child in pairs)
        rows.append([name, sentences, Bar(f"{100 * share:.0f}", share, "pale"), *map(_percent, shares)])
    universal = (float(facts.universal[head, child]) for head, child in pairs)
    rows.append(["universal", "", "", *(Bar(f"{100 * left:.0f}", left, "pale") for left in universal)])
    caption = (
        f"In percent{'' if facts.plane is None else ', languages from left to right in the first picture'}. {BEFORE}, "
        f"subjects and objects alike; these are the {len(pairs)} most frequent pairs. “As universal” is the share of "
        "all children on the same side as in the universal grammar."
    )
    return table(columns, rows, caption, "sum slim")


def _called(order: WordOrder, head: int, child: int) -> str:
    return f"{order.tags[child]} before {order.tags[head]}"


def _percent(share: float) -> Bar:
    return Bar(f"{100 * share:.0f}", share)


def _in_file(facts: LanguageFacts) -> str:
    has_gold = any(one.uas is not None for one in facts.in_file)
    columns = ["language", "sentences", "words", *(["UAS"] if has_gold else []), "as universal, %"]
    rows = []
    for one in facts.in_file:
        uas = [] if one.uas is None else [Bar(share_text(one.uas), one.uas / 100)]
        same = Bar(f"{100 * one.as_universal:.1f}", one.as_universal, "pale")
        rows.append([one.name, f"{one.sentences:,}", f"{one.words:,}", *uas, same])
    caption = (
        "Each sentence is parsed by the rules of its language; the last column is the share of words that have the "
        "same head by the universal grammar"
    )
    return table(columns, rows, caption)


# ---------------------------------------------------------------- one language


def adaptation_section(facts: AdaptationFacts) -> Section:
    content = [paragraph(_lead(facts))]
    content.append(side_by_side([_changes(facts), _nearest(facts)]))
    plane = facts.universal.plane
    if plane is not None:
        x, y = plane.place(facts.order.left)
        content += _plane(plane, Point(HERE, float(x), float(y), is_new=True))
    return Section("adaptation", "What it learned of this language", "This language", content)


def _lead(facts: AdaptationFacts) -> str:
    known = len(facts.universal.order.languages)
    names = [name for name, _ in facts.order.nearest]
    said = (
        f"It started from a universal grammar of {known} languages, which knows which tags head which, and learned on "
        f"which side they stand here. {facts.order.changed:.0%} of all children stand on another side than in the mean "
        f"of those languages. By its order it is most like {names[0]}"
    )
    said += f", then {' and '.join(names[1:3])}." if len(names) > 1 else "."
    if facts.likeness is not None:
        said += (
            f" Of the words of {facts.read:,} sentences of the file, {facts.likeness.changed:.1%} have another head "
            "than in the universal order."
        )
        if facts.likeness.agreement is not None:
            outcome = "joined the committee" if facts.likeness.joined else "was left out"
            said += (
                f" A grammar that the text alone has taught agrees with the one that other languages have taught in "
                f"{facts.likeness.agreement:.0%} of the words, and {outcome}."
            )
    return said


def _changes(facts: AdaptationFacts) -> str:
    rows = [
        [str(one), _percent(one.before), Bar(f"{100 * one.mean:.0f}", one.mean, "pale"), f"{100 * one.share:.1f}"]
        for one in facts.order.shifts(CHANGES_TOLD)
    ]
    caption = f"What differs most from the mean of all languages, in percent. {BEFORE}"
    return table(["order", "here", "in the mean", "of all children"], rows, caption)


def _nearest(facts: AdaptationFacts) -> str:
    likelihoods = {} if facts.likeness is None else dict(facts.likeness.nearest)
    rows = []
    for name, share in facts.order.nearest[:NEAREST_TOLD]:
        row: list[str | Bar] = [name, Bar(f"{100 * share:.0f}", share)]
        rows.append([*row, *([f"{likelihoods[name]:.2f}".replace("-", "\N{MINUS SIGN}")] if likelihoods else [])])
    columns = ["language", "same side, %", *(["log-likelihood of a word"] if likelihoods else [])]
    caption = "The most similar of the known languages: how many children stand on the same side"
    if likelihoods:
        caption += ", and how probable a word of the file is by the rules of that language"
    return table(columns, rows, caption)
