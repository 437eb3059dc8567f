"""The systems that the paper compares with: what was published, and what comes out here."""

from __future__ import annotations

from depinduce.evaluation.tables import Table
from depinduce.experiments.compared import OWN_START, STARTS, SYSTEMS, System, start_name
from depinduce.experiments.results import AVERAGE, Results, paper_numbers, recorded
from depinduce.experiments.ud import DEVELOPMENT, LANGUAGES
from depinduce.experiments.ud_tables import QUOTED, Captioned, both_lengths, knowledge_used, name_of, title_of
from depinduce.experiments.wsj import NAME
from depinduce.experiments.wsj_tables import quoted_numbers

DECODERS = {"viterbi": "Viterbi", "mbr": "minimum Bayes risk"}
SEEDS_TOLD = (
    "Systems without anything random (one start, all sentences at once) have one seed; everything has one without the "
    "constraint."
)


def compared_tables(results: Results) -> list[Captioned]:
    """All tables, of whatever is there."""
    return [
        overview(results),
        *(by_language(results, decoder) for decoder in DECODERS),
        start_table(results),
    ]


def overview(results: Results) -> Captioned:
    """Every system: as published, on WSJ, and on UD on average."""
    paper = paper_numbers("wsj")["table1"]
    rows = [
        [
            f"{system.name} ({system.whose})",
            quoted_numbers(None if system.row is None else paper[system.row]),
            *(both_lengths(results, system.experiment("wsj"), NAME, decoder) for decoder in DECODERS),
            *(both_lengths(results, system.experiment("ud"), AVERAGE, decoder) for decoder in DECODERS),
            both_lengths(results, system.free, AVERAGE),
            _seconds(results, system),
        ]
        for system in SYSTEMS
    ]
    columns = [
        "",
        "WSJ ≤10 / all, quoted",
        *(f"WSJ, {decoded}" for decoded in DECODERS.values()),
        *(f"UD ≤15 / ≤40, {decoded}" for decoded in DECODERS.values()),
        "UD without the constraint, Viterbi",
        "seconds on UD",
    ]
    known = {f"{system.name} on {on.upper()}": system.experiment(on) for system in SYSTEMS for on in ("wsj", "ud")}
    notes = [
        f"{QUOTED} Seconds: the mean of a training on one language, with scoring, on one core.",
        SEEDS_TOLD,
        knowledge_used(known),
    ]
    title = title_of(results, "Compared systems, UAS (%); UD: average of the languages")
    return Captioned(Table(title, columns, rows), notes)


def by_language(results: Results, decoder: str) -> Captioned:
    """Every system on every language."""
    languages = [language for language in results.languages if language in LANGUAGES]
    rows = [
        [name_of(language), *(both_lengths(results, system.experiment("ud"), language, decoder) for system in SYSTEMS)]
        for language in languages
    ]
    title = title_of(results, f"On UD, {DECODERS[decoder]}, UAS (%), ≤15 / ≤40 words")
    known = {system.name: system.experiment("ud") for system in SYSTEMS}
    return Captioned(
        Table(title, ["", *(system.name for system in SYSTEMS)], rows), [SEEDS_TOLD, knowledge_used(known)]
    )


def start_table(results: Results) -> Captioned:
    """Whether the trees of a system are a better start for the best recipe of ours."""
    experiments = {"the harmonic grammar": OWN_START} | {
        system.name: start_name(system.experiment("ud")) for system in SYSTEMS if system.recipe in STARTS
    }
    rows = [
        [name, *(both_lengths(results, experiment, language, "mbr") for language in DEVELOPMENT)]
        for name, experiment in experiments.items()
    ]
    title = "ud-sibling from the trees of others, minimum Bayes risk, UAS (%), ≤15 / ≤40 words; dev sentences"
    columns = ["starts from", *map(name_of, DEVELOPMENT)]
    notes = ["Never test trees.", knowledge_used(experiments)]
    return Captioned(Table(title, columns, rows), notes)


def _seconds(results: Results, system: System) -> str:
    mean = results.spread(system.experiment("ud"), AVERAGE, recorded("seconds")).mean
    return "" if mean is None else f"{mean:.0f}"
