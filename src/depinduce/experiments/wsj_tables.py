"""The paper's tables 1, 4 and 5 on the Wall Street Journal, with our numbers beside the printed ones."""

from __future__ import annotations

from depinduce.evaluation.tables import Table
from depinduce.experiments.results import Results, paper_numbers
from depinduce.experiments.ud_tables import QUOTED, Captioned, both_lengths, both_likelihoods, knowledge_used, title_of
from depinduce.experiments.wsj import NAME

TABLE_1 = {  # rows: the experiment, and its name in the paper if it is there
    "DMV": ("wsj-dmv", "DMV"),
    "DMV with rules": ("wsj-dmv-rules", None),
    "HDP-DEP without rules": ("wsj-hdp-dep-no-rules", None),
    "HDP-DEP, one subsymbol": ("wsj-hdp-dep-no-split", None),
    "HDP-DEP": ("wsj-hdp-dep", "HDP-DEP"),
    "HDP-DEP, English rules": ("wsj-hdp-dep-english", None),
    "NDMV": ("wsj-ndmv", "Neural DMV"),
    "L-NDMV": ("wsj-lexical", "L-NDMV"),
    "grand-NDMV": ("wsj-grand", "grand-NDMV"),
    "sibling-NDMV": ("wsj-sibling", "sibling-NDMV"),
    "lexicalised grand-NDMV": ("wsj-lexical-grand", "lexicalised grand-NDMV"),
    "lexicalised sibling-NDMV": ("wsj-lexical-sibling", "lexicalised sibling-NDMV"),
    "joint grand-NDMV + L-NDMV": ("wsj-joint-grand", "joint grand-NDMV + L-NDMV"),
    "joint sibling-NDMV + L-NDMV": ("wsj-joint-sibling", "joint sibling-NDMV + L-NDMV"),
}
STARTS = {
    "NDMV": ("wsj-ndmv", "wsj-ndmv-harmonic"),
    "sibling-NDMV": ("wsj-sibling", "wsj-sibling-harmonic"),
}
TABLE_4 = {  # by DMO, by DMO without skip connections, by EM
    "sibling-NDMV": ("wsj-sibling", "wsj-sibling-no-skip", "wsj-sibling-em"),
    "grand-NDMV": ("wsj-grand", "wsj-grand-no-skip", "wsj-grand-em"),
    "sibling-NDMV + L-NDMV": ("wsj-joint-sibling", "wsj-joint-sibling-no-skip", "wsj-joint-sibling-em"),
    "grand-NDMV + L-NDMV": ("wsj-joint-grand", "wsj-joint-grand-no-skip", "wsj-joint-grand-em"),
}
WAYS = ("DMO", "DMO, no skip connections", "EM")
TABLE_5 = {"separate": ("separately", "wsj-separate-sibling"), "joint": ("jointly", "wsj-joint-sibling")}
PARSED_BY = {"L-NDMV": "words", "sibling-NDMV": "tags", "both": None}  # the part of the model
UAS = "UAS (%), ≤10 words / all"


def wsj_tables(results: Results) -> list[Captioned]:
    """All tables, of whatever is there."""
    return [table_1(results), harmonic_table(results), table_4(results), table_4_likelihood(results), table_5(results)]


def table_1(results: Results) -> Captioned:
    """All models."""
    paper = paper_numbers("wsj")["table1"]
    rows = [
        [name, *_decoded(results, experiment), _quoted(paper.get(quoted)), results.knowledge(experiment)]
        for name, (experiment, quoted) in TABLE_1.items()
    ]
    columns = ["", "Viterbi", "minimum Bayes risk", "quoted", "knowledge used"]
    notes = [
        f"{QUOTED} HDP-DEP there uses English rules, and so do the rows that start from it, from L-NDMV on; its NDMV "
        "does not start from it.",
        f"Ours, NDMV and all below, start from {_start(results)}, the joint models by way of their second-order part. "
        "HDP-DEP itself always parses by minimum Bayes risk. Words have random vectors, and one seen less than five "
        "times is taken for its tag; in the paper, fastText vectors, and twice.",
    ]
    return Captioned(Table(title_of(results, f"Table 1, {UAS}"), columns, rows), notes)


def harmonic_table(results: Results) -> Captioned:
    """What the start is worth, section 5.4."""
    paper = paper_numbers("wsj")["harmonic"]
    rows = [
        [name, *(both_lengths(results, experiment, NAME) for experiment in pair), _quoted(paper[name])]
        for name, pair in STARTS.items()
    ]
    columns = ["", f"from {_start(results)}", "from the harmonic grammar", "the latter, ≤10, quoted"]
    used = {f"{name}, {column}": experiment for name, pair in STARTS.items()
            for column, experiment in zip(columns[1:], pair, strict=False)}  # fmt: skip
    return Captioned(
        Table(title_of(results, f"Section 5.4, {UAS}"), columns, rows), [QUOTED, knowledge_used(used, results.trees)]
    )


def table_4(results: Results) -> Captioned:
    """Skip connections and training methods: attachment scores."""
    paper = paper_numbers("wsj")["table4"]
    rows = [
        [name]
        + [both_lengths(results, experiment, NAME) for experiment in experiments]
        + [_quoted(numbers[1:]) for numbers in paper[name]]
        for name, experiments in TABLE_4.items()
    ]
    return Captioned(Table(title_of(results, f"Table 4, {UAS}"), _columns_4(), rows), [QUOTED, _known_4(results)])


def table_4_likelihood(results: Results) -> Captioned:
    """Skip connections and training methods: log-likelihoods."""
    paper = paper_numbers("wsj")["table4"]
    rows = [
        [name]
        + [both_likelihoods(results, experiment, NAME) for experiment in experiments]
        + [str(numbers[0]) for numbers in paper[name]]
        for name, experiments in TABLE_4.items()
    ]
    notes = [
        "Mean per training and per dev sentence of up to 10 words under the model that was kept. Which of the two the "
        "paper prints it does not say. Of joint models: log Σ p₀p₁, of the product of both parts.",
        "Quoted: as the paper prints it.",
        _known_4(results),
    ]
    title = title_of(results, "Table 4, log-likelihood, train / dev", "mean", False)
    return Captioned(Table(title, _columns_4(), rows), notes)


def table_5(results: Results) -> Captioned:
    """Trained separately or jointly, parsed by one part or by both."""
    paper = paper_numbers("wsj")["table5"]
    rows = [
        [way]
        + [both_lengths(results, experiment, NAME, part=part) for part in PARSED_BY.values()]
        + [_quoted(numbers) for numbers in paper[key]]
        for key, (way, experiment) in TABLE_5.items()
    ]
    columns = ["trained", *(f"by {name}" for name in PARSED_BY), *(f"by {name}, quoted" for name in PARSED_BY)]
    known = knowledge_used(dict(TABLE_5.values()), results.trees)
    return Captioned(Table(title_of(results, f"Table 5, {UAS}"), columns, rows), [QUOTED, known])


def _decoded(results: Results, experiment: str) -> list[str]:
    return [both_lengths(results, experiment, NAME, decoder) for decoder in ("viterbi", "mbr")]


def _columns_4() -> list[str]:
    return ["", *WAYS, *(f"{way}, quoted" for way in WAYS)]


def _known_4(results: Results) -> str:
    return knowledge_used({name: experiments[0] for name, experiments in TABLE_4.items()}, results.trees)


def _start(results: Results) -> str:
    return "the parses of HDP-DEP" if results.trees is None else f"the trees of {results.trees}"


def _quoted(numbers: list[float] | None) -> str:
    """The numbers of the paper: up to 10 words, then all. A dash where it has only the first, nothing without both."""
    if numbers is None:
        return ""
    return " / ".join(map(str, numbers)) + (" / –" if len(numbers) == 1 else "")
