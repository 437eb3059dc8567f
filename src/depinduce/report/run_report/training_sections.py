"""The parts of a report about the training: settings and knowledge, and learning curves."""

from __future__ import annotations

import math
from collections.abc import Iterator

from depinduce.report.curves import Series, line_chart
from depinduce.report.run_report.elements import Section, bullets, figure, grid, paragraph, subtitle, table, unfold
from depinduce.report.run_report.training_facts import Round, RungFacts, SettingFact, TrainingFacts

IN_PAGE = {"alone": False, "width": 470, "height": 330}  # pixels: two charts find room side by side


def settings_section(training: TrainingFacts) -> Section:
    changed = [fact for fact in training.settings if fact.changed or fact.name == "model"]
    others = [fact for fact in training.settings if fact not in changed]
    content = [bullets(training.knowledge)]
    if not training.rungs and training.model is None:
        content.append(paragraph("The model does not remember how it was trained.", "note"))
    if changed:
        title = f"Settings that differ from the defaults of {training.model}"
        content.append(unfold(title, _settings_table(changed, "All other settings have their defaults.")))
    content.append(
        unfold(
            "All other settings", _settings_table(others, "These have their defaults, or change nothing in the result.")
        )
    )
    return Section("settings", "What it was told, and how it was trained", "Settings", content)


def _settings_table(settings: list[SettingFact], caption: str) -> str:
    rows = [[fact.name, fact.value, fact.default or "", fact.meaning] for fact in settings]
    return table(["setting", "value", "default", "what it is"], rows, caption, "words settings")


# ---------------------------------------------------------------- learning curves


def curves_section(training: TrainingFacts) -> Section:
    title, short = "How it learned", "Learning curves"
    if not any(rung.members for rung in training.rungs):
        missing = "The model remembers nothing of its training, so there are no curves to draw."
        return Section("curves", title, short, [paragraph(missing, "note")])
    content = [paragraph(_lead(training))]
    if len(training.rungs) > 1:
        content.append(paragraph(_one_after_the_other(training.rungs)))
    for rung in training.rungs:
        if len(training.rungs) > 1:
            content.append(subtitle(_name(rung)))
        if growing := _growing(rung):
            content.append(paragraph(growing, "note"))
        content.append(grid(figure(chart) for chart in _charts(rung, training)))
    return Section("curves", title, short, content)


def _one_after_the_other(rungs: list[RungFacts]) -> str:
    parts = list(dict.fromkeys(rung.part for rung in rungs))
    if len(parts) > 1:
        return (
            f"Grammars were trained one after the other ({', '.join(parts)}), the last from the trees on which those "
            "before agree. A grammar of second order has models below it, each from the trees of the one before."
        )
    names = ", ".join(rung.model for rung in rungs)
    return f"Models were trained one after the other ({names}), each from the trees of the one before."


def _lead(training: TrainingFacts) -> str:
    lead = (
        "The log-likelihood of a sentence says how probable the grammar finds it, over all its trees: higher is better."
    )
    if training.held_out:
        lead += " The dashed line is of held-out sentences, which tell when to stop."
    if training.poolings:
        lead += (
            f" {training.poolings} times all languages have pooled which tags head which. Each time every language "
            "then learns its order anew, from children on either side alike: so the curve falls, and rises again."
        )
    if training.watched:
        lead += " The attachment score on gold trees was watched and decided nothing."
    return lead


def _name(rung: RungFacts) -> str:
    return rung.model if len(rung.members) == 1 else f"{rung.model}: {len(rung.members)} members, a line for each"


def _growing(rung: RungFacts) -> str:
    """What to say if the first epochs saw only short sentences."""
    rounds = [(one.number, one.max_length) for member in rung.members for one in member if one.max_length is not None]
    lengths = {longest for _, longest in rounds}
    if len(lengths) < 2:
        return ""
    first = next(number for number, longest in rounds if longest == max(lengths))
    return (
        f"Before epoch {first} it learned from short sentences only, first of up to {min(lengths)} words. Their "
        "likelihoods cannot be compared with those of longer ones, and are left out."
    )


def _charts(rung: RungFacts, training: TrainingFacts) -> Iterator[str]:
    longest = max((one.max_length or 0 for member in rung.members for one in member), default=0)
    lines: list[Series] = []
    for number, member in enumerate(rung.members):
        whole = [(one.number, one.train) for one in member if (one.max_length or 0) == longest]
        lines += _line("training", number, whole, 0)
        lines += _line("held out", number, [(one.number, one.dev) for one in member if one.dev is not None], 1)
    if lines:
        yield line_chart(
            f"Log-likelihood, {rung.model}",
            training.round_name,
            "log-likelihood per sentence",
            lines,
            _ends(lines),
            **IN_PAGE,
        )
    names = list(dict.fromkeys(name for member in rung.members for one in member for name in one.watched))
    scores = [
        series
        for colour, name in enumerate(names)
        for number, member in enumerate(rung.members)
        for series in _line(_watched(name), number, _points(member, name), colour)
    ]
    if scores:
        title = f"Watched attachment score, {rung.model}"
        yield line_chart(title, training.round_name, "UAS (%)", scores, _ends(scores), **IN_PAGE)


def _line(what: str, number: int, points: list[tuple[int, float]], colour: int) -> list[Series]:
    """The line of one member, if there is anything to draw; members look alike, and the legend names the first."""
    points = [(x, y) for x, y in points if math.isfinite(y)]
    return [Series(what, points, colour, dashed=colour == 1, in_legend=number == 0)] if points else []


def _points(member: list[Round], name: str) -> list[tuple[int, float]]:
    return [(one.number, one.watched[name]) for one in member if name in one.watched]


def _watched(name: str) -> str:
    return f"≤{name.removeprefix('uas_')} words"


def _ends(lines: list[Series]) -> str:
    """The curves in words."""
    told = [f"{one.name}: from {one.points[0][1]:.2f} to {one.points[-1][1]:.2f}" for one in lines if one.in_legend]
    return "; ".join(told)
