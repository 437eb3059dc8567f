"""`depinduce draw`: trees of a file in the terminal, as SVG and on a page."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from cli.demo_parts import contents, demo_part, depinduce, on_a_terminal, without_heads
from corpus.blocks import block, write

from depinduce.corpus import read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.evaluation.baselines import random_tree

GOLD = (
    "# sent_id = dogs\n" + block("the/DET dog/NOUN barks/VERB ./PUNCT", [2, 3, 0, 3]),
    "# sent_id = home\n" + block("go/VERB home/ADV", [0, 1]),
    "# only a comment\n\n",
    "# sent_id = hush\n" + block("hush/INTJ", [0]),
)
WRONG = [text.replace("the\t_\tDET\t_\t_\t2", "the\t_\tDET\t_\t_\t3") for text in GOLD]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "gold.conllu", *GOLD)
    write(tmp_path / "wrong.conllu", *WRONG)


def drawn(capsys, *arguments: object) -> str:
    assert depinduce("draw", *arguments) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments: object) -> str:
    assert depinduce("draw", *arguments) == 1
    shown = capsys.readouterr()
    return shown.err


def captions(text: str) -> list[str]:
    return re.findall(r"^sentence (\d+)", text, re.MULTILINE)


def test_every_tree_is_drawn_with_its_name(capsys):
    text = drawn(capsys, "gold.conllu", "--width", 80)
    assert captions(text) == ["1", "2", "3"]  # a block of comments is no sentence
    assert "sentence 2, home\n" in text
    assert "\x1b" not in text


def test_labels_are_drawn_where_there_are_some(capsys, tmp_path):
    named = block("the/DET dog/NOUN barks/VERB", [2, 3, 0], labels=["det", "nsubj", "root"])
    write(tmp_path / "named.conllu", named, block("a/X b/X", [0, 1], labels=["root", "dep"]))
    first, second = drawn(capsys, "named.conllu", "--width", 80).split("sentence 2")
    assert "det" in first and "nsubj" in first and "root" not in first
    assert "dep" not in second
    assert depinduce("draw", "named.conllu", "--sentence", 1, "-o", "named.svg") == 0
    assert ">nsubj<" in (tmp_path / "named.svg").read_text("utf-8")


def test_errors_are_marked_beside_the_gold_tree(capsys):
    text = drawn(capsys, "wrong.conllu", "--gold", "gold.conllu", "--width", 80)
    assert (
        text.partition("sentence 2")[0]
        == """sentence 1, dogs: 2 of 3 heads right

 ╭──────────╮╷
 │    ╭─────┤│╭─────╮
 ✗    ▼     │▼│     ▼
the  dog   barks    .
DET  NOUN  VERB   PUNCT
 ▲   │
 ╰───╯

"""
    )
    assert text.endswith("3 sentences: 5 of 6 heads right (83.3%)\n")


def test_the_score_is_that_of_evaluate(tmp_path, capsys):
    rng = np.random.default_rng(0)
    gold = demo_part(tmp_path / "demo.conllu", "test", 40)
    with open("random.conllu", "w", encoding="utf-8") as output:
        for sentence in read_sentences(gold):
            output.write(sentence.render(random_tree(len(sentence), rng)))
    text = drawn(capsys, "random.conllu", "--gold", gold)
    right, scored = re.search(r"40 sentences: (\d+) of (\d+) heads right", text).groups()
    assert depinduce("evaluate", gold, "random.conllu", "--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert int(scored) == record["words"]
    assert 100 * int(right) / int(scored) == pytest.approx(record["uas"])


@pytest.mark.parametrize(
    ("options", "numbers"),
    [
        (["--sentence", "2"], ["2"]),
        (["--sentence", "3,1-2"], ["1", "2", "3"]),
        (["--sent-id", "hush"], ["3"]),
        (["--sent-id", "hush", "--sent-id", "dogs"], ["1", "3"]),
        (["--sent-id", "hush", "--sentence", "1"], ["1", "3"]),
        (["-n", "2"], ["1", "2"]),
        (["--max-length", "2"], ["2", "3"]),
        (["--min-length", "2", "--max-length", "2"], ["2"]),
        (["--max-length", "3", "-n", "1"], ["1"]),  # punctuation is not counted
    ],
)
def test_sentences_are_chosen(options, numbers, capsys):
    assert captions(drawn(capsys, "gold.conllu", *options)) == numbers
    assert captions(drawn(capsys, "wrong.conllu", "--gold", "gold.conllu", *options)) == numbers


def test_the_file_is_read_no_further_than_needed(tmp_path, capsys):
    write(tmp_path / "late.conllu", *GOLD, "broken\n\n")
    assert captions(drawn(capsys, "late.conllu", "--sentence", "1-2")) == ["1", "2"]
    assert captions(drawn(capsys, "late.conllu", "-n", 3)) == ["1", "2", "3"]
    assert "late.conllu:16: 1 column where 10 are needed" in refused(capsys, "late.conllu")


def test_standard_input_and_its_end(monkeypatch, capsys):
    for arguments in ([], ["-"]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("".join(GOLD).encode())))
        assert captions(drawn(capsys, *arguments)) == ["1", "2", "3"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("".join(WRONG).encode())))
    assert "2 of 3 heads right" in drawn(capsys, "-", "--gold", "gold.conllu")


def test_colours_only_on_a_terminal_unless_asked_for(capsys):
    assert "\x1b[31m" in drawn(capsys, "wrong.conllu", "--gold", "gold.conllu", "--colour", "always")
    assert "\x1b[" in drawn(capsys, "gold.conllu", "--color", "always")
    shown = on_a_terminal("draw", "wrong.conllu", "--gold", "gold.conllu")
    assert "\x1b[31m" in shown and "\x1b[32m" in shown
    assert "\x1b" not in on_a_terminal("draw", "wrong.conllu", "--colour", "never")


def test_users_who_want_no_colours_get_none(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in on_a_terminal("draw", "gold.conllu")


def test_one_tree_as_svg(tmp_path, capsys):
    assert depinduce("draw", "wrong.conllu", "--gold", "gold.conllu", "--sentence", 1, "-o", "tree.svg") == 0
    assert capsys.readouterr().err == "wrote tree.svg: sentence 1, dogs: 2 of 3 heads right\n"
    root = ElementTree.parse("tree.svg").getroot()
    assert root.get("aria-label") == "the dog barks ."
    assert "dep-gold" in (tmp_path / "tree.svg").read_text("utf-8").partition("</style>")[2]


def test_long_sentences_run_down_an_svg_picture(tmp_path):
    rng = np.random.default_rng(0)
    write(tmp_path / "long.conllu", block(" ".join(["wort/NOUN"] * 80), random_tree(80, rng)))
    assert depinduce("draw", "long.conllu", "-o", "down.svg") == 0
    assert depinduce("draw", "long.conllu", "-o", "across.svg", "--width", 100_000) == 0
    down, across = (ElementTree.parse(name).getroot() for name in ("down.svg", "across.svg"))
    assert float(down.get("width")) < 700 < 2000 < float(down.get("height"))
    assert float(across.get("width")) > 4000


def test_all_trees_on_a_page(tmp_path, capsys):
    assert depinduce("draw", "wrong.conllu", "--gold", "gold.conllu", "-o", "trees.html") == 0
    assert capsys.readouterr().err == "wrote trees.html: 3 trees: 5 of 6 heads right (83.3%)\n"
    text = (tmp_path / "trees.html").read_text("utf-8")
    assert "<h1>wrong.conllu beside gold.conllu</h1>" in text
    assert text.count("<figure") == 3


def test_text_into_a_file(tmp_path, capsys):
    assert depinduce("draw", "gold.conllu", "-o", "trees.txt") == 0
    assert (tmp_path / "trees.txt").read_text("utf-8") == drawn(capsys, "gold.conllu")


def test_posteriors_are_shown(tmp_path, capsys):
    write(tmp_path / "p.conllu", re.sub(r"_\n", "Posterior=0.25\n", block("go/VERB home/ADV", [0, 1])))
    assert " .25 .25" in " ".join(drawn(capsys, "p.conllu").split())
    assert depinduce("draw", "p.conllu", "-o", "p.svg") == 0
    assert "probability 0.25" in (tmp_path / "p.svg").read_text("utf-8")


def test_other_columns_below_the_words(capsys, tmp_path):
    write(tmp_path / "x.conllu", block("go/VERB home/ADV", [0, 1], xpos=["VB", "RB"]))
    assert drawn(capsys, "x.conllu", "--tags", "xpos").splitlines()[-2].split() == ["VB", "RB"]
    assert drawn(capsys, "x.conllu", "--tags", "8").splitlines()[-2].split() == ["go", "home"]  # an empty column
    assert "There is no tag column 'pos'" in refused(capsys, "x.conllu", "--tags", "pos")


def test_punctuation_can_be_left_out(capsys):
    assert "PUNCT" in drawn(capsys, "gold.conllu")
    assert "PUNCT" not in drawn(capsys, "gold.conllu", "--skip-punctuation")
    assert "2 of 4 heads" not in drawn(capsys, "wrong.conllu", "--gold", "gold.conllu")
    assert "3 of 4 heads" in drawn(capsys, "wrong.conllu", "--gold", "gold.conllu", "--punctuation", "none")


def test_multiword_tokens_empty_nodes_and_heads_that_are_unknown(tmp_path, capsys):
    lines = ["1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_", *block("de/ADP le/DET vol/NOUN ./PUNCT", [3, 3, 0, "_"]).splitlines()]
    lines.insert(3, "2.1\tvide\t_\t_\t_\t_\t_\t_\t_\t_")
    write(tmp_path / "odd.conllu", "\n".join(lines) + "\n")
    text = drawn(capsys, "odd.conllu")
    assert text.count("▼") == 3
    assert text.splitlines()[-3].split() == ["de", "le", "vol", "."]
    assert depinduce("draw", "odd.conllu", "-o", "odd.svg") == 0
    assert text in drawn(capsys, "odd.conllu", "--gold", "odd.conllu").replace(": 3 of 3 heads right", "")


@pytest.mark.parametrize("words", ["我/A 喜欢/B 猫/C", "שלום/A לך/B עולם/C", "हिन्दी/A में/B लिखो/C"])
def test_all_scripts_are_drawn_in_all_forms(words, tmp_path, capsys):
    write(tmp_path / "a.conllu", block(words, [2, 0, 2]))
    write(tmp_path / "b.conllu", block(words, [2, 0, 1]))
    text = drawn(capsys, "b.conllu", "--gold", "a.conllu")
    forms = [word.partition("/")[0] for word in words.split()]
    assert all(form in text for form in forms)
    assert "✗ gold: 2" in text
    assert depinduce("draw", "b.conllu", "--gold", "a.conllu", "-o", "a.svg") == 0
    assert ElementTree.parse("a.svg").getroot().get("aria-label").split() == [
        w.partition("/")[0] for w in words.split()
    ]


def test_sentences_without_heads_are_left_out_and_told(tmp_path, capsys):
    write(tmp_path / "mixed.conllu", block("a/X b/Y"), *GOLD, block("c/X"))
    assert depinduce("draw", "mixed.conllu") == 0
    shown = capsys.readouterr()
    assert captions(shown.out) == ["2", "3", "4"]
    assert "warning: left out 2 sentences in which no word has a head, the first at line 1" in shown.err


def test_a_file_without_heads_is_told_to_be_parsed_first(tmp_path, capsys):
    write(tmp_path / "bare.conllu", without_heads("".join(GOLD)))
    for output in ("-", "tree.svg", "trees.html"):
        message = refused(capsys, "bare.conllu", "-o", output)
        assert message.startswith("depinduce: bare.conllu:1: there is no tree to draw, as no word has a head")
        assert "Parse it first: `depinduce parse MODEL FILE" in message
    assert contents(tmp_path).keys() == {"bare.conllu", "gold.conllu", "wrong.conllu"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.conllu"], "nowhere.conllu: no such file"),
        (["gold.conllu", "--sentence", "9"], "gold.conllu: there is no sentence 9, as the file has 3 sentences."),
        (["gold.conllu", "--sentence", "two"], "--sentence two: these are not numbers from 1 on. Write for example"),
        (["gold.conllu", "--sentence", "0"], "--sentence 0: these are not numbers from 1 on."),
        (["gold.conllu", "--sentence", "3-1"], "--sentence 3-1: these are not numbers"),
        (["gold.conllu", "--sentence", 5000 * "1"], "these are not numbers from 1 on."),
        (["gold.conllu", "--tags", 5000 * "1"], "Choose upos, xpos or a column: 2, 3, 4, 5, 6, 8, 10."),
        (["gold.conllu", "-n", 4000 * "1"], "--number can be at most 1000000000, not a number of so many digits."),
        (["gold.conllu", "--sent-id", "hus"], "there is no sentence with the sent_id hus. Did you mean hush?"),
        (["gold.conllu", "--sent-id", "XXX"], "the sent_id XXX. Choose sentences by their number with --sentence."),
        (["gold.conllu", "-n", "0"], "--number must be at least 1, not 0."),
        (["gold.conllu", "--width", "-1"], "--width must be at least 0, not -1."),
        (["gold.conllu", "--min-length", "40"], "gold.conllu: no sentences to draw with these options."),
        (["gold.conllu", "-o", "tree.svg"], "an SVG file holds one tree, and 3 sentences are chosen. Choose one with"),
        (["gold.conllu", "-o", "tree.png"], "tree.png: trees are drawn to .svg, .html and .txt files"),
        (["gold.conllu", "-o", "folder"], "folder: trees are drawn to .svg, .html and .txt files"),
        (["-", "--gold", "-"], "FILE and --gold cannot both be standard input."),
        (["other.conllu", "--gold", "gold.conllu"], "other.conllu:3: word 2 is 'cat', but 'dog' in gold.conllu:3"),
        (["circle.conllu"], "circle.conllu:1: the heads go in a circle, 1 -> 2 -> 1. Give one of these words"),
        (["gold2.conllu", "--gold", "circle.conllu"], "circle.conllu:1: the heads go in a circle"),
    ],
)
def test_faults_are_told_with_their_remedy(arguments, message, tmp_path, capsys):
    write(tmp_path / "other.conllu", GOLD[0].replace("dog\t", "cat\t"), *GOLD[1:])
    write(tmp_path / "circle.conllu", block("a/X b/X c/X", [2, 1, 0]))
    write(tmp_path / "gold2.conllu", block("a/X b/X c/X", [2, 3, 0]))
    before = contents(tmp_path)
    assert message in refused(capsys, *arguments)
    assert contents(tmp_path) == before


def test_drawing_waits_for_neither_torch_nor_numba():
    code = "import sys; from depinduce.cli import main; main(['draw', 'gold.conllu']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "sentence 3" in done.stdout
    assert not {"torch", "numba"} & set(done.stdout.split())


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    command = f"{sys.executable} -m depinduce draw {demo_file('train')} | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("sentence 1")
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
