"""The spaCy component, against spaCy itself: the trees of `depinduce parse` on documents."""

from __future__ import annotations

import pickle
import tomllib
import warnings
from importlib import import_module
from itertools import islice
from pathlib import Path

import pytest
from corpus.blocks import block, write

from depinduce import Parser
from depinduce.corpus import Sentence, read_sentences
from depinduce.corpus.conllu import UPOS, XPOS
from depinduce.corpus.demo import demo_file
from depinduce.errors import DepinduceError
from depinduce.parsing.decoding import Parsing
from depinduce.parsing.streams import parse_sentences

spacy = pytest.importorskip("spacy")

from spacy import displacy  # noqa: E402
from spacy.language import Language  # noqa: E402
from spacy.tokens import Doc  # noqa: E402
from spacy.ty import TrainableComponent  # noqa: E402

from depinduce.bridges import spacy_component  # noqa: E402
from depinduce.bridges.spacy_component import DepinduceParser, make_component  # noqa: E402

SENTENCES = list(islice(read_sentences(demo_file("test")), 60))
TAGS = {"The": "DET", "the": "DET", "dog": "NOUN", "cat": "NOUN", "barks": "VERB", "sleeps": "VERB", ".": "PUNCT"}


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> dict[str, Path]:
    """A model over each of three columns; as the demo corpus has no XPOS, the second has other names for its tags."""
    folder = tmp_path_factory.mktemp("models")
    text = demo_file("train").read_text("utf-8")
    lines = [line.split("\t") for line in text.splitlines()]
    renamed = ["\t".join([*c[:3], "_", f"x{c[3].lower()}", *c[5:]]) if len(c) == 10 else c[0] for c in lines]
    (folder / "x.conllu").write_text("\n".join(renamed) + "\n", encoding="utf-8")
    write(folder / "words.conllu", block("the/_ dog/_ barks/_"), block("the/_ cat/_"), block("the/_ dog/_"))
    places = {"upos": demo_file("train"), "xpos": folder / "x.conllu", "2": folder / "words.conllu"}
    for tags, path in places.items():
        Parser.train(path, iterations=3, tags=tags, max_length=10).save(folder / tags)
    return {tags: folder / tags for tags in places}


@Language.component("tag_by_list")
def tag_by_list(doc: Doc) -> Doc:
    """A tagger that knows a few words."""
    for token in doc:
        token.pos_ = TAGS.get(token.text, "SPACE" if token.is_space else "X")
    return doc


def pipeline(model: object, *before: str, **config) -> Language:
    nlp = spacy.blank("en")
    for name in before:
        nlp.add_pipe(name)
    nlp.add_pipe("depinduce", config={"model": str(model), **config})
    return nlp


def document(nlp: Language, *sentences: Sentence, boundaries: bool = True, column: int = UPOS) -> Doc:
    """Sentences of a file as one document, their tags in `pos_` or `tag_`."""
    forms = [form for sentence in sentences for form in sentence.forms]
    tags = [tag for sentence in sentences for tag in sentence.column(column)]
    starts = [word == 0 for sentence in sentences for word in range(len(sentence))] if boundaries else None
    return Doc(nlp.vocab, forms, sent_starts=starts, **{"pos" if column == UPOS else "tags": tags})


def heads(doc: Doc) -> list[list[int]]:
    """The heads of every sentence as they stand in a file."""
    return [[0 if t.head == t else t.head.i - span.start + 1 for t in span] for span in doc.sents]


def expected(model: Path, sentences: list[Sentence], decode: str = "viterbi") -> list[list[int]]:
    from depinduce.models.loading import load_model

    return [tree.heads for (tree,) in parse_sentences(load_model(model), sentences, Parsing(decode=decode))[0]]


@pytest.mark.parametrize("decode", ["viterbi", "mbr"])
def test_documents_get_the_trees_of_depinduce_parse(decode, models):
    nlp = pipeline(models["upos"], decode=decode)
    doc = nlp(document(nlp, *SENTENCES))
    assert heads(doc) == expected(models["upos"], SENTENCES, decode)
    assert any(token.pos_ == "PUNCT" for token in doc)
    assert {token.dep_ for token in doc if token.head == token} == {"ROOT"}
    assert {token.dep_ for token in doc if token.head != token} == {"dep"}


def test_tags_come_from_the_attribute_that_the_model_was_trained_on(models, tmp_path):
    texts = [
        block("the/_ dog/_ barks/_", xpos=["xdet", "xnoun", "xverb"]),
        block("go/_ home/_", xpos=["xverb", "xadv"]),
    ]
    sentences = list(read_sentences(write(tmp_path / "a.conllu", *texts)))
    nlp = pipeline(models["xpos"])
    assert heads(nlp(document(nlp, *sentences, column=XPOS))) == expected(models["xpos"], sentences)
    words = pipeline(models["2"])  # where words are the tags, a document needs no others
    assert heads(words(Doc(words.vocab, ["the", "dog", "barks"]))) == expected(models["2"], sentences[:1])


def test_batches_and_single_documents_are_the_same(models):
    nlp = pipeline(models["upos"])
    docs = [document(nlp, *SENTENCES[start : start + 3]) for start in range(0, 30, 3)]
    together = list(nlp.pipe(docs, batch_size=4))
    assert [heads(doc) for doc in together] == [
        expected(models["upos"], SENTENCES[start : start + 3]) for start in range(0, 30, 3)
    ]


def test_processes_side_by_side(models):
    nlp = pipeline(models["upos"])
    docs = nlp.pipe([document(nlp, sentence) for sentence in SENTENCES[:12]], n_process=2, batch_size=4)
    assert [heads(doc)[0] for doc in docs] == expected(models["upos"], SENTENCES[:12])


def test_a_forked_process_does_not_wait_for_threads_of_torch(models, monkeypatch):
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    nlp = pipeline(models["upos"])
    try:
        torch.set_num_threads(2)
        nlp(document(nlp, SENTENCES[0]))
        assert torch.get_num_threads() == 2
        monkeypatch.setattr(spacy_component, "_PROCESS", -1)  # this process is then another one
        nlp(document(nlp, SENTENCES[0]))
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)


def test_texts_go_through_a_pipeline_of_one_s_own(models):
    nlp = pipeline(models["upos"], "sentencizer", "tag_by_list")
    doc = nlp("The dog barks. The cat sleeps.")
    assert [span.text for span in doc.sents] == ["The dog barks.", "The cat sleeps."]
    assert all(token.head.sent == token.sent for token in doc)
    assert doc.has_annotation("DEP")
    assert displacy.render(doc, page=False).count("displacy-arrow") > 0


def test_without_boundaries_a_document_is_one_sentence(models):
    nlp = pipeline(models["upos"])
    doc = nlp(document(nlp, *SENTENCES[:2], boundaries=False))
    assert len(list(doc.sents)) == 1
    assert sum(token.head == token for token in doc) == 1


def test_a_long_document_without_boundaries_is_warned_about_once(models):
    nlp = pipeline(models["upos"])
    long = document(nlp, *SENTENCES, boundaries=False)[:201].as_doc()
    with pytest.warns(UserWarning, match=r"201 tokens has no sentence boundaries .*add_pipe\(\"sentencizer\""):
        nlp(long)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nlp(long)


@pytest.mark.parametrize(
    ("text", "space_heads"),
    [
        ("The dog  barks .", {2: 1}),
        ("\n The dog barks \n\n .", {0: 1, 4: 3}),
        ("   ", {0: 0}),
    ],
)
def test_white_space_hangs_on_the_word_before_it(text, space_heads, models):
    nlp = pipeline(models["upos"], "tag_by_list")
    doc = nlp(text)
    assert {token.i: token.head.i for token in doc if token.is_space} == space_heads
    words = [token for token in doc if not token.is_space]
    if words:
        plain = nlp("The dog barks .")
        place = {word.i: number for number, word in enumerate(words)}
        assert [place[word.head.i] for word in words] == [token.head.i for token in plain]
    assert len(list(doc.sents)) == 1


def test_a_document_without_words_stays_empty(models):
    nlp = pipeline(models["upos"])
    assert len(nlp("")) == 0
    assert [len(doc) for doc in nlp.pipe(["", ""])] == [0, 0]


def test_punctuation_alone(models):
    nlp = pipeline(models["upos"])
    doc = nlp(Doc(nlp.vocab, [".", "!", "?"], pos=["PUNCT"] * 3))
    assert [token.head.i for token in doc] == [0, 0, 0]


def test_a_document_without_tags_is_told_who_sets_them(models):
    nlp = pipeline(models["upos"])
    with pytest.raises(DepinduceError, match=r"Token 0 'The' has no token\.pos_.*Put a morphologizer"):
        nlp("The dog barks.")
    with pytest.raises(DepinduceError, match="as it does have a token.tag_, train a model with --tags xpos"):
        nlp(Doc(nlp.vocab, ["dog"], tags=["NN"]))
    with pytest.raises(DepinduceError, match=r"Token 1 'barks' has no token\.tag_.*Put a tagger before"):
        pipeline(models["xpos"])(Doc(nlp.vocab, ["dog", "barks"], tags=["xnoun", ""]))


def test_spacy_s_error_handlers_are_heard(models):
    nlp = pipeline(models["upos"])
    failed = []
    nlp.set_error_handler(lambda name, component, docs, error: failed.append((name, len(docs), error)))
    good = document(nlp, SENTENCES[0])
    assert list(nlp.pipe([Doc(nlp.vocab, ["dog"]), good], batch_size=1)) == [good]
    assert [(name, number) for name, number, _ in failed] == [("depinduce", 1)]


def test_unknown_tags_are_named_once_beside_the_known_ones(models):
    nlp = pipeline(models["upos"])
    with pytest.warns(UserWarning, match="tags that training has not seen, .*: SYM. The model knows: .*NOUN"):
        doc = nlp(Doc(nlp.vocab, ["the", "$"], pos=["DET", "SYM"]))
    assert sum(token.head == token for token in doc) == 1


def test_a_saved_pipeline_brings_its_model_along(models, tmp_path):
    place = tmp_path / "grammar"
    place.symlink_to(models["upos"])
    nlp = pipeline(place, "sentencizer", "tag_by_list")
    nlp.to_disk(tmp_path / "pipeline")
    before = nlp("The dog barks. The cat sleeps.")
    place.unlink()  # as on another machine
    after = spacy.load(tmp_path / "pipeline")("The dog barks. The cat sleeps.")
    assert [token.head.i for token in after] == [token.head.i for token in before]
    assert after.to_json() == before.to_json()


def test_pipelines_as_bytes_and_pickled(models):
    nlp = pipeline(models["upos"])
    doc = nlp(document(nlp, *SENTENCES[:5]))
    copy = spacy.blank("en")
    copy.add_pipe("depinduce")
    copy.from_bytes(nlp.to_bytes())
    pickled = pickle.loads(pickle.dumps(nlp.get_pipe("depinduce")))
    for component in (copy.get_pipe("depinduce"), pickled):
        assert isinstance(component, DepinduceParser)
        assert heads(component(document(nlp, *SENTENCES[:5]))) == heads(doc)


def test_a_component_without_a_model_says_how_to_give_it_one(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("depinduce")
    with pytest.raises(DepinduceError, match=r"has no model\. .*config=\{\"model\": DIR\}"):
        nlp(Doc(nlp.vocab, ["dog"], pos=["NOUN"]))
    absent = pipeline(tmp_path / "nowhere")
    with pytest.raises(DepinduceError, match="nowhere: no model here"):
        absent.initialize()
    with pytest.raises(DepinduceError, match="no model here"):
        pipeline(tmp_path)  # there is something, and it shows at once that it is no model


def test_spacy_can_ask_a_component_without_a_model_whether_it_is_to_be_trained():
    component = spacy.blank("en").add_pipe("depinduce")
    for name in ("model", "is_trainable", "update", "finish_update"):  # which it does in any order, see spacy.ty
        hasattr(component, name)
    assert not isinstance(component, TrainableComponent)


def test_faults_of_the_configuration(models, tmp_path):
    with pytest.raises(DepinduceError, match="--decode cannot be 'best'"):
        pipeline(models["upos"], decode="best")
    related = write(tmp_path / "a.conllu", block("a/X b/Y").replace("_\t_\t_\n", "rel\t_\t_\n"))
    Parser.train(related, iterations=1, tags="8").save(tmp_path / "model")
    with pytest.raises(DepinduceError, match=r"tags from column 8 .* --tags upos \(token.pos_\)"):
        pipeline(tmp_path / "model")


def test_the_entry_point_leads_to_the_factory():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, name = project["entry-points"]["spacy_factories"]["depinduce"].partition(":")
    assert getattr(import_module(module), name) is make_component
    assert "token.head" in Language.get_factory_meta("depinduce").assigns
