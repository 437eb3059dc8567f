"""What the page of a desk asks for: from a request to its answer, as in `api`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from depinduce.labels.arcs import universal_tags
from depinduce.serve.api import Answer, as_json, request_in
from depinduce.serve.choice import Choice, chosen
from depinduce.serve.desk import EXPORTED_AT_ONCE, Desk, Shown
from depinduce.serve.journal import Work, require_label
from depinduce.serve.presentation import marks_of, picture, seen
from depinduce.serve.relations import RELATIONS
from depinduce.serve.requests import RequestError, number_of, text_of, width_of, work_of
from depinduce.serve.survey import signs_in_words, signs_of, verdict_on
from depinduce.serve.turns import Steps

if TYPE_CHECKING:
    from depinduce.corpus import Sentence

MOST_LISTED = 100  # sentences on a page of the list
LONGEST_TEXT = 200  # characters of a sentence in the list


def answer_on_desk(desk: Desk, action: str, body: bytes) -> Steps[bytes]:
    """From the JSON of a request to that of its answer."""
    request = request_in(body)
    made = yield from DESK_ACTIONS[action](desk, request)
    return as_json(made)


def describe_desk(desk: Desk, request: Mapping) -> Steps[Answer]:
    """Which file this is, how far everything has come, and what may be chosen."""
    yield 1.0
    survey = desk.survey
    return {
        "file": seen(desk.file.path.name),
        "journal": seen(str(desk.journal.path)),
        "sentences": len(desk.file),
        "checked": len(desk.checked),
        "grammar": survey.name,
        "grammars": [{"name": model.name, "about": model.about} for model in desk.shelf.models.values()],
        "state": survey.state,
        "fault": survey.fault,
        "surveyed": survey.done,
        "labels": [*RELATIONS, *sorted({*survey.names} - {*RELATIONS, ""})],
        "changed": 0 if desk.before is None else int(survey.changed_since(desk.before).sum()),
        "compared_with": None if desk.before is None else desk.before.name,
        "retraining": desk.retraining.to_json(),
    }


def list_sentences(desk: Desk, request: Mapping) -> Steps[Answer]:
    """A page of the sentences that are wanted."""
    yield 1.0
    size = number_of(request, "size", 1, MOST_LISTED, 25)
    numbers = yield from chosen(desk, Choice.of(request))
    pages = max(1, -(-len(numbers) // size))
    page = min(number_of(request, "page", 0, 10**9, 0), pages - 1)
    some = numbers[page * size : (page + 1) * size].tolist()
    return {
        "total": len(numbers),
        "page": page,
        "pages": pages,
        "sentences": [_line(desk, number) for number in some],
        "surveyed": desk.survey.done,
    }


def show_sentence(desk: Desk, request: Mapping) -> Steps[Answer]:
    """A sentence with the tree that it has by now."""
    number = _number(desk, request)
    yield from _ready(desk, number)
    return _view(desk, desk.shown(number), width_of(request))


def save_sentence(desk: Desk, request: Mapping) -> Steps[Answer]:
    """Do something about a sentence; `saved` is false if somebody else has done something since `version`."""
    number, version = _number(desk, request), number_of(request, "version", 0, 10**9, 0)
    change = _change(desk, request)
    yield from _ready(desk, number)
    try:
        saved, shown = desk.save(number, version, change)
    except OSError as error:
        raise RequestError(f"Not saved: {desk.journal.path} cannot be written ({error.strerror}).", 507) from error
    return {"saved": saved, "sentence": _view(desk, shown, width_of(request))}


def export_sentences(desk: Desk, request: Mapping) -> Steps[Answer]:
    """Some sentences as CoNLL-U, and where the next ones begin; null after the last.

    from: the number of a sentence in the file, which stays what it is if others are checked meanwhile
    """
    numbers = desk.checked if request.get("checked") is True else range(len(desk.file))
    first = bisect_left(numbers, number_of(request, "from", 0, len(desk.file), 0))
    some = numbers[first : first + EXPORTED_AT_ONCE]
    if some:
        yield from _ready(desk, *some)
    text = desk.exported(some, everything=request.get("checked") is not True)
    after = first + len(some)
    return {"text": text, "next": numbers[after] if after < len(numbers) else None, "sentences": len(numbers)}


def use_grammar(desk: Desk, request: Mapping) -> Steps[Answer]:
    """Let another grammar do the rest."""
    yield 1.0
    desk.use(text_of(request, "grammar"))
    return (yield from describe_desk(desk, request))


def retrain(desk: Desk, request: Mapping) -> Steps[Answer]:
    """Begin to learn from the checked trees."""
    yield 0
    desk.retraining.begin()
    return (yield from describe_desk(desk, request))


def stop_retraining(desk: Desk, request: Mapping) -> Steps[Answer]:
    yield 0
    desk.retraining.stop()
    return (yield from describe_desk(desk, request))


DESK_ACTIONS: dict[str, Callable[[Desk, Mapping], Steps[Answer]]] = {
    "desk": describe_desk,
    "desk-list": list_sentences,
    "desk-sentence": show_sentence,
    "desk-save": save_sentence,
    "desk-export": export_sentences,
    "desk-use": use_grammar,
    "desk-retrain": retrain,
    "desk-stop": stop_retraining,
}


# ---------------------------------------------------------------- within


def _number(desk: Desk, request: Mapping) -> int:
    return number_of(request, "number", 0, len(desk.file) - 1, 0)


def _ready(desk: Desk, *numbers: int) -> Steps[None]:
    """Wait for the grammar in nobody's way; then it is so much work."""
    yield 0
    desk.survey.model()
    yield sum(work_of(int(desk.file.lengths[number])) for number in numbers)


def _change(desk: Desk, request: Mapping) -> Callable[[Shown], Work]:
    """What is to be done, which is one thing."""
    done = [name for name in ("head", "label", "open", "checked", "work") if name in request]
    if len(done) != 1:
        raise RequestError("A save does one thing: 'head', 'label', 'open', 'checked' or 'work'.")
    (name,) = done
    if name == "checked":
        if not isinstance(request["checked"], bool):
            raise RequestError("'checked' must be true or false.")
        return lambda shown: desk.check(shown, request["checked"])
    if name == "work":
        return lambda shown: _work(request["work"], shown.sentence)
    word = number_of(request, "word", 1, 10**6, 1)
    if name == "head":
        head = number_of(request, "head", 0, 10**6, 0)
        return lambda shown: desk.head(shown, word, head)
    if name == "label":
        try:
            label = require_label(text_of(request, "label"))
        except ValueError as fault:
            raise RequestError(f"{fault}.") from None
        return lambda shown: desk.label(shown, word, label)
    return lambda shown: desk.open(shown, word)


def _work(found: Any, sentence: Sentence) -> Work:
    """Work as it was before, which is restored."""
    try:
        return Work.from_json(found, len(sentence))
    except ValueError as fault:
        raise RequestError(f"'work' is not what there was before: {fault}.") from None


def _line(desk: Desk, number: int) -> Answer:
    sentence, work, certainty = desk.file.sentence(number), desk.journal[number], desk.survey.certainty[number]
    text = " ".join(sentence.forms)
    return {
        "number": number,
        "name": seen(sentence.sent_id or ""),
        "text": seen(text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"),
        "words": len(sentence),
        "checked": work.is_checked,
        "corrected": len(work.heads) + len(work.labels),
        "certainty": None if verdict_on(certainty) == "" else round(float(certainty), 3),
        "verdict": verdict_on(certainty),
    }


def _view(desk: Desk, shown: Shown, width: int | None) -> Answer:
    reading, sentence = desk.survey.model().reading, shown.sentence
    marks = marks_of(sentence, reading)
    certainty = shown.found.certainty
    return {
        "number": shown.number,
        "line": sentence.line,
        "name": seen(sentence.sent_id or ""),
        "words": seen(sentence.forms),
        "tags": seen(sentence.column(reading.tag_column)),
        "punctuation": marks,
        "heads": shown.heads,
        "labels": seen(shown.labels),
        "probabilities": shown.found.probabilities,
        "certainty": certainty,
        "verdict": verdict_on(float("nan") if certainty is None else certainty),
        "signs": signs_in_words(signs_of(universal_tags(sentence, reading), shown.heads)),
        "whose": shown.whose,
        "lost": list(shown.found.lost),
        "checked": shown.work.is_checked,
        "version": shown.work.version,
        "work": shown.work.to_json(),
        "svg": picture(sentence, reading, shown.heads, shown.labels, shown.found.probabilities, width),
    }
