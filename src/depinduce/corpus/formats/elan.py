"""Annotations of ELAN (`.eaf`): words and tags on tiers of their own.

Every annotation hangs on one of the tier above, by its name (REF_ANNOTATION) or by its time. The words are the
annotations on which the tags hang, directly or by way of morphemes or lemmas; a sentence is what the words hang on.
A tier `pos@A` is the tier `pos` of the speaker A.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from depinduce.corpus.formats.brought import Brought, Opened, Word, one_line
from depinduce.corpus.formats.elan_tiers import Annotation, ElanFile
from depinduce.errors import DepinduceError, InputError

_TAGS = ("pos", "upos", "ps", "tag", "tags", "xpos", "part-of-speech", "wordclass", "postag")
_WORDS = ("word", "words", "wd", "wrd", "token", "tokens", "tok", "tx-word", "mot", "mots", "wort")
_GLOSSES = ("gloss", "glosses", "gl", "ge", "gls", "word-gls", "gloss-en")
_TRANSLATIONS = ("ft", "translation", "free", "free translation", "trans", "ft-eng", "ft-en", "ft-rus", "gls-phrase")


@dataclass(frozen=True)
class Tiers:
    """Which tiers the user names."""

    tag: str | None = None
    word: str | None = None
    gloss: str | None = None
    translation: str | None = None


@dataclass
class _Speaker:
    """The tiers that belong together."""

    tag: str
    word: str
    gloss: str | None
    translation: str | None


def read_elan(path: str | Path, tiers: Tiers) -> Opened:
    """The sentences of a file of ELAN, in the order of time."""
    elan = ElanFile(path)
    speakers = [_speaker(elan, tag, tiers) for tag in _named(elan, "tag", tiers.tag, _TAGS)]
    taken = [f"annotations of ELAN, {len(elan.tiers)} tiers"]
    for speaker in speakers:
        told = {"tag": speaker.tag, "word": speaker.word, "gloss": speaker.gloss, "translation": speaker.translation}
        taken.append("  tiers: " + ", ".join(f"{part} {tier!r}" for part, tier in told.items() if tier))
    used = {tier for one in speakers for tier in (one.tag, one.word, one.gloss, one.translation)}
    if others := [tier for tier in elan.tiers if tier not in used]:
        taken.append(f"  not used: {', '.join(map(repr, others))}")
    return Opened(taken, _sentences(elan, speakers))


def _named(elan: ElanFile, part: str, name: str | None, usual: tuple[str, ...]) -> list[str]:
    """The tiers of this name, one for every speaker; the usual names if none is given."""
    names = [name.casefold()] if name is not None else list(usual)
    for one in names:
        found = [tier for tier in elan.tiers if tier.casefold() == one or tier.casefold().partition("@")[0] == one]
        if found := [tier for tier in found if elan.tiers[tier]]:
            return found
    if part != "tag" and name is None:
        return []
    lists = ", ".join(f"{tier!r} ({len(found)})" for tier, found in elan.tiers.items())
    what = f"no tier {name!r} with annotations" if name is not None else "no tier that looks like one of tags"
    remedy = f"Name it with --{part}-tier. Tiers and their annotations: {lists or 'none'}."
    raise InputError(elan.name, None, what, remedy)


def _speaker(elan: ElanFile, tag: str, tiers: Tiers) -> _Speaker:
    """The tiers that go with one of tags: words above it, glosses below the words, translations anywhere near."""
    above = list(elan.above(tag))
    if tiers.word is not None:
        words = [tier for tier in _named(elan, "word", tiers.word, ()) if tier in above]
        if not words:
            told = " -> ".join(map(repr, above)) or "nothing"
            raise DepinduceError(
                f"{elan.name}: --word-tier {tiers.word}: the tags on {tag!r} do not hang on it, but on {told}. Name "
                "one of these."
            )
    else:
        words = [tier for tier in above if tier.casefold().partition("@")[0] in _WORDS] or above[:1]
    if not words:
        found, remedy = f"the tier {tag!r} hangs on no other", "Name a tier of tags that hangs on one of words."
        raise InputError(elan.name, None, found, f"{remedy} Tiers: {', '.join(map(repr, elan.tiers))}.")
    sentences = elan.parents.get(words[0])
    if sentences is None:
        found = f"the tier of words {words[0]!r} hangs on no other, so that nothing says where sentences end"
        remedy = "Let it hang on a tier of sentences in ELAN (Tier, Change Parent of Tier), and export again."
        raise InputError(elan.name, None, found, remedy)
    glosses = _named(elan, "gloss", tiers.gloss, _GLOSSES)
    translations = _named(elan, "translation", tiers.translation, _TRANSLATIONS)
    top = elan.top(sentences)
    gloss = next((tier for tier in glosses if words[0] in elan.above(tier)), None)
    translation = next((tier for tier in translations if elan.top(tier) == top), None)
    return _Speaker(tag, words[0], gloss, translation)


def _sentences(elan: ElanFile, speakers: list[_Speaker]) -> Iterator[Brought]:
    found: list[tuple[float, Brought]] = []
    for speaker in speakers:
        tags, glosses = elan.hanging(speaker.tag, speaker.word), {}
        if speaker.gloss is not None:
            glosses = elan.hanging(speaker.gloss, speaker.word)
        for sentence, below in elan.children(speaker.word):
            words = [_word(each, tags, glosses) for each in below if one_line(each.value)]
            if words:
                found.append((sentence.begin, Brought(words, list(_comments(elan, sentence, speaker)))))
    return (brought for _, brought in sorted(found, key=lambda pair: pair[0]))


def _word(word: Annotation, tags: dict[str, list[Annotation]], glosses: dict[str, list[Annotation]]) -> Word:
    tag = [one_line(each.value) for each in tags.get(word.id, ())]
    stems = [
        each for each in tag if each and each[0] not in "-=" and each[-1] not in "-="
    ]  # of several, an affix's not
    gloss = "-".join(one_line(each.value).strip("-") for each in glosses.get(word.id, ()))
    return Word(word.value, (stems or tag or ["_"])[0] or "_", misc={"Gloss": gloss} if gloss else {})


def _comments(elan: ElanFile, sentence: Annotation, speaker: _Speaker) -> Iterator[str]:
    if speaker_name := elan.participants.get(sentence.tier) or speaker.word.partition("@")[2]:
        yield f"speaker = {speaker_name}"
    if speaker.translation is not None:
        for text in elan.beside(sentence, speaker.translation):
            yield f"text_{elan.languages.get(speaker.translation) or 'translation'} = {text.value}"
