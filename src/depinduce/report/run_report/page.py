"""The report as one HTML page that needs nothing from outside."""

from __future__ import annotations

from collections.abc import Iterator

from depinduce import __version__
from depinduce.evaluation.scores import LENGTH_CUTS
from depinduce.evaluation.tables import cut_label, share_text
from depinduce.insight.inspection import Inspection
from depinduce.insight.texts import (
    ORDERS,
    about_head,
    about_roots,
    child_statement,
    is_rare,
    number_text,
    title_of,
)
from depinduce.report import curves, svg_style
from depinduce.report.html_page import PAGE_END, page_begin, text
from depinduce.report.run_report import round_sections, style
from depinduce.report.run_report.elements import Bar, Section, paragraph, side_by_side, subtitle, table, unfold
from depinduce.report.run_report.facts import Facts
from depinduce.report.run_report.file_sections import corpus_section, file_sections, trees_section
from depinduce.report.run_report.language_sections import adaptation_section, languages_section
from depinduce.report.run_report.round_sections import rounds_section
from depinduce.report.run_report.seed_facts import SeedFacts
from depinduce.report.run_report.summary import summary, tiles
from depinduce.report.run_report.training_sections import curves_section, settings_section

RULES_TOLD = 15  # the most used ones
RULES_OF_A_HEAD = 5  # of each kind
HEADS_TOLD = 20


def report_page(facts: Facts) -> Iterator[str]:
    """The page in pieces."""
    sections = [
        settings_section(facts.training),
        corpus_section(facts.training, facts.file, facts.learned),
        curves_section(facts.training),
        *([] if facts.rounds is None else [rounds_section(facts.rounds)]),
        *([] if facts.languages is None else [languages_section(facts.languages)]),
        *([] if facts.adaptation is None else [adaptation_section(facts.adaptation)]),
        *file_sections(facts.file),
        rules_section(facts),
        *([] if facts.file is None else [trees_section(facts.file)]),
        *([] if facts.seeds is None else [seeds_section(facts.seeds)]),
    ]
    styles = [style.STYLE, svg_style.STYLE, curves.STYLE, *([] if facts.rounds is None else [round_sections.STYLE])]
    yield page_begin(f"{facts.name}: a report", *styles)
    links = "".join(f'<a href="#{section.name}">{text(section.short)}</a>' for section in sections)
    yield f'<nav aria-label="contents"><div>{links}</div></nav>\n'
    shown = "".join(f"<li><b>{text(number)}</b><span>{text(what)}</span></li>" for number, what in tiles(facts))
    yield f"""<header>
<p class="eyebrow">depinduce {text(__version__)}, report of a grammar</p>
<h1>{text(facts.name)}</h1>
<p class="summary">{text(summary(facts))}</p>
{f'<ul class="tiles">{shown}</ul>' if shown else ""}
</header>
<main>
"""
    for section in sections:
        yield section.html()
    scripts = style.SCRIPT if facts.rounds is None else style.SCRIPT + round_sections.SCRIPT
    yield f"</main>\n{scripts}{PAGE_END}"


# ---------------------------------------------------------------- rules


def rules_section(facts: Facts) -> Section:
    title, short = "The strongest rules, in words", "Rules"
    if facts.rules is None:
        return Section("rules", title, short, [paragraph(facts.about_rules, "note")])
    inspection = facts.rules
    content = [paragraph(facts.about_rules)] if facts.about_rules else []
    content.append(
        paragraph(
            f"It is {ORDERS[inspection.order]}. The probability of “NOUN takes DET on its left” is the share of DET "
            "among the children on the left of NOUN."
        )
    )
    roots = [[one.words, Bar(number_text(one.probability), one.probability)] for one in about_roots(inspection, 5)]
    root_table = table(["root", "probability"], roots, "What a sentence hangs on")
    content += [side_by_side([_most_used(inspection), root_table]), subtitle("Head by head")]
    heads = [head for head in inspection.heads if not is_rare(head, inspection)]
    for head in heads[:HEADS_TOLD]:
        rows = [
            [one.words, Bar(number_text(one.probability), one.probability), one.more.strip(" ,()")]
            for one in about_head(head, inspection, RULES_OF_A_HEAD)
        ]
        rules = table(["rule", "probability", "beside it"], rows, f"Rules of {head.tag}", "words quiet")
        content.append(unfold(title_of(head), rules))
    left_out = [head.tag for head in inspection.heads if head not in heads[:HEADS_TOLD]]
    if left_out:
        content.append(paragraph(f"Left out, for they have few children: {' '.join(left_out)}.", "note"))
    return Section("rules", title, short, content)


def _most_used(inspection: Inspection) -> str:
    """The rules that a sentence uses the most often, whatever their head."""
    used = [
        (rule.uses, child_statement(head, side, rule))
        for head in inspection.heads
        for side in head.sides
        for rule in side.children
    ]
    used = sorted((pair for pair in used if pair[0] > 0), key=lambda pair: -pair[0])[:RULES_TOLD]
    if not used:
        return ""
    rows = [
        [statement.words, Bar(number_text(statement.probability), statement.probability), f"{uses:.2f}"]
        for uses, statement in used
    ]
    caption = "The rules that a sentence of this grammar uses the most often"
    return table(["rule", "probability", "times in a sentence"], rows, caption)


# ---------------------------------------------------------------- seeds


def seeds_section(seeds: SeedFacts) -> Section:
    which = "held-out" if seeds.by == "dev" else "training"
    lead = (
        "The same training began with different random numbers. Kept was the model with the highest "
        f"{which} log-likelihood; scores had no say."
    )
    names = {"train": "training log-likelihood", "dev": "held-out log-likelihood"}
    names |= {cut: f"UAS {cut_label(cut)}" for cut in LENGTH_CUTS}
    means = {name: found for name in names if (found := seeds.mean_and_sd(name)) is not None}
    names = {name: names[name] for name in means}
    rows = []
    for line in seeds.lines:
        known = {"train": line.train, "dev": line.dev} | (line.scores or {})
        mark = "kept" if line.kept else ""
        rows.append([f"seed {line.seed}", *(_number(known.get(name), name) for name in names), mark])
    rows.append(
        ["mean ± sd", *(f"{_number(mean, name)} ± {_number(sd, name)}" for name, (mean, sd) in means.items()), ""]
    )
    content = [paragraph(lead), table(["", *names.values(), ""], rows, "Every seed", "sum")]
    content += _agreement(seeds)
    return Section("seeds", "Seeds compared", "Seeds", content)


def _agreement(seeds: SeedFacts) -> list[str]:
    told = []
    missing = [line.seed for line in seeds.lines if line.seed not in seeds.seeds_parsed]
    if seeds.agreement is not None and seeds.mean_agreement is not None:
        labels = [f"seed {seed}" for seed in seeds.seeds_parsed]
        rows = [
            [label, *(Bar(f"{100 * share:.1f}", share, "pale") for share in row)]
            for label, row in zip(labels, seeds.agreement.tolist(), strict=True)
        ]
        caption = f"Words on whose head two seeds agree, in percent; {100 * seeds.mean_agreement:.1f} on average"
        told.append(table(["", *labels], rows, caption))
    elif seeds.agreement is None:
        told.append(paragraph("How far their trees agree can be told of a file: name one with --gold.", "note"))
    if missing and seeds.agreement is not None:
        names = " ".join(map(str, missing))
        told.append(paragraph(f"The models of these seeds are no longer there: {names}.", "note"))
    return told


def _number(value: float | None, name: str) -> str:
    if value is None:
        return "–"
    return share_text(value) if name in LENGTH_CUTS else f"{value:.3f}".replace("-", "\N{MINUS SIGN}")
