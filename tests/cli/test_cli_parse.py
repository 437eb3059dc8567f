"""`depinduce parse`: from files and pipes to files and pipes."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cli.demo_parts import contents, demo_part, depinduce, depinduce_process, on_a_terminal, without_trees
from corpus.blocks import block, write
from parameters import some_now

from depinduce.corpus import Reading, Sentence, read_sentences, read_text
from depinduce.corpus.demo import demo_file
from depinduce.labels import learn_labels, relation_table
from depinduce.models.loading import load_model
from depinduce.parsing import streams
from depinduce.parsing.streams import parse_stream


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    train = demo_part(folder / "train.conllu", count=300)
    assert depinduce("train", "--train", train, "--non-heads", "ud", "--iterations", 8, "--out", folder / "model") == 0
    return folder / "model"


@pytest.fixture(scope="module")
def parsed(model, tmp_path_factory) -> bytes:
    """The demo's test sentences with the trees of the model."""
    path = tmp_path_factory.mktemp("parsed") / "test.conllu"
    assert depinduce("parse", model, demo_file("test"), "-o", path) == 0
    return path.read_bytes()


def test_only_trees_change(parsed):
    before = demo_file("test").read_text("utf-8")
    assert without_trees(parsed.decode()) == without_trees(before)
    assert parsed.decode() != before


def level_two_faults(text: str) -> list[str]:
    """What the validator of Universal Dependencies finds wrong with a file, up to its second level."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        from udtools.validator import Validator
    state = Validator(lang="ud", level=2, output=None).validate_file_handle(io.StringIO(text))
    return [f"{fault.testid}: {fault.message}" for fault in state.error_tracker]


def islice_of_demo(count: int) -> list[Sentence]:
    return list(itertools.islice(read_sentences(demo_file("train")), count))


ENHANCED = """\
# sent_id = fan-1
# text = Il y va, Ève du parc
1\tIl\til\tPRON\t_\t_\t0\troot\t0:root\t_
2\ty\ty\tPRON\t_\t_\t1\tdep\t3.1:dep\t_
3\tva\taller\tVERB\t_\t_\t1\tnsubj\t1:nsubj\tSpaceAfter=No
3.1\tet\tet\tCCONJ\t_\t_\t_\t_\t1:cc\t_
4\t,\t,\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_
5\tÈve\tÈve\tPROPN\t_\t_\t1\tnsubj\t1:nsubj\t_
6-7\tdu\t_\t_\t_\t_\t_\t_\t_\t_
6\tde\tde\tADP\t_\t_\t8\tcase\t8:case\t_
7\tle\tle\tDET\t_\t_\t8\tdet\t8:det\t_
8\tparc\tparc\tNOUN\t_\t_\t5\tnmod\t5:nmod\t_

# sent_id = fan-2
# text = Va !
1\tVa\taller\tVERB\t_\t_\t0\troot\t0:root\t_
2\t!\t!\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_

"""


@some_now(
    "options",
    [["--labels", "--keep-labels"]],
    later=[[], ["--k-best", 3, "--posteriors", "--log-likelihood"], ["--keep-labels"]],
)
def test_what_is_written_is_valid(model, options, tmp_path):
    source = write(tmp_path / "a.conllu", demo_file("test").read_text("utf-8"))
    enhanced = write(tmp_path / "b.conllu", ENHANCED)
    assert level_two_faults(ENHANCED) == []
    for path in (source, enhanced):
        assert depinduce("parse", model, path, *options, "-o", tmp_path / "out.conllu") == 0
        text = (tmp_path / "out.conllu").read_text("utf-8")
        assert level_two_faults(text) == []
        assert "\n3.1\t" not in text and "\n6-7\tdu\t" in text or path == source
        columns = [line.split("\t") for line in text.splitlines() if re.match(r"\d+\t", line)]
        assert all((head == "0") == (label == "root") for *_, head, label, _, _ in columns)
        assert {deps for *_, deps, _ in columns} == {"_"}


def test_metadata_make_a_bare_file_valid(model, tmp_path):
    bare = re.sub(r"^#.*\n", "", ENHANCED + demo_file("test").read_text("utf-8"), flags=re.MULTILINE)
    source, parsed = write(tmp_path / "bare.conllu", bare), tmp_path / "out.conllu"
    assert depinduce("parse", model, source, "-o", parsed) == 0
    kinds = {fault.partition(":")[0] for fault in level_two_faults(parsed.read_text("utf-8"))}
    assert kinds == {"missing-sent-id", "missing-text"}
    for several in ([], ["--samples", 2]):
        assert depinduce("parse", model, source, "--add-metadata", *several, "-o", parsed) == 0
        assert level_two_faults(parsed.read_text("utf-8")) == []
    first = next(iter(read_sentences(parsed)))
    assert first.comments[:2] == ["# sent_id = bare-1", "# text = Il y va, Ève du parc"]


def test_relations_are_named_on_request(model, parsed, tmp_path):
    path = tmp_path / "named.conllu"
    assert depinduce("parse", model, demo_file("test"), "--labels", "-o", path) == 0
    text = path.read_text("utf-8")
    assert level_two_faults(text) == []
    assert without_trees(text) == without_trees(parsed.decode())
    named = right = 0
    for gold, ours in zip(read_sentences(demo_file("test")), read_sentences(path), strict=True):
        assert ours.column(8) == relation_table().labels(ours, ours.heads, Reading())
        pairs = zip(gold.heads, ours.heads, gold.column(8), ours.column(8), strict=True)
        found = [label.partition(":")[0] == now for before, head, label, now in pairs if before == head]
        named, right = named + len(found), right + sum(found)
    assert right / named > 0.85


def test_labels_that_a_model_has_learned_are_the_ones_it_writes(model, tmp_path):
    grammar = load_model(model)
    odd = [made.render(deprel=["odd" if head else "root" for head in made.heads]) for made in islice_of_demo(60)]
    learned = learn_labels(read_text("".join(odd)), grammar.reading)
    replace(grammar, history=grammar.history | {"labels": learned.to_json()}).save(tmp_path / "model")
    assert depinduce("parse", tmp_path / "model", demo_file("test"), "--labels", "-o", tmp_path / "a.conllu") == 0
    labels = [label for made in read_sentences(tmp_path / "a.conllu") for label in made.column(8)]
    assert labels.count("odd") > 0.9 * (len(labels) - labels.count("root"))


def test_labels_stay_where_heads_do(model, parsed, tmp_path):
    path = tmp_path / "kept.conllu"
    assert depinduce("parse", model, demo_file("test"), "--keep-labels", "-o", path) == 0
    kept = changed = 0
    for gold, ours in zip(read_sentences(demo_file("test")), read_sentences(path), strict=True):
        for before, head, label, now in zip(gold.heads, ours.heads, gold.column(8), ours.column(8), strict=True):
            assert now == (label if before == head else "root" if head == 0 else "dep")
            kept, changed = kept + (before == head), changed + (before != head)
    assert kept > 500 < changed + 300


def test_pipes_in_a_process_of_its_own(model, parsed):
    done = depinduce_process("parse", model, input=demo_file("test").read_bytes())
    assert done.returncode == 0
    assert done.stdout == parsed
    assert b"parsed 150 sentences" in done.stderr


@pytest.mark.slow
def test_no_bar_moves_among_trees_on_a_terminal(model, tmp_path):
    source = demo_part(tmp_path / "a.conllu", "test", 2)
    to_terminal = on_a_terminal("parse", model, source)
    assert "1\t" in to_terminal
    assert "parsed 2 sentences" in to_terminal
    moving = "2/2"  # the total is known, as it is that of a file
    assert moving not in to_terminal
    assert moving in on_a_terminal("parse", model, source, "-o", tmp_path / "b.conllu")


def test_dash_is_standard_input_and_output(model, parsed, monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(demo_file("test").read_bytes())))
    assert depinduce("parse", model, "-", "-o", "-") == 0
    assert capsysbinary.readouterr().out == parsed


def test_packed_files_in_and_out(model, parsed, tmp_path):
    (tmp_path / "in.conllu.gz").write_bytes(gzip.compress(demo_file("test").read_bytes()))
    assert depinduce("parse", model, tmp_path / "in.conllu.gz", "-o", tmp_path / "out.conllu.gz") == 0
    assert gzip.decompress((tmp_path / "out.conllu.gz").read_bytes()) == parsed


def test_a_file_can_be_parsed_into_itself(model, parsed, tmp_path):
    path = write(tmp_path / "a.conllu", demo_file("test").read_text("utf-8"))
    assert depinduce("parse", model, path, "-o", path) == 0
    assert contents(tmp_path) == {"a.conllu": parsed}


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error_worth_a_traceback(model):
    command = [sys.executable, "-m", "depinduce", "parse", str(model), str(demo_file("train"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        complaint = process.stderr.read()
        assert process.wait(timeout=120) == 141
    assert b"Traceback" not in complaint
    assert b"Exception" not in complaint


def test_posteriors_and_minimum_risk_are_on_offer(model, parsed, tmp_path):
    source = demo_part(tmp_path / "a.conllu", "test", 30)
    options = ["--decode", "mbr", "--posteriors"]
    assert depinduce("parse", model, source, *options, "-o", tmp_path / "b.conllu") == 0
    text = (tmp_path / "b.conllu").read_text("utf-8")
    words = sum("\tPUNCT\t" not in line for line in text.splitlines() if line[:1].isdigit())
    assert text.count("Posterior=0.") + text.count("Posterior=1.0000") == words
    assert "SpaceAfter=No|Posterior=" in text


def posteriors_in(path: Path) -> list[float]:
    return [float(value) for value in re.findall(r"Posterior=([0-9.]+)", path.read_text("utf-8"))]


def test_posteriors_are_calibrated_unless_the_grammars_own_are_wanted(model, tmp_path):
    source = demo_part(tmp_path / "a.conllu", "test", 30)
    for option in ("--posteriors", "--raw-posteriors"):
        assert depinduce("parse", model, source, option, "-o", tmp_path / f"{option}.conllu") == 0
    worth, raw = (posteriors_in(tmp_path / f"{option}.conllu") for option in ("--posteriors", "--raw-posteriors"))
    assert load_model(model).calibration(np.array(raw)) == pytest.approx(worth, abs=0.01)
    assert np.mean(worth) < np.mean(raw) - 0.05


def test_unsure_heads_are_left_open(model, parsed, tmp_path, capsys):
    source = demo_part(tmp_path / "a.conllu", "test", 30)
    options = ["--min-confidence", 0.7, "--posteriors", "-o", tmp_path / "b.conllu"]
    assert depinduce("parse", model, source, *options) == 0
    whole = list(read_sentences(write(tmp_path / "c", parsed.decode())))[:30]
    sure = list(read_sentences(tmp_path / "b.conllu"))
    open_heads = 0
    for before, after in zip(whole, sure, strict=True):
        found = [re.search(r"Posterior=([0-9.]+)", misc) for misc in after.column(10)]
        wanted = [bool(value) and float(value[1]) >= 0.7 for value in found]
        if all(kept for kept, value in zip(wanted, found, strict=True) if value):
            wanted = [True] * len(wanted)  # punctuation, too, hangs on a tree that is all there
        assert after.heads == [head if kept else -1 for head, kept in zip(before.heads, wanted, strict=True)]
        open_heads += after.heads.count(-1)
    assert 0 < open_heads < sum(map(len, sure))
    assert f"{open_heads} words have no head, as it is right with less than 0.7" in capsys.readouterr().err
    assert depinduce("parse", model, source, "--min-confidence", 0, "-o", tmp_path / "d.conllu") == 0
    assert [sentence.heads for sentence in read_sentences(tmp_path / "d.conllu")] == [one.heads for one in whole]


def test_heads_of_a_sentence_in_pieces_are_all_left_open(model, tmp_path):
    source = demo_part(tmp_path / "a.conllu", "test", 3)
    options = ["--max-words", 2, "--min-confidence", 0, "-o", tmp_path / "b.conllu"]
    assert depinduce("parse", model, source, *options) == 0
    assert {head for sentence in read_sentences(tmp_path / "b.conllu") for head in sentence.heads} == {-1}


def test_where_to_look_first_is_a_list_for_people_and_as_json(model, tmp_path, capsys):
    source = demo_part(tmp_path / "a.conllu", "test", 30)
    assert depinduce("parse", model, source, "--least-sure", 3) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("244 words; ") and "of their heads are probably right" in lines[0]
    assert len(lines) == 3 + 3 + 2 + 3 and max(map(len, lines)) <= 80
    assert depinduce("parse", model, source, "--least-sure", 3, "--json", "-o", tmp_path / "list.json") == 0
    found = json.loads((tmp_path / "list.json").read_text("utf-8"))
    first = found["arcs"][0]
    assert lines[8].split()[:2] == [f"{first['probability']:.2f}", str(first["line"])]
    assert f"{first['word']}/{first['tag']}" in lines[8]
    assert [len(found["sentences"]), found["words"]] == [3, 244]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--min-confidence", 1.5], "--min-confidence can be at most 1.0, not 1.5"),
        (["--min-confidence", 0.5, "--k-best", 2], "--min-confidence leaves heads of one tree open"),
        (["--least-sure", 0], "--least-sure must be at least 1, not 0"),
        (["--least-sure", 5, "--k-best", 2], "--least-sure prints a list, no trees: leave --k-best away"),
        (["--least-sure", 5, "--posteriors"], "--least-sure prints a list, no trees: leave --posteriors away"),
        (["--json"], "--json is for --least-sure"),
    ],
)
def test_options_about_sureness_that_cannot_be_are_refused(options, told, model, capsys):
    assert depinduce("parse", model, demo_file("test"), *options) == 1
    assert told in capsys.readouterr().err


def test_k_best_trees_and_log_likelihoods_are_on_offer(model, parsed, tmp_path, capsys):
    source = demo_part(tmp_path / "a.conllu", "test", 30)
    options = ["--k-best", 3, "--log-likelihood", "--posteriors", "-o", tmp_path / "b.conllu"]
    assert depinduce("parse", model, source, *options) == 0
    trees = list(read_sentences(tmp_path / "b.conllu", trees=True))
    ids = [f"demo-test-{n:04}{suffix}" for n in range(1, 31) for suffix in ("", "-tree2", "-tree3")]
    assert [tree.sent_id for tree in trees] == ids
    for tree in trees:
        keys = [comment.partition(" = ")[0] for comment in tree.comments]
        assert keys[-4:] == ["# log_likelihood", "# tree", "# log_probability", "# probability"]
    best = "".join(tree.render() for tree in trees[::3])
    best = re.sub(r"^# (log_likelihood|tree|(log_)?probability) = .*\n|\|?Posterior=[0-9.]+", "", best, flags=re.M)
    assert re.sub(r"\t$", r"\t_", best, flags=re.M) == "".join(
        sentence.render() for sentence in itertools.islice(read_sentences(write(tmp_path / "c", parsed.decode())), 30)
    )


def test_ids_stay_unique_when_several_trees_are_parsed_again(model, tmp_path):
    demo_part(tmp_path / "a.conllu", "test", 5)
    for name, source in (("b", "a"), ("c", "b")):
        assert depinduce("parse", model, tmp_path / f"{source}.conllu", "--k-best", 2,
                         "-o", tmp_path / f"{name}.conllu") == 0  # fmt: skip
    ids = [tree.sent_id for tree in read_sentences(tmp_path / "c.conllu")]
    assert len(ids) == len(set(ids)) == 20
    assert ids[:4] == [f"demo-test-0001{end}" for end in ("", "-tree2", "-tree2-tree1", "-tree2-tree2")]


def test_samples_are_drawn_by_their_seed(model, tmp_path):
    source = demo_part(tmp_path / "a.conllu", "test", 30)
    for name, seed in (("a", []), ("b", ["--seed", 0]), ("c", ["--seed", 1])):
        assert depinduce("parse", model, source, "--samples", 2, *seed, "-o", tmp_path / name) == 0
    a, b, c = ((tmp_path / name).read_text("utf-8") for name in "abc")
    assert a == b != c
    assert a.count("# tree = 1 of 2\n") == a.count("# tree = 2 of 2\n") == 30


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--k-best", 2, "--samples", 2], "--k-best and --samples: choose one of them."),
        (["--k-best", 2, "--decode", "viterbi"], "--decode chooses one tree, but the k best trees are the most"),
        (["--seed", 1], "--seed is for --samples: nothing else is random. Leave it away."),
        (["--samples", 0], "--samples must be at least 1, not 0."),
    ],
)
def test_options_that_cannot_go_together_are_refused(model, options, message, tmp_path, capsys):
    assert depinduce("parse", model, demo_file("test"), *options, "-o", tmp_path / "b.conllu") == 1
    assert message in capsys.readouterr().err
    assert contents(tmp_path) == {}


def test_the_last_line_tells_the_throughput(model, tmp_path, capsys):
    assert depinduce("parse", model, demo_file("test"), "-o", tmp_path / "b.conllu") == 0
    assert re.search(
        r"parsed 150 sentences, \d+ words in [\d.]+ s \([\d,]+ words/s\)$", capsys.readouterr().err.strip()
    )


def test_unknown_tags_are_named_once(model, tmp_path, capsys):
    sentence = block("a/FOO b/NOUN c/BAR")
    path = write(tmp_path / "a.conllu", *[sentence] * 2500, block("a/NOUN d/FOO"))  # two blocks of parsing
    assert depinduce("parse", model, path, "-o", tmp_path / "b.conllu") == 0
    shown = capsys.readouterr().err
    assert shown.count("warning") == 1
    assert "tags that training has not seen, parsed like an average tag: BAR FOO" in shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (block("a/NOUN b/VERB") + "1\tc\tNOUN\n\n", "in.conllu:4: 3 columns where 10 are needed. Give every word"),
        (block("a/NOUN b/VERB", [3, 0]), "in.conllu:1: the head 3 is not in the sentence, which has 2 words. Write"),
        (block("a/NOUN b/_"), "in.conllu:2: word 2 'b' has no tag in column 4. Fill the column"),
        (None, "in.conllu: no such file. Check the path"),
    ],
)
@pytest.mark.parametrize("old", [None, "older trees\n"])
def test_a_broken_file_leaves_the_output_as_it_was(model, text, message, old, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        write(tmp_path / "in.conllu", text)
    if old is not None:
        write(tmp_path / "out.conllu", old)
    before = contents(tmp_path)
    assert depinduce("parse", model, "in.conllu", "-o", "out.conllu") == 1
    assert f"depinduce: {message}" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_an_interruption_leaves_no_output(model, tmp_path, monkeypatch, capsys):
    def interrupted(*arguments, **options):
        yield from itertools.islice(parse_stream(*arguments, **options, block=20), 3)
        raise KeyboardInterrupt

    monkeypatch.setattr(streams, "parse_stream", interrupted)
    assert depinduce("parse", model, demo_file("test"), "-o", tmp_path / "out.conllu") == 130
    assert "interrupted; nothing half-written is left behind" in capsys.readouterr().err
    assert contents(tmp_path) == {}


def test_a_fault_far_into_a_file_leaves_no_output(model, tmp_path, capsys):
    path = write(tmp_path / "in.conllu", block("a/NOUN b/VERB") * 4500, "broken\n\n")
    assert depinduce("parse", model, path, "-o", tmp_path / "out.conllu") == 1
    assert f"{path}:13501: " in capsys.readouterr().err
    assert contents(tmp_path).keys() == {"in.conllu"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no model here"),
        (["."], "no model here"),
    ],
)
def test_what_is_not_a_model_is_told(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "in.conllu", block("a/NOUN"))
    assert depinduce("parse", *arguments, "in.conllu", "-o", "out.conllu") == 1
    assert message in capsys.readouterr().err
    assert contents(tmp_path).keys() == {"in.conllu"}


def test_faults_of_options_and_places(model, tmp_path, capsys):
    path = write(tmp_path / "in.conllu", block("a/NOUN"))
    assert depinduce("parse", model, path, "--threads", 0) == 1
    assert "--threads must be at least 1, not 0." in capsys.readouterr().err
    assert depinduce("parse", model, path, "-o", path / "out.conllu") == 1
    assert "the output cannot be written" in capsys.readouterr().err
    assert contents(tmp_path).keys() == {"in.conllu"}
