"""What a reader should know first, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

from depinduce.evaluation.tables import share_text
from depinduce.report.run_report.facts import Facts
from depinduce.report.run_report.file_facts import FileFacts
from depinduce.report.run_report.training_facts import TrainingFacts

BASELINES_IN_WORDS = {
    "next word": "every word hangs on the next one",
    "previous word": "every word hangs on the one before",
    "random projective tree": "trees are drawn at random",
}


def summary(facts: Facts) -> str:
    return " ".join([*_about_training(facts.training), *_about_file(facts.file), *_about_seeds(facts)])


def _about_training(training: TrainingFacts) -> Iterator[str]:
    named = "" if training.model is None else f" ({training.model})"
    yield f"This is {training.kind}{named}: {training.sees}."
    if training.sentences is not None:
        longest = f" of up to {training.longest} words" if training.longest else ""
        from_what = "words and their tags" if training.sees_words else "tags"
        start = "it started from the trees of a file" if training.from_trees else "nobody showed it a tree"
        start = f"it was shown the trees of {training.trees:,} of them" if training.trees else start
        languages = f", in {len(training.languages)} languages" if len(training.languages) > 1 else ""
        yield (
            f"It was learned from {training.sentences:,} sentences{longest}, {training.words:,} words in all"
            f"{languages}: it saw {from_what}, and {start}."
        )
    if training.non_heads:
        yield f"It was told that these have no children: {' '.join(training.non_heads)}."
    if training.rules is not None:
        yield f"It was given the rules {training.rules}, which most dependencies should match."


def _about_file(file: FileFacts | None) -> Iterator[str]:
    if file is None:
        yield "No file was given to try it on: --gold FILE would show how good its trees are."
        return
    words = f"{len(file.tags):,} words of {file.name}"
    if file.posteriors is not None:
        yield (
            f"The arcs that it chose for the {words} have a mean probability of {file.posteriors.mean():.2f}. "
            "How good they are only gold trees could tell."
        )
    if file.scores is not None:
        baseline = file.best_baseline
        yield (
            f"Of the {words}, {share_text(file.scores.uas)} % get the right head; the best of the trivial baselines "
            f"({BASELINES_IN_WORDS.get(baseline, baseline)}) finds it for {share_text(file.baselines[baseline].uas)} %."
        )


def _about_seeds(facts: Facts) -> Iterator[str]:
    if facts.seeds is None:
        return
    kept = next((line.seed for line in facts.seeds.lines if line.kept), None)
    likelihood = "held-out" if facts.seeds.by == "dev" else "training"
    yield (
        f"{len(facts.seeds.lines)} trainings differed only in their seed; this one, seed {kept}, has the highest "
        f"{likelihood} likelihood."
    )
    scores = facts.seeds.mean_and_sd("all")
    if scores is not None and len(facts.seeds.column("all")) > 1:
        yield f"Over all seeds the score is {scores[0]:.1f} ± {scores[1]:.1f} %."


def tiles(facts: Facts) -> list[tuple[str, str]]:
    """The most important numbers, each with what it is."""
    training, file = facts.training, facts.file
    shown = []
    if file is not None and file.scores is not None:
        shown += [
            (f"{share_text(file.scores.uas)} %", "of the words have the right head (UAS)"),
            (f"{share_text(file.baselines[file.best_baseline].uas)} %", f"for the best baseline: {file.best_baseline}"),
            (f"{share_text(file.scores.root_accuracy)} %", "of the sentences have the right root"),
        ]
    elif file is not None and file.posteriors is not None:
        shown += [
            (f"{file.posteriors.mean():.2f}", "mean probability of its arcs"),
            (f"{len(file.lengths):,}", f"sentences of {file.name}"),
        ]
    if training.sentences is not None:
        shown.append((f"{training.sentences:,}", "training sentences"))
    if len(training.languages) > 1:
        shown.append((str(len(training.languages)), "languages"))
    if training.seconds is not None:
        shown.append((_duration(training.seconds), "of training"))
    return shown


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s" if seconds >= 1 else "< 1 s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
