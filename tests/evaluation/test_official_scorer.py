"""Our attachment score equals that of the official UD scorer, here its packaged form `udtools`.

The real treebanks lie beside the repository (or where DEPINDUCE_DATA says) and are not part of it.
"""

import io

import numpy as np
import pytest
from real_data import REAL_DATA

from depinduce.evaluation.baselines import BASELINES
from depinduce.evaluation.scores import score
from depinduce.evaluation.trees import non_projective_share

BUILT_IN = """\
# text = We bought them a cat
1\tWe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tbought\t_\tVERB\t_\t_\t0\troot\t_\t_
3\tthem\t_\tPRON\t_\t_\t2\tiobj\t_\t_
4\ta\t_\tDET\t_\t_\t5\tdet\t_\t_
5\tcat\t_\tNOUN\t_\t_\t2\tobj\t_\t_

1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\t_\tADP\t_\t_\t3\tcase\t_\t_
2\tle\t_\tDET\t_\t_\t3\tdet\t_\t_
3\tpain\t_\tNOUN\t_\t_\t0\troot\t_\t_

"""


def real_text(language):
    path = REAL_DATA / "ud14" / language / "test.conllu"
    if not path.exists():
        pytest.skip(f"no real treebank at {path}")
    return path.read_text(encoding="utf-8")


def word_lines(text):
    """The lines of the words, and None at each end of a sentence."""
    for line in text.splitlines():
        columns = line.split("\t")
        if not line:
            yield None
        elif columns[0].isdigit():
            yield columns


def gold_arrays(text):
    heads, offsets = [], [0]
    for columns in word_lines(text):
        if columns is None:
            offsets.append(len(heads))
        else:
            heads.append(int(columns[6]))
    return np.array(heads), np.array(offsets)


def with_heads(text, heads):
    """The same CoNLL-U text with other heads."""
    remaining = iter(heads)
    lines = []
    for line in text.splitlines():
        columns = line.split("\t")
        if columns[0].isdigit():
            columns[6] = str(next(remaining))
        lines.append("\t".join(columns))
    return "\n".join(lines) + "\n"


def official_uas(gold_text, predicted_text):
    udeval = pytest.importorskip("udtools.udeval")
    # Several roots are rare but real, and the scorer has a switch for them.
    loaded = [
        udeval.load_conllu(io.StringIO(text), "text", {"multiple_roots_okay": True})
        for text in (gold_text, predicted_text)
    ]
    result = udeval.evaluate(*loaded)["UAS"]
    return result.correct, result.gold_total


@pytest.mark.slow
@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("language", ["built in", "fr", "nl"])
def test_uas_equals_the_official_scorer(language, baseline):
    text = BUILT_IN if language == "built in" else real_text(language)
    gold, offsets = gold_arrays(text)
    predicted = BASELINES[baseline](offsets, 7)
    overall = score(gold, predicted, offsets).overall
    assert (overall.directed, overall.words) == official_uas(text, with_heads(text, predicted))


@pytest.mark.parametrize(("language", "sentences", "words", "share"), [("fr", 271, 4827, 1.1), ("nl", 383, 5126, 26.9)])
def test_known_facts_of_the_real_treebanks(language, sentences, words, share):
    gold, offsets = gold_arrays(real_text(language))
    overall = score(gold, gold, offsets).overall
    assert (overall.sentences, overall.words, overall.uas) == (sentences, words, 100)
    assert 100 * non_projective_share(gold, offsets) == pytest.approx(share, abs=0.05)
