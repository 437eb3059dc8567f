"""The experiments on the Wall Street Journal, and the files that they need: made from a Penn Treebank or its sample.

On WSJ the paper starts from the parses of HDP-DEP. Trainings that start elsewhere say so. Over tags our recipes are the
paper's; over words theirs stand beside ours, and `paper-wsj-lexical` is to the paper what `wsj-lexical` is to us.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from depinduce.corpus.penn import PennSettings, convert, write_splits
from depinduce.corpus.penn.sections import as_choice, find_sections
from depinduce.errors import DepinduceError
from depinduce.experiments.experiment import CURVE_EPOCHS, CURVE_SEEDS, EM, NO_SKIP, SEPARATE, Experiment
from depinduce.files import atomic_file, write_file

NAME = "wsj"  # in the place of a language
LENGTHS = ("10", "all")
FROM_HARMONIC = {"init": ("harmonic",), "start_trees": "best"}
FROM_HDP_DEP = {"init": ("hdp-dep", "penn")}
CURVE = {"epochs": CURVE_EPOCHS, "patience": CURVE_EPOCHS, "ladder": ()}  # from the parses of HDP-DEP at once
SAMPLE_TRAIN = "conll2000_unlabelled.conllu"
TRIAL_SEEDS = 3
TRIED = {  # what the released program does and the paper does not say: is it why joint training gains nothing here?
    "": ("as in the recipe", {}),
    "-heads": ("dropout of heads", {"dropout_of": "heads"}),
    "-folded": ("numbers folded", {"fold_numbers": True}),
    "-heads-folded": ("dropout of heads, numbers folded", {"dropout_of": "heads", "fold_numbers": True}),
}

_on_wsj = partial(Experiment, languages=(NAME,), lengths=LENGTHS)
_curve = partial(_on_wsj, most_seeds=CURVE_SEEDS, watched=True)
_trial = partial(_on_wsj, most_seeds=TRIAL_SEEDS, split="dev")
WSJ = {
    "wsj-dmv": _on_wsj("wsj-dmv", "count DMV, harmonic start"),
    "wsj-dmv-rules": _on_wsj("wsj-dmv", "the same with the universal rules", {"rules": "penn"}),
    "wsj-hdp-dep": _on_wsj("wsj-hdp-dep", "HDP-DEP with the universal rules: where the others start"),
    "wsj-hdp-dep-english": _on_wsj("wsj-hdp-dep", "HDP-DEP with the English rules", {"rules": "english"}),
    "wsj-hdp-dep-no-rules": _on_wsj("wsj-hdp-dep", "HDP-DEP without rules", {"rules": None}),
    "wsj-hdp-dep-no-split": _on_wsj("wsj-hdp-dep", "HDP-DEP with one subsymbol only", {"subsymbols": 1}),
    "wsj-jiang-ndmv": _on_wsj("wsj-jiang-ndmv", "NDMV of Jiang et al., harmonic start"),
    "wsj-jiang-e-ndmv": _on_wsj("wsj-jiang-e-ndmv", "the same with child valence, the neural E-DMV"),
    "wsj-jiang-ndmv-hdp": _on_wsj("wsj-jiang-ndmv", "the former from the parses of HDP-DEP", FROM_HDP_DEP),
    "wsj-jiang-e-ndmv-hdp": _on_wsj("wsj-jiang-e-ndmv", "the neural E-DMV from the parses of HDP-DEP", FROM_HDP_DEP),
    "wsj-ndmv": _on_wsj("wsj-ndmv", "NDMV"),
    "wsj-sibling": _on_wsj("wsj-sibling", "sibling-NDMV"),
    "wsj-grand": _on_wsj("wsj-grand", "grand-NDMV"),
    "wsj-lexical": _on_wsj("wsj-lexical", "L-NDMV"),
    "wsj-lexical-sibling": _on_wsj("wsj-lexical-sibling", "lexicalised sibling-NDMV"),
    "wsj-lexical-grand": _on_wsj("wsj-lexical-grand", "lexicalised grand-NDMV"),
    "wsj-joint-sibling": _on_wsj("wsj-joint-sibling", "sibling-NDMV and L-NDMV, trained to agree"),
    "wsj-joint-grand": _on_wsj("wsj-joint-grand", "grand-NDMV and L-NDMV, trained to agree"),
    "wsj-separate-sibling": _on_wsj("wsj-joint-sibling", "the first of these, each trained for itself", SEPARATE),
    "wsj-ndmv-harmonic": _on_wsj("wsj-ndmv", "NDMV, harmonic start", FROM_HARMONIC),
    "wsj-lexical-harmonic": _on_wsj("wsj-lexical", "L-NDMV, harmonic start", FROM_HARMONIC),
    "wsj-sibling-harmonic": _on_wsj("wsj-sibling", "sibling-NDMV, harmonic start", FROM_HARMONIC),
    "wsj-sibling-no-skip": _on_wsj("wsj-sibling", "sibling without skip connections", NO_SKIP),
    "wsj-grand-no-skip": _on_wsj("wsj-grand", "grand without skip connections", NO_SKIP),
    "wsj-joint-sibling-no-skip": _on_wsj("wsj-joint-sibling", "joint-sibling without skip connections", NO_SKIP),
    "wsj-joint-grand-no-skip": _on_wsj("wsj-joint-grand", "joint-grand without skip connections", NO_SKIP),
    "wsj-sibling-em": _on_wsj("wsj-sibling", "sibling by EM instead of DMO", EM),
    "wsj-grand-em": _on_wsj("wsj-grand", "grand by EM", EM),
    "wsj-joint-sibling-em": _on_wsj("wsj-joint-sibling", "joint-sibling by product EM", EM),
    "wsj-joint-grand-em": _on_wsj("wsj-joint-grand", "joint-grand by product EM", EM),
    "paper-wsj-lexical": _on_wsj("paper-wsj-lexical", "L-NDMV as published"),
    "paper-wsj-lexical-sibling": _on_wsj("paper-wsj-lexical-sibling", "lexicalised sibling-NDMV as published"),
    "paper-wsj-lexical-grand": _on_wsj("paper-wsj-lexical-grand", "lexicalised grand-NDMV as published"),
    "paper-wsj-joint-sibling": _on_wsj("paper-wsj-joint-sibling", "joint-sibling as published"),
    "paper-wsj-joint-grand": _on_wsj("paper-wsj-joint-grand", "joint-grand as published"),
    "paper-wsj-separate-sibling": _on_wsj(
        "paper-wsj-joint-sibling", "parts of joint-sibling so, each for itself", SEPARATE
    ),
    "paper-wsj-joint-sibling-no-skip": _on_wsj(
        "paper-wsj-joint-sibling", "joint-sibling so, without skip connections", NO_SKIP
    ),
    "paper-wsj-joint-grand-no-skip": _on_wsj("paper-wsj-joint-grand", "joint-grand so, without them", NO_SKIP),
    "paper-wsj-joint-sibling-em": _on_wsj("paper-wsj-joint-sibling", "joint-sibling so, by product EM", EM),
    "paper-wsj-joint-grand-em": _on_wsj("paper-wsj-joint-grand", "joint-grand so, by product EM", EM),
    **{
        f"wsj-try-{way}{name}": _trial("wsj-joint-sibling", f"{trained}, dev: {about}", changes | agreement)
        for way, trained, agreement in (("joint", "joint-sibling", {}), ("separate", "separately", SEPARATE))
        for name, (about, changes) in TRIED.items()
    },
    "wsj-curve-dmo": _curve("wsj-joint-sibling", "joint-sibling, every epoch scored (figures)", CURVE),
    "wsj-curve-em": _curve("wsj-joint-sibling", "the same by product EM", CURVE | EM),
}


def prepare(
    out: Path,
    treebank: str | None,
    sample: str | None,
    report: Callable[[Path, int, int], None] = lambda path, done, total: None,
) -> Path:
    """Convert the user's treebank, or the sample, to `out/data`, unless it is there; gives that directory.

    treebank: an LDC directory, sections 2-21, 22 and 23; sample: a directory with mrg/00 (dev), mrg/01 (test) and
    sentences with automatic tags to learn from
    """
    data = out / "data"
    files = [data / NAME / f"{split}.conllu" for split in ("train", "dev", "test")]
    place = Path(treebank or sample or ".")
    source = str(place.resolve())
    made_from = data / "source.txt"
    if all(path.is_file() for path in (*files, made_from)):
        earlier = made_from.read_text(encoding="utf-8")
        if earlier != source:
            raise DepinduceError(
                f"{data}: made from {earlier}, not from {source}. Choose another --out, or delete {data} if it moved."
            )
        return data
    learn_from = None
    if treebank is not None:
        _require_all_sections(treebank)
        splits = convert(treebank, PennSettings(), report)
    else:
        learn_from = place / SAMPLE_TRAIN
        if not learn_from.is_file():
            raise DepinduceError(f"{learn_from}: no such file. --sample names a directory with it, mrg/00 and mrg/01.")
        settings = PennSettings(train_sections=(), dev_sections=("0",), test_sections=("1",))
        splits = convert(place / "mrg", settings, report)
    write_file(data / ".gitignore", "# not ours to pass on\n*\n")
    write_splits(splits, data / NAME)
    if learn_from is not None:
        with atomic_file(files[0]) as copy, open(learn_from, "rb") as sentences:
            shutil.copyfileobj(sentences, copy)
    write_file(made_from, source)  # the last, so that what is half done is done again
    return data


def _require_all_sections(treebank: str) -> None:
    missing = [section for section in range(2, 24) if section not in find_sections(treebank)]
    if missing:
        raise DepinduceError(
            f"--ptb {treebank}: sections {as_choice(missing)} are missing; the paper learns from sections 2-21 and "
            "scores 22 and 23. Name a directory with all of them."
        )
