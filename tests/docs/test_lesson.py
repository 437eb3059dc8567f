"""The lesson can be typed as it stands, in one process, and its numbers are those that come out."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from depinduce import Parser
from depinduce.cli import main
from depinduce.corpus import read_sentences
from depinduce.corpus.conllu import UPOS
from depinduce.models.loading import load_model
from depinduce.models.places import kept_rounds

PAGE = (Path(__file__).parents[2] / "docs" / "teaching.md").read_text(encoding="utf-8")
COMMANDS = [
    line.strip()
    for block in re.findall(r"^ *```bash\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
OURS = "the/DET dog/NOUN saw/VERB a/DET cat/NOUN"


@pytest.mark.slow
def test_the_commands_of_the_lesson_work_and_what_it_tells_is_true(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) > 8
    assert f"`{OURS}`" in PAGE
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        assert program == "depinduce"
        if arguments[0] == "convert":
            Path("lesson/ours.txt").write_text(f"{OURS}\n")
        assert main(arguments) == 0, command
    places = kept_rounds("lesson/grammar")
    told = "At the start {} of 100 words hang on the right head, after one round {}, after five {}, and after twenty {}"
    scores = [Parser.load(places[number]).evaluate("lesson/gold.conllu").uas for number in (0, 1, 5, 20)]
    assert told.format(*(f"{score:.1f}" for score in scores)) in " ".join(PAGE.split())
    without = ["train", "--model", "dmv", "--iterations", "20", "--train", "lesson/tagged.conllu", "--out", "without"]
    assert main(without) == 0
    likelihoods = [load_model(place).history["rounds"][-1]["train"] for place in ("without", "lesson/grammar")]
    assert likelihoods[0] > likelihoods[1]
    roots = [Parser.load(place).evaluate("lesson/gold.conllu").root_accuracy for place in places]
    assert min(roots) < roots[0] < roots[-1]  # worse before it gets better
    page = Path("lesson/report.html").read_text(encoding="utf-8")
    first = int(re.search(r'class="growth"><figcaption>Sentence (\d+)', page)[1])
    tags = list(read_sentences("lesson/gold.conllu"))[first - 1].column(UPOS)
    assert f"tags of a sentence on the board: `{' '.join(tags[:-1])}`" in " ".join(PAGE.split())
