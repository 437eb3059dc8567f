"""depinduce in a program: learn a grammar, or load one, and ask it for trees and their probabilities.

>>> from depinduce import Parser
>>> from depinduce.corpus.demo import demo_file
>>> parser = Parser.train(demo_file("train"), model="dmv", non_heads="ud", iterations=10)
>>> (parse,) = parser.parse(["The/DET girls/NOUN answer/VERB the/DET letter/NOUN ./PUNCT"])
>>> parse.heads
[2, 3, 0, 5, 3, 3]

What is wrong with sentences, files or settings is a `DepinduceError` that says how to mend it.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from depinduce.corpus import Sentence, read_sentences
from depinduce.corpus.conllu import UPOS
from depinduce.corpus.languages import require_language_name
from depinduce.corpus.tagged import SentenceLike, as_sentence
from depinduce.errors import DepinduceError, MissingPackageError
from depinduce.parsing.parsed_sentences import ParsedSentence
from depinduce.settings import MOST, require_within

if TYPE_CHECKING:
    import pandas

    from depinduce.evaluation.scores import Scores
    from depinduce.insight.generation import GeneratedSentence
    from depinduce.insight.inspection import Inspection
    from depinduce.learning.health import Health
    from depinduce.learning.held_out import Source
    from depinduce.learning.run import Progress, Run
    from depinduce.models.model import Model
    from depinduce.parsing.decoding import Parsing
    from depinduce.parsing.least_sure import LeastSure
    from depinduce.parsing.streams import Adapt, Throughput

Texts = str | Path | Iterable[str | Path] | Iterable[SentenceLike]
NOTEBOOK = 1000  # pixels of its width that a picture may have


@dataclass(frozen=True, eq=False, repr=False)
class Parse(ParsedSentence):
    """A sentence with one of its trees.

    Besides `words`, `tags`, `heads` (from 1, 0 is the root) and `labels` it has

    - `probabilities`: that each word's head is right, as far as can be told without trees (see `Parser.posteriors` for
      what the grammar itself thinks); None for punctuation, which the grammar does not see and which is attached to the
      finished tree
    - `log_likelihood`: log p(sentence), over all trees that the grammar allows; None if there is only punctuation
    - `log_probability`: log p(sentence, tree); and `probability`: p(tree | sentence). None for hdp-dep and committees,
      too

    In a notebook it shows its picture.
    """

    tag_column: int = UPOS

    @property
    def words(self) -> list[str]:
        return self.sentence.forms

    @property
    def tags(self) -> list[str]:
        return self.sentence.column(self.tag_column)

    def draw(self, *, probabilities: bool = False, width: int | None = None, colour: bool = False) -> str:
        """The tree in Unicode lines, for a terminal of that width (by default, of this terminal).

        probabilities: write that of each arc below its word

        >>> print(parser.parse(["dogs/NOUN bark/VERB"])[0].draw(width=40).rstrip())
         ╭────╮╷
         ▼    │▼
        dogs  bark
        NOUN  VERB
        """
        from depinduce.report.glosses import glosses_of
        from depinduce.report.text_tree import draw_tree

        shown = self.probabilities if probabilities else None
        return draw_tree(
            self.words,
            self.tags,
            self.heads,
            None,
            width,
            colour,
            posteriors=shown,
            punctuation=self._punctuation,
            labels=self._shown_labels,
            glosses=glosses_of(self.sentence),
        )

    def svg(self, *, probabilities: bool = False, width: float | None = None, title: str | None = None) -> str:
        """The tree as the text of an SVG file.

        probabilities: make an arc the fainter the less probable it is
        width: in pixels; a longer sentence runs down the page

        >>> parser.parse(["dogs/NOUN bark/VERB"])[0].svg()[:4]
        '<svg'
        """
        from depinduce.report.glosses import glosses_of, translations_of
        from depinduce.report.svg_tree import tree_svg

        shown = self.probabilities if probabilities else None
        return tree_svg(
            self.words,
            self.tags,
            self.heads,
            None,
            shown,
            title,
            width=width,
            punctuation=self._punctuation,
            labels=self._shown_labels,
            glosses=glosses_of(self.sentence),
            translations=translations_of(self.sentence),
        )

    @property
    def _shown_labels(self) -> list[str] | None:
        from depinduce.report.tree_picture import shown_labels

        return shown_labels(self.labels, [word not in self._punctuation for word in range(len(self))])

    def _repr_svg_(self) -> str:
        return self.svg(width=NOTEBOOK)

    @property
    def _punctuation(self) -> set[int]:
        return {word for word, value in enumerate(self.probabilities or ()) if value is None}

    def to_conllu(self, *, posteriors: bool = False, log_likelihood: bool = False) -> str:
        """The block of a CoNLL-U file, as `depinduce parse` would write it.

        What the sentence had in other columns and in comments is still there, but for DEPS, which is emptied. The
        second of several trees has another sent_id than the first.

        >>> print(parser.parse(["dogs/NOUN bark/VERB"])[0].to_conllu().expandtabs(6).rstrip())
        1     dogs  _     NOUN  _     _     2     dep   _     _
        2     bark  _     VERB  _     _     0     root  _     _
        """
        return self.render(posteriors=posteriors, log_likelihood=log_likelihood, ended=True)

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas table with a row for every word, by its number: word, tag, head, label and probability.

        Of several sentences, `pandas.concat([parse.to_dataframe() for parse in parses], keys=range(len(parses)))`.
        """
        try:
            import pandas
        except ModuleNotFoundError as error:
            raise MissingPackageError("to_dataframe", "pandas") from error

        return pandas.DataFrame(
            {
                "word": self.words,
                "tag": self.tags,
                "head": self.heads,
                "label": self.labels,
                "probability": pandas.array(self.probabilities or [None] * len(self), dtype="Float64"),
            },
            index=pandas.RangeIndex(1, len(self) + 1, name="id"),
        )

    def __len__(self) -> int:
        return len(self.heads)

    def __repr__(self) -> str:
        return f"Parse({' '.join(self.words)!r}, heads={self.heads})"


class Parser:
    """A grammar that gives sentences their trees. Make one with `Parser.load` or `Parser.train`.

    A sentence is given as a string of words with their tags, as a list of (word, tag) pairs, or as a
    `depinduce.corpus.Sentence` of a file. In a string the last slash of a word counts (`1/2/NUM` is the word `1/2`),
    and none needs an escape; words with spaces and tags with slashes are for pairs. Punctuation is recognised by its
    tag, as it was in training: the grammar does not see it, and it is attached to the finished tree.

    The examples below are about `parser`, a count model that was trained on the demo corpus.
    """

    def __init__(self, model: Model):
        self.model = model

    # ---------------------------------------------------------------- whence it comes, where it goes

    @classmethod
    def load(
        cls,
        directory: str | Path,
        part: str | None = None,
        language: str | None = None,
        tags: str | None = None,
        map: str | dict[str, str] | None = None,
    ) -> Parser:
        """The parser that a training wrote to a directory, or that `pack` wrote to a folder or zip file.

        part: of a joint model only the grammar over "tags", or that over "words"; of a committee only one member,
            "order-free", "own" or "student"
        language: of a grammar of several languages only that of this one
        tags, map: where the tags of sentences are, such as "xpos", and a table through which to read them, "penn" or
            {"NN": "NOUN", …}, if not as in training

        >>> Parser.load("nowhere")
        Traceback (most recent call last):
        ...
        depinduce.errors.DepinduceError: nowhere: no model here (there is no model.json). Name the directory that \
`depinduce train --out` wrote.
        """
        from depinduce.models.loading import load_model
        from depinduce.models.model import in_language, part_of

        model = load_model(directory)
        if not model.finished:
            remedy = f"Go on with it: depinduce train … --out {directory} --resume"
            warnings.warn(f"{directory}: the training of this grammar was interrupted. {remedy}", stacklevel=2)
        model = in_language(part_of(model, part), language)
        changed = {name: value for name, value in (("tags", tags), ("map", map)) if value is not None}
        return cls(model.with_reading(replace(model.reading, **changed)) if changed else model)

    @classmethod
    def train(
        cls,
        sentences: Texts | Mapping[str, Texts],
        *,
        dev: Texts | Mapping[str, Texts] | None = None,
        trees: Texts | Mapping[str, Texts] | None = None,
        recipe: str | None = None,
        out: str | Path | None = None,
        report: Callable[[str], None] | None = None,
        **settings: Any,
    ) -> Parser:
        """A parser that learned from tagged sentences; trees in them are not looked at, but for those of `trees`.

        sentences: the path of a CoNLL-U file, or several, or sentences. In a list a string is a path if it ends in
            .conllu or .conllu.gz or if there is such a file, and a sentence otherwise. Or the same for each of several
            languages, by name: {"fr": "fr.conllu", "pl": ["one.conllu", "two.conllu"]}
        dev: held-out sentences, likewise, that tell when to stop
        trees: sentences, likewise, whose heads are known, all or some; then the training is not unsupervised
        recipe: settings that belong together, by their name or as a TOML file, such as "adapt" or "ud-sibling"
        out: a new directory for the model and its training; without one it stays in memory, see `save`
        report: is told how it is going, a line for every iteration or epoch; try report=print
        settings: as the options of `depinduce train`, with underscores: model="sibling", non_heads=["DET", "ADP"],
            rules="ud", init=("model", "first"), epochs=20, max_length=10, tags="xpos", …

        Count models take seconds, others a minute or more. Ctrl-C ends the training with KeyboardInterrupt; what there
        is in `out` can be gone on with by `depinduce train --resume`.

        >>> tiny = Parser.train(["dogs/N bark/V", "cats/N sleep/V", "the/D dog/N sleeps/V"], iterations=3)
        >>> tiny.tags
        ('N', 'V', 'D')
        """
        from depinduce.learning.held_out import about_languages, warn_about_tags
        from depinduce.learning.lesson import Lesson, place_of_training
        from depinduce.learning.progress_texts import round_text
        from depinduce.learning.settings.recipes import configure_with_recipe

        configuration, _ = configure_with_recipe(recipe, settings)
        tell, column = report or (lambda line: None), configuration.reading.tag_column
        with nullcontext() if out is None else place_of_training(Path(out)):
            held_out, given = (None if some is None else _source(some, column) for some in (dev, trees))
            lesson = Lesson.of(configuration, _source(sentences, column), held_out, trees=given)
            warn_about_tags(configuration.learning, lesson.train)
            if languages := about_languages(configuration.learning, lesson.train):
                tell(languages)
            run = lesson.run(out)
            parser, finished = cls.of_run(run, lambda progress: tell(round_text(progress)))
        if not finished:
            raise KeyboardInterrupt
        if found := lesson.likeness(parser.model):
            tell(f"it is {found}")
        if report is not None and (verdict := lesson.health(parser.model, yardstick=run.yardstick)):
            tell(str(verdict))
        return parser

    @classmethod
    def of_run(cls, run: Run, report: Callable[[Progress], None] = lambda progress: None) -> tuple[Parser, bool]:
        """The parser that a training gives, and whether that came to its end or was interrupted by Ctrl-C."""
        model, finished = run.go(report)
        return cls(model), finished

    def save(self, directory: str | Path) -> None:
        """Write it to a directory, in the place of another model if one is there."""
        self.model.save(directory)

    def pack(
        self,
        out: str | Path,
        *,
        name: str | None = None,
        licence: str | None = None,
        languages: Iterable[str] = (),
        data: str | None = None,
        gold: str | Path | None = None,
        overwrite: bool = False,
    ) -> str | None:
        """Write it with its model card, to hand it on, as `depinduce pack` does; gives the licence that the card says.

        out: one file if the name ends in .zip, or else a folder in the layout of model hubs
        name, licence, languages, data: what the card says of it
        gold: a CoNLL-U file with trees; the card has the scores on it

        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as place:
        ...     told = parser.pack(f"{place}/grammar.zip", licence="MIT")
        ...     again = Parser.load(f"{place}/grammar.zip")
        >>> told, again.parse(["dogs/NOUN bark/VERB"])[0].heads
        ('MIT', [2, 0])
        """
        from depinduce.models.packing import pack
        from depinduce.report.model_card import About, card, licence_of

        scores = None if gold is None else self.evaluate(gold)
        gold_name = None if gold is None else Path(gold).name
        about = About(name or Path(out).stem, licence, tuple(languages), data, scores, gold_name)
        pack(self.model, out, card(self.model, about), overwrite=overwrite)
        return licence_of(self.model, about)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags that it learned about. Others are parsed like an average one of these, with a warning."""
        return tuple(self.model.tags)

    # ---------------------------------------------------------------- trees

    def parse(
        self,
        sentences: Iterable[SentenceLike],
        *,
        decode: str = "viterbi",
        labels: bool = False,
        threads: int = 1,
        adapt: bool = True,
    ) -> list[Parse]:
        """The tree of each sentence.

        decode: "viterbi", the most probable tree, or "mbr", that with the most probable arcs (hdp-dep and committees:
            always this)
        labels: name the relations of words to their heads, such as nsubj; otherwise they are root and dep
        adapt: a universal grammar first learns the order of the language from ten sentences or more, see `parse_file`

        >>> one, two = parser.parse(["dogs/NOUN bark/VERB", [("They", "PRON"), ("sleep", "VERB"), (".", "PUNCT")]])
        >>> two.words, two.tags, two.heads
        (['They', 'sleep', '.'], ['PRON', 'VERB', 'PUNCT'], [2, 0, 2])
        >>> two
        Parse('They sleep .', heads=[2, 0, 2])
        >>> [two.probabilities[0] > 0.5, two.probabilities[2]]
        [True, None]
        >>> two.log_likelihood < 0
        True
        >>> parser.parse(["the/DET dog/NOUN barks/VERB"], labels=True)[0].labels
        ['det', 'nsubj', 'root']
        """
        from depinduce.parsing.decoding import Parsing
        from depinduce.parsing.streams import (
            blocks,
            learned_from,
            parse_sentences,
            warn_of_long_sentence,
            with_strangers_told,
        )

        if isinstance(sentences, str | Path | Sentence):
            one = "parse_file reads files" if isinstance(sentences, Path) else "put one sentence into brackets"
            raise DepinduceError(f"parse takes a list of sentences: {one}, parser.parse([…]).")
        parsing = Parsing(decode, posteriors=True, threads=threads, log_likelihood=True, labels=labels)
        parses: list[Parse] = []
        model, given = self.model, iter(_sentences(sentences, self._tag_column))
        if learn := self._adapt(adapt):
            model, _, given = learned_from(given, learn)
        warned, remedy = False, "`parse_file` with max_words=200 parses such sentences in pieces"
        for some in blocks(with_strangers_told(model, given), parsing):
            warned = warned or warn_of_long_sentence(model, some, parsing, remedy)
            found, unknown = parse_sentences(model, some, parsing)
            self._warn_about(unknown)
            parses += [self._parse(tree) for trees in found for tree in trees]
        return parses

    def k_best(self, sentence: SentenceLike, k: int, *, threads: int = 1) -> list[Parse]:
        """The k most probable trees of a sentence, the best first; fewer if it has fewer.

        >>> best, second, *_ = parser.k_best("the/DET old/ADJ dog/NOUN barks/VERB", 4)
        >>> best.probability > second.probability > 0
        True
        """
        from depinduce.parsing.decoding import Parsing

        return self._trees(sentence, Parsing(posteriors=True, threads=threads, k_best=k, log_likelihood=True))

    def sample(self, sentence: SentenceLike, n: int, seed: int = 0, *, threads: int = 1) -> list[Parse]:
        """n trees of a sentence, drawn from p(tree | sentence): the same one can come several times.

        >>> drawn = parser.sample("they/PRON saw/VERB a/DET boy/NOUN with/ADP a/DET telescope/NOUN", 100, seed=1)
        >>> len(drawn), len({tuple(parse.heads) for parse in drawn}) > 1
        (100, True)
        """
        from depinduce.parsing.decoding import Parsing

        parsing = Parsing(posteriors=True, threads=threads, samples=n, seed=seed, log_likelihood=True)
        return self._trees(sentence, parsing)

    def posteriors(self, sentence: SentenceLike, *, calibrated: bool = False) -> np.ndarray:
        """The probability of every arc, over all trees of a sentence. [head, child], head 0 is the root

        This is what the grammar thinks, and it is too sure of itself.

        calibrated: how probable it is that each arc is right, as `Parse.probabilities` tell; no sum is one then

        With n words its shape is [n + 1, n]: entry [h, c] tells how probable it is that word h, counted from 1, is the
        head of word c, counted from 0. The columns of words sum to one, those of punctuation are zero.

        >>> matrix = parser.posteriors("dogs/NOUN bark/VERB ./PUNCT")
        >>> matrix.shape, matrix.sum(axis=0).round(6).tolist()
        ((4, 3), [1.0, 1.0, 0.0])
        """
        from depinduce.parsing.streams import corpus_for

        made = as_sentence(sentence, self._tag_column)
        corpus = corpus_for(self.model, [made])
        self._warn_about(corpus.unknown_tags)
        matrix = np.zeros((len(made) + 1, len(made)))
        if len(corpus):
            found = self.model.problem(corpus).posteriors()
            keep = self.model.reading.marks.keep(made)
            kept = np.flatnonzero([True] * len(made) if keep is None else keep)
            matrix[0, kept] = found.root
            matrix[np.ix_(kept + 1, kept)] = found.arc.reshape(len(kept), len(kept))
        matrix = np.minimum(matrix, 1.0)  # sums are rounded
        calibration = self.model.calibration if calibrated else None
        return matrix if calibration is None else calibration(matrix)

    def parse_file(
        self,
        path: str | Path,
        out: str | Path,
        *,
        decode: str | None = None,
        k_best: int | None = None,
        samples: int | None = None,
        seed: int | None = None,
        posteriors: bool = False,
        raw_posteriors: bool = False,
        min_confidence: float | None = None,
        log_likelihood: bool = False,
        max_words: int | None = None,
        labels: bool = False,
        keep_labels: bool = False,
        keep_heads: bool = False,
        metadata: bool = False,
        format: str = "conllu",
        threads: int = 1,
        adapt: bool = True,
        report: Callable[[Throughput], None] | None = None,
    ) -> Throughput:
        """Parse a CoNLL-U file into another, as `depinduce parse` does, in bounded memory.

        A universal grammar first learns the order of the language from the first 5,000 sentences, if there are ten at
        least and they name no language that it knows; from a thousand on, which takes up to a minute, it is the
        committee of the recipe `adapt`. Without `adapt` it has the mean order of its languages.

        The options are those of the command; `format` is "conllu", "jsonl" or "parquet". `-` is stdin or stdout, `.gz`
        works. Gives how many sentences and words there were, in how many seconds; `report` is told so on the way, and
        of unknown tags, which are warned of otherwise.

        >>> from tempfile import NamedTemporaryFile
        >>> with NamedTemporaryFile(suffix=".conllu") as parsed:
        ...     totals = parser.parse_file(demo_file("test"), parsed.name, log_likelihood=True)
        >>> totals.sentences, totals.words
        (150, 1350)
        """
        from depinduce.parsing.decoding import Parsing
        from depinduce.parsing.streams import parse_file
        from depinduce.parsing.written_forms import FORMS

        if format not in FORMS:
            raise DepinduceError(f"format cannot be {format!r}. Choose from: {', '.join(FORMS)}.")
        posteriors |= raw_posteriors
        parsing = Parsing(
            decode, posteriors, threads, k_best, samples, seed, log_likelihood, max_words, keep_labels, raw_posteriors,
            min_confidence, labels, keep_heads,
        )  # fmt: skip
        learn = self._adapt(adapt)
        tell, form = report or (lambda totals: None), FORMS[format]
        totals = parse_file(self.model, path, out, parsing, tell, learn, metadata, form)
        if report is None:
            self._warn_about(totals.unknown_tags)
        return totals

    def least_sure(
        self,
        path: str | Path,
        number: int,
        *,
        decode: str | None = None,
        threads: int = 1,
        adapt: bool = True,
        report: Callable[[int], None] = lambda sentences: None,
    ) -> LeastSure:
        """Where to look first: so many sentences and words of a CoNLL-U file of whose heads it is least sure.

        >>> found = parser.least_sure(demo_file("test"), 3)
        >>> len(found.sentences), len(found.arcs), found.words
        (3, 3, 1190)
        >>> found.arcs[0].probability <= found.arcs[1].probability < found.mean
        True
        """
        from depinduce.parsing.decoding import Parsing
        from depinduce.parsing.least_sure import least_sure

        require_within(1, MOST, least_sure=number)
        parsing = Parsing(decode, posteriors=True, threads=threads)
        found = least_sure(self.model, path, number, parsing, self._adapt(adapt), report)
        self._warn_about(found.unknown_tags)
        return found

    # ---------------------------------------------------------------- what it is worth, and what it has learned

    def evaluate(self, gold: str | Path, *, decode: str = "viterbi", threads: int = 1) -> Scores:
        """The attachment scores of its trees on a CoNLL-U file with gold trees, punctuation not counted.

        >>> scores = parser.evaluate(demo_file("test"))
        >>> round(scores.uas, 1), round(scores.by_length["10"].uas, 1), scores.by_tag["NOUN"].words
        (69.5, 69.0, 302)
        """
        from depinduce.evaluation.files import align_files
        from depinduce.evaluation.label_scores import score_files

        with TemporaryDirectory() as place:
            parsed = Path(place) / "parsed.conllu"
            self.parse_file(gold, parsed, decode=decode, threads=threads)
            everything = replace(self.model.reading, min_length=None, max_length=None)
            trees = align_files(str(gold), str(parsed), everything)
        if len(trees.gold) == 0:
            raise DepinduceError(f"{gold}: no words to score.")
        return score_files(trees)

    def health(self, sentences: Texts, *, others: Iterable[Parser] = ()) -> Health:
        """What its trees of these files or sentences are probably worth, without gold trees, and what looks wrong.

        sentences: as for `train`, of one language; the first 5,000 are looked at, from which a universal grammar learns
            their order before
        others: parsers of other seeds, with whose trees to compare

        >>> found = parser.health(demo_file("train"))
        >>> found.verdict, 0.5 < found.expected < 0.8
        ('good', True)
        >>> print(found)  # doctest: +ELLIPSIS
        verdict: good. About ... of 100 heads are probably right; ... would be if every word hung on its neighbour
        """
        from depinduce.learning.adaptation import adapted
        from depinduce.learning.health import health
        from depinduce.learning.held_out import adaptation_corpus
        from depinduce.parsing.streams import MOST_LEARNED

        texts = _texts(sentences, self._tag_column)
        given = (one for text in texts for one in ([text] if isinstance(text, Sentence) else read_sentences(text)))
        some = list(islice(given, MOST_LEARNED))
        model, _ = adapted(self.model, some)
        corpus, _ = adaptation_corpus(some, model.reading)
        return health(model, corpus, [other.model for other in others])

    def inspect(self, *heads: str) -> Inspection:
        """Its rules with their probabilities, as `depinduce inspect --json` has them; of all heads, or of these.

        >>> (noun,) = parser.inspect("NOUN").heads
        >>> left, right = noun.sides
        >>> left.children[0].tag, round(left.children[0].probability, 2)
        ('DET', 0.66)
        """
        from depinduce.insight.inspection import inspect_grammar
        from depinduce.models.model import require_rule_view

        return inspect_grammar(require_rule_view(self.model), heads)

    def generate(self, n: int, seed: int = 0, *, max_words: int = 40) -> list[GeneratedSentence]:
        """n sentences of tags with their trees, as the grammar generates them; longer ones are thrown away.

        >>> sentence, *_ = parser.generate(10, seed=5, max_words=6)
        >>> sentence.tags, sentence.heads
        (['PRON', 'DET', 'NOUN', 'VERB', 'CCONJ', 'NOUN'], [4, 3, 4, 0, 4, 4])
        """
        from depinduce.insight.generation import Generator
        from depinduce.models.model import require_rule_view

        return list(Generator(require_rule_view(self.model), seed, max_words).sentences(n))

    def report(
        self,
        out: str | Path,
        *,
        gold: str | Path | None = None,
        sentences: str | Path | None = None,
        number: int = 3,
        title: str = "grammar",
        threads: int = 1,
    ) -> None:
        """All about it on one HTML page, as `depinduce report` writes it.

        gold, sentences: a CoNLL-U file to try it on, with trees to compare with, or without
        number: draw so many of the best and of the worst trees
        """
        from depinduce.corpus import open_output
        from depinduce.report.run_report.facts import gather
        from depinduce.report.run_report.page import report_page
        from depinduce.report.run_report.place import in_memory

        if gold is not None and sentences is not None:
            raise DepinduceError("gold and sentences: choose one of them.")
        path = None if gold is None and sentences is None else str(gold or sentences)
        facts = gather(in_memory(self.model, title), path, gold is not None, number, threads)
        self._warn_about(facts.file.unknown_tags if facts.file else ())
        with open_output(out) as output:
            for piece in report_page(facts):
                output.write(piece)

    # ---------------------------------------------------------------- within

    @property
    def _tag_column(self) -> int:
        return self.model.reading.tag_column

    def _adapt(self, wanted: bool) -> Adapt | None:
        """What a universal grammar does with sentences before it parses them."""
        if not wanted or self.model.headedness is None:
            return None
        from depinduce.learning.adaptation import adapted

        return lambda sentences, report: adapted(self.model, sentences, report)

    def _trees(self, sentence: SentenceLike, parsing: Parsing) -> list[Parse]:
        from depinduce.parsing.streams import parse_sentences

        (trees,), unknown = parse_sentences(self.model, [as_sentence(sentence, self._tag_column)], parsing)
        self._warn_about(unknown, caller=4)
        return [self._parse(tree) for tree in trees]

    def _parse(self, tree: ParsedSentence) -> Parse:
        return Parse(**vars(tree), tag_column=self._tag_column)

    def _warn_about(self, unknown_tags: Iterable[str], caller: int = 3) -> None:
        from depinduce.parsing.streams import about_unknown_tags

        if unknown_tags:
            warnings.warn(about_unknown_tags(unknown_tags), stacklevel=caller)

    def __repr__(self) -> str:
        return f"Parser({type(self.model).__name__}, {len(self.tags)} tags)"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from depinduce.corpus.corpus import trees_in_words
        from depinduce.evaluation.tables import Table, as_html

        model = self.model
        rows = [["tags", " ".join(self.tags)], ["without children", " ".join(model.non_heads) or "none of them"]]
        if model.languages:
            rows.append(["languages", " ".join(model.languages)])
        if data := model.history.get("training_data"):
            rows.append(["learned from", f"{data['sentences']:,} sentences, {data['words']:,} words"])
            rows.append(["trees", trees_in_words(data["trees"]) if data.get("trees") else "none were given"])
        if not model.finished:
            rows.append(["training", "was interrupted"])
        return as_html(Table("", ["Parser", model.about], rows))


def _sentences(given: Iterable[SentenceLike], tag_column: int) -> Iterable[Sentence]:
    """As sentences of a file; an error tells which is meant."""
    for number, sentence in enumerate(given, start=1):
        try:
            yield as_sentence(sentence, tag_column)
        except DepinduceError as error:
            raise DepinduceError(f"sentence {number}: {error}") from None


def _source(given: Texts | Mapping[str, Texts], tag_column: int) -> Source:
    """What to learn from: paths, or sentences; of every language, if they are named."""
    if isinstance(given, Mapping):
        return {require_language_name(name): _texts(texts, tag_column) for name, texts in given.items()}
    return _texts(given, tag_column)


def _texts(given: Texts, tag_column: int) -> list[str] | list[Sentence]:
    if isinstance(given, str | Path):
        return [str(given)]
    parts: list[Any] = list(given)
    if not any(map(_is_path, parts)):
        return list(_sentences(parts, tag_column))
    for part in parts:
        if not isinstance(part, str | Path):
            raise DepinduceError(f"files and sentences together: {part!r} is no path. Give either of them.")
    return list(map(str, parts))


def _is_path(part: object) -> bool:
    return isinstance(part, Path) or (
        isinstance(part, str) and (part.endswith((".conllu", ".conllu.gz")) or os.path.isfile(part))
    )
