"""`depinduce report`: every kind of model, and the same numbers as the other commands give."""

from __future__ import annotations

import json
import shutil
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from cli.demo_parts import contents, demo_part, depinduce, depinduce_process, without_heads
from corpus.blocks import write
from report.pages import Page

from depinduce.corpus import load_corpus, read_sentences
from depinduce.evaluation.tables import share_text
from depinduce.labels import plain_labels

SMALL = [
    "--set", "size=8", "child_rank=4", "decision_rank=2", "batch_size=20", "start_epochs=1",
    "--max-length", 8, "--epochs", 2, "--grow-from", 0,
]  # fmt: skip
WORDS = ["--set", "tag_size=5", "word_size=3", "lexical_child_rank=4", "lexical_decision_rank=2"]
OPTIONS = {
    "dmv": ["--iterations", 4],
    "dmv-grand": ["--iterations", 3, "--dev", "test.conllu"],
    "hdp-dep": ["--iterations", 3, "--subsymbols", 2, "--rules", "ud"],
    "sibling": [*SMALL, "--ladder", "ndmv", "--members", 2, "--dev", "test.conllu", "--watch", "test.conllu"],
    "lexical": [*SMALL, *WORDS, "--ladder", "ndmv", "--members", 1],
    "joint-sibling": [*SMALL, *WORDS, "--ladder", "ndmv", "--members", 1],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Sentences to train on and to parse, and the models that were asked for."""
    folder = tmp_path_factory.mktemp("reported")
    demo_part(folder / "train.conllu", count=80)
    test = demo_part(folder / "test.conllu", "test", count=30)
    (folder / "tagged.conllu").write_text(without_heads(test.read_text("utf-8")), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def trained(folder):
    """The directory of a model; it is trained when it is first asked for."""

    def directory(model: str) -> Path:
        if not (folder / model).exists():
            options = [folder / option if str(option).endswith(".conllu") else option for option in OPTIONS[model]]
            command = ["train", "--train", folder / "train.conllu", "--model", model, "--non-heads", "ud"]
            assert depinduce(*command, *options, "--out", folder / model) == 0
        return folder / model

    return directory


@pytest.fixture(scope="module")
def seeds(folder) -> Path:
    """A training of three seeds, all in this process."""

    def one_after_the_other(work, tasks, jobs, on_message):
        return [(number, work(task, lambda message: None)) for number, task in enumerate(tasks)]

    options = ["--model", "ndmv", *SMALL, "--members", 1, "--seeds", "0-2", "--out", folder / "seeds"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("depinduce.learning.seeds.side_by_side", one_after_the_other)
        assert depinduce("train", "--train", folder / "train.conllu", *options) == 0
    return folder / "seeds"


def report(place: Path, tmp_path: Path, *options: object) -> Page:
    assert depinduce("report", place, *options, "-o", tmp_path / "report.html") == 0
    return Page((tmp_path / "report.html").read_text("utf-8"))


def evaluated(place: Path, gold: Path, tmp_path: Path, capsys) -> dict:
    """What the other commands say of the same trees."""
    assert depinduce("parse", place, gold, "-o", tmp_path / "parsed.conllu") == 0
    capsys.readouterr()
    assert depinduce("evaluate", gold, tmp_path / "parsed.conllu", "--baselines", "--json") == 0
    return json.loads(capsys.readouterr().out)


# ---------------------------------------------------------------- every kind of model


@pytest.mark.parametrize("model", OPTIONS)
def test_every_kind_of_model_has_a_report_with_the_scores_of_evaluate(model, folder, trained, tmp_path, capsys):
    gold = folder / "test.conllu"
    page = report(trained(model), tmp_path, "--gold", gold, "-n", 1)
    scores = evaluated(trained(model), gold, tmp_path, capsys)
    assert (
        f"Of the {scores['words']} words of test.conllu, {share_text(scores['uas'])} % get the right head" in page.text
    )
    names = ["settings", "corpus", "curves", "scores", "arcs", "roots", "rules", "trees"]
    assert [name for name in page.ids if name in names] == names
    rules = "\n".join(page.tables)
    assert ("The rules that a sentence" in rules) == (model != "lexical")
    if model == "lexical":
        assert "a grammar over words: it has a rule for every word" in page.text


def test_tables_of_scores_are_those_of_evaluate(folder, trained, tmp_path, capsys):
    gold = folder / "test.conllu"
    page = report(trained("dmv"), tmp_path, "--gold", gold)
    scores = evaluated(trained("dmv"), gold, tmp_path, capsys)
    systems = [scores, *scores["baselines"].values()]
    assert page.table("UAS of the words of each tag")[0][2:] == ["this grammar", *scores["baselines"]]
    for caption, grouping in (("UAS of the words of each tag", "by_tag"), ("UAS of the words by how", "by_arc_length")):
        shown = {row[0]: row[1:] for row in page.table(caption)[1:]}
        assert set(shown) == set(scores[grouping])
        for name, (words, ours, *others) in shown.items():
            group = scores[grouping][name]
            assert (int(words), ours) == (group["words"], shown_share(group["uas"]))
            if grouping == "by_arc_length":
                assert others == [shown_share(system[grouping][name]["uas"]) for system in systems[1:]]
    for row, (name, cut) in zip(page.table("UAS of sentences")[1:], scores["by_length"].items(), strict=True):
        uas = [shown_share(system["by_length"][name]["uas"]) for system in systems]
        others = [shown_share(cut[part]) for part in ("uuas", "root_accuracy", "exact_match")]
        assert row == [f"≤{name}" if name != "all" else name, str(cut["sentences"]), str(cut["words"]), *uas, *others]


def shown_share(value: float | None) -> str:
    return share_text(float("nan") if value is None else value)


def test_rules_are_told_as_inspect_tells_them(trained, tmp_path, capsys):
    page = report(trained("dmv-grand"), tmp_path)
    capsys.readouterr()
    assert depinduce("inspect", trained("dmv-grand")) == 0
    rules = capsys.readouterr().out.split("\n\n", 1)[1].splitlines()
    shown = {row[0]: row[1:] for caption, rows in page.tables.items() if caption.startswith("Rules of") for row in rows}
    shown |= {row[0]: row[1:] for row in page.table("What a sentence hangs on")}
    told = [line.strip() for line in rules if ": 0." in line and not line.startswith("left out")]
    assert len(told) > 20
    for line in told:
        words, number, *_ = line.replace(",", ":").split(": ")
        if "(" in number:
            number, _, more = number.partition(" ")
            assert shown[words][1] == line.partition("(")[2].rstrip(")")
        assert shown[words][0] == number.strip()


def test_neural_trainings_show_every_rung_and_what_was_watched(trained, tmp_path):
    page = report(trained("sibling"), tmp_path)
    labels = [picture.get("aria-label") for picture in page.pictures]
    assert labels == [f"{what}, {model}" for model in ("ndmv", "sibling")
                      for what in ("Log-likelihood", "Watched attachment score")]  # fmt: skip
    assert "ndmv: 2 members, a line for each" in page.text
    assert "Gold trees were watched: scores were recorded after every epoch, and decided nothing." in page.text
    assert "Held" not in page.text and "The dashed line is of held-out sentences" in page.text


def test_the_parts_of_other_models_are_explained(trained, tmp_path):
    assert "the rules of the part over tags" in report(trained("joint-sibling"), tmp_path).text
    hidden = report(trained("hdp-dep"), tmp_path).text
    assert "without the hidden refinements of tags" in hidden
    assert "Rules ud: " in hidden and "80% were wanted" in hidden
    assert "It was given the rules ud, which most dependencies should match." in hidden


def test_a_model_without_the_files_of_its_training_has_a_report(trained, tmp_path):
    shutil.copytree(trained("sibling") / "model", tmp_path / "moved")
    page = report(tmp_path / "moved", tmp_path)
    assert "of training" not in page.text.split("What it was told")[0]
    assert len(page.pictures) == 4


# ---------------------------------------------------------------- files and output


def test_tagged_sentences_need_no_trees(folder, trained, tmp_path):
    for model in ("dmv", "hdp-dep"):
        page = report(trained(model), tmp_path, "--sentences", folder / "tagged.conllu", "-n", 2)
        assert "There were no gold trees to compare with." in page.text
        drawn = [caption for caption in page.captions if "mean probability of an arc" in caption]
        probabilities = [float(caption.rpartition(" ")[2]) for caption in drawn]
        assert len(probabilities) == 4
        assert min(probabilities[:2]) >= max(probabilities[2:])


def test_labels_are_shown_where_the_gold_trees_have_some(folder, trained, tmp_path):
    gold = folder / "test.conllu"
    bare = [tree.render(deprel=plain_labels(tree.heads)) for tree in read_sentences(gold)]
    for path, named in ((gold, True), (write(tmp_path / "bare.conllu", *bare), False)):
        report(trained("dmv"), tmp_path, "--gold", path, "-n", 2)
        assert ('data-label="' in (tmp_path / "report.html").read_text("utf-8")) == named


def test_trees_in_a_file_of_sentences_are_not_looked_at(folder, trained, tmp_path):
    with_trees, without = tmp_path / "with" / "a.conllu", tmp_path / "without" / "a.conllu"
    for path, name in ((with_trees, "test.conllu"), (without, "tagged.conllu")):
        path.parent.mkdir()
        shutil.copy(folder / name, path)
        assert depinduce("report", trained("dmv"), "--sentences", path, "-o", path.with_suffix(".html")) == 0
    assert with_trees.with_suffix(".html").read_bytes() == without.with_suffix(".html").read_bytes()


@pytest.mark.slow
def test_in_a_process_of_its_own_from_stdin_to_stdout(folder, trained, tmp_path):
    gold = (folder / "test.conllu").read_bytes()
    done = depinduce_process("report", trained("dmv"), "--gold", "-", "-o", "-", input=gold, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.endswith(b"wrote the report\n")
    assert "words of standard input" in Page(done.stdout.decode()).text
    assert contents(tmp_path) == {}


def test_the_page_is_report_html_unless_it_has_another_name(trained, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.html").write_text("an older one")
    assert depinduce("report", trained("dmv")) == 0
    assert "wrote report.html" in capsys.readouterr().err
    assert Page((tmp_path / "report.html").read_text("utf-8")).tables
    assert set(contents(tmp_path)) == {"report.html"}


def test_unknown_tags_are_warned_of(folder, trained, tmp_path, capsys):
    text = (folder / "test.conllu").read_text("utf-8").replace("\tDET\t", "\tARTICLE\t")
    (tmp_path / "other.conllu").write_text(text, encoding="utf-8")
    page = report(trained("dmv"), tmp_path, "--gold", tmp_path / "other.conllu")
    assert "tags that training has not seen, parsed like an average tag: ARTICLE" in capsys.readouterr().err
    assert "Tags that training has not seen are parsed like an average tag: ARTICLE." in page.text


# ---------------------------------------------------------------- seeds


@pytest.mark.slow
def test_seeds_are_scored_as_evaluate_does_and_agree_as_their_files_do(folder, seeds, tmp_path, capsys):
    gold = folder / "test.conllu"
    page = report(seeds, tmp_path, "--gold", gold)
    summary = json.loads((seeds / "seeds.json").read_text("utf-8"))
    rows = {row[0]: row[1:] for row in page.table("Every seed")[1:]}
    heads, scores = {}, []
    for line in summary["seeds"]:
        seed = line["seed"]
        found = evaluated(seeds / f"seed-{seed}", gold, tmp_path, capsys)
        heads[seed] = load_corpus(tmp_path / "parsed.conllu", with_heads=True).heads
        likelihood, *uas, mark = rows[f"seed {seed}"]
        assert likelihood == f"{line['train']:.3f}".replace("-", "−")
        assert uas == [shown_share(cut["uas"]) for cut in found["by_length"].values()]
        assert mark == ("kept" if seed == summary["best_seed"] else "")
        scores.append(found["uas"])
    assert rows["mean ± sd"][-2] == f"{np.mean(scores):.1f} ± {np.std(scores, ddof=1):.1f}"
    shares = {pair: np.mean(heads[pair[0]] == heads[pair[1]]) for pair in combinations(heads, 2)}
    agreement = page.table("Words on whose head two seeds agree")[1:]
    for (one, other), share in shares.items():
        assert agreement[one][1 + other] == agreement[other][1 + one] == f"{100 * share:.1f}"
    (caption,) = [caption for caption in page.tables if caption.startswith("Words on whose head")]
    assert caption.endswith(f"{100 * np.mean(list(shares.values())):.1f} on average")
    assert f"3 trainings differed only in their seed; this one, seed {summary['best_seed']}, has the" in page.text


def test_seeds_without_a_file_and_without_their_models(folder, seeds, tmp_path):
    page = report(seeds, tmp_path)
    assert "How far their trees agree can be told of a file" in page.text
    assert page.table("Every seed")[0] == ["", "training log-likelihood", ""]
    shutil.copytree(seeds, tmp_path / "seeds")
    best = json.loads((seeds / "seeds.json").read_text("utf-8"))["best_seed"]
    gone = (best + 1) % 3
    shutil.rmtree(tmp_path / "seeds" / f"seed-{gone}")
    page = report(tmp_path / "seeds", tmp_path, "--gold", folder / "test.conllu")
    assert f"The models of these seeds are no longer there: {gone}." in page.text
    assert len(page.table("Words on whose head two seeds agree")) == 3
    assert {row[0]: row for row in page.table("Every seed")}[f"seed {gone}"][2:6] == ["–"] * 4


# ---------------------------------------------------------------- faults


def no_model(folder: Path) -> None:
    pass


def not_finished(folder: Path) -> None:
    (folder / "config.toml").write_text('model = "ndmv"\n')


def seeds_not_finished(folder: Path) -> None:
    (folder / "seed-3").mkdir()


def damaged_seeds(folder: Path) -> None:
    (folder / "seeds.json").write_text('{"seeds": [{}]')


def seeds_without_a_best(folder: Path) -> None:
    (folder / "seeds.json").write_text('{"by": "dev", "seeds": [{"seed": 0}]}')


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (no_model, "no model here (there is no model.json). Name the directory that `depinduce train --out` wrote."),
        (not_finished, "this training has no model yet. Go on with `depinduce train`, the same options and --resume."),
        (seeds_not_finished, "the trainings of several seeds are not finished. Go on with"),
        (damaged_seeds, "seeds.json: damaged (JSONDecodeError"),
        (seeds_without_a_best, "seeds.json: damaged (KeyError: 'best_seed')"),
    ],
)
def test_a_place_without_a_model_is_refused(make, message, tmp_path, capsys):
    place = tmp_path / "place"
    place.mkdir()
    make(place)
    before = contents(tmp_path)
    assert depinduce("report", place, "-o", tmp_path / "report.html") == 1
    error = capsys.readouterr().err
    assert error.startswith(f"depinduce: {place}") and message in error
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--gold", "tagged.conllu"], "has no head, and trees are needed here"),
        (["--gold", "nowhere.conllu"], "nowhere.conllu: no such file"),
        (["--sentences", "empty.conllu"], "empty.conllu: there are no words to parse. Name a file with sentences."),
        (["-n", -1], "--number must be at least 0, not -1."),
        (["--threads", 0], "--threads must be at least 1, not 0."),
    ],
)
def test_faults_are_told_and_nothing_is_written(options, message, folder, trained, tmp_path, capsys):
    (folder / "empty.conllu").write_text("# nothing\n\n", encoding="utf-8")
    options = [folder / option if str(option).endswith(".conllu") else option for option in options]
    assert depinduce("report", trained("dmv"), *options, "-o", tmp_path / "report.html") == 1
    assert message in capsys.readouterr().err
    assert contents(tmp_path) == {}


def test_gold_trees_and_sentences_exclude_each_other(trained, capsys):
    with pytest.raises(SystemExit) as refusal:
        depinduce("report", trained("dmv"), "--gold", "a", "--sentences", "b")
    assert refusal.value.code == 2
    assert "not allowed with argument --gold" in capsys.readouterr().err
